-- title: Capacity and available bandwidth over time
-- param mode = corrected: paper or corrected
-- column estimator: who says so
-- column state: the node's state: sender, receiver or onlooker
-- column node: whose state it is
-- column peer: the other end; null: all links together
-- column path: the stations passed, where the row is about a path; its capacity is the lowest of its hops
-- column observer: who recorded it
-- column t_s: start of the window since the dataset's first estimate, s
-- column capacity_mbps: capacity, Mb/s
-- column available_mbps: available bandwidth, Mb/s
-- column idle_ratio: share of the window that was idle
-- column exchanges: how many exchanges it rests on
select
    estimator,
    state,
    node,
    peer,
    path,
    observer,
    (window_start_ns - (select min(window_start_ns) from estimates)) / 1e9 as t_s,
    round(capacity_bps / 1e6, 4) as capacity_mbps,
    round(available_bps / 1e6, 4) as available_mbps,
    round(idle_ratio, 6) as idle_ratio,
    exchanges
from estimates
where mode = $mode
order by estimator, state, node, peer, path, observer, t_s, sender, receiver
