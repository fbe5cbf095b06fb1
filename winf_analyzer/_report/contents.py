"""The content of a panel: its query result as a drawing, or a message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

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
from winf_analyzer._report.context import measured
from winf_analyzer._report.figure import Drawing
from winf_analyzer._report.findings import CLAIMED, ShownFinding, findings, title
from winf_analyzer._report.panels import Panel, layout
from winf_analyzer._sql.failures import told
from winf_analyzer._sql.macros import keep
from winf_analyzer._sql.named_queries import named_query
from winf_analyzer._sql.query import records, short_table
from winf_analyzer._util.prefetch import prefetched

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
        self._context = measured(connection, tables, self._found or (), self.name)

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
        return {row["name"]: title(row) for row in self._found or ()}

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

    def _keep_sums(self) -> None:
        """Add frames and exchanges up: most queries ask for nothing else of them."""
        with told():
            for table, macro in (("exchanges", "exchange_sums"), ("frames", "frame_sums")):
                if table in self._tables:
                    keep(self._connection, macro)
