"""What the panels of a report have in common: its time axis, and what happened when."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from winf_analyzer._report.figure import ReportContext
from winf_analyzer._report.findings import CLAIMED, title
from winf_analyzer._report.spells import spells
from winf_analyzer._sql.failures import told
from winf_analyzer._sql.macros import keep
from winf_analyzer._sql.query import records, short_table
from winf_analyzer._util.prefetch import beside

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import duckdb

    from winf_analyzer._names import Names

MIN_WINDOWS = 120
"""Windows of a line over the whole span; at most 2.5 times as many."""

MIN_WINDOW_S = 0.02
"""So that a window contains several exchanges."""

MAX_LONGER = 20
"""Windows suit the recording with the most airtime; one that is longer has up to as many times as many."""

# Time counts from the first exchange of the dataset, as in the queries.
_SPANS = """
    select source, (min(sums.first_ns) - origin.first_ns) / 1e9 as start_s,
        (max(last_ns) - origin.first_ns) / 1e9 as end_s, origin.first_ns
    from exchange_sums() as sums, (select min(first_ns) as first_ns from exchange_sums()) as origin
    group by source, origin.first_ns
    having end_s > start_s
    order by source
"""


_BEST = """
select source, observer, count(*) over () as recordings
from recorders()
order by airtime_ns desc, source, observer nulls first
limit 1
"""

EVENTS = {
    "assoc_req": "Association request",
    "reassoc_req": "Reassociation request",
    "disassoc": "Disassociation",
    "deauth": "Deauthentication",
}
"""Kinds of frames that are events, and what they are called."""

MAX_EVENTS = 60
"""Of a recording; the first ones."""

_EVENTS = f"""
select source, (coalesce(start_ns, ts_ns) - $first_ns) / 1e9 as t_s, kind, ta, ra
from frames
where kind in {tuple(EVENTS)}
    and fcs_ok is distinct from false and parse_error is null and not coalesce(retry, false)
qualify row_number() over (partition by source order by t_s) <= $most
order by source, t_s, kind
"""  # noqa: S608 (constants)


def measured(
    connection: duckdb.DuckDBPyConnection, tables: Collection[str], found: Sequence[dict[str, Any]], name: Names
) -> ReportContext:
    """The spans of the recordings, and whether most of the time between first and last is unrecorded.

    Afterwards ``busy_bins`` gives the bins of that window whatever it is asked for.

    Args:
        connection: with the dataset's tables, and sums of frames and exchanges.
        tables: their names.
        found: rows of the table `findings`.
        name: what stations are called.
    """
    spans = records(connection, _SPANS) if "exchanges" in tables else []
    if not spans:
        return ReportContext(1.0, _stamped_s(connection, tables), name=name)
    starts = {row["source"]: row["start_s"] for row in spans}
    lengths = {row["source"]: row["end_s"] - row["start_s"] for row in spans}
    span_s, origins_s = max(row["end_s"] for row in spans) - min(starts.values()), {}
    if sum(lengths.values()) < span_s / 2:
        origins_s, span_s = starts, max(lengths.values())
    (best,) = records(connection, _BEST)
    count, source, first_ns = best.pop("recordings"), best["source"], spans[0]["first_ns"]
    window_s = _window_s(max(lengths.get(source, 0.0), span_s / MAX_LONGER))
    with beside(spells, connection.cursor(), best, first_ns, _when_found(found, source, first_ns)) as chosen:
        with told():  # queries ask for windows of this width, or sum over all windows
            keep(connection, "busy_bins", "width_ns", str(round(window_s * 1e9)))
        events = _events(connection, first_ns, name) if "frames" in tables else {}
    return ReportContext(
        window_s,
        span_s,
        origins_s,
        name=name,
        recordings=count,
        sources=_number_of_sources(connection, tables),
        events=events,
        spells=chosen.result(),
        findings=_first_findings(found),
    )


def _stamped_s(connection: duckdb.DuckDBPyConnection, tables: Collection[str]) -> float:
    """From the first time stamp to the last, s: what figures span where the times of exchanges are unknown."""
    if "frames" not in tables:
        return 0.0
    (span_ns,) = short_table(connection, "select max(last_ns) - min(first_ns) from frame_sums()").row(0)
    return (span_ns or 0) / 1e9


def _number_of_sources(connection: duckdb.DuckDBPyConnection, tables: Collection[str]) -> int:
    table = "frame_sums()" if "frames" in tables else "exchange_sums()"
    return int(connection.execute(f"select count(distinct source) from {table}").fetchall()[0][0])  # noqa: S608


def _events(connection: duckdb.DuckDBPyConnection, first_ns: int, name: Names) -> dict[str, list[tuple[float, str]]]:
    """Of each recording when stations joined and left networks."""
    events: dict[str, list[tuple[float, str]]] = {}
    asked = {"most": MAX_EVENTS, "first_ns": first_ns}
    for row in records(connection, _EVENTS, asked):
        text = f"{EVENTS[row['kind']]}: {name(row['ta'])} to {name(row['ra'])}, at {row['t_s']:.3f} s"
        events.setdefault(row["source"], []).append((row["t_s"], text))
    return events


def _first_findings(found: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The first finding of each recording that is claimed."""
    first: dict[str, str] = {}
    for row in found:
        if row["source"] is not None and (row["confidence"] is None or row["confidence"] >= CLAIMED):
            first.setdefault(row["source"], title(row))
    return first


def _when_found(found: Sequence[dict[str, Any]], source: str, first_ns: int) -> list[tuple[str, float, float]]:
    """Name, start and end of what the findings of a recording are about, s since the first exchange."""
    timed = [row for row in found if row["source"] == source and row["first_ns"] is not None]
    return [
        (title(row), (row["first_ns"] - first_ns) / 1e9, (row["last_ns"] - first_ns) / 1e9)
        for row in timed
        if row["last_ns"] is not None and row["last_ns"] >= row["first_ns"]
    ]


def _window_s(span_s: float) -> float:
    """A window width of 1, 2 or 5 times a power of ten that gives at least :data:`MIN_WINDOWS`."""
    longest = max(span_s / MIN_WINDOWS, MIN_WINDOW_S)
    power = 10.0 ** math.floor(math.log10(longest))
    step = max(step for step in (1, 2, 5) if step * power <= longest * (1 + 1e-9))
    return float(f"{step * power:.1g}")
