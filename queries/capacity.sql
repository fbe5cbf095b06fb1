-- title: Capacity and available bandwidth over time
-- param mode = corrected (paper, corrected): paper or corrected
-- column estimator: name of the estimator
-- column state: role of the node: sender, receiver or onlooker
-- column node: the estimating node
-- column peer: the other end of the link; null: all links
-- column path: stations on the path if the row is about a path; its capacity is the minimum over its hops
-- column observer: address of the recording station
-- column t_s: start of the window since the dataset's first estimate, s
-- column capacity_mbps: capacity, before losses, Mb/s
-- column available_mbps: available bandwidth, Mb/s
-- column idle_ratio: share of the window that was idle, as the estimator counts it
-- column exchanges: number of exchanges used
-- column source: recording
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
    exchanges,
    source
from estimates
where mode = $mode
order by estimator, state, node, peer, path, observer, source, t_s, sender, receiver
