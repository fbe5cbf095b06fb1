-- title: Medians of the estimates per link
-- column sender: transmitter of the link's data; links without samples are left out
-- column receiver: receiver of the link's data
-- column state: role of the estimating node: the sender if it has an estimate, else the receiver, else an onlooker
-- column samples: exchanges used for the rt_winf capacity
-- column windows: windows with a capacity
-- column capacity_mbps: rt_winf, corrected: median capacity, Mb/s
-- column available_mbps: rt_winf, corrected: median available bandwidth, Mb/s
-- column idle_share: rt_winf, corrected: median idle share of the windows
-- column paper_capacity_mbps: rt_winf, paper: median capacity, Mb/s
-- column paper_available_mbps: rt_winf, paper: median available bandwidth, Mb/s
-- column idle_gap_mbps: idle_gap, corrected: median available bandwidth, Mb/s
with views as (
    select
        sender, receiver, state, source, observer, node,
        sum(exchanges) filter (where estimator = 'rt_winf' and mode = 'corrected') as samples,
        count(capacity_bps) filter (where estimator = 'rt_winf' and mode = 'corrected') as windows,
        median(capacity_bps) filter (where estimator = 'rt_winf' and mode = 'corrected') / 1e6 as capacity,
        median(available_bps) filter (where estimator = 'rt_winf' and mode = 'corrected') / 1e6 as available,
        median(idle_ratio) filter (where estimator = 'rt_winf' and mode = 'corrected') as idle,
        median(capacity_bps) filter (where estimator = 'rt_winf' and mode = 'paper') / 1e6 as paper_capacity,
        median(available_bps) filter (where estimator = 'rt_winf' and mode = 'paper') / 1e6 as paper_available,
        median(available_bps) filter (where estimator = 'idle_gap' and mode = 'corrected') / 1e6 as idle_gap
    from estimates
    where sender is not null and estimator in ('rt_winf', 'idle_gap')
    group by sender, receiver, state, source, observer, node
),
chosen as (
    select *
    from views
    where samples > 0 or idle_gap is not null
    qualify row_number() over (
        partition by sender, receiver
        order by
            samples > 0 desc nulls last, list_position(['sender', 'receiver', 'onlooker'], state),
            samples desc, source, observer, node
    ) = 1
)
select
    sender,
    receiver,
    state,
    samples::bigint as samples,
    windows,
    round(capacity, 4) as capacity_mbps,
    round(available, 4) as available_mbps,
    round(idle, 6) as idle_share,
    round(paper_capacity, 4) as paper_capacity_mbps,
    round(paper_available, 4) as paper_available_mbps,
    round(idle_gap, 4) as idle_gap_mbps
from chosen
order by samples desc nulls last, sender, receiver
