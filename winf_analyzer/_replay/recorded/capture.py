"""Frames of the control rate that outlast others, as recordings at both ends show it.

Direct-sequence spreading lets a frame at 1 Mbit/s be received although another one, as strong, begins during it. An RTS
that its sender recorded either shows in the receiver's recording, or was lost.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

_CASES = 10
"""Fewer RTS that met another frame at one ratio of powers prove nothing."""

_SURVIVE = 0.8
"""From this share on of those that were received anyway, frames count as surviving."""

_AGREE_NS = 3000
"""Start of one frame in two recordings: propagation, and stamps of whole microseconds."""


def control_capture_db(
    exchanges: pl.LazyFrame, air: pl.DataFrame, heard_by: dict[str, set[str]], powers: Sequence[dict[str, Any]]
) -> float | None:
    """Least ratio of its power to that of a frame that begins during it at which an RTS is still received, whole dB.

    Args:
        exchanges: the ``exchanges`` table.
        air: of :func:`.losses.on_air`.
        heard_by: for each node those whose frames it decodes.
        powers: what each node receives of whom, as the engine reads it.

    Returns:
        The ratio; None where too few were seen.
    """
    told = {(row["from"], row["to"]): row["dbm"] for row in powers}
    cases: Counter[int] = Counter()
    survived: Counter[int] = Counter()
    for sender, receiver, other, received in _met(exchanges, air, heard_by):
        if (sender, receiver) in told and (other, receiver) in told:
            ratio = math.floor(told[sender, receiver] - told[other, receiver])
            cases[ratio] += 1
            survived[ratio] += received
    enough = [ratio for ratio, seen in cases.items() if seen >= _CASES and survived[ratio] >= _SURVIVE * seen]
    return float(min(enough)) if enough else None


def _met(
    exchanges: pl.LazyFrame, air: pl.DataFrame, heard_by: dict[str, set[str]]
) -> Iterator[tuple[str, str, str, bool]]:
    """RTS that found the medium idle at their receiver and met another frame: sender, receiver, other, received."""
    asked = exchanges.filter(pl.col("rts_start_ns").is_not_null(), pl.col("rts_ns").is_not_null())
    own = asked.filter(pl.col("observer") == pl.col("sender"))
    sent = own.select("sender", "receiver", "rts_ns", at="rts_start_ns").collect(engine="streaming").sort("at")
    theirs = asked.filter(pl.col("observer") == pl.col("receiver"))
    seen = theirs.select("sender", "receiver", at="rts_start_ns", seen_ns="rts_start_ns").collect(engine="streaming")
    for (sender, receiver), rts in sent.group_by("sender", "receiver", maintain_order=True):
        near = (heard_by.get(str(receiver), set()) | {str(receiver)}) - {str(sender)}
        others = air.filter(pl.col("node").is_in(near)).sort("from_ns")
        here = seen.filter(pl.col("sender") == sender, pl.col("receiver") == receiver).sort("at")
        taken = others.select(at="from_ns", taken_ns=pl.col("until_ns").cum_max())
        begins = others.select(at="from_ns", begins_ns="from_ns", other="node")
        yield from (
            rts.join_asof(taken, on="at", strategy="backward")
            .filter((pl.col("taken_ns") <= pl.col("at")).fill_null(True))
            .join_asof(begins, on="at", strategy="forward", allow_exact_matches=False)
            .filter(pl.col("begins_ns") < pl.col("rts_ns"), pl.col("other") != receiver)
            .join_asof(here.select("at", "seen_ns"), on="at", strategy="nearest", tolerance=_AGREE_NS)
            .select("sender", "receiver", "other", pl.col("seen_ns").is_not_null())
            .iter_rows()
        )
