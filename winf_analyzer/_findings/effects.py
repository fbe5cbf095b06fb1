"""What a link would gain without a cause: the difference of two answers of the model, with its interval.

The value now is the recommended answer. What it would be is that plus the difference between the model's two answers,
whose errors have the same causes for the most part. So the interval of the difference is narrower than either: with
half widths a and b and correlation r of the errors, its half width is sqrt(a^2 + b^2 - 2 r a b).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from winf_analyzer._findings.counterfactual import CORRELATION

if TYPE_CHECKING:
    import polars as pl

RATES = ("available_bps", "without_bps", "without_low_bps", "without_high_bps")
NOTHING = dict.fromkeys(("sender", "receiver", "effect_bps", "effect_low_bps", "effect_high_bps", *RATES))
"""The columns of an effect that the model cannot say."""

LINK = ("sender", "receiver")


def effect(
    about: tuple[str | None, str | None], recommended: pl.DataFrame, base: pl.DataFrame, without: pl.DataFrame
) -> dict[str, Any]:
    """The columns of `findings` about the effect.

    Args:
        about: sender and receiver of the link; where one is unknown, the link with most samples is taken.
        recommended: the recording's rows of the whole recording.
        base: what the model says of the recording, before it was judged.
        without: the same without the cause.
    """
    import polars as pl

    known = recommended.filter(pl.col("available_bps").is_not_null()).join(
        base.filter(pl.col("available_bps").is_not_null()), on=LINK, suffix="_base"
    )
    known = known.join(without.filter(pl.col("available_bps").is_not_null()), on=LINK, suffix="_without")
    sender, receiver = about
    if sender is not None and receiver is not None:
        known = known.filter(pl.col("sender") == sender, pl.col("receiver") == receiver)
    known = known.sort(-pl.col("samples"), *LINK)
    if known.is_empty():
        return dict(NOTHING)
    link = known.row(0, named=True)
    now, raw, then = (link[name] for name in ("available_bps", "available_bps_base", "available_bps_without"))
    half_now = _half(link, "")
    # What the judgement added to the model's interval is doubt about the recording, which both answers share.
    wider = max(half_now / _half(link, "_base"), 1.0) if _half(link, "_base") > 0 else 1.0
    half_then = _half(link, "_without") * wider
    gained = then - raw
    half = math.sqrt(max(half_now**2 + half_then**2 - 2 * CORRELATION * half_now * half_then, 0.0))
    without_bps = max(now + gained, 0.0)
    return {
        "sender": link["sender"],
        "receiver": link["receiver"],
        "available_bps": now,
        "without_bps": without_bps,
        "without_low_bps": max(without_bps - half_then, 0.0),
        "without_high_bps": without_bps + half_then,
        "effect_bps": without_bps - now,
        "effect_low_bps": without_bps - now - half,
        "effect_high_bps": without_bps - now + half,
        "capacity_bps": link["capacity_bps_without"] or link["capacity_bps"],
    }


def _half(link: dict[str, Any], suffix: str) -> float:
    low, high = link[f"available_low_bps{suffix}"], link[f"available_high_bps{suffix}"]
    return 0.0 if low is None or high is None else (high - low) / 2
