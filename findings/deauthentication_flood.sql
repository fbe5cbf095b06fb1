-- title: Deauthentications come in floods
-- means: A station that is told to leave loses its association, and tries to come back. Who means it says so once;
--    floods come from somebody who forges frames, or from an access point or driver that does not notice that it has.
-- param threshold = 10: deauthentications and disassociations between one pair within one second. Who means it sends
--    one, and what the MAC repeats has the Retry bit (IEEE 802.11-2020, 9.2.4.1.6)
-- param strangers = 100: stations that are told to leave, or leave, within one second and sent nothing else in the
--    whole recording: each of them may have been told once. An access point that restarts tells those that it has
-- weight = 0.3: silence takes no airtime; users notice it as soon as a third of the airtime lost
-- says: Deauthentications and disassociations of {who}: {samples:count}, {whom}, up to {peak:count} within one second.
--    Frames of it that could have called for one: {asked:count}. The reason code most often given is {reason:reason}.
-- remedy: Turn on management frame protection (802.11w), find who sends them, and where it is the access point look at
--    its log.
-- given: bool_or(kind in ('deauth', 'disassoc'))
-- frames: kind in ('deauth', 'disassoc') and bssid = $bssid and (ra = $station or ta = $station)
-- filter: wlan.fc.type_subtype in {{10, 12}} && wlan.bssid == {bssid} && wlan.addr == {station}
with told as (
    select source, bssid, if(ta = bssid, ra, ta) as station, ta = bssid as by_bss, ts_ns, reason_code
    from frames
    where layer = 'mac' and kind in ('deauth', 'disassoc') and retry is distinct from true
        and direction is distinct from 'drop' and fcs_ok is distinct from false and bssid is not null
),
senders as (
    select distinct source, ta as station
    from frames
    where layer = 'mac' and fcs_ok is distinct from false and kind not in ('deauth', 'disassoc')
),
seconds as (
    select source, bssid, station, ts_ns // 1_000_000_000 as second, count(*) as times
    from told
    group by all
),
pairs as (
    select source, bssid, station, max(times) as peak from seconds group by all
),
counted as (
    select source, bssid, station, count(*) as samples, mode(reason_code order by reason_code) as reason,
        case when bool_and(by_bss) then 'in the name of the access point'
            when not bool_or(by_bss) then 'in the name of the station'
            else 'in the names of both' end as whom
    from told
    group by all
),
strangers as (
    -- Addresses that are made up, or taken from a list, of which each is told once.
    select source, min(bssid) as bssid, sum(told) as samples, max(stations)::bigint as peak,
        mode(reason order by reason) as reason
    from (
        select source, mode(bssid order by bssid) as bssid, ts_ns // 1_000_000_000 as second, count(*) as told,
            count(distinct station) as stations, mode(reason_code order by reason_code) as reason
        from told anti join senders using (source, station)
        group by source, second
    )
    where stations >= $strangers
    group by source
),
classes as (
    -- Data of a station that is not associated may be answered with a deauthentication each (IEEE 802.11-2020, 11.3.3).
    select source, ta as station, count(*) as asked
    from frames
    where layer = 'mac' and fcs_ok is distinct from false and ta is distinct from bssid
        and kind in ('data', 'qos_data', 'null', 'qos_null', 'ps_poll')
    group by all
)
select *, null::double as airtime_share
from (
    select source, station as subject, peak::double as value, samples, bssid, station,
        if(station = 'ff:ff:ff:ff:ff:ff', 'every station of ' || bssid, station) as who,
        peak, whom, reason, coalesce(classes.asked, 0) as asked
    from pairs join counted using (source, bssid, station) left join classes using (source, station)
    where value >= $threshold and samples > coalesce(classes.asked, 0)
    union all
    select source, bssid, peak::double, samples, bssid, bssid, 'stations that sent nothing else', peak,
        'one each or a few', reason, 0
    from strangers
)
order by value desc, subject
