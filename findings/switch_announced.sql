-- title: An access point announced that it leaves the channel
-- means: Channel Switch Announcements take the stations of a network along to another channel. A recorder that stays
--    hears nothing more of it. Where the beacons go on as before, the switch was called off, or somebody forged the
--    announcements to drive stations away.
-- param threshold = 1: announcements of a BSSID that name another channel than its own
-- param interval = 102.4: ms between beacons; access points count down in their own, which is this by default
-- param minimum = 3: beacons on the old channel after the announced time that show that it stayed
-- param silence = 1: s without any of them that show that it left
-- weight = 0.3: silence takes no airtime; users notice it as soon as a third of the airtime lost
-- says: {bssid} announced {times} that it goes from {from_mhz:count} to {to_mhz:count} MHz, and {then}.
-- remedy: Record on the other channel as well, where the network may be from then on.
-- given: bool_or(bss_switch_mhz is not null)
-- frames: bss_switch_mhz is not null and bssid = $bssid
-- filter: wlan.bssid == {bssid} && (wlan.tag.number in {{37, 60}} || wlan.fixed.extchansw)
with told as (
    select source, frame_no, ts_ns, bssid, kind, bss_primary_mhz, bss_switch_mhz, bss_switch_beacons,
        -- Action frames do not name the channel that the network is on.
        coalesce(last_value(bss_primary_mhz ignore nulls) over so_far, channel_mhz) as at_mhz
    from frames
    where layer = 'mac' and kind in ('beacon', 'probe_resp', 'action') and bssid is not null
        and fcs_ok is distinct from false and direction is distinct from 'drop'
    window so_far as (partition by source, bssid order by frame_no rows between unbounded preceding and current row)
),
announced as (
    select source, bssid, at_mhz as from_mhz, bss_switch_mhz as to_mhz, count(*) as samples, min(ts_ns) as first_ns,
        max(ts_ns + greatest(bss_switch_beacons, 1) * $interval * 1e6)::bigint as due_ns
    from told
    where bss_switch_mhz <> at_mhz
    group by all
),
ends as (
    select source, max(ts_ns) as last_ns
    from frames
    where layer = 'mac' and source in (select source from announced)
    group by source
),
afterwards as (
    select announced.*, last_ns,
        count(*) filter (kind = 'beacon' and ts_ns > due_ns and at_mhz = from_mhz) as beacons,
        bool_or(ts_ns > first_ns and bss_primary_mhz = to_mhz) as has_moved
    from announced join told using (source, bssid) join ends using (source)
    group by all
)
select
    source,
    bssid as subject,
    samples::double as value,
    null::double as airtime_share,
    samples,
    bssid,
    if(samples = 1, 'once', samples || ' times') as times,
    from_mhz,
    to_mhz,
    case when beacons >= $minimum then 'its beacons went on where they were'
        when beacons = 0 and last_ns - due_ns >= $silence * 1e9 then 'was not heard any more'
        else 'the recording does not show whether it did' end as "then",
    case when beacons >= $minimum then 'Find out whether the access point sent the announcements itself; where they are'
            || ' forged, beacon protection (802.11-2020) lets stations that have it ignore them.'
        when beacons = 0 and from_mhz between 5250 and 5730 then 'Record on the other channel as well. If radar was'
            || ' the reason, choose a channel outside the DFS range (5250 to 5730 MHz).' end as remedy
from afterwards
where value >= $threshold and not has_moved
order by value desc, subject, to_mhz
