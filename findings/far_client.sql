-- title: A station is far from its access point
-- means: A weak signal forces low rates and repetitions, which take airtime from all others. A station that holds on to
--    a far access point although a nearer one is heard is called sticky.
-- param threshold = 75: dB below 1 mW that the access point's own recording shows of the station; cell edges are mostly
--    planned for -67 dBm, and links below -75 dBm keep only the lowest rates
-- param minimum = 50: data frames of the station
-- param share = 0.02: share of the time that they take
-- says: {sender} is heard with {signal_dbm:dbm} in {samples:count} data frames at {rate_mbps:rate}, which take
--    {airtime_share:percent} of the time.
-- remedy: Move the station or add an access point near it, and set a minimum basic rate so that it roams.
-- needs: count(*) filter (ra = observer and kind in ('data', 'qos_data') and signal_dbm < 0) >= $minimum
-- lacks: it is not known which station recorded, or it measured too few signals
-- without: the frames of {sender}
-- remove: sender = $sender
-- frames: ta = $sender and kind in ('data', 'qos_data') and signal_dbm is not null
-- filter: wlan.ta == {sender} && wlan.fc.type == 2
with signals as (
    select source, ta as sender, ra as receiver, mean(signal_dbm) as signal_dbm, count(*) as frames,
        mean(rate_mbps) as rate_mbps
    from frames
    where layer = 'mac' and kind in ('data', 'qos_data') and signal_dbm < 0 and direction is distinct from 'tx'
        and fcs_ok is distinct from false and ra = observer
    group by all
),
airtimes as (
    select source, sender, sum(air_us) as station_us from uses where attempted group by all
)
select
    source,
    sender as subject,
    -signal_dbm as value,
    station_us / span_us as airtime_share,
    frames as samples,
    sender,
    signal_dbm,
    rate_mbps
from signals join airtimes using (source, sender) join spans using (source)
where value >= $threshold and frames >= $minimum and station_us / span_us >= $share
order by airtime_share desc, subject
