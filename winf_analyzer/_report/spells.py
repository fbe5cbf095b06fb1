"""Spells of a recording whose exchanges the report holds one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from winf_analyzer._sql.query import run

if TYPE_CHECKING:
    import duckdb

MAX_EXCHANGES = 24_000
"""Exchanges that the page holds in all, about 70 octets each."""

SPELLS = 10
"""Spells at most: those of findings first, then the busiest ones."""

FINDING_SPELLS = 6


class Spell(NamedTuple):
    """A spell and its exchanges."""

    name: str
    from_s: float
    """Since the dataset's first exchange."""
    to_s: float
    exchanges: pl.DataFrame


_FIRST = "select min(start_ns) as first_ns from exchanges"

# Times count from the dataset's first exchange, as in the queries; the bounds are absolute, so that parts are skipped.
_EXCHANGES = """
with origin as (select $first_ns::bigint as first_ns)
select
    exchange_no, sender, receiver, exchange_class(kind, data_kind, attempt) as class,
    start_ns - first_ns as start_ns, end_ns - first_ns as end_ns,
    rts_start_ns - first_ns as rts_start_ns, rts_ns - first_ns as rts_ns,
    cts_start_ns - first_ns as cts_start_ns, cts_ns - first_ns as cts_ns,
    data_start_ns - first_ns as data_start_ns, data_ns - first_ns as data_ns,
    ack_start_ns - first_ns as ack_start_ns, ack_ns - first_ns as ack_ns,
    rate_mbps, length_bytes, mpdus, attempt, complete, seq
from exchanges, origin
where end_ns > start_ns and source = $source and observer is not distinct from $observer
    and start_ns >= $from_ns and start_ns < $to_ns
order by start_ns, exchange_no
limit $most"""

_BUSIEST = """
with origin as (select min(start_ns) as first_ns from exchanges)
select (start_ns - first_ns) // $width_ns as place, count(*) as exchanges, sum(end_ns - start_ns) as airtime_ns
from exchanges, origin
where end_ns > start_ns and source = $source and observer is not distinct from $observer
group by place
order by airtime_ns desc, place"""

WIDTHS_S = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Lengths of a busy spell; the first with which all of them fit into the page."""


def spells(
    connection: duckdb.DuckDBPyConnection,
    best: dict[str, str | None],
    found: list[tuple[str, float, float]],
    *,
    most: int = MAX_EXCHANGES,
) -> list[Spell]:
    """The spells of one recorder, those of findings first.

    Args:
        connection: to the dataset.
        best: `source` and `observer` of the recorder.
        found: name, start and end of what findings are about, s since the dataset's first exchange.
        most: exchanges in all.
    """
    seconds = run(connection, _BUSIEST, {**best, "width_ns": 10**9})
    if seconds.is_empty():
        return []
    if seconds["exchanges"].sum() <= most:
        first, last = int(seconds["place"].min()), int(seconds["place"].max())  # type: ignore[arg-type]
        return [_spell(connection, best, "every exchange", first, last + 1.0, most)]
    wanted = [(name, start, min(end, start + 1)) for name, start, end in found[:FINDING_SPELLS]]
    width_s = _width_s(seconds, most)
    narrow = seconds if width_s == 1 else run(connection, _BUSIEST, {**best, "width_ns": round(width_s * 1e9)})
    for place, _, _ in narrow.head(SPELLS - len(wanted)).iter_rows():
        wanted.append(("busy spell", place * width_s, (place + 1) * width_s))
    return [_spell(connection, best, name, start, end, most // SPELLS) for name, start, end in wanted]


def _width_s(seconds: pl.DataFrame, most: int) -> float:
    """A width of which the busiest spells have about as many exchanges as the page may hold."""
    densest = int(seconds.head(SPELLS)["exchanges"].max())  # type: ignore[arg-type]
    return next((width for width in WIDTHS_S if densest * width <= most / SPELLS), WIDTHS_S[-1])


def _spell(
    connection: duckdb.DuckDBPyConnection,
    best: dict[str, str | None],
    name: str,
    from_s: float,
    to_s: float,
    most: int,
) -> Spell:
    first_ns = int(run(connection, _FIRST).item())
    bounds = {"from_ns": first_ns + round(from_s * 1e9), "to_ns": first_ns + round(to_s * 1e9)}
    rows = run(connection, _EXCHANGES, {**best, **bounds, "first_ns": first_ns, "most": most})
    # Where the limit cut it, the spell ends with the last exchange that is held.
    end_s = to_s if rows.height < most or rows.is_empty() else float(rows["end_ns"].max()) / 1e9  # type: ignore[arg-type]
    return Spell(name, from_s, end_s, rows)
