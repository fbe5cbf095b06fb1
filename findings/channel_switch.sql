-- title: The access point changed its channel
-- means: On DFS channels (5250 to 5730 MHz) an access point must leave when it detects radar; stations lose it until
--    they have found it again. Automatic channel selection does the same when it sees a better one.
-- param threshold = 1: changes of channel of one BSSID
-- param minimum = 5: beacons on each channel
-- weight = 0.3: silence takes no airtime; users notice it as soon as a third of the airtime lost
-- says: {bssid} moved from {from_mhz:count} to {to_mhz:count} MHz, {gap_ms:ms} between the last and the first beacon.
-- remedy: Choose a channel outside the DFS range, and let automatic selection run at night only.
-- given: bool_or(kind = 'beacon')
-- frames: kind = 'beacon' and bssid = $bssid
-- filter: wlan.fc.type_subtype == 8 && wlan.bssid == {bssid}
with beacons as (
    select source, bssid, channel_mhz, count(*) as beacons, min(ts_ns) as first_ns, max(ts_ns) as last_ns
    from frames
    where layer = 'mac' and kind = 'beacon' and channel_mhz is not null and fcs_ok is distinct from false
    group by source, bssid, channel_mhz
    having count(*) >= $minimum
)
select
    a.source,
    a.bssid as subject,
    1::double as value,
    null::double as airtime_share,
    a.beacons + b.beacons as samples,
    a.bssid,
    a.channel_mhz as from_mhz,
    b.channel_mhz as to_mhz,
    (b.first_ns - a.last_ns) / 1e6 as gap_ms
from beacons as a
join beacons as b on a.source = b.source and a.bssid = b.bssid and a.channel_mhz <> b.channel_mhz
    and a.last_ns < b.first_ns
-- A hopping recorder changes channels, not the access point.
where 1 >= $threshold
    and (select count(distinct channel_mhz) from beacons as c where c.source = a.source and c.bssid = a.bssid) = 2
    and (
        select count(*) from (
            select channel_mhz is distinct from lag(channel_mhz) over (order by frame_no) as changed
            from frames where frames.source = a.source and layer = 'mac' and channel_mhz is not null
        ) where changed
    ) <= 4
order by gap_ms desc, subject
