"""The capture threshold of RTS frames, and of data at 1 Mbit/s, from recordings at both ends of links.

With direct-sequence spreading, a frame at 1 Mbit/s can be received although another one of equal power starts during
it. An RTS in the sender's recording was received if it is in the receiver's recording, else lost.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

ROBUST_MBPS = 1.0
"""Rate at which each bit is spread over eleven chips, which is 10.4 dB (IEEE 802.11 sec. 15.4)."""

_ANY_DBM = -50.0
"""A received power, where all are equal."""

_MIN_CASES = 10
"""Minimum number of overlapped RTS per power ratio."""

_MIN_SURVIVAL = 0.8
"""Share of overlapped RTS that must be received for the power ratio to count as sufficient."""

_MATCH_TOLERANCE_NS = 3000
"""Tolerance of a frame's start in two recordings: propagation, and time stamps of whole microseconds."""


def rts_capture_db(
    exchanges: pl.LazyFrame, air: pl.DataFrame, audible: dict[str, set[str]], powers: Sequence[dict[str, Any]]
) -> float | None:
    """Lowest power ratio at which an RTS is received although an interfering frame starts during it, whole dB.

    Args:
        exchanges: the ``exchanges`` table.
        air: from :func:`.losses.on_air`.
        audible: for each node the nodes whose frames it decodes.
        powers: received powers between nodes, as the engine reads them.

    Returns:
        The ratio of the RTS's power to that of the interfering frame; None with too few cases.
    """
    known = {(row["from"], row["to"]): row["dbm"] for row in powers}
    cases: Counter[int] = Counter()
    survived: Counter[int] = Counter()
    for sender, receiver, other, received in _overlapped_rts(exchanges, air, audible):
        if (sender, receiver) in known and (other, receiver) in known:
            ratio = math.floor(known[sender, receiver] - known[other, receiver])
            cases[ratio] += 1
            survived[ratio] += received
    enough = [ratio for ratio, seen in cases.items() if seen >= _MIN_CASES and survived[ratio] >= _MIN_SURVIVAL * seen]
    return float(min(enough)) if enough else None


def presumed_capture(
    graph: Mapping[str, Any], response_mbps: Mapping[str, float], capture_db: float
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """What a graph and a MAC have, and a note, where no recording shows how strongly stations receive each other.

    Stations that send CTS at :data:`ROBUST_MBPS` are taken to receive all others equally well: an RTS or a CTS then
    survives a frame that begins during it, a data frame does not. Nothing otherwise.

    Args:
        graph: which node decodes which node, as the engine reads it.
        response_mbps: rates of CTS, by station.
        capture_db: threshold of data frames.
    """
    if graph.get("powers") or not response_mbps or max(response_mbps.values()) > ROBUST_MBPS:
        return {}, {}, []
    powers = [{"from": a, "to": b, "dbm": _ANY_DBM} for a, b in graph["decodes"]]
    note = (
        "no recording shows how strongly stations receive each other: assumed equally, so that an RTS at 1 Mbit/s "
        "survives a frame that begins during it"
    )
    return {"powers": powers, "capture_db": capture_db}, {"control_capture_db": 0.0}, [note]


def spread_data_capture(
    graph: Mapping[str, Any], mac: Mapping[str, Any], data_mbps: Collection[float]
) -> tuple[dict[str, Any], list[str]]:
    """What a MAC has, and a note, where data are sent at :data:`ROBUST_MBPS` and no RTS shows its threshold.

    The gain of spreading makes up for the ratio that others need: what is as strong as the frame under reception does
    not disturb it. Nothing where no data are sent so, or no powers are known.
    """
    if not graph.get("powers") or "control_capture_db" in mac or min(data_mbps, default=math.inf) > ROBUST_MBPS:
        return {}, []
    return {"control_capture_db": 0.0}, ["frames at 1 Mbit/s survive others as strong that begin later (assumed)"]


def _overlapped_rts(
    exchanges: pl.LazyFrame, air: pl.DataFrame, audible: dict[str, set[str]]
) -> Iterator[tuple[str, str, str, bool]]:
    """RTS with idle medium at the receiver that another frame overlapped: sender, receiver, other, received."""
    asked = exchanges.filter(pl.col("rts_start_ns").is_not_null(), pl.col("rts_ns").is_not_null())
    own = asked.filter(pl.col("observer") == pl.col("sender"))
    sent = own.select("sender", "receiver", "rts_ns", at="rts_start_ns").collect(engine="streaming").sort("at")
    received_rts = asked.filter(pl.col("observer") == pl.col("receiver"))
    seen = received_rts.select("sender", "receiver", at="rts_start_ns", seen_ns="rts_start_ns").collect(
        engine="streaming"
    )
    for (sender, receiver), rts in sent.group_by("sender", "receiver", maintain_order=True):
        near = (audible.get(str(receiver), set()) | {str(receiver)}) - {str(sender)}
        others = air.filter(pl.col("node").is_in(near)).sort("from_ns")
        here = seen.filter(pl.col("sender") == sender, pl.col("receiver") == receiver).sort("at")
        taken = others.select(at="from_ns", taken_ns=pl.col("until_ns").cum_max())
        begins = others.select(at="from_ns", begins_ns="from_ns", other="node")
        yield from (
            rts.join_asof(taken, on="at", strategy="backward")
            .filter((pl.col("taken_ns") <= pl.col("at")).fill_null(True))
            .join_asof(begins, on="at", strategy="forward", allow_exact_matches=False)
            .filter(pl.col("begins_ns") < pl.col("rts_ns"), pl.col("other") != receiver)
            .join_asof(here.select("at", "seen_ns"), on="at", strategy="nearest", tolerance=_MATCH_TOLERANCE_NS)
            .select("sender", "receiver", "other", pl.col("seen_ns").is_not_null())
            .iter_rows()
        )
