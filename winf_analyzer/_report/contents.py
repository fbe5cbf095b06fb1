"""A panel's content: its question asked, its rows drawn, or the sentence that stands in their place."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from winf_analyzer._report.agreement import agreement
from winf_analyzer._report.bars import bars
from winf_analyzer._report.explorer import explorer
from winf_analyzer._report.figure import Drawing, Setting
from winf_analyzer._report.labels import number, worded
from winf_analyzer._report.lines import lines
from winf_analyzer._report.panels import Headline, Panel
from winf_analyzer._report.points import points
from winf_analyzer._report.small_multiples import strips
from winf_analyzer._report.tables import table
from winf_analyzer._sql.named_queries import question
from winf_analyzer._sql.query import run

if TYPE_CHECKING:
    import duckdb
    import polars as pl

CHARTS = {
    "lines": lines,
    "bars": bars,
    "explorer": explorer,
    "agreement": agreement,
    "strips": strips,
    "points": points,
    "table": table,
}
"""Chart kinds: a panel and its rows into a drawing, an empty one where there is nothing to draw."""

WINDOWS = 120
"""At least so many windows a line over the whole span has, and at most 2.5 times as many."""

SHORTEST_WINDOW_S = 0.02
"""A window should hold several exchanges."""

# As the questions do, from the first exchange of all.
_SPANS = """
    select source, (min(start_ns) - first_ns) / 1e9 as start_s, (max(end_ns) - first_ns) / 1e9 as end_s
    from exchanges, (select min(start_ns) as first_ns from exchanges)
    group by source, first_ns
    having end_s > start_s
    order by source
"""


@dataclass(frozen=True)
class Content:
    """What a panel shows: a drawing or a message."""

    panel: Panel
    drawing: Drawing = field(default_factory=Drawing)
    message: str | None = None


@dataclass(frozen=True)
class Number:
    """A headline number."""

    label: str
    value: str
    unit: str
    hint: str


class Asker:
    """Asks a dataset's questions; each is asked once."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, tables: list[str]) -> None:
        self._connection = connection
        self._tables = tables
        self._answers: dict[str, pl.DataFrame] = {}
        self._setting = self._measured()

    def content(self, panel: Panel) -> Content:
        """Fill a panel."""
        if message := self._unmet(panel):
            return Content(panel, message=message)
        rows = run(self._connection, panel.sql) if panel.sql else self._answer(panel.question)
        drawing = CHARTS[panel.chart](panel, rows, self._setting)
        blank = not drawing.figures and drawing.table is None
        return Content(panel, drawing, (drawing.message or panel.empty) if blank else None)

    def headline(self, headline: Headline) -> Number:
        """Fill a headline."""
        rows = self._answer(headline.question).iter_rows(named=True) if headline.table in self._tables else iter(())
        row = next(rows, {})
        value = row.get(headline.column)
        if value is None:
            return Number(headline.label, "unknown", "", headline.unknown)
        said = {
            name: number(cell) if isinstance(cell, int | float) else worded(name, cell) for name, cell in row.items()
        }
        return Number(headline.label, number(value * headline.scale), headline.unit, headline.hint.format(**said))

    def _answer(self, name: str) -> pl.DataFrame:
        if name not in self._answers:
            asked = question(name)
            given = {"window_s": self._setting.window_s} if "window_s" in asked.parameters else {}
            self._answers[name] = run(self._connection, asked.sql, asked.values(given) or None)
        return self._answers[name]

    def _unmet(self, panel: Panel) -> str | None:
        """Say the first of the panel's needs that the dataset does not meet."""
        for need in panel.needs:
            if need.table not in self._tables:
                return f"The dataset has no table `{need.table}`. {need.says}"
            found = run(self._connection, f"select exists(select 1 from {need.table} where {need.where})")  # noqa: S608
            if not found.item():
                return need.says
        return None

    def _measured(self) -> Setting:
        """Measure the recordings' spans, and see whether they lie apart."""
        if "exchanges" not in self._tables or (spans := run(self._connection, _SPANS)).is_empty():
            return Setting(1.0)
        starts, ends = spans["start_s"], spans["end_s"]
        span_s, recorded_s = float(max(ends) - min(starts)), float((ends - starts).sum())
        origins_s = {}
        if recorded_s < span_s / 2:
            origins_s = dict(zip(spans["source"], starts, strict=True))
            span_s = float(max(ends - starts))
        return Setting(_window_s(span_s), span_s, origins_s)


def _window_s(span_s: float) -> float:
    """Return a width of 1, 2 or 5 times a power of ten that divides the span well."""
    longest = max(span_s / WINDOWS, SHORTEST_WINDOW_S)
    power = 10.0 ** math.floor(math.log10(longest))
    step = max(step for step in (1, 2, 5) if step * power <= longest * (1 + 1e-9))
    return float(f"{step * power:.1g}")
