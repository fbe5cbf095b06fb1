"""Initial window and minimum retransmission timeout of a TCP source, from its own recording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from winf_analyzer._replay.recorded.flows.conversations import DUPLICATES, conversation

_MIN_SILENCE_NS = 100_000_000
"""Minimum silence before a retransmission for it to count as a timeout."""

_MIN_WAIT_NS = 10_000_000
"""Minimum wait for the first acknowledgement if the source has used its whole initial window."""

_SYN = 2


class SourceBehaviour(NamedTuple):
    """Observed behaviour of a source."""

    initial_segments: int | None = None
    """Initial window; None if the source did not wait for the first acknowledgement."""

    timeout_ns: int | None = None
    """Shortest time from an acknowledgement of new data to a retransmission after silence, without what both take on
    the wire behind the source's station, which is an upper bound of the minimum timeout; None if there was none."""


def source_behaviour(
    frames: pl.LazyFrame, sources: dict[str, str], wires_ns: Mapping[str, int | None]
) -> dict[str, SourceBehaviour]:
    """The behaviour of TCP sources that recorded themselves, by flow.

    MAC retries do not count. The segments sent before the first acknowledgement are the initial window if the source
    then waited for it; otherwise more may have been in its queue. ns-2 sources are left out: they start with a single
    segment instead of a handshake.

    Args:
        frames: the ``frames`` table.
        sources: source node by flow (conversation).
        wires_ns: round-trip time of the wire behind the source's station by flow; None: unknown, so that what it takes
            cannot be told from a timeout.
    """
    if not sources:
        return {}
    parts = _events(frames, sources).partition_by("name", maintain_order=True, as_dict=True)
    return {
        str(name): SourceBehaviour(_initial(events), _timeout(events, wires_ns.get(str(name))))
        for (name,), events in parts.items()
    }


def _initial(events: pl.DataFrame) -> int | None:
    answers = events.filter(~pl.col("sent"))
    if answers.is_empty() or not events["sent"][0] or answers["number"][0] <= events["number"][0]:
        return None
    answer = answers["at_ns"][0]
    before = events.filter(pl.col("at_ns") < answer)
    if before.is_empty():
        return None
    longest = before["at_ns"].diff().max()
    pause = answer - before["at_ns"][-1]
    waited = pause > max(_MIN_WAIT_NS, 2 * (longest if isinstance(longest, int) else 0))
    return before["number"].n_unique() if waited else None


def _timeout(events: pl.DataFrame, wire_ns: int | None) -> int | None:
    """The acknowledgement has to reach the host behind the station, and what it sends then has to come back."""
    if wire_ns is None:
        return None
    sent, number = pl.col("sent"), pl.col("number")
    known = pl.when(~sent).then(number).cum_max()
    highest = pl.when(sent).then(number).cum_max()
    rows = (
        events.with_columns(
            silence=pl.col("at_ns").diff(), known=known.forward_fill(), highest=highest.forward_fill().fill_null(-1)
        )
        .with_columns(
            again=sent & (number <= pl.col("highest").shift(1)).fill_null(False),
            news=~sent & (pl.col("known") > pl.col("known").shift(1)).fill_null(True),
        )
        .with_columns(
            since=pl.when("news").then("at_ns").forward_fill(),
            repeats=pl.col("again").cum_sum(),
            duplicates=(~sent & ~pl.col("news")).cum_sum(),
            recovers=pl.when("again").then("highest").forward_fill().shift(1).fill_null(-1),
        )
        # Only the first retransmission: the timeout doubles for later ones.
        .with_columns(earlier=pl.col("repeats") - pl.col("again") - pl.when("news").then("repeats").forward_fill())
    )
    # What acknowledgements ask for may be late too: it waits in its station's queue behind packets of others.
    duplicates = pl.col("duplicates") - pl.when("news").then("duplicates").forward_fill()
    is_asked_for = (duplicates >= DUPLICATES) | (pl.col("known") <= pl.col("recovers"))
    least = rows.filter(
        "again", pl.col("silence") >= wire_ns + _MIN_SILENCE_NS, pl.col("earlier") == 0, ~is_asked_for.fill_null(False)
    ).select((pl.col("at_ns") - pl.col("since")).min())
    value = least.item()
    return int(value) - wire_ns if value is not None else None


def _events(frames: pl.LazyFrame, sources: dict[str, str]) -> pl.DataFrame:
    """Segments sent and acknowledgements received at the sources, in order of time: ``name at_ns sent number``.

    ``number`` is a segment's sequence number, or the acknowledgement number.
    """
    length, node = pl.col("tcp_payload_bytes"), pl.col("observer")
    own = frames.filter(
        pl.col("layer") == "mac", pl.col("proto") == "tcp", pl.col("parse_error").is_null(), node.is_not_null()
    ).with_columns(name=conversation())
    own = own.filter(pl.col("name").replace_strict(sources, default=None) == node)
    out = own.filter(pl.col("ta") == node, length > 0, pl.col("retry").ne_missing(True))
    back = own.filter(pl.col("ra") == node, length == 0, (pl.col("tcp_flags") & _SYN) == 0)
    both = [
        out.select("name", at_ns="start_ns", sent=pl.lit(True), number="transport_seq"),
        back.select("name", at_ns="end_ns", sent=pl.lit(False), number="tcp_ack"),
    ]
    return pl.concat(both).drop_nulls().collect(engine="streaming").sort("name", "at_ns", maintain_order=True)
