-- title: The access point changed its channel
-- means: On DFS channels (5250 to 5730 MHz) an access point must leave when it detects radar; stations lose it until
--    they have found it again. Automatic channel selection does the same when it sees a better one.
-- param threshold = 1: changes of channel of one BSSID
-- param minimum = 5: beacons on each channel
-- param hops = 5: changes of channel from which on it is the recorder that hops, as in channel_hopping
-- weight = 0.3: silence takes no airtime; users notice it as soon as a third of the airtime lost
-- needs: count(*) filter (kind = 'beacon' and coalesce(bss_primary_mhz, channel_mhz) is not null) >= 2 * $minimum
-- lacks: too few beacons were heard with their channel
-- says: {bssid} changed its channel {times}. From {from_mhz:count} to {to_mhz:count} MHz it took {gap_ms:ms} from the
--    last to the first beacon.
-- remedy: Set the channel by hand, or let automatic selection run at night only.
-- given: min(channel_mhz) < max(channel_mhz) or min(bss_primary_mhz) < max(bss_primary_mhz)
-- frames: kind = 'beacon' and bssid = $bssid
-- filter: wlan.fc.type_subtype == 8 && wlan.bssid == {bssid}
with tuned as (
    select source, channel_mhz <> lag(channel_mhz) over (partition by source order by frame_no) as changed
    from frames
    where layer = 'mac' and channel_mhz is not null
),
still as (
    -- A recorder that hops changes channels, not the access point.
    select source from tuned group by source having count(*) filter (changed) < $hops
),
beacons as (
    -- The channel that beacons name is the access point's whatever the recorder does.
    select source, frame_no, bssid, ts_ns, coalesce(bss_primary_mhz, channel_mhz) as mhz,
        bss_primary_mhz is not null as told
    from frames
    where layer = 'mac' and kind = 'beacon' and bssid is not null and fcs_ok is distinct from false
        and parse_error is null
    qualify told = bool_or(told) over (partition by source, bssid) and (told or source in (from still))
        and mhz is not null
),
changes as (
    select *, coalesce(mhz <> lag(mhz) over (partition by source, bssid order by frame_no), true) as comes
    from beacons
),
numbered as (
    select *, sum(if(comes, 1, 0)) over (partition by source, bssid order by frame_no) as stay from changes
),
stays as (
    select source, bssid, told, mhz, count(*) as beacons, min(ts_ns) as first_ns, max(ts_ns) as last_ns
    from numbered
    group by source, bssid, told, mhz, stay
    having count(*) >= $minimum
),
steps as (
    select source, bssid, told, mhz as to_mhz, lag(mhz) over own as from_mhz,
        (first_ns - lag(last_ns) over own) / 1e6 as gap_ms, sum(beacons) over (partition by source, bssid) as beacons
    from stays
    window own as (partition by source, bssid order by first_ns)
    qualify from_mhz <> to_mhz
),
alone as (
    -- Where several radios are heard on another channel together, whoever recorded them was put there.
    select steps.*
    from steps left join nodes on node = bssid
    qualify told or count(distinct coalesce(radio, bssid)) over (partition by source, told, from_mhz, to_mhz) = 1
)
select
    source,
    bssid as subject,
    count(*)::double as value,
    null::double as airtime_share,
    any_value(beacons)::bigint as samples,
    bssid,
    if(count(*) = 1, 'once', count(*) || ' times') as times,
    arg_max(from_mhz, gap_ms) as from_mhz,
    arg_max(to_mhz, gap_ms) as to_mhz,
    max(gap_ms) as gap_ms,
    case when bool_or(from_mhz between 5250 and 5730) then 'Choose a channel outside the DFS range, and let automatic'
        || ' selection run at night only.' end as remedy
from alone
group by source, bssid
having value >= $threshold
order by value desc, gap_ms desc, subject
