"""What the recording at a TCP source shows of its initial window and of its least timeout."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from winf_analyzer._replay.recorded.conversations import conversation

_PAUSE_NS = 100_000_000
"""A source that neither sends nor hears anything for so long, and then repeats itself, was woken by its timer."""

_WAITS_NS = 10_000_000
"""A source that has sent what it may waits at least so long for the first acknowledgement."""

_SYN = 2


class Seen(NamedTuple):
    """What was seen of a source."""

    initial_segments: int | None = None
    """Initial window; None: the source was not seen to wait for the first acknowledgement."""

    timeout_ns: int | None = None
    """Least time from an acknowledgement of new data to the repetition of a segment after silence; None: none seen. The
    least timeout is no longer than that."""


def seen(frames: pl.LazyFrame, sources: dict[str, str]) -> dict[str, Seen]:
    """What recordings of nodes where flows begin show of each.

    The first time on the air counts. What was sent before the first acknowledgement is the initial window if the source
    then waited for it; otherwise more may have been in its queue. Of ns-2 nothing is told: its sources open with a
    single segment in place of a handshake.

    Args:
        frames: the ``frames`` table.
        sources: by the names of flows (conversations), the nodes where they begin and that recorded themselves.
    """
    if not sources:
        return {}
    parts = _events(frames, sources).partition_by("name", maintain_order=True, as_dict=True)
    return {str(name): Seen(_initial(events), _timeout(events)) for (name,), events in parts.items()}


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
    waited = pause > max(_WAITS_NS, 2 * (longest if isinstance(longest, int) else 0))
    return before["number"].n_unique() if waited else None


def _timeout(events: pl.DataFrame) -> int | None:
    sent, number = pl.col("sent"), pl.col("number")
    known = pl.when(~sent).then(number).cum_max()
    again = sent & (number <= pl.when(sent).then(number).cum_max().shift(1).forward_fill())
    rows = (
        events.with_columns(silence=pl.col("at_ns").diff(), again=again.fill_null(False), known=known.forward_fill())
        .with_columns(news=~sent & (pl.col("known") > pl.col("known").shift(1)).fill_null(True))
        .with_columns(since=pl.when("news").then("at_ns").forward_fill(), repeats=pl.col("again").cum_sum())
        # Only the first repetition since: later ones wait twice as long.
        .with_columns(earlier=pl.col("repeats") - pl.col("again") - pl.when("news").then("repeats").forward_fill())
    )
    least = rows.filter("again", pl.col("silence") >= _PAUSE_NS, pl.col("earlier") == 0).select(
        (pl.col("at_ns") - pl.col("since")).min()
    )
    value = least.item()
    return int(value) if value is not None else None


def _events(frames: pl.LazyFrame, sources: dict[str, str]) -> pl.DataFrame:
    """Segments sent and acknowledgements received at the sources, in order of time: ``name at_ns sent number``.

    ``number`` is a segment's first byte or the byte that an acknowledgement asks for.
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
