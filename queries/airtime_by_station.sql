-- title: Airtime by station and kind
-- column source: recording
-- column observer: address of the recording station
-- column station: transmitter of the data; null if it was not readable
-- column kind: kind of the exchange (rts, basic, cts_self, broadcast, rts_failed, unknown)
-- column exchanges: number of exchanges
-- column airtime_ms: from the start of the first frame to the end of the last, SIFS included, ms
-- column share: share of the recording's duration
with span as (
    select source, observer, min(start_ns) as first_ns, max(end_ns) as last_ns
    from exchanges
    group by source, observer
)
select
    exchanges.source,
    exchanges.observer,
    sender as station,
    kind,
    count(*) as exchanges,
    round(sum(end_ns - start_ns) / 1e6, 3) as airtime_ms,
    round(sum(end_ns - start_ns) / any_value(nullif(last_ns - first_ns, 0)), 6) as share
from exchanges
join span on span.source = exchanges.source and span.observer is not distinct from exchanges.observer
group by exchanges.source, exchanges.observer, station, kind
order by airtime_ms desc nulls last, exchanges.source, exchanges.observer nulls first, station nulls last, kind
