"""What applications wrote to TCP flows, and when: recorded flows often wait for their application, not for the network.

A source that has nothing outstanding sends at once what it has: its window is open. Where it then stays silent although
the medium is idle, it had nothing to send. Only two things look alike: a wire behind its station, over which the
acknowledgement travels first, and a packet that waits for others which the recorder does not hear. A source that
recorded itself hears all that its station sends: while it sends nothing, no backoff of its is longer than a first one;
and where it sends more packets of other flows than its queue holds, none of this one waited behind them.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from winf_analyzer._replay.recorded.flows.conversations import conversation as conversation_of
from winf_analyzer._replay.recorded.flows.conversations import data_frames
from winf_analyzer._replay.recorded.flows.paces import after_equal_bursts, at_a_pace
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow, Writes
from winf_analyzer._replay.recorded.flows.wires import Wires

DIFS_NS = 50_000
"""The longest DIFS (802.11b): a station counts its backoff down in what is idle beyond it."""

MIN_IDLE_NS = 2_000_000
"""A medium that was idle for that long, in one piece or in several, had nobody with a first attempt (31 slots of 20 us
are 0.62 ms)."""

MANY = 7
"""And of a station that recorded itself, where it was idle for so many times the longest first backoff: behind frames
that were damaged nobody begins before EIFS."""

MIN_LONG_IDLE_NS = 25_000_000
"""And for that long nobody with any frame (1023 slots of 20 us)."""

SLOWEST_NS = 1_000_000_000
"""No wire takes longer. A timeout sends again what was not acknowledged: who sends something new after so long was
not waiting for an acknowledgement, even where some were not heard."""

FEW_SEGMENTS, MIN_SMALL_SHARE = 3, 0.9
"""A window that limits a source grows with every round trip without a loss. One that sends so much of its octets in
flights of at most so many segments, each of which is acknowledged before the next, waits for the application."""

_NUMBERS, _HALF = 1 << 32, 1 << 31


def writes(
    frames: pl.LazyFrame, flows: Sequence[tuple[StudiedFlow, Wires]], backoff_ns: int, queue_packets: int
) -> dict[str, Writes]:
    """What the application of a TCP flow wrote, by name; of flows whose source never waited for it there is no entry.

    What a source sends between two pauses counts as written at once, when its first segment was on the air.

    Args:
        frames: the ``frames`` table.
        flows: TCP flows, and what is behind the station of each one's source.
        backoff_ns: the longest backoff of a first attempt: of CWmin slots.
        queue_packets: the most that wait in the queue of a station.
    """
    known = [(flow, behind) for flow, behind in flows if _is_numbered(flow)]
    if not known:
        return {}
    legs = pl.DataFrame(
        [
            {
                "name": flow.name,
                "first_seq": flow.first["first_seq"],
                "mss": flow.first["mss"],
                "wire_ns": behind.source_ns,
                "most_wire_ns": behind.most_source_ns if behind.source_ns is None else behind.source_ns,
                **{key: flow.first[key] for key in ("conversation", "source", "observer", "origin", "sender")},
            }
            for flow, behind in known
        ],
        schema_overrides={"observer": pl.String, "wire_ns": pl.Int64, "most_wire_ns": pl.Int64},
    )
    events, idle = _events(frames, legs), {}
    found = {}
    parts = events.partition_by("name", "source", "observer", "station", "conversation", as_dict=True)
    for (name, source, observer, station, conversation), rows in parts.items():
        if (source, observer) not in idle:
            idle[source, observer] = _idle(frames, source, observer)
        own = _sent_by(frames, source, observer, station, conversation)
        written = _written(
            rows, idle[source, observer], own, backoff_ns, queue_packets if observer == station else None
        )
        if len(written) > 1:
            found[str(name)] = written
    return found


def _is_numbered(flow: StudiedFlow) -> bool:
    """Whether the lowest sequence number is the first: numbers are known, and do not begin anew at 0."""
    first = flow.first
    if not first["mss"] or first["first_seq"] is None or first["end_seq"] is None:
        return False
    return bool(first["end_seq"] - first["first_seq"] < _HALF)


def _events(frames: pl.LazyFrame, legs: pl.DataFrame) -> pl.DataFrame:
    """Segments of the sources and acknowledgements to them, in order of time.

    Columns ``name source observer station conversation mss wire_ns most_wire_ns at_ns sent upto length again``:
    ``station`` is that of the source; ``wire_ns``, the round-trip time of the wire behind it (0: there is none; null:
    unknown), ``most_wire_ns``, the longest that it may have; ``sent`` tells segments, ``upto`` is the number of octets
    up to the end of a segment, or acknowledged; ``again``, that a frame is a retry.
    """
    is_own = pl.col("origin") == pl.col("origin_leg")
    length = pl.when("sent").then("tcp_payload_bytes").otherwise(0)
    number = pl.when("sent").then(pl.col("transport_seq") + length).otherwise("tcp_ack")
    return (
        data_frames(frames)
        .filter(pl.col("conversation").is_in(legs["conversation"].implode()))
        .join(legs.lazy(), on=["conversation", "source", "observer"], nulls_equal=True, suffix="_leg")
        .with_columns(sent=is_own & (pl.col("sender") == pl.col("sender_leg")))
        .filter(
            pl.when("sent")
            .then(pl.col("tcp_payload_bytes") > 0)
            .otherwise(~is_own & (pl.col("ra") == pl.col("sender_leg")))
        )
        .select(
            "name",
            "source",
            "observer",
            "conversation",
            "mss",
            "wire_ns",
            "most_wire_ns",
            "sent",
            station="sender_leg",
            at_ns=pl.when("sent").then("at_ns").otherwise("end_ns"),
            upto=(number - pl.col("first_seq") + _HALF) % _NUMBERS - _HALF,
            length=length,
            again=pl.col("retry").fill_null(value=False),
        )
        .drop_nulls(["at_ns", "upto"])
        .collect(engine="streaming")
        .sort("at_ns", maintain_order=True)
    )


def _idle(frames: pl.LazyFrame, source: object, observer: object) -> pl.DataFrame:
    """How long in all a recording's medium was idle beyond DIFS up to the start of each frame: ``at_ns idle_ns``."""
    heard = frames.filter(
        pl.col("layer") == "mac", pl.col("source") == source, pl.col("observer").eq_missing(pl.lit(observer))
    )
    used = heard.select("start_ns", "end_ns").drop_nulls().collect(engine="streaming").sort("start_ns")
    pieces = pl.col("start_ns") - pl.col("end_ns").cum_max().shift(1) - DIFS_NS
    return used.select(at_ns="start_ns", idle_ns=pieces.clip(lower_bound=0).fill_null(0).cum_sum())


def _sent_by(
    frames: pl.LazyFrame, source: object, observer: object, station: object, conversation: object
) -> pl.DataFrame:
    """Attempts of a station, as a recording has them: ``at_ns own_ns others``.

    ``own_ns``: when each began, ``at_ns`` is the same; ``others``: how many so far are new packets of other flows. Of
    an RTS that was answered the data are the attempt.
    """
    kinds = pl.col("kind").is_in(["data", "qos_data", "rts"])
    own = frames.filter(
        *(pl.col("layer") == "mac", kinds, pl.col("ta") == station, pl.col("source") == source),
        pl.col("observer").eq_missing(pl.lit(observer)),
    ).with_columns(name=conversation_of())
    is_other = (pl.col("name") != conversation).fill_null(value=False) & pl.col("retry").ne_missing(True)
    attempts = own.select(at_ns="start_ns", other=is_other, asks=pl.col("kind") == "rts").drop_nulls()
    rows = attempts.collect(engine="streaming").sort("at_ns")
    rows = rows.filter(~pl.col("asks") | pl.col("asks").shift(-1, fill_value=True)).select(
        "at_ns", own_ns="at_ns", others=pl.col("other").cum_sum()
    )
    return rows.unique("at_ns", keep="last", maintain_order=True)


def _written(
    events: pl.DataFrame, idle: pl.DataFrame, own: pl.DataFrame, backoff_ns: int, queue_packets: int | None
) -> Writes:
    """The writes of one flow; a single one if its source never waited.

    Args:
        events: of :func:`_events`.
        idle: of :func:`_idle`.
        own: of :func:`_sent_by`.
        backoff_ns: the longest backoff of a first attempt.
        queue_packets: the most that wait in the queue of its station, if the source recorded itself; else None.
    """
    states = _states(events)
    if states.is_empty():
        return []
    total = states.select(pl.col("reached").last()).item()
    news = _with_idle(states.filter("is_new"), idle, own)
    was_silent = _was_silent(news, backoff_ns, queue_packets)
    starts = news.filter((was_silent & _had_no_more(news)) | _is_paced(news, total))
    starts = _from_the_first(news, starts)
    if len(starts) == 1:
        silences = _from_the_first(news, news.filter(was_silent & pl.col("all_acked")))
        starts = after_equal_bursts(silences, int(news["mss"][0]))
    bounds = starts if len(starts) == 1 else at_a_pace(news, starts, total, backoff_ns)
    bounds = bounds.with_columns(octets=pl.col("upto").shift(-1, fill_value=total) - pl.col("upto"))
    return list(bounds.filter(pl.col("octets") > 0).select("at_ns", "octets").iter_rows())


def _from_the_first(news: pl.DataFrame, starts: pl.DataFrame) -> pl.DataFrame:
    """The first of all new segments and some others, as ``at_ns upto``."""
    rows = pl.concat([news.head(1).with_columns(reached_before=pl.lit(0, pl.Int64)), starts])
    return rows.select("at_ns", upto="reached_before").unique("upto", keep="first", maintain_order=True)


def _states(events: pl.DataFrame) -> pl.DataFrame:
    """What was known of a flow before each event.

    Columns besides those of :func:`_events`: ``reached``, octets sent, or acknowledged unheard; ``is_new``, that it
    grew; ``repeats``, segments sent again. Before the event: ``reached_before``; ``heard_upto``, octets heard;
    ``last_length`` of a segment; ``all_acked``; ``after_sent``, that the event before is a segment; ``since_ns``, the
    acknowledgement of everything, or the event before. After it: ``was_deaf``, that the next acknowledgement is heard
    as a retry, and the segment had not collided with its first attempt.
    """
    acked = pl.col("acked_upto") > pl.col("acked_upto").shift(1, fill_value=0)
    # An acknowledgement of what was not heard tells of it as well.
    new = pl.col("upto") > pl.col("reached_before")
    return (
        events.with_columns(
            sent_upto=pl.when("sent").then("upto").cum_max().forward_fill().fill_null(0),
            acked_upto=pl.when(~pl.col("sent")).then("upto").cum_max().forward_fill().fill_null(0),
        )
        .with_columns(reached=pl.max_horizontal("sent_upto", "acked_upto"))
        .with_columns(
            reached_before=pl.col("reached").shift(1, fill_value=0),
            heard_upto=pl.col("sent_upto").shift(1, fill_value=0),
            last_length=pl.when("sent", pl.col("upto") == pl.col("reached")).then("length").forward_fill().shift(1),
            all_acked=(pl.col("acked_upto") >= pl.col("reached")).shift(1, fill_value=True),
            acked_ns=pl.when(acked).then("at_ns").forward_fill().shift(1),
            before_ns=pl.col("at_ns").shift(1),
            was_deaf=_next_again(~pl.col("sent")) & ~_next_again(pl.col("sent")),
            after_sent=pl.col("sent").shift(1, fill_value=False),
        )
        .with_columns(
            is_new=new,
            repeats=(pl.col("sent") & ~new).cum_sum(),
            since_ns=pl.when("all_acked").then("acked_ns").otherwise("before_ns"),
        )
    )


def _next_again(which: pl.Expr) -> pl.Expr:
    """Whether the next one of these frames is heard as a retry."""
    return pl.when(which).then("again").shift(-1).backward_fill().fill_null(value=False)


def _was_silent(news: pl.DataFrame, backoff_ns: int, queue_packets: int | None) -> pl.Series:
    """Whether a source that might have sent something new did not, although its station could; see :func:`_written`."""
    gap = pl.col("at_ns") - pl.col("since_ns")
    is_next = ~pl.col("sent") | (pl.col("upto") - pl.col("length") >= pl.col("reached_before"))
    in_wire = (2 * pl.col("most_wire_ns") + MIN_LONG_IDLE_NS).fill_null(SLOWEST_NS)
    least = pl.when("all_acked").then(pl.min_horizontal(in_wire, SLOWEST_NS)).when(is_next).then(SLOWEST_NS)
    was_free = pl.col("idle_ns") >= MIN_LONG_IDLE_NS
    if queue_packets is not None:
        # Of a station whose attempts are all known it would have been a first one.
        was_free |= pl.col("quiet_ns") >= MANY * backoff_ns
        was_free |= pl.col("all_acked") & (pl.col("others_since") > queue_packets)
    return news.select(((gap >= least) & was_free).fill_null(value=False)).to_series()


def _had_no_more(news: pl.DataFrame) -> pl.Series:
    """Whether what a source had sent last was no full segment: one that has more fills it.

    Of those not heard, one was not full if they are no multiple.
    """
    not_heard = pl.col("reached_before") - pl.col("heard_upto")
    had_no_more = ((not_heard == 0) & (pl.col("last_length") < pl.col("mss"))) | (not_heard % pl.col("mss") > 0)
    return news.select(had_no_more.fill_null(value=False)).to_series()


def _is_paced(news: pl.DataFrame, total: int) -> pl.Series:
    """Whether a source waited before a flight, because nearly all of its flights are too small for a window."""
    flight = pl.col("reached_before").diff()
    is_small = (flight <= FEW_SEGMENTS * pl.col("mss")) & (pl.col("repeats").diff() == 0)
    small = news.filter("all_acked").select(flight.filter(is_small).sum()).item()
    paced = (pl.col("wire_ns") == 0) & pl.col("all_acked") & (pl.col("idle_ns") >= MIN_IDLE_NS)
    return news.select(paced.fill_null(value=False) & (small >= MIN_SMALL_SHARE * total)).to_series()


def _with_idle(rows: pl.DataFrame, idle: pl.DataFrame, own: pl.DataFrame) -> pl.DataFrame:
    """With times for which the medium was idle before a segment.

    ``idle_ns`` is that since ``since_ns``; ``free_ns`` is that since then and since the station last began to send
    anything, which the segment may have waited behind; ``quiet_ns`` is that from then until the station's next attempt.
    And ``others`` of :func:`_sent_by` before it, ``others_since`` of these since ``since_ns``.
    """
    ends = rows.with_row_index("place").select("place", "since_ns", at_ns=pl.col("at_ns") - 1)
    last = ends.sort("at_ns").join_asof(own, on="at_ns").sort("place")
    begun = rows.with_row_index("place").select("place", at_ns="since_ns").sort("at_ns")
    begun = begun.join_asof(own, on="at_ns").sort("place")
    until = rows.join_asof(idle, on="at_ns").with_columns(
        last["others"].fill_null(0),
        others_since=last["others"].fill_null(0) - begun["others"].fill_null(0),
        free_since_ns=pl.max_horizontal("since_ns", last["own_ns"]),
    )
    first = until.with_row_index("place").select("place", at_ns="since_ns").sort("at_ns")
    first = first.join_asof(own.select("at_ns", next_ns="own_ns"), on="at_ns", strategy="forward").sort("place")
    until = until.with_columns(quiet_until_ns=pl.min_horizontal("at_ns", first["next_ns"]))
    marks = ("since_ns", "free_since_ns", "quiet_until_ns")
    known = pl.concat([until[mark] for mark in marks]).drop_nulls().unique().sort().rename("at_ns")
    at_marks = known.to_frame().join_asof(idle, on="at_ns")
    for mark in marks:
        upto = at_marks.rename({"idle_ns": f"idle_{mark}"})
        until = until.join(upto, left_on=mark, right_on="at_ns", how="left", maintain_order="left")
    return until.with_columns(
        idle_ns=pl.col("idle_ns") - pl.col("idle_since_ns"),
        free_ns=pl.col("idle_ns") - pl.col("idle_free_since_ns"),
        quiet_ns=pl.col("idle_quiet_until_ns") - pl.col("idle_since_ns"),
    )
