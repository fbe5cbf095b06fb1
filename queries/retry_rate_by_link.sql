-- title: Retry rate by link
-- param minimum = 1: minimum number of frames of a link
-- column transmitter: transmitter address
-- column receiver: receiver address
-- column frames: unicast data frames with payload
-- column retries: of them, frames with the Retry bit; null if the recording does not contain it (ns-2)
-- column retry_share: retries / frames
-- column null_frames: null-function frames, counted separately because they signal power save
select
    ta as transmitter,
    ra as receiver,
    count(*) filter (where kind in ('data', 'qos_data')) as frames,
    sum(retry::int) filter (where kind in ('data', 'qos_data'))::bigint as retries,
    round(retries / nullif(frames, 0), 4) as retry_share,
    count(*) filter (where kind in ('null', 'qos_null')) as null_frames
from frames as heard
where layer = 'mac'
    and kind in ('data', 'qos_data', 'null', 'qos_null')
    and coalesce(direction, 'rx') <> 'drop'
    and not is_group
group by transmitter, receiver
having frames >= $minimum
order by retry_share desc nulls last, frames desc, transmitter, receiver
