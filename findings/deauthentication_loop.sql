-- title: A station is thrown out again and again
-- means: Wrong keys, an access point that is full, a driver, or somebody who forges frames: the station is
--    deauthenticated, comes back, and is thrown out again.
-- param threshold = 3: times that one station was deauthenticated or disassociated
-- param back = 2: times that it came back
-- weight = 0.3: silence takes no airtime; users notice it as soon as a third of the airtime lost
-- says: {station} was deauthenticated or disassociated {samples:count} times and came back {returns:count} times;
--    the reason code most often given is {reason:reason}.
-- remedy: Look at the reason and at the log of the access point; with forged frames turn on 802.11w.
-- given: bool_or(kind in ('deauth', 'disassoc'))
-- frames: kind in ('deauth', 'disassoc') and (ra = $station or ta = $station)
-- filter: wlan.fc.type_subtype in {{10, 12}} && wlan.addr == {station}
with events as (
    select source, case when ta = bssid then ra else ta end as station, frame_no, reason_code,
        kind in ('deauth', 'disassoc') as ended
    from frames
    where layer = 'mac' and retry is distinct from true and direction is distinct from 'drop'
        and fcs_ok is distinct from false
        and (kind in ('deauth', 'disassoc') and not coalesce(is_group, false)
            or kind in ('auth', 'assoc_req', 'reassoc_req') and ta is distinct from bssid)
),
-- Several frames throw a station out, and several bring it back: what counts is the first of either.
turns as (
    select *, lag(ended) over (partition by source, station order by frame_no) as before
    from events
),
counted as (
    select source, station, count(*) filter (ended and before is distinct from ended) as times,
        count(*) filter (not ended and before) as returns,
        mode(reason_code order by reason_code) filter (ended) as reason
    from turns
    group by all
)
select
    source,
    station as subject,
    times::double as value,
    null::double as airtime_share,
    times as samples,
    station,
    returns,
    reason
from counted
where times >= $threshold and returns >= $back
order by value desc, subject
