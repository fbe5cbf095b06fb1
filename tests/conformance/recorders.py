"""The table of recorders: ``python -m tests.conformance.recorders [--held-out | --development] [CAPTURE...]``."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from winf_analyzer import UnusableInput
from winf_analyzer._core import UnusableRecording

from .captures import third_parties
from .physics import MIN_ANSWERS, Physics, measure


def is_held_out(capture: Path) -> bool:
    """Half of the captures, by name: those on which nothing is developed."""
    return hashlib.sha256(capture.name.encode()).digest()[0] % 2 == 1


def main(arguments: list[str]) -> int:
    """Print the table; returns the exit code."""
    chosen = [argument for argument in arguments if not argument.startswith("--")]
    captures = [Path(argument) for argument in chosen] or third_parties()
    if "--held-out" in arguments:
        captures = [capture for capture in captures if is_held_out(capture)]
    if "--development" in arguments:
        captures = [capture for capture in captures if not is_held_out(capture)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        measured = [physics for physics in pool.map(attempt, captures) if physics is not None]
    print_table(measured)
    return 1 if any(physics.failures() for physics in measured) else 0


def attempt(capture: Path) -> Physics | None:
    """Measure one capture; None if it is unusable."""
    try:
        return measure(capture)
    except (UnusableInput, UnusableRecording):
        return None


def print_table(measured: Iterable[Physics]) -> None:
    """One line for each recording in which a rule applies, and the sums."""
    measured = [
        each for each in measured if each.answers.of or each.spans.of or each.foreign_tx.of or each.undecided.of
    ]
    print(
        f"{'recording':44} {'answers at SIFS':>18} {'undecided':>16} {'A-MPDU spans':>16} {'foreign tx':>16}"
        f" {'overlaps':>17} {'found late':>17} {'untimed':>16} {'exchanges':>16}  fails"
    )
    for each in measured:
        print(
            f"{each.recording[:44]:44} {each.answers.text():>18} {each.undecided.text():>16} {each.spans.text():>16}"
            f" {each.foreign_tx.text():>16} {each.overlaps.text():>17} {each.late_found.text():>17}"
            f" {each.untimed.text():>16} {each.answered_exchanges.text():>16}  {' '.join(each.failures())}"
        )
    recorders = [each for each in measured if each.answers.of >= MIN_ANSWERS]
    good = sum((each.answers.percent or 0) >= 90 for each in recorders)
    print(f"recorders with {MIN_ANSWERS} answers: {len(recorders)}, of which {good} have 90 % at SIFS")
    for name in (
        "answers",
        "undecided",
        "spans",
        "foreign_tx",
        "overlaps",
        "late_found",
        "untimed",
        "answered_exchanges",
    ):
        shares = [getattr(each, name) for each in measured]
        total = sum(share.of for share in shares)
        print(f"{name}: {sum(share.good for share in shares)} of {total}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
