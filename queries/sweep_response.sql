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
        stddev_samp(throughput_mbps) / sqrt(count(*)) as throughput_error,
        avg(delay_ms) as delay_ms,
        stddev_samp(delay_ms) / sqrt(count(delay_ms)) as delay_error,
        -- The 97.5 % quantile of Student's t; beyond ten degrees of freedom Abramowitz and Stegun, 26.7.5.
        case
            when count(*) = 1 then null
            when count(*) <= 11 then
                [12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.306, 2.26216, 2.22814][count(*) - 1]
            else 1.959964 + 2.37227 / (count(*) - 1) + 2.82250 / (count(*) - 1) ** 2 + 2.55585 / (count(*) - 1) ** 3
        end as t
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
    round(t * throughput_error, 6) as throughput_ci_mbps,
    round(delay_ms, 3) as delay_ms,
    round(t * delay_error, 3) as delay_ci_ms
from means
order by sweep, varied, world, controller, mode, others, value
