-- title: Controllers of a replay over time: throughput, window, queue, round-trip time and fairness
-- param window_s = 1.0 (0.000001 to 1000000000): width of a row, s
-- column replay_id: name of the replay
-- column controller: name of the controller
-- column mode: paper or corrected
-- column t_s: start of the window since the start of the replay, s
-- column throughput_mbps: payload delivered to the applications of all flows, mean over the seeds, Mb/s
-- column window_kb: mean congestion window of a flow, kB; null: the sources have none
-- column pacing_mbps: mean pacing rate of a flow, Mb/s; null: the sources do not pace
-- column rtt_ms: mean round-trip time, ms; null: nothing was acknowledged
-- column queue_packets: packets in all queues
-- column jain_index: Jain's fairness index of the active flows, 1: equal throughput
with flows as (
    select
        b.replay_id, b.controller, b.mode, b.seed, b.flow,
        b.t_ns // ($window_s * 1e9)::bigint as bin,
        sum(b.throughput_bps * b.width_ns) as bits_ns,
        sum(b.width_ns) as width_ns,
        avg(b.window_bytes) as window_bytes,
        avg(b.pacing_bps) as pacing_bps,
        avg(b.rtt_ms) as rtt_ms
    from replay_flows as b
    join replay_summary as s using (replay_id, controller, mode, seed, flow)
    where b.t_ns >= s.start_ns and b.t_ns < s.end_ns
    group by all
),
runs as (
    select
        replay_id, controller, mode, seed, bin,
        sum(bits_ns) / max(width_ns) as throughput_bps,
        avg(window_bytes) as window_bytes,
        avg(pacing_bps) as pacing_bps,
        avg(rtt_ms) as rtt_ms,
        sum(bits_ns) ** 2 / nullif(count(*) * sum(bits_ns ** 2), 0) as jain_index
    from flows
    group by all
),
queues as (
    select replay_id, controller, mode, seed, bin, sum(queue) as queue_packets
    from (
        select
            replay_id, controller, mode, seed, link,
            t_ns // ($window_s * 1e9)::bigint as bin,
            sum(queue_packets * width_ns) / sum(width_ns) as queue
        from replay_links
        group by all
    )
    group by all
)
select
    replay_id,
    controller,
    mode,
    bin * $window_s as t_s,
    round(avg(throughput_bps) / 1e6, 6) as throughput_mbps,
    round(avg(window_bytes) / 1e3, 3) as window_kb,
    round(avg(pacing_bps) / 1e6, 6) as pacing_mbps,
    round(avg(rtt_ms), 3) as rtt_ms,
    round(avg(queue_packets), 3) as queue_packets,
    round(avg(jain_index), 4) as jain_index
from runs
left join queues using (replay_id, controller, mode, seed, bin)
group by replay_id, controller, mode, bin
order by replay_id, controller, mode, bin
