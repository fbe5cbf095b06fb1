"""What a link would gain without a cause: the difference of two answers of the model, with its interval.

The value now is the recommended answer. What it would be is that plus the difference between the model's two answers,
whose errors have the same causes in part. To that comes what no recording with the cause can show, such as which
frames would collide, or which signals suffice, without it: a share c of the gain. With half widths a and b of the two
answers and correlation r of their errors, the half width of the gain g is sqrt(a^2 + b^2 - 2 r a b + (c g)^2), and
that of the answer without the cause sqrt(b^2 + (c g)^2).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

CORRELATION = 0.4
"""Of the model's errors with and without a cause, which come from the same stations, rates and losses. With up to 0.7
nine tenths of the intervals of the development pairs hold (docs/findings.md); their errors themselves show none."""

CHANGED = 0.15
"""Half width of what is not known without the cause, as a share of the gain: the least with which nine tenths of the
answers without the cause hold in the development pairs, where without it eight tenths do."""

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
    unknown = CHANGED * gained
    half = math.sqrt(half_now**2 + half_then**2 - 2 * CORRELATION * half_now * half_then + unknown**2)
    half_then = math.hypot(half_then, unknown)
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
