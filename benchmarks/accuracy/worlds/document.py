"""docs/other-conditions.md: the words of document.md.j2 around tables of what was said of worlds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import jinja2
import polars as pl

from benchmarks.accuracy.worlds.answers import Answer
from benchmarks.accuracy.worlds.listed import LISTS, WITHOUT_TRUTH, worlds

TEMPLATE = Path(__file__).with_name("document.md.j2")
GRADES = ("good", "fair", "poor")
"""Of answers that are a value."""


def write(found: Sequence[Answer], left_out: Sequence[str], seed: int, path: Path) -> None:
    """Fill in the template.

    Args:
        found: the answers of one seed, in the order of the lists.
        left_out: worlds whose simulation ended with an error.
        seed: of all of them.
        path: of the page.
    """
    found = [answer for answer in found if answer.world not in WITHOUT_TRUTH]
    list_of = {world["name"]: world["list"] for world in worlds()}
    of_lists = {
        name: [answer for answer in found if list_of[answer.world] == name] for name in (path.stem for path in LISTS)
    }
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    text = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        seed=seed,
        worlds=len(list_of),
        left_out=[name for name in left_out if name not in WITHOUT_TRUTH],
        sums={name: _sums(answers) for name, answers in {**of_lists, "all": found}.items()},
        tables={name: _table(answers) for name, answers in of_lists.items()},
        good=_sums([answer for answer in found if answer.grade == "good"]),
        missed=[_missed(answer) for answer in found if answer.missed and answer.grade in GRADES[:2]],
    )
    path.write_text(text, encoding="utf-8")


def _sums(answers: Sequence[Answer]) -> dict[str, str]:
    """Of a list: `worlds recordings intervals hold unanswered error` and, per grade, how many of its intervals hold."""
    told = [answer for answer in answers if answer.low is not None]
    errors = [
        abs(answer.available / answer.truth - 1) for answer in told if answer.available is not None and answer.truth
    ]
    off = pl.Series(errors, dtype=pl.Float64)
    middle, high = (_percent(off.quantile(at, "linear") or 0.0) for at in (0.5, 0.9))
    by_grade = {grade: [answer for answer in told if answer.grade == grade] for grade in GRADES}
    return {
        "worlds": f"{len({answer.world for answer in answers})}",
        "recordings": f"{len(answers)}",
        "intervals": f"{len(told)}",
        "hold": f"{_hold(told)}",
        "share": f"{100 * _hold(told) / len(told):.0f} %" if told else "–",
        "unanswered": f"{len(answers) - len(told)}",
        "error": f"{middle}, {high}" if errors else "–",
    } | {grade: f"{_hold(some)} of {len(some)}" for grade, some in by_grade.items()}


def _hold(answers: Iterable[Answer]) -> int:
    return sum(not answer.missed for answer in answers)


def _table(answers: Sequence[Answer]) -> list[list[str]]:
    """A row per world: its name, the truth, and what is said of each recording."""
    rows: dict[str, list[str]] = {}
    for answer in answers:
        rows.setdefault(answer.world, [f"`{answer.world}`", _rate(answer.truth)]).append(_said(answer))
    return list(rows.values())


def _said(answer: Answer) -> str:
    """The answer as it is printed, in bold where it is wrong."""
    if answer.low is None or answer.high is None:
        return "no answer"
    interval = f"[{_rate(answer.low)}, {_rate(answer.high)}] {answer.grade}"
    text = interval if answer.available is None else f"{_rate(answer.available)} {interval}"
    return f"**{text}**" if answer.missed else text


def _missed(answer: Answer) -> list[str]:
    """World, recorder, grade, and by how much of the truth the nearer end of the interval misses it."""
    assert answer.low is not None
    assert answer.high is not None
    nearest = answer.low if answer.truth < answer.low else answer.high
    off = "–" if not answer.truth else f"{100 * (nearest / answer.truth - 1):+.0f} %"
    return [f"`{answer.world}`", answer.recorder, answer.grade, _rate(answer.truth), _said(answer).strip("*"), off]


def _rate(value: float) -> str:
    """Mb/s with three digits, none beyond the tenth of 100."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"
