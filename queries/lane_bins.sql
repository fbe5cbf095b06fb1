-- title: Share of time per sender, class and bin of the recording, of the recorder with the most airtime
-- param bins = 600 (1 to 1000000): bins from the first exchange to the end of the last
-- column source: recording
-- column observer: address of the recording station; null for an anonymous sniffer
-- column sender: transmitter of the data; null if it was not readable
-- column class: class of the exchange, as in the query airtime
-- column bin: number of the bin, from 0 on; an exchange counts where it starts
-- column share: airtime in relation to the width of a bin
-- column exchanges: number of exchanges
-- column from_s: start of the first bin since the dataset's first exchange, s
-- column bin_s: width of a bin, s
with best as (
    select source, observer, first_ns as from_ns, (last_ns - first_ns) / $bins as bin_ns
    from recorders()
    order by airtime_ns desc, source, observer nulls first
    limit 1
),
origin as (select min(start_ns) as first_ns from exchanges)
select
    any_value(exchanges.source) as source,
    any_value(exchanges.observer) as observer,
    sender,
    exchange_class(kind, data_kind, attempt) as class,
    least(floor((start_ns - from_ns) / bin_ns), $bins - 1)::integer as bin,
    round(sum(end_ns - start_ns) / any_value(bin_ns), 6) as share,
    count(*) as exchanges,
    round(any_value(from_ns - first_ns) / 1e9, 9) as from_s,
    any_value(bin_ns) / 1e9 as bin_s
from exchanges
join best on best.source = exchanges.source and best.observer is not distinct from exchanges.observer
cross join origin
where end_ns > start_ns
group by sender, 4, 5
order by bin, sender nulls last, class
