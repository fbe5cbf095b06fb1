"""Compare captures with tshark and with physics, and print what differs: ``python -m tests.conformance [CAPTURE...]``.

Ends with 1 where a difference is not explained, or a recording breaks a rule.
"""

from __future__ import annotations

import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl

from winf_analyzer import UnusableInput
from winf_analyzer._core import UnusableRecording

from . import oracle
from .captures import samples, third_parties
from .comparison import Outcome, compare
from .differences import DIFFERENCES
from .recorders import attempt, print_table

SHOWN = 20
"""Unexplained values printed per capture and column."""


def main(arguments: list[str]) -> int:
    """Run the comparison; returns the exit code."""
    if not oracle.is_installed():
        print("tshark is not installed: apt install tshark", file=sys.stderr)
        return 1
    captures = [Path(argument) for argument in arguments] or [*samples(), *third_parties()]
    print(f"tshark {oracle.version()}, {len(captures)} captures; the differences are those of tshark {oracle.TESTED}")
    with ThreadPoolExecutor(max_workers=2) as pool:
        outcomes = list(pool.map(_attempt, captures))
    explained = _report(captures, outcomes)
    print("\nWhat tshark has no word on, by the rules of the standard (docs/recorder.md):")
    with ThreadPoolExecutor(max_workers=2) as pool:
        measured = [physics for physics in pool.map(attempt, captures) if physics is not None]
    print_table(measured)
    return 1 if explained or any(physics.failures() for physics in measured) else 0


def _attempt(capture: Path) -> Outcome | str | None:
    try:
        return compare(capture)
    except (UnusableInput, UnusableRecording) as error:
        return str(error)


def _report(captures: list[Path], outcomes: list[Outcome | str | None]) -> int:
    explained: Counter[str] = Counter()
    frames = equal = unexplained = 0
    for capture, outcome in zip(captures, outcomes, strict=True):
        if not isinstance(outcome, Outcome):
            print(f"not compared: {outcome or f'{capture}: no frames'}")
            continue
        frames, equal = frames + outcome.frames, equal + outcome.equal
        explained.update(outcome.explained)
        unexplained += outcome.unexplained.height
        for (column,), rows in outcome.unexplained.group_by("column", maintain_order=True):
            print(f"UNEXPLAINED {capture}: {column} in {rows.height} frames")
            with pl.Config(tbl_rows=SHOWN, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True):
                print(rows.head(SHOWN))
    print(f"\n{frames} frames: {equal} values are equal, {explained.total()} differ for a known reason")
    for difference in DIFFERENCES:
        print(f"  {explained[difference.name]:>8}  {difference.name}")
    print(f"  {unexplained:>8}  UNEXPLAINED" if unexplained else "nothing else differs")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
