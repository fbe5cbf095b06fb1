-- title: Totals of the dataset
-- column recordings: recordings with frames
-- column frames: recorded frames, or simulator events
-- column span_s: from the first time stamp to the last, s
-- column stations: transmitters with a readable address
-- column exchanges: number of exchanges
-- column complete_share: share of the exchanges requiring a response that have it; null if no response was recorded
-- column busy_share: share of the recorded time with an exchange on the air, from the recorder with the most airtime
-- column retry_share: share of the unicast data frames with payload that have the Retry bit
with seen as (
    select
        count(distinct source) as recordings,
        coalesce(sum(frames), 0)::bigint as frames,
        (max(last_ns) - min(first_ns)) / 1e9 as span_s,
        count(distinct ta) as stations
    from frame_sums()
),
data as (
    select sum(if(retry, frames, 0)) / nullif(sum(if(retry is null, 0, frames)), 0) as retry_share
    from sent_frames()
    where kind in ('data', 'qos_data') and not is_group
),
busy as (
    select busy_ns, span_ns
    from (select source, observer, sum(busy_ns) as busy_ns from busy_bins(3600000000000) group by source, observer) as sums
    join (select source, observer, recorded_ns as span_ns from recorders()) as spans
        on spans.source = sums.source and spans.observer is not distinct from sums.observer
),
uses as (
    select
        coalesce(sum(exchanges), 0)::bigint as exchanges,
        sum(exchanges) filter (where complete and kind in ('rts', 'basic', 'cts_self'))
            / sum(exchanges) filter (where kind in ('rts', 'basic', 'cts_self', 'rts_failed')) as complete_share
    from exchange_sums()
)
select
    recordings,
    frames,
    round(coalesce(span_s, 0), 6) as span_s,
    stations,
    exchanges,
    round(complete_share, 6) as complete_share,
    round((select max_by(busy_ns / span_ns, busy_ns) from busy), 6) as busy_share,
    round(retry_share, 6) as retry_share
from seen, data, uses
