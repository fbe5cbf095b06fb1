"""Deviations of the stations' MAC from the standard, as their contention shows them."""

from __future__ import annotations

from typing import Any

import polars as pl

from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.hearing.audibility import audible_senders
from winf_analyzer._replay.recorded.links.losses import on_air
from winf_analyzer._replay.recorded.mac.access import forwards_without_backoff
from winf_analyzer._replay.recorded.mac.capture import rts_capture_db
from winf_analyzer._replay.recorded.mac.retries import rts_retry_limit


def contention_deviations(
    frames: pl.LazyFrame, exchanges: pl.LazyFrame, view: pl.DataFrame, graph: dict[str, Any], slot_ns: int, difs_ns: int
) -> tuple[dict[str, Any], list[str]]:
    """Fields of the engine's ``mac`` that differ from the standard, and notes on them.

    Args:
        frames: the ``frames`` table.
        exchanges: the ``exchanges`` table.
        view: from :func:`.views.links`.
        graph: which node decodes which node at which power, as the engine reads it.
        slot_ns: slot time.
        difs_ns: DIFS.
    """
    found: dict[str, Any] = {"answer_wait": "header"}
    notes = ["response timeouts assumed to end with the PLCP header of the response, as in the standard"]
    limit = rts_retry_limit(frames, exchanges, view)
    if limit is not None:
        found["rts_retry_limit"] = limit
        notes.append(
            f"RTS retry limit {limit}: packets were retried after more RTS without CTS than the default allows"
        )
    if forwards_without_backoff(exchanges, slot_ns, difs_ns):
        found["access"] = "when_taken"
        notes.append("packets are forwarded without backoff directly after their reception (observed)")
    if graph.get("powers"):
        unicast = exchanges.filter(pl.col("kind").is_in(views.UNICAST), pl.col("start_ns").is_not_null())
        ratio = rts_capture_db(exchanges, on_air(unicast), audible_senders(graph), graph["powers"])
        if ratio is not None and ratio < graph["capture_db"]:
            found["control_capture_db"] = ratio
            notes.append(f"RTS capture threshold {ratio:g} dB (observed)")
    return found, notes
