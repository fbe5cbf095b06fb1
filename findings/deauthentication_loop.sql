-- title: A station is thrown out again and again
-- means: Wrong keys, an access point that is full, a driver, or somebody who forges frames: the station is
--    deauthenticated, comes back, and is thrown out again.
-- param threshold = 3: deauthentications and disassociations of one station
-- param back = 2: times that it came back
-- weight = 0.3: silence takes no airtime; users notice it as soon as a third of the airtime lost
-- says: {station} was deauthenticated or disassociated {samples:count} times and came back {returns:count} times;
--    the reason code most often given is {reason:reason}.
-- remedy: Look at the reason and at the log of the access point; with forged frames turn on 802.11w.
-- given: bool_or(kind in ('deauth', 'disassoc'))
-- frames: kind in ('deauth', 'disassoc') and (ra = $station or ta = $station)
-- filter: wlan.fc.type_subtype in {{10, 12}} && wlan.addr == {station}
with ends as (
    select source, case when ta = bssid then ra else ta end as station, count(*) as ended,
        mode(reason_code order by reason_code) as reason
    from frames
    where layer = 'mac' and kind in ('deauth', 'disassoc') and retry is distinct from true
        and not coalesce(is_group, false) and direction is distinct from 'drop' and fcs_ok is distinct from false
    group by all
),
returns as (
    select source, ta as station, count(*) as returns
    from frames
    where layer = 'mac' and kind in ('auth', 'assoc_req', 'reassoc_req') and ta is distinct from bssid
        and retry is distinct from true and direction is distinct from 'drop' and fcs_ok is distinct from false
    group by all
)
select
    source,
    station as subject,
    ended::double as value,
    null::double as airtime_share,
    ended as samples,
    station,
    returns,
    reason
from ends join returns using (source, station)
where ended >= $threshold and returns >= $back
order by value desc, subject
