"""Whether two values with intervals differ by more than chance."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import polars as pl

from winf_analyzer._diff.measures import LEVEL

FALSE_CHANGES = 0.1
"""Largest share, among what is called a change, that is chance (the false discovery rate)."""

_NORMAL = NormalDist()
_QUANTILE = _NORMAL.inv_cdf((1 + LEVEL) / 2)
_KEYS = ("part", "subject", "quantity", "unit")
_EXISTENCE = ("station", "finding")
"""Parts of which it is an answer that something is on one side alone."""


def compared(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """The rows of both sides, joined, with the change and its verdict; the surest changes first.

    The interval of the change follows from those of the values (G. Y. Zou and A. Donner, "Construction of confidence
    limits about effect measures", Statistics in Medicine 2008); the two sides are taken to be independent. What is a
    change is decided for all rows together (Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate",
    Journal of the Royal Statistical Society B 1995).

    Returns:
        Columns of the measures for `before` and `after`; `change`, `change_low`, `change_high`; `p`; and `verdict`:
        more, less, noise, new, gone, or unknown where an interval is.
    """
    joined = before.join(after, on=_KEYS, how="full", coalesce=True, suffix="_after", maintain_order="left_right")
    joined = joined.rename({"value": "before", "low": "before_low", "high": "before_high"})
    joined = joined.rename({"value_after": "after", "low_after": "after_low", "high_after": "after_high"})
    rows = [row | _change(row) for row in joined.iter_rows(named=True)]
    limit = _threshold([row["p"] for row in rows if row["p"] is not None])
    for row in rows:
        row["verdict"] = _verdict(row, limit)
    schema = dict.fromkeys(_KEYS, pl.String) | {
        name: pl.Float64 for side in ("before", "after", "change") for name in (side, f"{side}_low", f"{side}_high")
    }
    table = pl.DataFrame(rows, schema={**schema, "p": pl.Float64, "verdict": pl.String})
    rank = {"more": 0, "less": 0, "new": 1, "gone": 1, "noise": 2, "unknown": 3}
    size = pl.max_horizontal("before", "after")
    keys = [pl.col("verdict").replace_strict(rank), pl.col("p").fill_null(1), -size]
    return table.sort(*keys, "part", "subject", "quantity", nulls_last=True, maintain_order=True)


def _change(row: dict[str, Any]) -> dict[str, float | None]:
    """The change with its interval and the probability of one as large by chance."""
    unknown: dict[str, float | None] = {"change": None, "change_low": None, "change_high": None, "p": None}
    before, after = row["before"], row["after"]
    if before is None or after is None:
        return unknown
    change = after - before
    if any(row[name] is None for name in ("before_low", "before_high", "after_low", "after_high")):
        return unknown | {"change": change}
    down = ((after - row["after_low"]) ** 2 + (row["before_high"] - before) ** 2) ** 0.5
    up = ((row["after_high"] - after) ** 2 + (before - row["before_low"]) ** 2) ** 0.5
    width = down if change > 0 else up
    certain = 1.0 if change == 0 else 0.0
    p = certain if width == 0 else 2 * (1 - _NORMAL.cdf(abs(change) / (width / _QUANTILE)))
    return {"change": change, "change_low": change - down, "change_high": change + up, "p": p}


def _threshold(probabilities: list[float]) -> float:
    """The largest probability that still counts as a change, among all of them."""
    limit = -1.0
    for place, p in enumerate(sorted(probabilities), start=1):
        if p <= FALSE_CHANGES * place / len(probabilities):
            limit = p
    return limit


def _verdict(row: dict[str, Any], limit: float) -> str:
    if row["before"] is None or row["after"] is None:
        if row["part"] not in _EXISTENCE:
            return "unknown"
        return "new" if row["before"] is None else "gone"
    if row["p"] is None:
        return "unknown"
    if row["p"] > limit:
        return "noise"
    return "more" if row["change"] > 0 else "less"
