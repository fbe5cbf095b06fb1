"""What of the MAC shows in how stations contend."""

from __future__ import annotations

from typing import Any

import polars as pl

from winf_analyzer._replay.recorded import views
from winf_analyzer._replay.recorded.access import passes_on_at_once
from winf_analyzer._replay.recorded.audibility import heard_by_whom
from winf_analyzer._replay.recorded.capture import control_capture_db
from winf_analyzer._replay.recorded.losses import on_air
from winf_analyzer._replay.recorded.retries import rts_retry_limit


def contention(
    frames: pl.LazyFrame, exchanges: pl.LazyFrame, view: pl.DataFrame, graph: dict[str, Any], slot_ns: int
) -> tuple[dict[str, Any], list[str]]:
    """Fields of the engine's ``mac`` in which stations differ from the standard or from one another, and their origin.

    Args:
        frames: the ``frames`` table.
        exchanges: the ``exchanges`` table.
        view: of :func:`.views.links`.
        graph: who decodes whom at which powers, as the engine reads it.
        slot_ns: slot time.
    """
    found: dict[str, Any] = {"answer_wait": "header"}
    notes = ["answers presumed to be waited for until their PLCP header (the standard)"]
    limit = rts_retry_limit(frames, exchanges, view)
    if limit is not None:
        found["rts_retry_limit"] = limit
        notes.append(f"limit of {limit} for RTS: packets were seen to go on after more unanswered ones than presumed")
    if passes_on_at_once(exchanges, slot_ns):
        found["access"] = "when_taken"
        notes.append("what has just been received is passed on without a backoff, as seen")
    if graph.get("powers"):
        unicast = exchanges.filter(pl.col("kind").is_in(views.UNICAST), pl.col("start_ns").is_not_null())
        ratio = control_capture_db(exchanges, on_air(unicast), heard_by_whom(graph), graph["powers"])
        if ratio is not None and ratio < graph["capture_db"]:
            found["control_capture_db"] = ratio
            notes.append(f"RTS {ratio:g} dB stronger than a frame that begins during them outlast it, as seen")
    return found, notes
