-- title: Throughput and delay of each flow under each controller of a replay
-- column replay_id: name of the replay
-- column controller: name of the controller
-- column mode: paper or corrected
-- column flow: name of the flow; "all flows": their sum
-- column seeds: number of runs
-- column throughput_mbps: payload delivered to the application, mean over the seeds, Mb/s
-- column ci_mbps: half-width of its 95 % confidence interval (Student's t), Mb/s; null: one seed
-- column delay_ms: mean delay from source to destination, ms; over all flows weighted by packets
-- column delay_ci_ms: half-width of its 95 % confidence interval, ms
-- column rtt_ms: mean round-trip time, ms
-- column received_packets: received data packets
-- column lost_packets: packets lost for any reason
-- column converged: throughput and pacing rate were as large in the fourth quarter of the flow as in the third, under every seed; null: unknown
with runs as (
    select
        replay_id, controller, mode, seed, flow,
        throughput_bps, delay_ms, rtt_ms, received_packets,
        lost_queue + lost_retry + lost_channel + lost_route as lost_packets, converged
    from replay_summary
    union all
    select
        replay_id, controller, mode, seed, 'all flows',
        coalesce(sum(delivered_bytes) * 8e9 / any_value(duration_ns), sum(throughput_bps)),
        sum(delay_ms * received_packets) / nullif(sum(received_packets) filter (where delay_ms is not null), 0),
        sum(rtt_ms * received_packets) / nullif(sum(received_packets) filter (where rtt_ms is not null), 0),
        sum(received_packets),
        sum(lost_queue + lost_retry + lost_channel + lost_route),
        all_true(converged)
    from replay_summary
    group by replay_id, controller, mode, seed
),
means as (
    select
        replay_id, controller, mode, flow, count(*) as seeds,
        avg(throughput_bps) / 1e6 as throughput_mbps,
        half_width_95(throughput_bps) / 1e6 as ci_mbps,
        avg(delay_ms) as delay_ms,
        half_width_95(delay_ms) as delay_ci_ms,
        avg(rtt_ms) as rtt_ms,
        avg(received_packets) as received_packets,
        avg(lost_packets) as lost_packets,
        all_true(converged) as converged
    from runs
    group by replay_id, controller, mode, flow
)
select
    replay_id,
    controller,
    mode,
    flow,
    seeds,
    round(throughput_mbps, 6) as throughput_mbps,
    round(ci_mbps, 6) as ci_mbps,
    round(delay_ms, 3) as delay_ms,
    round(delay_ci_ms, 3) as delay_ci_ms,
    round(rtt_ms, 3) as rtt_ms,
    round(received_packets, 1) as received_packets,
    round(lost_packets, 1) as lost_packets,
    converged
from means
order by replay_id, controller, mode, flow = 'all flows', flow
