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

MIN_CARRIED = 0.05
"""Of what the recording's busiest link carries, what a link must carry to be told of unasked. The acknowledgements of a
download are answers to it: what they could have without it is no answer to anybody."""

LINK = ("sender", "receiver")


def effect(
    about: tuple[str | None, str | None], recommended: pl.DataFrame, base: pl.DataFrame, without: pl.DataFrame
) -> dict[str, Any]:
    """The columns of `findings` about the effect.

    Args:
        about: sender and receiver of the link; where one is unknown, the link that carries most is taken.
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
    elif recommended["own_bps"].count() > 0:
        most = recommended.select(most_bps=pl.col("own_bps").max())
        known = known.join(most, how="cross").filter(pl.col("own_bps") >= MIN_CARRIED * pl.col("most_bps"))
    known = known.sort(-pl.col("own_bps"), *LINK, nulls_last=True)
    if known.is_empty():
        return dict(NOTHING)
    link = known.row(0, named=True)
    now, raw, then = (link[name] for name in ("available_bps", "available_bps_base", "available_bps_without"))
    now_below, now_above = _reach(link, "")
    base_width = sum(_reach(link, "_base"))
    # What the judgement added to the model's interval is doubt about the recording, which both answers share.
    wider = max((now_below + now_above) / base_width, 1.0) if base_width > 0 else 1.0
    then_below, then_above = (wider * each for each in _reach(link, "_without"))
    gained = then - raw
    unknown = CHANGED * gained
    without_bps = max(now + gained, 0.0)
    return {
        "sender": link["sender"],
        "receiver": link["receiver"],
        "available_bps": now,
        "without_bps": without_bps,
        "without_low_bps": max(without_bps - math.hypot(then_below, unknown), 0.0),
        "without_high_bps": without_bps + math.hypot(then_above, unknown),
        "effect_bps": without_bps - now,
        "effect_low_bps": without_bps - now - _of_gain(now_above, then_below, unknown),
        "effect_high_bps": without_bps - now + _of_gain(now_below, then_above, unknown),
        "capacity_bps": link["capacity_bps_without"] or link["capacity_bps"],
    }


def _of_gain(now: float, then: float, unknown: float) -> float:
    return math.sqrt(now**2 + then**2 - 2 * CORRELATION * now * then + unknown**2)


def _reach(link: dict[str, Any], suffix: str) -> tuple[float, float]:
    """How far the interval of an answer reaches below it, and above."""
    value, low, high = (link[f"available_{name}bps{suffix}"] for name in ("", "low_", "high_"))
    return (0.0, 0.0) if low is None or high is None else (max(value - low, 0.0), max(high - value, 0.0))
