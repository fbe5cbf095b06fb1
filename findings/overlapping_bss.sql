-- title: Another network uses the channel
-- means: Access points on one channel share its time. What stations of other networks send is lost to this one, and the
--    two do not coordinate.
-- param threshold = 0.1: share of the time that data and control frames of other networks take; the development runs of
--    docs/findings.md
-- param minimum = 50: frames of other networks
-- says: {networks:count} other BSSIDs take {value:percent} of the time with data; {bssid_most} most of it. The network
--    with most data here is {own_bssid}.
-- remedy: Move one of the networks to another channel, or lower the power of the access points so that they do not hear
--    one another.
-- without: the data of other networks
-- remove: bssid <> $own_bssid and bssid in (select node from nodes where role = 'ap') and coalesce(data_kind in
--    ('data', 'qos_data'), true)
-- frames: bssid = $bssid_most and kind in ('data', 'qos_data')
-- filter: wlan.bssid == {bssid_most} && wlan.fc.type == 2
with networks as (
    select source, bssid, sum(air_us) as net_us, count(*) as exchanges,
        sum(8.0 * payload_bytes) filter (delivered) as bits
    from uses
    -- Of access points: in ns-3 every station of an IBSS has an identifier of its own.
    where not management and bssid in (select node from nodes where role = 'ap')
    group by source, bssid
),
own as (
    select source, bssid as own_bssid, bits
    from networks
    qualify row_number() over (partition by source order by bits desc nulls last, net_us desc, bssid) = 1
)
select
    networks.source,
    own_bssid as subject,
    sum(net_us) / any_value(span_us) as value,
    value as airtime_share,
    sum(exchanges)::bigint as samples,
    count(*) as networks,
    arg_max(bssid, net_us) as bssid_most,
    own_bssid
from networks
join own on networks.source = own.source and networks.bssid <> own.own_bssid and own.bits > 0
join spans on networks.source = spans.source
group by networks.source, own_bssid
having value >= $threshold and samples >= $minimum
