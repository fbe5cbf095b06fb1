"""docs/accuracy.md: the words of document.md.j2 around tables of what was measured."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
import polars as pl

from benchmarks.accuracy import calibration, recorders, summary
from benchmarks.accuracy.parts import PARTS, everything, parts
from benchmarks.accuracy.scenario_list import TCP_OMITTED_S, ListedRun
from benchmarks.accuracy.scenarios import SECONDS, Scenario
from benchmarks.accuracy.scoring import RECOMMENDED, WINDOWS

CONTEXTS = ("inferred", "known")
JUDGED = "held_out"
"""The part that says whether a goal is met."""

CONNECTS_S = 0.6
"""When the flow that fills the link is connected, as ns3/traffic.h has it."""

SLOW_START = 0.05
"""Share of its goodput that a TCP flow's start must cost for the document to name it."""

TEMPLATE = Path(__file__).with_name("document.md.j2")
REAL_RECORDINGS = ("<!-- real recordings -->\n", "<!-- end of real recordings -->\n")
"""Around what `make validate` writes."""


def write(scores: pl.DataFrame, asked: Sequence[Scenario | ListedRun], path: Path) -> None:
    """Fill in the template and write it; what `make validate` wrote into the page stays."""
    runs = summary.runs(scores)
    errors, answers = summary.errors(runs), summary.answers(scores)
    estimators = _estimators(errors)
    part_of = parts()
    members = [(scenario.group, part_of[scenario.name]) for scenario in asked]
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    text = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        scenarios=len(asked),
        of=len(everything()),
        seconds=SECONDS,
        judged=sum(part_of[scenario.name] == JUDGED for scenario in asked),
        groups=summary.GROUPS,
        counts={group: [members.count((group, part)) for part in PARTS] for group in summary.GROUPS},
        goals=_goals(errors, answers),
        answers={part: _answers(answers, part) for part in (JUDGED, "development")},
        missed=_missed(errors, answers),
        left_out=_left_out(scores),
        tcp_starts=_tcp_starts(scores),
        slow_starts=_slow_starts(scores),
        omitted_s=f"{recorders.START_NS / 1e9 - CONNECTS_S + TCP_OMITTED_S:g}",
        tables={group: _table(errors, group, estimators) for group in summary.GROUPS},
        worst=_worst(runs),
        real_recordings=section(path) or "",
    )
    path.write_text(text, encoding="utf-8")


def section(path: Path) -> str | None:
    """What stands between the marks of the real recordings; None where the page or the marks are missing."""
    begin, end = map(re.escape, REAL_RECORDINGS)
    found = re.search(f"{begin}(.*?){end}", path.read_text(encoding="utf-8"), re.DOTALL) if path.exists() else None
    return found.group(1) if found else None


def replace_section(path: Path, text: str) -> None:
    """Put `text` between the marks of the real recordings.

    Raises:
        ValueError: the page has no such marks.
    """
    if section(path) is None:
        raise ValueError(f"{path}: no section of real recordings; make the page first (make accuracy)")
    begin, end = REAL_RECORDINGS
    page = path.read_text(encoding="utf-8")
    head, tail = page.split(begin)[0], page.split(end, 1)[1]
    path.write_text(f"{head}{begin}{text}{end}{tail}", encoding="utf-8")


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
        if set(cells) != {"–"}:
            rows.append([f"`{estimator}` {mode}", *cells])
    return rows


def _goals(errors: pl.DataFrame, answers: pl.DataFrame) -> list[list[str]]:
    """The goals, what the recommended answer reaches for whole recordings in each part, and whether it meets them."""
    rows = []
    for group, (median, p90) in summary.GOALS.items():
        cells = [summary.GROUPS[group], _against_goal(median, p90)]
        for part in PARTS:
            found = _one(errors, part=part, group=group, estimator=RECOMMENDED, context="inferred")
            cells.append(_against_goal(found["median"], found["p90"]) if found else "–")
        shown = _one(answers, part=JUDGED, group=group, estimator=RECOMMENDED, window="1s")
        cells.append(f"{_percent(shown['coverage'])}, {_percent(shown['declined'])}" if shown else "–")
        verdicts = _failures(errors, answers, group)
        cells.append("–" if verdicts is None else "no" if verdicts else "yes")
        rows.append(cells)
    return rows


def _answers(answers: pl.DataFrame, part: str) -> list[list[str]]:
    """The recommended answer per group, by length of windows: error, coverage, width, declined."""
    rows = []
    for group, description in [*summary.GROUPS.items(), ("all", "all windows")]:
        cells = [description]
        for window in WINDOWS:
            found = answers.filter(part=part, group=group, estimator=RECOMMENDED, window=window).to_dicts()
            cells.append(_answer(found[0]) if found else "–")
        if set(cells[1:]) != {"–"}:
            rows.append(cells)
    return rows


def _left_out(scores: pl.DataFrame) -> list[list[str]]:
    """Per group and window: coverage as it is, the factor of the other groups, and coverage with that."""
    found = calibration.left_out(scores)
    rows = []
    for group, description in summary.GROUPS.items():
        cells = [description]
        for window in calibration.WINDOWS:
            row = found.filter(group=group, window=window).to_dicts() if not found.is_empty() else []
            if row:
                shares = (_percent(row[0][name]) for name in ("coverage", "scaled"))
                cells += [next(shares), f"{row[0]['factor']:.2f}", next(shares)]
            else:
                cells += ["–"] * 3
        if set(cells[1:]) != {"–"}:
            rows.append(cells)
    return rows


def _flows(scores: pl.DataFrame) -> pl.DataFrame:
    """Of TCP flows: truth with and without their start, the answer for the whole recording, and its error to both."""
    if "started_bps" not in scores.columns:
        return pl.DataFrame()
    flows = scores.filter(pl.col("started_bps").is_not_null(), estimator=RECOMMENDED, window="whole")
    value = pl.col("available_bps")
    return flows.with_columns(error=value / pl.col("truth_bps") - 1, with_start=value / pl.col("started_bps") - 1)


def _tcp_starts(scores: pl.DataFrame) -> list[list[str]]:
    """Per part: flows, errors to their truth, and to what they deliver with their start."""
    flows, rows = _flows(scores), []
    for part, name in PARTS.items():
        found = flows.filter(part=part) if not flows.is_empty() else flows
        if found.is_empty():
            continue
        cells = [name, str(found.height)]
        for error in ("error", "with_start"):
            absolute = found[error].drop_nulls().abs()
            middle, most = absolute.median(), absolute.quantile(0.9, "linear")
            cells.append(f"{_percent(middle)} / {_percent(most)}" if absolute.len() else "–")
        rows.append(cells)
    return rows


def _slow_starts(scores: pl.DataFrame) -> list[list[str]]:
    """The flows whose start costs much of their goodput."""
    flows = _flows(scores)
    if flows.is_empty():
        return []
    slow = flows.filter(pl.col("started_bps") < (1 - SLOW_START) * pl.col("truth_bps")).sort("scenario")
    return [
        [
            f"`{row['scenario']}`",
            PARTS[row["part"]],
            *("–" if row[name] is None else f"{row[name] / 1e6:.1f}" for name in ("truth_bps", "started_bps")),
            "–" if row["available_bps"] is None else f"{row['available_bps'] / 1e6:.1f}",
        ]
        for row in slow.iter_rows(named=True)
    ]


def _answer(found: dict[str, Any]) -> str:
    if found["median"] is None:
        return f"none, {_percent(found['declined'])}"
    error = f"{_percent(found['median'])} / {_percent(found['p90'])}"
    width = "–" if found["width"] is None else _percent(found["width"])
    return f"{error}, {_percent(found['coverage'])} ({width}), {_percent(found['declined'])}"


def _failures(errors: pl.DataFrame, answers: pl.DataFrame, group: str) -> list[str] | None:
    """What the held-out runs of a group miss; None where the study has none."""
    error = _one(errors, part=JUDGED, group=group, estimator=RECOMMENDED, context="inferred")
    windows = answers.filter(part=JUDGED, group=group, estimator=RECOMMENDED, context="inferred").to_dicts()
    if not windows:
        return None
    median, p90 = summary.GOALS[group]
    said = []
    if error and (error["median"] > median or error["p90"] > p90):
        said.append(f"error {_against_goal(error['median'], error['p90'])}")
    for row in sorted(windows, key=lambda row: list(WINDOWS).index(row["window"])):
        if row["answered"] and summary.misses_coverage(round(row["coverage"] * row["answered"]), row["answered"]):
            said.append(f"coverage {_percent(row['coverage'])} ({row['window']})")
        if row["declined"] > summary.DECLINED_GOAL:
            said.append(f"declined {_percent(row['declined'])} ({row['window']})")
    return said


def _missed(errors: pl.DataFrame, answers: pl.DataFrame) -> list[str]:
    """Every goal that is missed, by group."""
    found = {group: _failures(errors, answers, group) for group in summary.GROUPS}
    return [f"{summary.GROUPS[group]}: {', '.join(said)}" for group, said in found.items() if said]


def _worst(runs: pl.DataFrame, count: int = 12) -> list[list[str]]:
    """The runs that the recommended answer misses most, of all parts."""
    rows = runs.filter(pl.col("estimator") == RECOMMENDED).sort(pl.col("error").abs(), descending=True)
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
