-- title: Retry rate by link
-- param minimum = 1: links with fewer frames are left out
-- column transmitter: transmitter address
-- column receiver: receiver address
-- column frames: unicast data frames with payload
-- column retries: of them, with the Retry bit; null where the recording has no such bit (ns-2)
-- column retry_share: retries / frames
-- column null_frames: null-function frames, counted apart because they are power-save signalling
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
    and ra is not null
    and ra[2] not in ('1', '3', '5', '7', '9', 'b', 'd', 'f')
group by transmitter, receiver
having frames >= $minimum
order by retry_share desc nulls last, frames desc, transmitter, receiver
