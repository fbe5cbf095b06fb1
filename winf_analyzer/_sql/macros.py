"""SQL functions that every query may call."""

EXCHANGE_CLASS = """
create or replace macro exchange_class(kind, data_kind, attempt) as case
    when data_kind in ('data', 'qos_data') then if(attempt > 1, 'data_again', 'data')
    when data_kind in ('null', 'qos_null') then 'null_data'
    when data_kind = 'beacon' then 'beacon'
    when data_kind in ('probe_req', 'probe_resp') then 'probe'
    when data_kind is null and kind in ('rts', 'basic', 'cts_self') then 'data_unheard'
    when data_kind is null and kind = 'unknown' then 'unreadable'
    when data_kind is null or data_kind in ('block_ack_req', 'block_ack', 'ps_poll', 'rts', 'cts', 'ack') then 'control'
    else 'management'
end"""
"""What an exchange is for, from columns of `exchanges`."""

BUSY_BINS = """
create or replace macro busy_bins(width_ns) as table
with origin as (select min(start_ns) as first_ns from exchanges),
spans as (
    select
        source, observer, channel_mhz, bssid, kind, data_kind, attempt, start_ns, end_ns,
        max(end_ns) over (
            partition by source, observer order by start_ns, end_ns rows between unbounded preceding and 1 preceding
        ) as covered_ns
    from exchanges
    where end_ns > start_ns
),
uncovered as (
    select
        * exclude (start_ns, end_ns, covered_ns), end_ns - first_ns as end_ns,
        greatest(start_ns, coalesce(covered_ns, start_ns)) - first_ns as start_ns
    from spans, origin
    where end_ns > coalesce(covered_ns, start_ns)
),
pieces as (
    select *, unnest(range(start_ns // width_ns, (end_ns - 1) // width_ns + 1)) as bin
    from uncovered
)
select
    source, observer, channel_mhz, bssid, exchange_class(kind, data_kind, attempt) as class, bin,
    sum(least(end_ns, (bin + 1) * width_ns) - greatest(start_ns, bin * width_ns))::bigint as busy_ns,
    count(*) filter (where (end_ns - 1) // width_ns = bin) as exchanges
from pieces
group by all"""
"""Time in which the medium was busy, by recorder, channel, BSS, class of exchange and bin since the first exchange.

Overlapping exchanges of one recorder count once, for the one that started first. `exchanges` are those that
ended in the bin.
"""

MACROS = {"exchange_class": (EXCHANGE_CLASS, ()), "busy_bins": (BUSY_BINS, ("exchanges",))}
"""By name: the statement that makes it, and the tables it reads."""
