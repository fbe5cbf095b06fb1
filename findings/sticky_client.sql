-- title: A station stays with a far access point
-- means: The station that recorded hears another access point of its network better than its own, and does not change
--    to it: its frames go at lower rates than they could.
-- param threshold = 8: dB that the other access point is stronger; stations mostly roam from 8 dB on
-- param minimum = 20: beacons of each access point
-- weight = 0.1: how much the rates would rise is not recorded
-- says: {station} is served by {own_bssid} at {own_dbm:dbm} and hears {best_bssid} of the same network at
--    {best_dbm:dbm}.
-- remedy: Raise the minimum basic rate and turn on 802.11v BSS transition, or lower the power of the far access point.
-- needs: count(*) filter (kind = 'beacon' and signal_dbm < 0 and observer <> bssid) >= $minimum
-- lacks: it is not known which station recorded, or it measured too few signals
-- frames: kind = 'beacon' and bssid in ($own_bssid, $best_bssid)
-- filter: wlan.fc.type_subtype == 8 && wlan.bssid in {{{own_bssid}, {best_bssid}}}
with beacons as (
    select source, observer, bssid, mode(ssid order by ssid) as ssid, mean(signal_dbm) as dbm, count(*) as beacons
    from frames
    where layer = 'mac' and kind = 'beacon' and signal_dbm < 0 and observer is not null and ssid <> ''
        and fcs_ok is distinct from false
    group by source, observer, bssid
    having count(*) >= $minimum
),
served as (
    select source, observer, bssid as own_bssid
    from uses
    where delivered and (sender = observer or receiver = observer) and bssid is not null and bssid <> observer
    group by source, observer, bssid
    qualify row_number() over (partition by source, observer order by count(*) desc, bssid) = 1
)
select
    own.source,
    own.observer as subject,
    best.dbm - own.dbm as value,
    null::double as airtime_share,
    own.beacons as samples,
    own.observer as station,
    own_bssid,
    own.dbm as own_dbm,
    best.bssid as best_bssid,
    best.dbm as best_dbm
from beacons as own
join served on own.source = served.source and own.observer = served.observer and own.bssid = served.own_bssid
join beacons as best on own.source = best.source and own.observer = best.observer and own.ssid = best.ssid
    and best.bssid <> own.bssid
where value >= $threshold
qualify row_number() over (partition by own.source, own.observer order by best.dbm desc, best.bssid) = 1
