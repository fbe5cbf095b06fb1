"""The numbers of one side of a comparison, each with its 90 % interval.

Shares of time and of frames are ratios of sums. Their variance comes from batch means (A. M. Law, Simulation Modeling
and Analysis, 9.5.3): a recording is cut into :data:`BATCHES` batches of equal length; with as many recordings as that,
each recording is a batch. So what lasts longer than a packet, such as a busy spell, widens the interval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from winf_analyzer._sql.query import run
from winf_analyzer._util.student import quantile

if TYPE_CHECKING:
    from collections.abc import Collection

    import duckdb

BATCHES = 10

LEVEL = 0.9
"""Of the intervals."""

STATIONS = 40
"""Stations of a side, those with most airtime."""

SCHEMA = {
    "part": pl.String,
    "subject": pl.String,
    "quantity": pl.String,
    "unit": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}

# Of each source the view that holds most; batches of equal length of it, or the source as one batch.
_BATCHES = f"""
with views as (
    select {{key}} as source, observer, min(start_ns) as from_ns, max(end_ns) as to_ns, sum(end_ns - start_ns) as air_ns
    from exchanges
    where end_ns > start_ns
    group by 1, 2
    qualify row_number() over (partition by 1 order by air_ns desc, observer nulls first) = 1
),
counted as (select *, if(count(*) over () >= {BATCHES}, 1, {BATCHES}) as batches from views),
used as (
    select
        exchanges.*, counted.source || '/' || least((start_ns - from_ns) * batches // (to_ns - from_ns), batches - 1)
            as batch,
        (to_ns - from_ns) / batches as batch_ns, exchange_class(kind, data_kind, attempt) as class
    from exchanges
    join counted on counted.source = {{of_exchange}} and counted.observer is not distinct from exchanges.observer
    where end_ns > start_ns
),
whole as (
    select sum(batches) as n, sum(to_ns - from_ns) as den, sum((to_ns - from_ns)::double ** 2 / batches) as den2
    from counted
),
"""  # noqa: S608 (a constant)

_AIRTIME = """
parts as (
    select 'recording' as part, class as subject, batch, batch_ns, sum(end_ns - start_ns) as num from used group by all
    union all
    select 'recording', 'all frames', batch, batch_ns, sum(end_ns - start_ns) from used group by all
    union all
    select 'station', sender, batch, batch_ns, sum(end_ns - start_ns) from used
    where sender in (
        select sender from used where sender is not null
        group by sender order by sum(end_ns - start_ns) desc limit $most
    )
    group by all
)
select part, subject, sum(num)::double as num, sum(num::double ** 2) as num2, sum(num * batch_ns) as cross_,
    any_value(n)::double as n, any_value(den)::double as den, any_value(den2) as den2
from parts, whole
group by part, subject
order by part, subject"""

_RETRIES = """
attempts as (
    select sender || ' > ' || receiver as subject, batch, count(*) as den, count(*) filter (where attempt > 1) as num
    from used
    where class in ('data', 'data_again') and attempt is not null and sender is not null and receiver is not null
        and not is_group
    group by all
)
select 'link' as part, subject, sum(num)::double as num, sum(num::double ** 2) as num2,
    sum(num * den)::double as cross_, count(*)::double as n, sum(den)::double as den, sum(den::double ** 2) as den2
from attempts
group by subject
having sum(den) >= 20
order by sum(den) desc, subject
limit $most"""

_LINKS = """
select sender || ' > ' || receiver as subject, capacity_bps, own_bps,
    available_bps, available_low_bps, available_high_bps
from recommended
where whole
qualify row_number() over (
    partition by sender, receiver order by available_bps is null, observer is distinct from sender, samples desc
) = 1
order by samples desc, subject
limit $most"""

_FINDINGS = """
select name || ': ' || subject as subject, effect_bps, effect_low_bps, effect_high_bps, airtime_share
from findings
qualify row_number() over (partition by name, subject order by rank) = 1
order by rank"""

_REPLAYS = """
select controller || ', ' || mode || ', ' || flow as subject, avg(throughput_bps) as value,
    min(throughput_low_bps) as low, max(throughput_high_bps) as high
from replay_summary
group by controller, mode, flow
order by subject
limit $most"""


def measures(connection: duckdb.DuckDBPyConnection, tables: Collection[str] | None = None) -> pl.DataFrame:
    """Every number of one side that is in one of these `tables`, by default in all that it has."""
    shown = connection.sql("select table_name, column_name from information_schema.columns").fetchall()
    tables = {table for table, _ in shown} if tables is None else tables
    several = ("exchanges", "dataset") in shown
    most = {"most": STATIONS}
    parts = [pl.DataFrame(schema=SCHEMA)]
    if "exchanges" in tables:
        key = "dataset || '/' || source" if several else "source"
        of_exchange = "exchanges.dataset || '/' || exchanges.source" if several else "exchanges.source"
        batches = _BATCHES.format(key=key, of_exchange=of_exchange)
        parts.append(_ratios(run(connection, batches + _AIRTIME, most), "share of time"))
        parts.append(_ratios(run(connection, batches + _RETRIES, most), "share of attempts that repeat"))
    if "recommended" in tables:
        links = run(connection, _LINKS, most)
        parts.append(_estimates(links, "link", "available bandwidth", "available"))
        parts.append(_plain(links, "link", "carried", "bit/s", "own_bps"))
        parts.append(_plain(links, "link", "capacity", "bit/s", "capacity_bps"))
    if "findings" in tables:
        found = run(connection, _FINDINGS)
        parts.append(_estimates(found, "finding", "effect", "effect"))
        parts.append(_plain(found, "finding", "airtime", "1", "airtime_share"))
    if "replay_summary" in tables:
        rows = run(connection, _REPLAYS, most).with_columns(
            part=pl.lit("replay"), quantity=pl.lit("throughput"), unit=pl.lit("bit/s")
        )
        parts.append(rows.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items()))
    return pl.concat(parts)


def _ratios(sums: pl.DataFrame, quantity: str) -> pl.DataFrame:
    """Ratios of sums with their intervals; with a single batch the interval is unknown."""
    n, num, den = pl.col("n"), pl.col("num"), pl.col("den")
    ratio = num / den
    squares = (pl.col("num2") - 2 * ratio * pl.col("cross_") + ratio**2 * pl.col("den2")).clip(0)
    error = (n / (n - 1) * squares).sqrt() / den
    half = pl.when(n > 1).then(error * n.map_elements(_of_batches, return_dtype=pl.Float64))
    rows = sums.with_columns(ratio.alias("value"), half.alias("half")).with_columns(
        low=(pl.col("value") - pl.col("half")).clip(0),
        high=(pl.col("value") + pl.col("half")).clip(None, 1),
        quantity=pl.lit(quantity),
        unit=pl.lit("1"),
    )
    return rows.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())


def _of_batches(batches: float) -> float:
    """Quantile of Student's t for the interval of a mean of so many batches; one alone has no interval."""
    return quantile((1 + LEVEL) / 2, max(round(batches) - 1, 1))


def _estimates(rows: pl.DataFrame, part: str, quantity: str, column: str) -> pl.DataFrame:
    names = {f"{column}_bps": "value", f"{column}_low_bps": "low", f"{column}_high_bps": "high"}
    named = rows.rename(names).drop_nulls("value")
    named = named.with_columns(part=pl.lit(part), quantity=pl.lit(quantity), unit=pl.lit("bit/s"))
    return named.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())


def _plain(rows: pl.DataFrame, part: str, quantity: str, unit: str, column: str) -> pl.DataFrame:
    """Values without an interval."""
    named = rows.select("subject", pl.col(column).alias("value")).drop_nulls("value")
    unknown = pl.lit(None, pl.Float64)
    named = named.with_columns(
        part=pl.lit(part), quantity=pl.lit(quantity), unit=pl.lit(unit), low=unknown, high=unknown
    )
    return named.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())
