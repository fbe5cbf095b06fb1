-- title: Estimates and ground truth over time
-- param links = 12 (1 to 10000): maximum number of links, those with most traffic first
-- param views = 8 (1 to 10000): maximum number of views (quantities and nodes) per link
-- param points = 200 (1 to 1000000): windows per view; more are averaged in groups
-- column log: the log or trace that is the truth
-- column sender: transmitter of the link's data
-- column receiver: receiver of the link's data
-- column quantity: capacity, available, attainable, goodput or replayed
-- column state: role of the node on the link: sender, receiver or onlooker; null: the recording itself
-- column node: the estimating node; null: an anonymous sniffer
-- column source: recording
-- column observer: address of the recording station
-- column estimator: name of the estimator; recording: its own goodput
-- column mode: paper or corrected
-- column t_s: centre of the window, or group of windows, since the dataset's first exchange, s
-- column window_s: width of the window, or group of windows, s
-- column estimate_mbps: the estimate, Mb/s
-- column truth_mbps: goodput in the log, Mb/s
-- column windows: number of windows averaged
with origin as (select coalesce(min(start_ns), min(end_ns)) as first_ns from exchanges),
ranked as (
    select log, sender, receiver, row_number() over (order by sum(truth_bps) desc, log, sender, receiver) as rank
    from comparison
    group by log, sender, receiver
),
views as (
    select ranked.rank, comparison.log, sender, receiver, quantity, state, node, source, observer,
        min(t_ns) as from_ns,
        max(window_ns) * ceil(((max(t_ns) - min(t_ns)) / max(window_ns) + 1) / $points)::bigint as bin_ns,
        row_number() over (
            partition by ranked.rank
            order by list_position(['sender', 'receiver', 'onlooker'], state) nulls last, quantity, source, node, observer
        ) as view_rank
    from comparison join ranked using (log, sender, receiver)
    where ranked.rank <= $links
    group by ranked.rank, comparison.log, sender, receiver, quantity, state, node, source, observer
)
select
    any_value(comparison.log) as log, any_value(comparison.sender) as sender,
    any_value(comparison.receiver) as receiver, any_value(comparison.quantity) as quantity,
    any_value(comparison.state) as state, any_value(comparison.node) as node,
    any_value(comparison.source) as source, any_value(comparison.observer) as observer,
    estimator, mode,
    round((from_ns + ((t_ns - from_ns) // bin_ns) * bin_ns + bin_ns // 2 - any_value(first_ns)) / 1e9, 6) as t_s,
    round(bin_ns / 1e9, 6) as window_s,
    round(avg(estimate_bps) / 1e6, 5) as estimate_mbps,
    round(avg(truth_bps) / 1e6, 5) as truth_mbps,
    count(*) as windows
from comparison
join views on views.log = comparison.log and views.sender = comparison.sender
    and views.receiver = comparison.receiver and views.quantity = comparison.quantity
    and views.state is not distinct from comparison.state and views.node is not distinct from comparison.node
    and views.source = comparison.source and views.observer is not distinct from comparison.observer
cross join origin
where view_rank <= $views
group by rank, view_rank, estimator, mode, from_ns, bin_ns, (t_ns - from_ns) // bin_ns
order by rank, view_rank, estimator, mode, t_s
