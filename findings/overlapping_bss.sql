-- title: Another network uses the channel
-- means: Access points on one channel share its time. What stations of other networks send is lost to this one, and the
--    two do not coordinate.
-- param threshold = 0.1: share of the time that data and control frames of other networks take; the development runs of
--    docs/findings.md
-- param minimum = 50: frames of other networks
-- needs: bool_or(kind in ('beacon', 'probe_resp'))
-- lacks: no beacon and no probe response was heard
-- says: Data of {networks:count} BSSIDs besides {own_bssid} takes {value:percent} of the time, most of it that of
--    {bssid_most}.
-- remedy: Move one of the networks to another channel, or lower the power of the access points so that they do not hear
--    one another.
-- without: the data of other networks
-- remove: bssid in (select node from nodes where role = 'ap' and coalesce(radio, node) <> $own_radio)
--    and coalesce(channel_mhz = $own_mhz, true) and coalesce(data_kind in ('data', 'qos_data'), true)
-- frames: bssid = $bssid_most and kind in ('data', 'qos_data')
-- filter: wlan.bssid == {bssid_most} && wlan.fc.type == 2
with networks as (
    select uses.source, uses.bssid, coalesce(any_value(radio), uses.bssid) as radio, channel_mhz, sum(air_us) as net_us,
        count(*) as exchanges, coalesce(sum(8.0 * payload_bytes) filter (delivered), 0) as bits,
        bool_or(coalesce(observer in (sender, receiver), false)) as is_own
    -- Of access points: in ns-3 every station of an IBSS has an identifier of its own.
    from uses join nodes on uses.bssid = node and role = 'ap'
    where not management
    group by uses.source, uses.bssid, channel_mhz
),
own as (
    -- The network of the station that recorded, else the one with most data, on the channel with most of it.
    select source, bssid as own_bssid, any_value(radio) as own_radio, arg_max(channel_mhz, bits) as own_mhz
    from networks
    group by source, bssid
    having sum(bits) > 0
    qualify row_number() over (partition by source order by bool_or(is_own) desc, sum(bits) desc, bssid) = 1
)
select
    networks.source,
    own_bssid as subject,
    sum(net_us) / any_value(span_us) as value,
    value as airtime_share,
    sum(exchanges)::bigint as samples,
    count(distinct bssid) as networks,
    arg_max(bssid, net_us) as bssid_most,
    own_bssid,
    any_value(own_radio) as own_radio,
    any_value(own_mhz) as own_mhz
from networks
-- The networks of one radio do not contend with one another, nor do those on different channels.
join own on networks.source = own.source and radio <> own_radio and coalesce(channel_mhz = own_mhz, true)
join spans on networks.source = spans.source
group by networks.source, own_bssid
having value >= $threshold and samples >= $minimum
