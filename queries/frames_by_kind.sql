-- title: Frames by kind and station
-- column station: transmitter address; null for frames without one (CTS, ACK) and unreadable ones
-- column kind: kind of the frame
-- column frames: number of recorded frames
-- column bytes: MPDU octets, FCS included
-- column airtime_ms: total airtime, ms; null if no airtime is known
-- column retries: frames with the Retry bit
-- column bad_fcs: frames with an incorrect FCS
select
    ta as station,
    kind,
    count(*) as frames,
    sum(length_bytes)::bigint as bytes,
    round(sum(airtime_us) / 1000, 3) as airtime_ms,
    count(*) filter (where retry) as retries,
    count(*) filter (where fcs_ok = false) as bad_fcs
from frames
where layer = 'mac' and coalesce(direction, 'rx') <> 'drop'
group by station, kind
order by frames desc, station nulls last, kind
