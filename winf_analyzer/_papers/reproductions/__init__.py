"""Figures of the papers made here: `winf reproduce`.

A study (`_studies/`) declares the scene of one or several figures: topology, workload, controllers, metrics and the
statements of the paper. It runs in the replay engine; what came out is drawn as the paper draws it, beside the numbers
that the paper prints.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import polars as pl

from winf_analyzer._papers import items
from winf_analyzer._papers.reproductions._figure import write_figure
from winf_analyzer._papers.reproductions._kept import is_current, kept, kept_full
from winf_analyzer._papers.reproductions._run import Outcome, run_study
from winf_analyzer._papers.reproductions._studies import STUDIES
from winf_analyzer._papers.reproductions._study import Figure, Study
from winf_analyzer._util.arguments import check_threads
from winf_analyzer._util.errors import UsageError
from winf_analyzer._util.format import given_path
from winf_analyzer._util.progress import Progress

ROWS = {
    "item": pl.Utf8,
    "place": pl.Utf8,
    "arm": pl.Utf8,
    "mean": pl.Float64,
    "half_width": pl.Float64,
    "printed": pl.Float64,
    "metric": pl.Utf8,
}
"""Columns of the result: a row per figure, place and curve; `half_width` is that of the 95 % confidence interval."""


def reproductions(names: Sequence[str] = ()) -> pl.DataFrame:
    """What can be reproduced: item, whether it comes out, scene, and what results ship with the package.

    Of everything without `names`. `holds` is of the best results that are kept, `results`: `full` (the paper's length
    and repetitions), `quick`, or `recorded` (read from recordings of ns-2 and ns-3).
    """
    rows = []
    chosen = _chosen(names, everything=not names)
    for study in STUDIES:
        outcome = kept(study)
        full = kept_full(study) if is_current(study) else None
        best = full or outcome
        rows += [
            {
                "item": figure.item,
                "holds": best.holding(figure) if best else None,
                "results": _kind(study, full is not None) if best else "none",
                "title": study.title,
                "study": study.name,
                "metric": figure.metric,
                "repetitions": study.seeds,
                "kept": outcome.verdict(figure) if outcome else "no results kept",
                "readings": figure.readings,
                "kept_full": _full(study, figure),
            }
            for figure in study.figures
            if figure in chosen
        ]
    return pl.DataFrame(rows)


def _kind(study: Study, full: bool) -> str:
    """What the best results that are kept are."""
    if study.recorded:
        return "recorded"
    return "full" if full else "quick"


def _full(study: Study, figure: Figure) -> str | None:
    """What the results at the paper's length and repetitions say."""
    outcome = kept_full(study)
    if outcome is None:
        return None
    return outcome.verdict(figure) if is_current(study) else f"of an earlier version: {outcome.verdict(figure)}"


def reproduce(
    names: Sequence[str] = (),
    *,
    everything: bool = False,
    quick: bool = False,
    output: str | os.PathLike[str] = "reproductions",
    threads: int = 0,
    progress: Progress | None = None,
) -> pl.DataFrame:
    """Run the scenes of figures and claims of the papers, and draw them beside what the papers print.

    Runs that `output` already holds are not repeated. For each item it gets `ITEM.html` and `ITEM.csv`, for its
    readings `ITEM-readings.html` and `.csv`, with nodes that run DSDV `ITEM-dsdv.html` and `.csv`, for each scene its
    runs as JSON.

    Args:
        names: items of the register, such as ``S000-fig10a`` or ``S000-fig-10`` (every panel), or ``S000 fig10``.
        everything: every item that can be reproduced.
        quick: fewer repetitions and places, shorter runs.
        output: the folder.
        threads: number of parallel runs, at most 1024; 0: one per core. It does not affect results.
        progress: called after every run.

    Returns:
        :data:`ROWS`, and in the column `verdict` what became of the paper's statements about the figure.

    Raises:
        UsageError: there is no such item, or it cannot be reproduced; the message says what it lacks; or
            `threads` cannot be.
    """
    check_threads(threads)
    chosen = _chosen(names, everything)
    folder = given_path(output)
    folder.mkdir(parents=True, exist_ok=True)
    frames = []
    for study in STUDIES:
        figures = [figure for figure in study.figures if figure in chosen]
        if not figures:
            continue
        outcome = run_study(study, folder / f"{study.name}.json", quick=quick, threads=threads, progress=progress)
        for figure in figures:
            rows = _rows(study, figure, outcome)
            rows.write_csv(folder / f"{figure.file}.csv")
            write_figure(study, figure, outcome, folder / f"{figure.file}.html")
            frames.append(rows)
    return pl.concat(frames)


def _rows(study: Study, figure: Figure, outcome: Outcome) -> pl.DataFrame:
    rows = [
        {
            "item": figure.item,
            "place": str(place),
            "arm": curve.name,
            "mean": outcome.mean(curve.metric, curve.arm, place),
            "half_width": outcome.half_width(curve.metric, curve.arm, place),
            "printed": figure.printed.get(curve.name, {}).get(place),
            "metric": curve.metric,
        }
        for place in figure.shows(outcome.places)
        for curve in figure.drawn(study.arms)
    ]
    return pl.DataFrame(rows, schema=ROWS).with_columns(verdict=pl.lit(outcome.verdict(figure)))


def _chosen(names: Sequence[str], everything: bool) -> list[Figure]:
    there = [figure for study in STUDIES for figure in study.figures]
    if everything:
        return there
    if not names:
        raise UsageError("name an item, such as S000-fig10a, or give --all; --list lists them.")
    chosen = []
    for name in _joined(names):
        found = [figure for figure in there if _means(name, figure.item)]
        if not found:
            raise UsageError(_why_not(name))
        chosen += found
    return chosen


def _joined(names: Sequence[str]) -> list[str]:
    """`S000 fig12` is one name."""
    joined: list[str] = []
    for name in names:
        if joined and re.fullmatch(r"[sS]\d{3}", joined[-1]):
            joined[-1] += f"-{name}"
        else:
            joined.append(name)
    return joined


def _means(name: str, item: str) -> bool:
    """Whether a name is that of an item, with or without dashes, or of all its panels."""
    asked, full = (text.lower().replace("-", "") for text in (name, item))
    return full == asked or (full[:-1] == asked and full[-1].isalpha() and asked[-1:].isdigit())


def _why_not(name: str) -> str:
    registered = [item for item in items() if _means(name, item.id)]
    if not registered:
        return f"no item {name!r} in the register of the papers (docs/papers)."
    item = registered[0]
    reason = item.lacks or item.stands_in or item.unsaid or "its verdict rests on tests and pages"
    return f"{item.id} cannot be reproduced by one command: {reason}."
