"""Figures in the texts of the register, read from the kept full results.

A text names a figure as `{study|metric|arm|place}`, where the place `5..14` is the mean over those, and how it is
written behind a colon: decimals, and `k` or `M` for thousands or millions (`{s002-chain|throughput|TCP|4:1M}` is 5.4).
Two figures make per cent: `{a of b:0}` is what a is of b, `{a below b:0}` and `{a above b:0}` by how much it is less or
more. So a text cannot say
otherwise than the results that stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from statistics import fmean

from winf_analyzer._papers.reproductions._kept import kept_full
from winf_analyzer._papers.reproductions._run import Outcome
from winf_analyzer._papers.reproductions._studies import STUDIES
from winf_analyzer._papers.reproductions._study import X

_FIGURE = re.compile(r"\{([^{}]+):(\d)([kM]?)\}")
_JOINED = re.compile(r" (of|below|above) (?=[\w-]+\|)")
"""Between two figures: places have such words too (`cross traffic of 400 kbit/s`), but no study behind them."""
_SCALE = {"": 1.0, "k": 1e3, "M": 1e6}
_PER_CENT: dict[str, Callable[[float], float]] = {
    "of": lambda share: share,
    "below": lambda share: 100.0 - share,
    "above": lambda share: share - 100.0,
}


def said(text: str) -> str:
    """The text with its figures filled in.

    Raises:
        ValueError: a figure that no kept full result has.
    """
    filled = _FIGURE.sub(_written, text)
    if left := re.search(r"[{}]", filled):
        raise ValueError(f"{filled[left.start() :]!r} is no figure of a kept result")
    return filled


def _written(found: re.Match[str]) -> str:
    named, decimals, unit = found.groups()
    return f"{_value(named) / _SCALE[unit]:.{decimals}f}"


def _value(named: str) -> float:
    if joined := _JOINED.search(named):
        part, whole = named[: joined.start()], named[joined.end() :]
        return _PER_CENT[joined[1]](100.0 * _single(part) / _single(whole))
    return _single(named)


def _single(named: str) -> float:
    parts = named.split("|")
    outcome = _full(parts[0]) if len(parts) == 4 else None
    if outcome is None:
        raise ValueError(f"{named!r} is no figure of a kept result")
    _, metric, arm, at = parts
    means = [outcome.mean(metric, arm, place) for place in outcome.places if _is_at(place, at)]
    known = [mean for mean in means if mean is not None]
    if not known:
        raise ValueError(f"{named!r} is no figure of a kept result")
    return fmean(known)


def _is_at(place: X, named: str) -> bool:
    first, separator, last = named.partition("..")
    if separator and not isinstance(place, str):
        return float(first) <= place <= float(last)
    return str(place) == named


@cache
def _full(name: str) -> Outcome | None:
    return next((kept_full(study) for study in STUDIES if study.name == name), None)
