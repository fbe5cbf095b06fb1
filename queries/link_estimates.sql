-- title: Capacity and available bandwidth over time of the busiest links
-- param links = 24 (1 to 10000): maximum number of links
-- param views = 6 (1 to 10000): maximum number of nodes' views per link
-- param points = 200 (1 to 1000000): windows per view; more are averaged in groups
-- column rank: rank of the link by samples, 1 is the busiest; all overheard links last; links without samples are left out
-- column sender: transmitter of the link's data; null: all links between other nodes
-- column receiver: receiver of the link's data; null: all links between other nodes
-- column state: role of the node on the link: sender, receiver or onlooker
-- column node: the estimating node; null: an anonymous sniffer
-- column source: recording
-- column observer: address of the recording station
-- column estimator: name of the estimator
-- column mode: paper or corrected
-- column t_s: centre of the window, or group of windows, since the dataset's first exchange, s
-- column capacity_mbps: capacity, Mb/s
-- column available_mbps: available bandwidth, Mb/s
-- column exchanges: number of exchanges used
-- column window_s: width of the window, or group of windows, s
-- column of_links: total number of links
with origin as (select coalesce(min(start_ns), min(end_ns)) as first_ns from exchanges),
sums as (
    select
        source, sender, receiver, state, node, observer, estimator, mode, path is null as is_of_link,
        sum(exchanges) as exchanges, min(window_start_ns) as from_ns, max(window_start_ns) as to_ns,
        max(window_ns) as window_ns
    from estimates
    group by all
),
bins as (
    select
        source, min(from_ns) as from_ns,
        max(window_ns) * ceil(((max(to_ns) - min(from_ns)) / max(window_ns) + 1) / $points)::bigint as bin_ns
    from sums
    group by source
),
-- Of each state the estimator that uses most exchanges: groups of all of them are many times as many.
counting as (
    select state, estimator, mode
    from sums
    group by state, estimator, mode
    qualify row_number() over (partition by state order by sum(exchanges) desc, estimator, mode) = 1
),
volumes as (
    select sender, receiver, state, node, source, observer, sum(exchanges) as exchanges
    from sums
    join counting using (state, estimator, mode)
    where is_of_link and (sender is not null or state = 'onlooker')
    group by sender, receiver, state, node, source, observer
    having sum(exchanges) > 0
),
ranked as (
    select
        sender, receiver, count(*) over () as of_links,
        row_number() over (order by sender is null, max(exchanges) desc, sender, receiver) as rank
    from volumes
    group by sender, receiver
),
views as (
    select volumes.*, ranked.rank, ranked.of_links
    from volumes
    join ranked on ranked.sender is not distinct from volumes.sender
        and ranked.receiver is not distinct from volumes.receiver
    where ranked.rank <= $links
    qualify row_number() over (
        partition by ranked.rank
        order by list_position(['sender', 'receiver', 'onlooker'], volumes.state), volumes.exchanges desc, volumes.node, volumes.source
    ) <= $views
),
binned as (
    select
        views.rank, views.sender, views.receiver, views.state, views.node, views.source, views.observer,
        estimates.estimator, estimates.mode, estimates.capacity_bps, estimates.available_bps, estimates.exchanges,
        from_ns + ((estimates.window_start_ns - from_ns) // bin_ns) * bin_ns + bin_ns // 2 - first_ns as t_ns,
        bin_ns, of_links
    from estimates
    join views on views.source = estimates.source
        and views.state = estimates.state
        and views.sender is not distinct from estimates.sender
        and views.receiver is not distinct from estimates.receiver
        and views.node is not distinct from estimates.node
        and views.observer is not distinct from estimates.observer
    join bins on bins.source = estimates.source
    cross join origin
)
select
    rank, sender, receiver, state, node, source, observer, estimator, mode,
    round(t_ns / 1e9, 6) as t_s,
    round(avg(capacity_bps) / 1e6, 5) as capacity_mbps,
    round(avg(available_bps) / 1e6, 5) as available_mbps,
    sum(exchanges)::bigint as exchanges,
    round(any_value(bin_ns) / 1e9, 6) as window_s,
    any_value(of_links) as of_links
from binned
group by rank, sender, receiver, state, node, source, observer, estimator, mode, t_ns
order by
    rank, list_position(['sender', 'receiver', 'onlooker'], state), node nulls last, source, observer, estimator, mode, t_s
