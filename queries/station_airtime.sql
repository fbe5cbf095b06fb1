-- title: Airtime by station and kind, from the best recorder of each station
-- column station: transmitter of the data; null if it was not readable
-- column kind: kind of the exchange (rts, basic, cts_self, broadcast, rts_failed, unknown)
-- column exchanges: number of exchanges
-- column airtime_ms: from the start of the first frame to the end of the last, SIFS included, ms
-- column share: share of the recorded time: pauses of the recorder are not in it
-- column source: the recording with most of the station's airtime
-- column observer: address of the recording station
with used as (
    select
        source, observer, sender as station, kind, sum(exchanges)::bigint as exchanges, sum(airtime_ns) as airtime_ns
    from exchange_sums()
    where timed
    group by source, observer, station, kind
),
span as (select source, observer, recorded_ns as span_ns from recorders()),
best as (
    select source, observer, station
    from used
    group by source, observer, station
    qualify row_number() over (partition by station order by sum(airtime_ns) desc, source, observer nulls first) = 1
)
select
    used.station,
    used.kind,
    used.exchanges,
    round(used.airtime_ns / 1e6, 3) as airtime_ms,
    round(used.airtime_ns / nullif(span.span_ns, 0), 6) as share,
    used.source,
    used.observer
from used
join best on used.source = best.source
    and used.observer is not distinct from best.observer
    and used.station is not distinct from best.station
join span on span.source = used.source and span.observer is not distinct from used.observer
order by sum(used.airtime_ns) over (partition by used.station) desc, used.station nulls last, used.kind
