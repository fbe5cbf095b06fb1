"""The content of a panel: its query result as a drawing, or a message."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from winf_analyzer._report.agreement import agreement
from winf_analyzer._report.bars import bars
from winf_analyzer._report.curves import curves
from winf_analyzer._report.explorer import explorer
from winf_analyzer._report.figure import Drawing, ReportContext
from winf_analyzer._report.labels import display_text, format_number
from winf_analyzer._report.lines import lines
from winf_analyzer._report.panels import Headline, Panel
from winf_analyzer._report.points import points
from winf_analyzer._report.small_multiples import small_multiples
from winf_analyzer._report.tables import table
from winf_analyzer._sql.named_queries import named_query
from winf_analyzer._sql.query import run

if TYPE_CHECKING:
    import duckdb
    import polars as pl

CHARTS = {
    "lines": lines,
    "bars": bars,
    "explorer": explorer,
    "agreement": agreement,
    "small_multiples": small_multiples,
    "points": points,
    "curves": curves,
    "table": table,
}
"""Chart kinds: functions from a panel and its rows to a drawing, which is empty if there is nothing to draw."""

MIN_WINDOWS = 120
"""Windows of a line over the whole span; at most 2.5 times as many."""

MIN_WINDOW_S = 0.02
"""So that a window contains several exchanges."""

# Time counts from the first exchange of the dataset, as in the queries.
_SPANS = """
    select source, (min(start_ns) - first_ns) / 1e9 as start_s, (max(end_ns) - first_ns) / 1e9 as end_s
    from exchanges, (select min(start_ns) as first_ns from exchanges)
    group by source, first_ns
    having end_s > start_s
    order by source
"""


@dataclass(frozen=True)
class Content:
    """A panel with its drawing or message."""

    panel: Panel
    drawing: Drawing = field(default_factory=Drawing)
    message: str | None = None


@dataclass(frozen=True)
class HeadlineValue:
    """A headline with its value."""

    label: str
    value: str
    unit: str
    hint: str


class PanelData:
    """Runs the queries of panels and headlines over a dataset, each query once."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, tables: list[str]) -> None:
        self._connection = connection
        self._tables = tables
        self._cache: dict[str, pl.DataFrame] = {}
        self._context = self._measure_context()

    def content(self, panel: Panel) -> Content:
        """The content of a panel."""
        if message := self._unmet_requirement(panel):
            return Content(panel, message=message)
        rows = run(self._connection, panel.sql) if panel.sql else self._rows(panel.query)
        drawing = CHARTS[panel.chart](panel, rows, self._context)
        is_empty = not drawing.figures and drawing.table is None
        return Content(panel, drawing, (drawing.message or panel.empty) if is_empty else None)

    def headline(self, headline: Headline) -> HeadlineValue:
        """The value of a headline."""
        rows = self._rows(headline.query).iter_rows(named=True) if headline.table in self._tables else iter(())
        row = next(rows, {})
        value = row.get(headline.column)
        texts = {
            name: format_number(cell) if isinstance(cell, int | float) else display_text(name, cell)
            for name, cell in row.items()
        }
        if value is None:
            unknown = headline.unknown.format(**texts) if row else headline.unknown.partition(": {")[0]
            return HeadlineValue(headline.label, "unknown", "", unknown)
        return HeadlineValue(
            headline.label, format_number(value * headline.scale), headline.unit, headline.hint.format(**texts)
        )

    def _rows(self, name: str) -> pl.DataFrame:
        if name not in self._cache:
            query = named_query(name)
            parameters = {"window_s": self._context.window_s} if "window_s" in query.parameters else {}
            self._cache[name] = run(self._connection, query.sql, query.parameter_values(parameters) or None)
        return self._cache[name]

    def _unmet_requirement(self, panel: Panel) -> str | None:
        """The message of the first requirement that the dataset does not meet."""
        for requirement in panel.requires:
            if requirement.table not in self._tables:
                return f"The dataset has no table `{requirement.table}`. {requirement.otherwise}"
            condition = f"select exists(select 1 from {requirement.table} where {requirement.where})"  # noqa: S608
            if not run(self._connection, condition).item():
                return requirement.otherwise
        return None

    def _measure_context(self) -> ReportContext:
        """The spans of the recordings, and whether most of the time between first and last is unrecorded."""
        if "exchanges" not in self._tables or (spans := run(self._connection, _SPANS)).is_empty():
            return ReportContext(1.0)
        starts, ends = spans["start_s"], spans["end_s"]
        span_s, recorded_s = float(max(ends) - min(starts)), float((ends - starts).sum())
        origins_s = {}
        if recorded_s < span_s / 2:
            origins_s = dict(zip(spans["source"], starts, strict=True))
            span_s = float(max(ends - starts))
        return ReportContext(_window_s(span_s), span_s, origins_s)


def _window_s(span_s: float) -> float:
    """A window width of 1, 2 or 5 times a power of ten that gives at least :data:`MIN_WINDOWS`."""
    longest = max(span_s / MIN_WINDOWS, MIN_WINDOW_S)
    power = 10.0 ** math.floor(math.log10(longest))
    step = max(step for step in (1, 2, 5) if step * power <= longest * (1 + 1e-9))
    return float(f"{step * power:.1g}")
