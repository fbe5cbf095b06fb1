"""The content of a panel: its query result as a drawing, or a message."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from winf_analyzer._names import Names
from winf_analyzer._report.charts.agreement import agreement
from winf_analyzer._report.charts.bars import bars
from winf_analyzer._report.charts.cohort import cohort
from winf_analyzer._report.charts.curves import curves
from winf_analyzer._report.charts.explorer import explorer
from winf_analyzer._report.charts.lanes import lanes
from winf_analyzer._report.charts.lines import lines
from winf_analyzer._report.charts.points import points
from winf_analyzer._report.charts.ranking import controllers
from winf_analyzer._report.charts.rates import rates
from winf_analyzer._report.charts.small_multiples import small_multiples
from winf_analyzer._report.charts.switched_bars import switched_bars
from winf_analyzer._report.charts.tables import table
from winf_analyzer._report.charts.timeline import timeline
from winf_analyzer._report.figure import Drawing, ReportContext
from winf_analyzer._report.findings import CLAIMED, ShownFinding, findings
from winf_analyzer._report.panels import Panel, layout
from winf_analyzer._report.spells import spells
from winf_analyzer._sql.failures import told
from winf_analyzer._sql.macros import keep
from winf_analyzer._sql.named_queries import named_query
from winf_analyzer._sql.query import records, short_table
from winf_analyzer._util.prefetch import beside, prefetched

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb
    import polars as pl

CHARTS = {
    "lines": lines,
    "bars": bars,
    "explorer": explorer,
    "agreement": agreement,
    "small_multiples": small_multiples,
    "points": points,
    "timeline": timeline,
    "lanes": lanes,
    "switched_bars": switched_bars,
    "rates": rates,
    "controllers": controllers,
    "cohort": cohort,
    "curves": curves,
    "table": table,
}
"""Chart kinds: functions from a panel and its rows to a drawing, which is empty if there is nothing to draw."""

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


@dataclass(frozen=True)
class Content:
    """A panel with its drawing or message."""

    panel: Panel
    drawing: Drawing = field(default_factory=Drawing)
    message: str | None = None
    rows: pl.DataFrame | None = None
    """Of its query; None where it was not asked."""


NO_HEIGHTS: Mapping[str, int | None] = MappingProxyType({})

NEEDS = {
    "totals": {"frames", "exchanges"},
    "airtime": {"exchanges", "nodes"},
    "stations": {"nodes"},
    "recordings": {"frames", "exchanges", "audit"},
    "audit": {"audit"},
    "recommended": {"recommended"},
    "retry_rate_by_link": {"frames"},
}
"""Tables of the queries of the first screen."""


class PanelData:
    """Runs the queries of the first screen and of the panels over a dataset, each query once."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, tables: list[str], heights: Mapping[str, int | None] = NO_HEIGHTS
    ) -> None:
        """`heights`: how many rows tables have, of those of which it is known."""
        self._connection = connection
        self._tables, self._heights = tables, heights
        self._cache: dict[str, pl.DataFrame] = {}
        self._met: dict[tuple[str, str], bool] = {}
        self._keep_sums()
        self.name = Names(records(connection, "select * from nodes") if "nodes" in tables else ())
        """What stations are called."""
        self._found = (
            records(connection, "select * from findings order by rank, source, name, subject")
            if "findings" in tables
            else None
        )
        self._context = self._measure_context()

    def contents(self, panels: Iterable[Panel]) -> list[Content]:
        """The contents of panels; while one is drawn, the query of the next runs."""
        panels = list(panels)
        self._met = self._conditions_met(panels)
        # Figures take longer to draw than tables, whose queries are left to run beside them. Colours are given in turn.
        ordered = sorted(panels, key=lambda panel: panel.chart == "table")
        asked = prefetched((panel, *self._ask(panel)) for panel in ordered)
        drawn = {panel.name: self._content(panel, message, rows) for panel, message, rows in asked}
        return [drawn[panel.name] for panel in panels]

    def _ask(self, panel: Panel) -> tuple[str | None, pl.DataFrame | None]:
        """The message of a panel that the dataset has no rows for, or its rows."""
        if message := self._unmet_requirement(panel):
            return message, None
        return None, short_table(self._connection, panel.sql) if panel.sql else self._rows(
            panel.query, panel.parameters
        )

    def _content(self, panel: Panel, message: str | None, rows: pl.DataFrame | None) -> Content:
        if rows is None:
            return Content(panel, message=message)
        drawing = CHARTS[panel.chart](panel, rows, self._context)
        is_empty = not drawing.figures and drawing.table is None and drawing.lanes is None
        return Content(panel, drawing, (drawing.message or panel.empty) if is_empty else None, rows)

    def rows(self, name: str) -> pl.DataFrame | None:
        """Rows of a named query; None where the dataset lacks a table that it reads."""
        return self._rows(name) if NEEDS[name] <= set(self._tables) else None

    def of_panel(self, name: str) -> pl.DataFrame | None:
        """Rows of a panel; None where the dataset lacks a table that it needs."""
        panel = next(panel for panel in layout().panels if panel.name == name)
        if any(each.table not in self._tables for each in panel.requires):
            return None
        return short_table(self._connection, panel.sql) if panel.sql else self._rows(panel.query, panel.parameters)

    def findings(self) -> list[ShownFinding] | None:
        """The findings in order of their rank; None where nobody has looked for any."""
        return None if self._found is None else findings(self._found, self.name)

    def channels(self) -> dict[int, int]:
        """Frames by channel, MHz. What a recorder sends is labelled as its driver likes, and counts only alone."""
        if "frames" not in self._tables:
            return {}
        query = """
            select channel_mhz, sum(frames)::bigint from frame_sums() as sums
            where channel_mhz is not null and (not own or not exists (
                select 1 from frame_sums() as heard
                where heard.source = sums.source and not heard.own and heard.channel_mhz is not null
            ))
            group by channel_mhz
        """
        return dict(self._connection.execute(query).fetchall())

    def titles_of_findings(self) -> dict[str, str]:
        """Titles by name of everything that was found, doubtful or not."""
        return {row["name"]: _title(row) for row in self._found or ()}

    def doubtful(self) -> int:
        """Findings that are not claimed."""
        return sum(row["confidence"] is not None and row["confidence"] < CLAIMED for row in self._found or ())

    def _rows(self, name: str, parameters: dict[str, float] | None = None) -> pl.DataFrame:
        if name not in self._cache:
            query = named_query(name)
            window = {"window_s": self._context.window_s} if "window_s" in query.parameters else {}
            values = query.parameter_values({**window, **(parameters or {})})
            self._cache[name] = short_table(self._connection, query.sql, values or None)
        return self._cache[name]

    def _unmet_requirement(self, panel: Panel) -> str | None:
        """The message of the first requirement that the dataset does not meet."""
        for requirement in panel.requires:
            if requirement.table not in self._tables:
                return f"The dataset has no table `{requirement.table}`. {requirement.otherwise}"
            if not self._met[requirement.table, requirement.where]:
                return requirement.otherwise
        return None

    def _conditions_met(self, panels: list[Panel]) -> dict[tuple[str, str], bool]:
        """Of each table and condition that panels require whether a row meets it, by at most one query."""
        required = (each for panel in panels for each in panel.requires if each.table in self._tables)
        needed = list(dict.fromkeys((each.table, each.where) for each in required))
        met = {each: is_met for each in needed if (is_met := self._told(*each)) is not None}
        if asked := [each for each in needed if each not in met]:
            exist = [f"exists(select 1 from {of} where {where}) as c{at}" for at, (of, where) in enumerate(asked)]  # noqa: S608
            found = short_table(self._connection, f"select {', '.join(exist)}").row(0)
            met.update(zip(asked, found, strict=True))
        return met

    def _told(self, table: str, where: str) -> bool | None:
        """Whether a row of the table meets a condition, where its height says so."""
        height = self._heights.get(table)
        return None if height is None or (height and where != "true") else height > 0

    def _measure_context(self) -> ReportContext:
        """The spans of the recordings, and whether most of the time between first and last is unrecorded."""
        spans = records(self._connection, _SPANS) if "exchanges" in self._tables else []
        if not spans:
            return ReportContext(1.0, self._stamped_s(), name=self.name)
        starts = {row["source"]: row["start_s"] for row in spans}
        lengths = {row["source"]: row["end_s"] - row["start_s"] for row in spans}
        span_s, origins_s = max(row["end_s"] for row in spans) - min(starts.values()), {}
        if sum(lengths.values()) < span_s / 2:
            origins_s, span_s = starts, max(lengths.values())
        (best,) = records(self._connection, _BEST)
        count, source, first_ns = best.pop("recordings"), best["source"], spans[0]["first_ns"]
        window_s = _window_s(max(lengths.get(source, 0.0), span_s / MAX_LONGER))
        found = self._when_found(source, first_ns)
        with beside(spells, self._connection.cursor(), best, first_ns, found) as chosen:
            with told():  # queries ask for windows of this width, or sum over all windows
                keep(self._connection, "busy_bins", "width_ns", str(round(window_s * 1e9)))
            events = self._events(first_ns)
        return ReportContext(
            window_s,
            span_s,
            origins_s,
            name=self.name,
            recordings=count,
            sources=self._number_of_sources(),
            events=events,
            spells=chosen.result(),
            findings=self._first_findings(),
        )

    def _keep_sums(self) -> None:
        """Add frames and exchanges up: most queries ask for nothing else of them."""
        with told():
            for table, macro in (("exchanges", "exchange_sums"), ("frames", "frame_sums")):
                if table in self._tables:
                    keep(self._connection, macro)

    def _stamped_s(self) -> float:
        """From the first time stamp to the last, s: what figures span where the times of exchanges are unknown."""
        if "frames" not in self._tables:
            return 0.0
        (span_ns,) = short_table(self._connection, "select max(last_ns) - min(first_ns) from frame_sums()").row(0)
        return (span_ns or 0) / 1e9

    def _number_of_sources(self) -> int:
        table = "frame_sums()" if "frames" in self._tables else "exchange_sums()"
        return int(self._connection.execute(f"select count(distinct source) from {table}").fetchall()[0][0])  # noqa: S608

    def _events(self, first_ns: int) -> dict[str, list[tuple[float, str]]]:
        """Of each recording when stations joined and left networks."""
        events: dict[str, list[tuple[float, str]]] = {}
        asked = {"most": MAX_EVENTS, "first_ns": first_ns}
        for row in records(self._connection, _EVENTS, asked) if "frames" in self._tables else ():
            text = f"{EVENTS[row['kind']]}: {self.name(row['ta'])} to {self.name(row['ra'])}, at {row['t_s']:.3f} s"
            events.setdefault(row["source"], []).append((row["t_s"], text))
        return events

    def _first_findings(self) -> dict[str, str]:
        """The first finding of each recording that is claimed."""
        first: dict[str, str] = {}
        for row in self._found or ():
            if row["source"] is not None and (row["confidence"] is None or row["confidence"] >= CLAIMED):
                first.setdefault(row["source"], _title(row))
        return first

    def _when_found(self, source: str, first_ns: int) -> list[tuple[str, float, float]]:
        """Name, start and end of what the findings of a recording are about, s since the first exchange."""
        timed = [row for row in self._found or () if row["source"] == source and row["first_ns"] is not None]
        return [
            (_title(row), (row["first_ns"] - first_ns) / 1e9, (row["last_ns"] - first_ns) / 1e9)
            for row in timed
            if row["last_ns"] is not None and row["last_ns"] >= row["first_ns"]
        ]


def _title(row: dict[str, Any]) -> str:
    return str(row["name"] if row["title"] is None else row["title"])


def _window_s(span_s: float) -> float:
    """A window width of 1, 2 or 5 times a power of ten that gives at least :data:`MIN_WINDOWS`."""
    longest = max(span_s / MIN_WINDOWS, MIN_WINDOW_S)
    power = 10.0 ** math.floor(math.log10(longest))
    step = max(step for step in (1, 2, 5) if step * power <= longest * (1 + 1e-9))
    return float(f"{step * power:.1g}")
