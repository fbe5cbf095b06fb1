-- title: Retry rate by link
-- param minimum = 1 (0 to): minimum number of frames of a link
-- column transmitter: transmitter address
-- column receiver: receiver address
-- column frames: unicast data frames with payload
-- column retries: of them, frames with the Retry bit; null if the recording does not contain it (ns-2)
-- column retry_share: retries / frames
-- column null_frames: null-function frames, counted separately because they signal power save
with links as (
    select
        ta as transmitter,
        ra as receiver,
        sum(if(kind in ('data', 'qos_data'), frames, 0))::bigint as frames,
        sum(retry::int * frames) filter (where kind in ('data', 'qos_data'))::bigint as retries,
        sum(if(kind in ('null', 'qos_null'), frames, 0))::bigint as null_frames
    from sent_frames()
    where kind in ('data', 'qos_data', 'null', 'qos_null') and not is_group
    group by ta, ra
)
select
    transmitter,
    receiver,
    frames,
    retries,
    round(retries / nullif(frames, 0), 4) as retry_share,
    null_frames
from links
where frames >= $minimum
order by retry_share desc nulls last, frames desc, transmitter, receiver
