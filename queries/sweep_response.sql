-- title: Throughput and delay of each controller over a parameter of a sweep
-- column sweep: name of the sweep
-- column varied: name of the parameter, the first one that the grid varies
-- column world: topology or recording
-- column controller: name of the controller
-- column mode: paper or corrected
-- column others: values of the other parameters, as JSON
-- column value: value of the parameter; null: it is no number
-- column seeds: number of runs
-- column throughput_mbps: payload delivered to the applications of all flows, mean over the seeds, Mb/s
-- column throughput_ci_mbps: half-width of its 95 % confidence interval (Student's t), Mb/s; null: one seed
-- column delay_ms: mean delay from source to destination, weighted by packets, ms
-- column delay_ci_ms: half-width of its 95 % confidence interval, ms
with runs as (
    select
        sweep, varied, world, controller, mode, value, seed, parameters,
        sum(delivered_bytes) * 8e3 / any_value(duration_ns) as throughput_mbps,
        sum(delay_ms * received_packets) / nullif(sum(received_packets) filter (where delay_ms is not null), 0)
            as delay_ms
    from points
    join results using (point)
    group by all
),
means as (
    select
        sweep, varied, world, controller, mode,
        replace(
            regexp_replace(parameters, '"' || regexp_escape(coalesce(varied, '')) || '": [^,}]*(, )?', ''), ', }', '}'
        ) as others,
        value,
        count(*) as seeds,
        avg(throughput_mbps) as throughput_mbps,
        half_width_95(throughput_mbps) as throughput_ci_mbps,
        avg(delay_ms) as delay_ms,
        half_width_95(delay_ms) as delay_ci_ms
    from runs
    group by sweep, varied, world, controller, mode, parameters, value
)
select
    sweep,
    varied,
    world,
    controller,
    mode,
    others,
    value,
    seeds,
    round(throughput_mbps, 6) as throughput_mbps,
    round(throughput_ci_mbps, 6) as throughput_ci_mbps,
    round(delay_ms, 3) as delay_ms,
    round(delay_ci_ms, 3) as delay_ci_ms
from means
order by sweep, varied, world, controller, mode, others, value
