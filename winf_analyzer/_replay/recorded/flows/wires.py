"""Wires behind the radios: how long the ends of TCP connections take to answer what a station received for them.

A capture holds no frame of a wire, but a host behind one answers later than a station would. The destination answers
segments; the source answers the SYN-ACK, segments that it is sent itself, or by the time stamps that its own echo
(RFC 7323).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import polars as pl

from winf_analyzer._replay.recorded.flows import queued_answers
from winf_analyzer._replay.recorded.flows.conversations import data_frames
from winf_analyzer._replay.recorded.flows.studied import StudiedFlow
from winf_analyzer._replay.topologies.world import wired

SYN, ACK = 2, 16

MIN_ANSWER_NS = 5_000_000
"""Faster answers are those of the station itself: it waits for the medium, and for what is in its queue."""

MIN_ANSWERS = 10
"""Least number of segments whose acknowledgements tell how fast the destination answers."""

MIN_IDLE_SHARE = 0.5
"""Share of a slow answer for which the medium must have been idle in one piece: else it may have waited for that."""

MIN_IDLE_NS = 2_000_000
"""A medium that was idle for that long had nobody with a frame to send (DIFS and the largest first backoff of
802.11b take 0.67 ms)."""

EMPTY_NS = 700_000
"""A medium that was idle for that long had nobody with a first attempt."""

MIN_PROOFS = 2
"""Least number of echoes that left an idle medium, or of acknowledgements: a recorder misses frames."""

FASTEST = 1.25
"""Echoes that took up to so many times as long as the fastest may show that it did not wait in a queue."""

MAX_UNCERTAIN_SHARE = 0.25
"""Share of a wire's delay, or :data:`MIN_ANSWER_NS`, by which two time stamps may be apart between which it is told."""

MAX_LOOKED_AT = 20
"""Most echoes beside which the medium is looked at."""

RATE_BPS = 1_000_000_000
"""Assumed rate of a wire."""


class Wires(NamedTuple):
    """Round-trip times of the wires of a flow, ns; 0: none, None: unknown."""

    source_ns: int | None
    destination_ns: int | None
    most_source_ns: int | None = None
    """Where that behind the source is unknown, what it is at most: how long the answer to the SYN-ACK took, or the
    fastest echo of a time stamp or acknowledgement."""


def wires(frames: pl.LazyFrame, flow: StudiedFlow) -> Wires:
    """The wires of a TCP flow.

    At the destination the fastest acknowledgement of a segment counts, of those while its station sent nothing for
    others; at the source the answer to the SYN-ACK, if the medium was idle for nearly as long, or where that was not
    recorded or tells nothing, the fastest echo of a time stamp. Where the queue of the source's station is never empty,
    what it sends between two acknowledgements of its own came between these, see :mod:`.queued_answers`.
    """
    here = _heard_by(frames, flow.first)
    events = _events(here, flow, flow.path[0])
    station, most_ns = flow.path[0], _most_source_ns(events, flow.path[0])
    source_ns = 0 if most_ns is not None and most_ns < MIN_ANSWER_NS else _source_ns(here, events, station)
    if source_ns is None:
        source_ns = _source_by_echoes_ns(here, events, station)
    if source_ns is None:
        first_attempts = events.filter(~pl.col("again"))
        source_ns = _wire_ns(queued_answers.after_duplicates_ns(first_attempts, station))
    if source_ns is not None and most_ns is not None and source_ns > most_ns:
        source_ns = None  # what was taken for an answer is none, for another one was faster
    there = _heard_by(frames, flow.back or flow.first)
    destination_ns = _destination_ns(_events(there, flow, flow.path[-1]), flow.path[-1])
    return Wires(source_ns, destination_ns, most_ns if source_ns is None else None)


def _heard_by(frames: pl.LazyFrame, link: dict[str, Any]) -> pl.LazyFrame:
    """What the recording holds that represents a link."""
    return frames.filter(pl.col("source") == link["source"], pl.col("observer").eq_missing(link["observer"]))


def with_wires(spec: dict[str, Any], flow: StudiedFlow, found: Wires) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The engine's flow with hosts behind its radios, and their links."""
    source, destination = hosts(flow)
    path, links = list(spec["path"]), []
    back = list(spec.get("reverse_path", path[::-1]))
    # One that may be there is declared without a delay, for worlds to be drawn with one.
    if found.source_ns or found.most_source_ns:
        links.append(wired(source, path[0], RATE_BPS, (found.source_ns or 0) // 2))
        path, back = [source, *path], [*back, source]
    if found.destination_ns:
        links.append(wired(path[-1], destination, RATE_BPS, found.destination_ns // 2))
        path, back = [*path, destination], [destination, *back]
    if not links:
        return spec, []
    spec = spec | {"path": path}
    return (spec if back == path[::-1] else spec | {"reverse_path": back}), links


def one_each(links: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Links to hosts, one between each two ends: flows to a host and from it share its wire.

    Where each flow shows another delay, the shortest one counts that is known: what answered later may have waited.
    """
    found: dict[frozenset[str], dict[str, Any]] = {}
    for link in links:
        ends = frozenset((link["from"], link["to"]))
        delays = [each["medium"]["wired"]["delay_ns"] for each in (found.get(ends, link), link)]
        known = min(filter(None, delays), default=0)
        medium = {"wired": link["medium"]["wired"] | {"delay_ns": known}}
        found[ends] = found.get(ends, link) | {"medium": medium}
    return list(found.values())


def notes(flow: StudiedFlow, found: Wires) -> Iterable[str]:
    """What was found, or could not be told."""
    for span_ns, where in ((found.source_ns, "source"), (found.destination_ns, "destination")):
        if span_ns:
            yield f"{flow.name}: a wire of {span_ns / 2e6:.3g} ms behind the {where}'s station (observed)"
    if found.source_ns is None:
        yield f"{flow.name}: it is not recorded how fast its source answers; no wire assumed behind its station"


def hosts(flow: StudiedFlow) -> tuple[str, str]:
    """Names of the hosts at the ends, which are those of no station."""
    origin = str(flow.first["origin"])
    ends = [word.rpartition(":")[0] for word in flow.conversation.split() if ":" in word]
    other = next((end for end in ends if end != origin), "destination")
    return f"host {origin}", f"host {other}"


def _most_source_ns(events: pl.DataFrame, station: str) -> int | None:
    """How long the fastest answer took: to the SYN-ACK, a time stamp, or a segment; None if none was recorded."""
    answers = [_handshake_ns(events, station), *_echoes(events, station)["span"].head(1)]
    answers.append(_acknowledged_ns(events, station))
    return min((span for span in answers if span is not None), default=None)


def _handshake_ns(events: pl.DataFrame, station: str) -> int | None:
    """How long the answer to the SYN-ACK took, from when it may have come to the station; None if not recorded."""
    is_syn_ack = (pl.col("flags") & (SYN | ACK)) == SYN | ACK
    opened = events.filter("is_own", is_syn_ack & (pl.col("ra") == station))
    if opened.is_empty():
        return None
    own = events.filter("is_own", pl.col("ta") == station, pl.col("at_ns") >= opened["end_ns"][0])
    return None if own.is_empty() else int(own["at_ns"][0] - opened["end_ns"][0])


def _acknowledged_ns(events: pl.DataFrame, station: str) -> int | None:
    """How long the source took to acknowledge a segment, the second shortest time; None if it acknowledged fewer.

    The shortest may be from a copy of the segment, when the answer to the first, which was not heard, was on its way.
    """
    own = events.filter("is_own", ~pl.col("again"))
    came = own.filter(pl.col("ra") == station, pl.col("length") > 0)
    came = came.select(upto=pl.col("number") + pl.col("length"), came_ns="end_ns").unique("upto", keep="first")
    sent = own.filter(pl.col("ta") == station).select("at_ns", upto="ack").unique("upto", keep="first")
    spans = came.join(sent, on="upto").select(pl.col("at_ns") - pl.col("came_ns")).to_series()
    fastest = spans.filter(spans > 0).sort().head(MIN_PROOFS)
    return int(fastest[-1]) if len(fastest) == MIN_PROOFS else None


def _source_ns(heard: pl.LazyFrame, events: pl.DataFrame, station: str) -> int | None:
    is_syn_ack = (pl.col("flags") & (SYN | ACK)) == SYN | ACK
    opened = events.filter("is_own", is_syn_ack & (pl.col("ra") == station) & ~pl.col("again"))
    if opened.is_empty():
        return None
    opened_ns = int(opened["end_ns"][0])
    later = events.filter((pl.col("ta") == station) & (pl.col("at_ns") >= opened_ns))
    own = later.filter("is_own")
    if own.is_empty():
        return None
    answered_ns, is_first = int(own["at_ns"][0]), later["is_own"][0]
    # However much else the station sent meanwhile, the wire takes no longer.
    if answered_ns - opened_ns < MIN_ANSWER_NS:
        return 0
    if own["again"][0] or _is_later(own["number"][0], opened["ack"][0]):  # its first attempt, or it, was not heard
        return None
    span = (opened_ns, answered_ns)
    idle = _idle(heard, span)
    longest_ns = max(end - begin for begin, end in idle)
    if (is_first and longest_ns >= MIN_IDLE_SHARE * (answered_ns - opened_ns)) or _came_last(idle, span):
        return _wire_ns(answered_ns - opened_ns)
    return _wire_ns(queued_answers.after_handshake_ns(events.filter(~pl.col("again")), station, *span))


def _is_later(number: int | None, acked: int | None) -> bool:
    """Whether a segment is not the first one of its source, which the SYN-ACK acknowledges up to."""
    return number is not None and acked is not None and number != acked


def _wire_ns(span_ns: int | None) -> int | None:
    """The delay of a wire, 0 if it is too short for one."""
    return 0 if span_ns is not None and span_ns < MIN_ANSWER_NS else span_ns


def _source_by_echoes_ns(heard: pl.LazyFrame, events: pl.DataFrame, station: str) -> int | None:
    """The shortest time from a time stamp's arrival at the source's station to the first segment that echoes it.

    A segment echoes the newest time stamp that its source had received. So the wire takes at most this time, and longer
    than the time since the next time stamp came in, if the segment did not wait in its station's queue: what waits does
    not leave an idle medium alone. Where the two are far apart the source may have waited for its application.
    """
    answers = _echoes(events, station)
    if len(answers) < MIN_ANSWERS:
        return None
    fastest = int(answers["span"][0])
    if fastest < MIN_ANSWER_NS:
        return 0
    uncertain_ns = max(MIN_ANSWER_NS, MAX_UNCERTAIN_SHARE * fastest)
    near = answers.filter(
        pl.col("span") <= FASTEST * fastest,
        pl.col("newer_ns") < pl.col("sent_ns"),
        pl.col("newer_ns") - pl.col("told_ns") <= uncertain_ns,
    )
    spans = list(near.head(MAX_LOOKED_AT).select("told_ns", "sent_ns").iter_rows())
    if not spans:
        return None
    used = _used(heard, spans)
    idle_ns = [span[1] - max([span[0], *_within(used, span)["end_ns"]]) for span in spans]
    return fastest if sum(idle >= MIN_IDLE_NS for idle in idle_ns) >= MIN_PROOFS else None


def _echoes(events: pl.DataFrame, station: str) -> pl.DataFrame:
    """Time stamps that came to a source's station, and the first segments that echo them, the fastest first.

    Columns ``told_ns sent_ns span newer_ns``: ``span`` from one to the other, ``newer_ns`` when the next one came.
    """
    own = events.filter("is_own", ~pl.col("again"))
    told = own.filter(pl.col("ra") == station).select("tsval", told_ns="end_ns").drop_nulls()
    told = told.unique("tsval", keep="first", maintain_order=True)
    echoed = (
        own.filter((pl.col("ta") == station) & (pl.col("length") > 0)).select("tsecr", sent_ns="at_ns").drop_nulls()
    )
    echoed = echoed.unique("tsecr", keep="first", maintain_order=True)
    told = told.sort("told_ns").with_columns(newer_ns=pl.col("told_ns").shift(-1))
    answers = told.join(echoed, left_on="tsval", right_on="tsecr").with_columns(
        span=pl.col("sent_ns") - pl.col("told_ns")
    )
    return answers.filter(pl.col("span") > 0).sort("span", "told_ns")


def _came_last(idle: list[tuple[int, int]], span: tuple[int, int]) -> bool:
    """Whether an answer came shortly before it was on the air: its station still had nothing to send shortly before.

    Others may have packets in its queue; while the medium is idle the queue is empty.
    """
    empty = [end for begin, end in idle if end - begin >= EMPTY_NS]
    uncertain_ns = max(MIN_ANSWER_NS, MAX_UNCERTAIN_SHARE * (span[1] - span[0]))
    return bool(empty) and span[1] - empty[-1] <= uncertain_ns


def _idle(heard: pl.LazyFrame, span: tuple[int, int]) -> list[tuple[int, int]]:
    """When the medium was idle, in order of time.

    Whoever has a frame to send does not leave an idle medium alone for long.
    """
    within = _within(_used(heard, [span]), span)
    idle_since = [span[0], *within["end_ns"].cum_max()]
    return list(zip(idle_since, [*within["start_ns"], span[1]], strict=True))


def _used(heard: pl.LazyFrame, spans: list[tuple[int, int]]) -> pl.DataFrame:
    """Start and end of the frames that began in any of the spans, in order of time."""
    within = pl.any_horizontal(pl.col("start_ns").is_between(*span, closed="left") for span in spans)
    used = heard.filter(pl.col("layer") == "mac", within).select("start_ns", "end_ns").drop_nulls()
    return used.collect(engine="streaming").sort("start_ns")


def _within(used: pl.DataFrame, span: tuple[int, int]) -> pl.DataFrame:
    return used.filter(pl.col("start_ns").is_between(*span, closed="left"))


def _destination_ns(events: pl.DataFrame, station: str) -> int | None:
    """The shortest time from a segment's arrival to the first acknowledgement of it and no more."""
    events = events.filter(~pl.col("again"))
    own = events.filter("is_own")
    arrived = own.filter((pl.col("ra") == station) & (pl.col("length") > 0))
    arrived = arrived.select(upto=pl.col("number") + pl.col("length"), arrived_ns="end_ns").unique("upto", keep="first")
    of_others = pl.when(~pl.col("is_own").fill_null(False)).then("at_ns")
    sent = events.filter(pl.col("ta") == station).with_columns(before_ns=of_others.forward_fill().fill_null(0))
    acks = sent.filter("is_own", pl.col("length") == 0, (pl.col("flags") & SYN) == 0)
    acks = acks.select("before_ns", upto="ack", acked_ns="at_ns").unique("upto", keep="first")
    answers = arrived.join(acks, on="upto").filter(pl.col("before_ns") < pl.col("arrived_ns"))
    spans = answers.select(pl.col("acked_ns") - pl.col("arrived_ns")).to_series()
    spans = spans.filter(spans > 0)
    if len(spans) < MIN_ANSWERS:
        return None
    fastest = spans.min()
    return int(fastest) if isinstance(fastest, int) and fastest >= MIN_ANSWER_NS else 0


def _events(heard: pl.LazyFrame, flow: StudiedFlow, station: str) -> pl.DataFrame:
    """A station's data frames and those to it, in order of time.

    Columns ``at_ns end_ns conversation ta ra tid again is_own flags number ack length tsval tsecr``; ``again``: not the
    first attempt.
    """
    rows = data_frames(heard).filter((pl.col("ta") == station) | (pl.col("ra") == station))
    return (
        rows.select(
            "at_ns",
            "end_ns",
            "conversation",
            "ta",
            "ra",
            "tid",
            again=pl.col("retry").fill_null(False),
            is_own=pl.col("conversation") == flow.conversation,
            flags="tcp_flags",
            number="transport_seq",
            ack="tcp_ack",
            length="tcp_payload_bytes",
            tsval="tcp_tsval",
            tsecr="tcp_tsecr",
        )
        .drop_nulls(["at_ns", "end_ns"])
        .collect(engine="streaming")
        .sort("at_ns", maintain_order=True)
    )
