"""Spells of a recording whose exchanges the report holds one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from winf_analyzer._sql.query import records, run

if TYPE_CHECKING:
    import duckdb
    import polars as pl

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
select (start_ns - $first_ns) // $width_ns as place, count(*) as exchanges, sum(end_ns - start_ns) as airtime_ns
from exchanges
where end_ns > start_ns and source = $source and observer is not distinct from $observer
group by place
order by airtime_ns desc, place"""

WIDTHS_S = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Lengths of a busy spell; the first with which all of them fit into the page."""


def spells(
    connection: duckdb.DuckDBPyConnection,
    best: dict[str, str | None],
    first_ns: int,
    found: list[tuple[str, float, float]],
    *,
    most: int = MAX_EXCHANGES,
) -> list[Spell]:
    """The spells of one recorder, those of findings first.

    Args:
        connection: to the dataset.
        best: `source` and `observer` of the recorder.
        first_ns: start of the dataset's first exchange.
        found: name, start and end of what findings are about, s since then.
        most: exchanges in all.
    """
    asked = {**best, "first_ns": first_ns}
    seconds = records(connection, _BUSIEST, {**asked, "width_ns": 10**9})
    if not seconds:
        return []
    if sum(row["exchanges"] for row in seconds) <= most:
        places = [row["place"] for row in seconds]
        return [_spell(connection, asked, "every exchange", min(places), max(places) + 1.0, most)]
    wanted = [(name, start, min(end, start + 1)) for name, start, end in found[:FINDING_SPELLS]]
    width_s = _width_s(seconds, most)
    width = {"width_ns": round(width_s * 1e9)}
    narrow = seconds if width_s == 1 else records(connection, _BUSIEST, {**asked, **width})
    places = [row["place"] for row in narrow[: SPELLS - len(wanted)]]
    wanted += [("busy spell", place * width_s, (place + 1) * width_s) for place in places]
    return [_spell(connection, asked, name, start, end, most // SPELLS) for name, start, end in wanted]


def _width_s(seconds: list[dict[str, Any]], most: int) -> float:
    """A width of which the busiest spells have about as many exchanges as the page may hold."""
    densest = max(row["exchanges"] for row in seconds[:SPELLS])
    return next((width for width in WIDTHS_S if densest * width <= most / SPELLS), WIDTHS_S[-1])


def _spell(
    connection: duckdb.DuckDBPyConnection,
    asked: dict[str, Any],
    name: str,
    from_s: float,
    to_s: float,
    most: int,
) -> Spell:
    bounds = {"from_ns": asked["first_ns"] + round(from_s * 1e9), "to_ns": asked["first_ns"] + round(to_s * 1e9)}
    rows = run(connection, _EXCHANGES, {**asked, **bounds, "most": most})
    # Where the limit cut it, the spell ends with the last exchange that is held.
    end_s = to_s if rows.height < most or rows.is_empty() else float(rows["end_ns"].max()) / 1e9  # type: ignore[arg-type]
    return Spell(name, from_s, end_s, rows)
