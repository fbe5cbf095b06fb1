-- title: Channel busy share over time
-- param window_s = 1.0: width of a row, s
-- column source: recording
-- column observer: address of the recording station
-- column channel_mhz: channel, MHz
-- column t_s: start of the window since the dataset's first exchange, s
-- column busy_share: share of the window in which at least one exchange was on the air
-- column exchanges: exchanges that ended in the window
with spans as (
    select
        source, observer, channel_mhz, start_ns, end_ns,
        max(end_ns) over (
            partition by source, observer, channel_mhz
            order by start_ns, end_ns rows between unbounded preceding and 1 preceding
        ) as covered_ns
    from exchanges
    where end_ns > start_ns
),
uncovered as (
    select source, observer, channel_mhz, greatest(start_ns, coalesce(covered_ns, start_ns)) as start_ns, end_ns
    from spans
),
origin as (select min(start_ns) as first_ns, ($window_s * 1e9)::bigint as window_ns from exchanges),
pieces as (
    select
        source, observer, channel_mhz, start_ns - first_ns as start_ns, end_ns - first_ns as end_ns, window_ns,
        unnest(range((start_ns - first_ns) // window_ns, (end_ns - first_ns - 1) // window_ns + 1)) as bin
    from uncovered, origin
    where end_ns > start_ns
)
select
    source,
    observer,
    channel_mhz,
    bin * window_ns / 1e9 as t_s,
    round(sum(least(end_ns, (bin + 1) * window_ns) - greatest(start_ns, bin * window_ns)) / any_value(window_ns), 6)
        as busy_share,
    count(*) filter (where (end_ns - 1) // window_ns = bin) as exchanges
from pieces
group by source, observer, channel_mhz, bin, window_ns
order by source, observer, channel_mhz, bin
