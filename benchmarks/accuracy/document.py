"""docs/accuracy.md: the words of document.md.j2 around tables of what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import polars as pl

from benchmarks.accuracy import summary
from benchmarks.accuracy.parts import PARTS, parts
from benchmarks.accuracy.scenarios import SECONDS, Scenario

CONTEXTS = ("inferred", "known")
JUDGED = "held_out"
"""The part that says whether a goal is met."""

TEMPLATE = Path(__file__).with_name("document.md.j2")


def write(scores: pl.DataFrame, grid: list[Scenario], path: Path) -> None:
    """Fill in the template and write it."""
    runs = summary.runs(scores)
    errors, windows, coverage = summary.errors(runs), summary.windows(scores), summary.coverage(scores)
    estimators = _estimators(errors)
    part_of = parts()
    members = [(scenario.group, part_of[scenario.name]) for scenario in grid]
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    text = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        scenarios=len(grid),
        seconds=SECONDS,
        judged=sum(part_of[scenario.name] == JUDGED for scenario in grid),
        groups=summary.GROUPS,
        counts={group: [members.count((group, part)) for part in PARTS] for group in summary.GROUPS},
        goals=_goals(errors),
        tables={group: _table(errors, group, estimators) for group in summary.GROUPS},
        windows=_windows(windows),
        coverage=_coverage(coverage),
        worst=_worst(runs),
    )
    path.write_text(text, encoding="utf-8")


def _estimators(errors: pl.DataFrame) -> list[tuple[str, str]]:
    """Estimators and modes that say something about available bandwidth, the best in what was held out first."""
    judged = errors.filter(pl.col("part") == JUDGED, pl.col("context") == "inferred", pl.col("median").is_not_null())
    order = judged.group_by("estimator", "mode").agg(pl.col("median").mean()).sort("median", "estimator", "mode")
    return [(row["estimator"], row["mode"]) for row in order.iter_rows(named=True)]


def _table(errors: pl.DataFrame, group: str, estimators: list[tuple[str, str]]) -> list[list[str]]:
    """Per estimator and mode: median and 90th percentile, by context and part."""
    rows = []
    for estimator, mode in estimators:
        cells = []
        for context in CONTEXTS:
            for part in PARTS:
                found = _one(errors, part=part, group=group, estimator=estimator, mode=mode, context=context)
                cells.append(f"{_percent(found['median'])} / {_percent(found['p90'])}" if found else "–")
        rows.append([f"`{estimator}` {mode}", *cells])
    return rows


def _goals(errors: pl.DataFrame) -> list[list[str]]:
    """The goals, what `saturation` reaches in each part and `rt_winf` corrected in what was held out."""
    rows = []
    for group, (median, p90) in summary.GOALS.items():
        cells = [summary.GROUPS[group], _against_goal(median, p90)]
        asked = [*(("saturation", part) for part in PARTS), ("rt_winf", JUDGED)]
        for estimator, part in asked:
            found = _one(errors, part=part, group=group, estimator=estimator, mode="corrected", context="inferred")
            cells.append(_against_goal(found["median"], found["p90"]) if found else "–")
            if part == JUDGED:
                met = found and found["median"] <= median and found["p90"] <= p90
                cells.append("–" if found is None else "yes" if met else "no")
        rows.append(cells)
    return rows


def _windows(windows: pl.DataFrame) -> list[list[str]]:
    """Errors of single windows: `saturation` and `rt_winf` corrected."""
    rows = []
    for group, description in summary.GROUPS.items():
        cells = []
        for estimator in ("saturation", "rt_winf"):
            for part in PARTS:
                found = _one(windows, part=part, group=group, estimator=estimator, mode="corrected", context="inferred")
                cells.append(f"{_percent(found['median'])} / {_percent(found['p90'])}" if found else "–")
        rows.append([description, *cells])
    return rows


def _coverage(coverage: pl.DataFrame) -> list[list[str]]:
    """Coverage and width of the intervals, by group and part."""
    rows = []
    for group, description in [*summary.GROUPS.items(), ("all", "all windows")]:
        cells = []
        for estimator in ("saturation", "rt_winf"):
            for part in PARTS:
                found = _one(
                    coverage, part=part, group=group, estimator=estimator, mode="corrected", context="inferred"
                )
                cells.append(f"{_percent(found['coverage'])} ({_percent(found['width'])})" if found else "–")
        rows.append([description, *cells])
    return rows


def _worst(runs: pl.DataFrame, count: int = 8) -> list[list[str]]:
    """The scenarios `saturation` misses most, of all parts."""
    rows = runs.filter(
        pl.col("estimator") == "saturation", pl.col("mode") == "corrected", pl.col("context") == "inferred"
    ).sort(pl.col("error").abs(), descending=True)
    return [
        [
            f"`{row['scenario']}`",
            PARTS[row["part"]],
            f"{row['truth_bps'] / 1e6:.2f}",
            f"{row['available_bps'] / 1e6:.2f}",
            f"{row['error']:+.0%}",
        ]
        for row in rows.head(count).iter_rows(named=True)
    ]


def _one(rows: pl.DataFrame, **wanted: str) -> dict[str, Any] | None:
    found = rows.filter(**wanted).to_dicts()
    return found[0] if found and all(value is not None for value in found[0].values()) else None


def _against_goal(median: float, p90: float) -> str:
    """With a decimal where the goals are: 15.1 % misses 15 %."""
    return f"{_percent(median, 0.2)} / {_percent(p90, 0.2)}"


def _percent(share: float, decimal_below: float = 0.1) -> str:
    return f"{100 * share:.1f} %" if share < decimal_below else f"{100 * share:.0f} %"
