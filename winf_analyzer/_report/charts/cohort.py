"""Chart kind ``cohort``: a row per recording, those that differ most from the others first."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import polars as pl

from winf_analyzer._report.charts.tables import table
from winf_analyzer._report.figure import Drawing
from winf_analyzer._report.moment import channel_text
from winf_analyzer._util.clocks import date_text, has_date

if TYPE_CHECKING:
    from winf_analyzer._report.figure import ReportContext
    from winf_analyzer._report.panels import Panel

MEASURES = {
    "busy_share": "busy share",
    "data_share": "share of data",
    "retry_share": "retries",
    "heard_share": "frames heard",
    "bssids": "number of BSSIDs",
}
"""Columns in which recordings are compared, and what they are called."""

ADDED = ("unusual", "when", "channel", "finding")
"""Columns that this chart kind adds to those of its query."""

OUTLIER = 3.5
"""Modified z-score from which on a value is an outlier (B. Iglewicz and D. C. Hoaglin, "How to detect and handle
outliers", 1993)."""

_CONSISTENT = 0.6745
"""Makes the median of the absolute deviations an estimate of the standard deviation of normal values."""

MIN_RECORDINGS = 5
"""Below, there is no telling what is usual."""


def cohort(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """The table; of a single recording nothing is drawn."""
    if rows.height < 2:
        return Drawing()
    scores = {column: _scores(rows[column].to_list()) for column in MEASURES}
    worst = [max((abs(score[place] or 0.0) for score in scores.values()), default=0.0) for place in range(rows.height)]
    unusual = [
        ", ".join(_said(column, scores[column][place]) for column in MEASURES if _is_outlier(scores[column][place]))
        for place in range(rows.height)
    ]
    ranked = rows.with_columns(
        unusual=pl.Series(unusual, dtype=pl.String),
        when=pl.Series(
            [date_text(at).removesuffix(" UTC") if has_date(at) else "no date" for at in rows["first_ns"]],
            dtype=pl.String,
        ),
        channel=pl.Series(
            [None if mhz is None else channel_text(mhz).removeprefix("channel ") for mhz in rows["channel_mhz"]],
            dtype=pl.String,
        ),
        finding=pl.Series([context.findings.get(source) for source in rows["source"]], dtype=pl.String),
        score=pl.Series([score if said else 0.0 for score, said in zip(worst, unusual, strict=True)]),
    ).sort("score", "first_ns", "source", descending=[True, False, False])
    return table(panel, ranked, context)


def _scores(values: list[float | None]) -> list[float | None]:
    """Modified z-scores; None where the value is unknown, or the recordings are too few or too much alike."""
    known = [value for value in values if value is not None]
    if len(known) < MIN_RECORDINGS:
        return [None] * len(values)
    middle = median(known)
    spread = median(abs(value - middle) for value in known)
    return [None if value is None or not spread else _CONSISTENT * (value - middle) / spread for value in values]


def _is_outlier(score: float | None) -> bool:
    return score is not None and abs(score) > OUTLIER


def _said(column: str, score: float | None) -> str:
    return f"{MEASURES[column]} {'high' if (score or 0.0) > 0 else 'low'}"
