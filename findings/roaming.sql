-- title: A station keeps changing its access point
-- means: Every change costs authentication, association and key exchange, and the flows stand still meanwhile. A
--    station between two cells may change back and forth.
-- param threshold = 3: associations of one station with at least two access points
-- weight = 0.3: silence takes no airtime; users notice it as soon as a third of the airtime lost
-- says: {station} asked {samples:count} times to associate, with {bssids:count} access points.
-- remedy: Reduce the overlap of the cells or their power, and turn on 802.11k, v and r.
-- given: bool_or(kind in ('assoc_req', 'reassoc_req'))
-- frames: ta = $station and kind in ('assoc_req', 'reassoc_req') and retry is distinct from true
-- filter: wlan.ta == {station} && wlan.fc.type_subtype in {{0, 2}}
select
    source,
    ta as subject,
    count(*)::double as value,
    null::double as airtime_share,
    count(*) as samples,
    ta as station,
    count(distinct ra) as bssids
from frames
where layer = 'mac' and kind in ('assoc_req', 'reassoc_req') and retry is distinct from true
    and direction is distinct from 'drop' and fcs_ok is distinct from false
group by source, ta
having count(*) >= $threshold and count(distinct ra) >= 2
order by value desc, subject
