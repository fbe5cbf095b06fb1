-- title: Busy share over time by class of frame and BSS, of the recorder with the most airtime
-- param window_s = 1.0: width of a row, s
-- column source: recording
-- column observer: address of the recording station; null for an anonymous sniffer
-- column t_s: start of the window since the dataset's first exchange, s
-- column class: class of the exchange, as in the query airtime
-- column bssid: basic service set of the exchange; null: unknown
-- column busy_share: share of the window; overlapping exchanges count once, for the one that started first
with best as (
    select source, observer
    from exchanges
    where end_ns > start_ns
    group by source, observer
    order by sum(end_ns - start_ns) desc, source, observer nulls first
    limit 1
),
origin as (select min(start_ns) as first_ns, ($window_s * 1e9)::bigint as window_ns from exchanges),
spans as (
    select
        exchanges.source, exchanges.observer, start_ns, end_ns,
        exchange_class(kind, data_kind, attempt) as class,
        bssid,
        max(end_ns) over (order by start_ns, end_ns rows between unbounded preceding and 1 preceding) as covered_ns
    from exchanges
    join best on best.source = exchanges.source and best.observer is not distinct from exchanges.observer
    where end_ns > start_ns
),
uncovered as (
    select
        source, observer, class, bssid,
        greatest(start_ns, coalesce(covered_ns, start_ns)) - first_ns as start_ns, end_ns - first_ns as end_ns, window_ns
    from spans, origin
    where end_ns > coalesce(covered_ns, start_ns)
),
pieces as (
    select *, unnest(range(start_ns // window_ns, (end_ns - 1) // window_ns + 1)) as bin
    from uncovered
)
select
    source,
    observer,
    round(bin * window_ns / 1e9, 9) as t_s,
    class,
    bssid,
    round(
        sum(least(end_ns, (bin + 1) * window_ns) - greatest(start_ns, bin * window_ns)) / any_value(window_ns), 6
    ) as busy_share
from pieces
group by source, observer, bin, window_ns, class, bssid
order by t_s, class, bssid nulls last
