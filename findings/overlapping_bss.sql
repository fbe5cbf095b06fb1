-- title: Another network uses the channel
-- means: Access points on one channel share its time. What stations of other networks send is lost to this one, and the
--    two do not coordinate. On channels that overlap in part they disturb one another, too, or keep to the part that is
--    free.
-- param threshold = 0.1: share of the time that data and control frames of other networks take; the development runs of
--    docs/findings.md
-- param minimum = 50: frames of other networks
-- needs: bool_or(kind in ('beacon', 'probe_resp'))
-- lacks: no beacon and no probe response was heard
-- says: Data of {networks:count} BSSIDs besides {own_bssid} takes {value:percent} of the time, most of it that of
--    {bssid_most}{most_is}.
-- remedy: Move one of the networks to another channel, or lower the power of the access points so that they do not hear
--    one another.
-- without: the data of other networks
-- remove: list_contains($contending, bssid) and coalesce(data_kind in ('data', 'qos_data'), true)
--    and (list_contains($told, bssid) or coalesce(channel_mhz = $own_mhz, true))
-- frames: bssid = $bssid_most and kind in ('data', 'qos_data')
-- filter: wlan.bssid == {bssid_most} && wlan.fc.type == 2
with operating as (
    -- Of an unknown width the primary channel is known.
    select source, bssid, bss_primary_mhz as primary_mhz,
        coalesce(bss_centre_mhz, bss_primary_mhz) as centre_mhz, bss_second_centre_mhz as second_mhz,
        if(bss_second_centre_mhz is null, coalesce(bss_width_mhz, 20), 80) as segment_mhz
    from operating_channels()
),
networks as (
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
),
others as (
    -- The networks of one radio do not contend with one another, nor do those whose channels have nothing in common.
    -- Where the beacons of either do not tell its channel, the recorder's counts.
    select networks.*, own_bssid, own_radio, own_mhz, theirs.primary_mhz, ours.primary_mhz as own_primary_mhz,
        theirs.primary_mhz is not null and ours.primary_mhz is not null as is_told,
        if(is_told, theirs.primary_mhz = ours.primary_mhz, coalesce(channel_mhz = own_mhz, true)) as contends,
        is_told and 2 * least(
            abs(ours.centre_mhz - theirs.centre_mhz), abs(ours.centre_mhz - theirs.second_mhz),
            abs(ours.second_mhz - theirs.centre_mhz), abs(ours.second_mhz - theirs.second_mhz)
        ) < ours.segment_mhz + theirs.segment_mhz as is_overlapping
    from networks
    join own on networks.source = own.source and radio <> own_radio
    left join operating as ours on ours.source = own.source and ours.bssid = own_bssid
    left join operating as theirs on theirs.source = networks.source and theirs.bssid = networks.bssid
)
select
    others.source,
    own_bssid as subject,
    sum(net_us) / any_value(span_us) as value,
    value as airtime_share,
    sum(exchanges)::bigint as samples,
    count(distinct bssid) as networks,
    arg_max(bssid, net_us) as bssid_most,
    case
        when arg_max(is_told and not contends, net_us)
            then ', whose channel overlaps: its primary channel is ' || arg_max(primary_mhz, net_us) || ' MHz, and not '
                || any_value(own_primary_mhz)
        when arg_max(is_told, net_us) then ', on the same primary channel'
        else ''
    end as most_is,
    own_bssid,
    any_value(own_mhz) as own_mhz,
    coalesce(list(distinct bssid) filter (contends), []) as contending,
    coalesce(list(distinct bssid) filter (is_told), []) as told,
    -- What the model knows of a channel is that all stations on it wait for one another.
    not bool_or(contends) as untold
from others
join spans on others.source = spans.source
where contends or is_overlapping
group by others.source, own_bssid
having value >= $threshold and samples >= $minimum
