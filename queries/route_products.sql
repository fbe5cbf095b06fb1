-- title: Routes by their bandwidth-delay product, as C3TCP's measurements of existing traffic have it
-- param from = '': station at which routes begin; empty: any
-- param to = '': station at which they end; empty: any
-- param mode = 'corrected' (paper, corrected): paper or corrected
-- param hops = 4 (1 to 100): maximum number of hops
-- column route: stations in order
-- column hops: number of hops
-- column bandwidth_mbps: lowest bandwidth of the hops, the wait in the queue included, Mb/s
-- column forward_ms: sum of the forward delays of the hops, ms
-- column backward_ms: sum of the backward delays of the hops, ms; null: some hop carried nothing back
-- column product_bytes: bandwidth times both delays; times the forward delay where the backward one is null
-- column exchanges: exchanges that the least known hop rests on
with recursive links as (
    select
        sender, receiver,
        sum(available_bps * exchanges) / sum(exchanges) as bandwidth_bps,
        sum(forward_delay_us * exchanges) / sum(exchanges) as forward_us,
        avg(backward_delay_us) as backward_us,
        sum(exchanges)::bigint as exchanges
    from estimates
    where estimator = 'c3tcp' and mode = $mode and path is null and state = 'sender'
        and sender is not null and receiver is not null and available_bps > 0 and exchanges > 0
    group by sender, receiver
),
routes as (
    select [sender, receiver] as stations, bandwidth_bps, forward_us, backward_us, exchanges
    from links
    where $from in ('', sender)
    union all
    select
        list_append(stations, links.receiver), least(routes.bandwidth_bps, links.bandwidth_bps),
        routes.forward_us + links.forward_us, routes.backward_us + links.backward_us,
        least(routes.exchanges, links.exchanges)
    from routes
    join links on links.sender = routes.stations[-1] and not list_contains(routes.stations, links.receiver)
    where len(stations) <= $hops
)
select
    array_to_string(stations, ' ') as route,
    len(stations) - 1 as hops,
    round(bandwidth_bps / 1e6, 5) as bandwidth_mbps,
    round(forward_us / 1e3, 5) as forward_ms,
    round(backward_us / 1e3, 5) as backward_ms,
    round(bandwidth_bps * (forward_us + coalesce(backward_us, 0)) / 8e6, 1) as product_bytes,
    exchanges
from routes
where $to in ('', stations[-1])
order by stations[1], stations[-1], product_bytes desc, route
