"""Paths: which stations a packet passes, and the estimate of a path from those of its hops.

A path is what the packets of a flow show. Where the recording numbers packets (simulators), a path is the hops of one
packet in their order. Elsewhere a flow's directed links are put together: a link a > b continues in every link b > c of
the same flow that does not turn back to a. A TCP flow over a chain so has two paths, one for its data and one for its
acknowledgments.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, pairwise

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import HOPS, Chunk
from winf_analyzer._aggregate.exchange_columns import (
    EXCHANGES_SCHEMA,
    carries,
    delivered,
    ordered_sum,
    receiver,
    unicast,
)
from winf_analyzer._aggregate.reader import ExchangeReader
from winf_analyzer._aggregate.windows import LINK
from winf_analyzer._paths.hop_tracking import tracked

SEPARATOR = ">"

MAX_HOPS = 32
"""Longer walks through a flow's links are not followed."""

MAX_PATHS = 256
"""Of a flow whose links branch; more of them are routing in motion, not paths."""


def with_paths(reader: ExchangeReader) -> ExchangeReader:
    """The reader with :attr:`.Context.hops`: the paths of two hops and more, by flow."""
    links = _flow_links(reader.exchanges).collect(engine="streaming")
    forwarded = _forwarded(links)
    numbered = forwarded.filter("numbered").select("flow").unique()
    routes = Aggregate(_routes, tuple(numbered["flow"].sort()), keys=None)
    shown = reader.aggregate([routes]).combined(routes).iter_rows() if numbered.height else []
    guessed = forwarded.join(numbered, on="flow", how="anti").sort("flow", "sender", "receiver")
    walked = [
        (flow[0], stations)
        for flow, rows in guessed.group_by("flow", maintain_order=True)
        for stations in walks(rows.select("sender", "receiver").iter_rows())
    ]
    hops = [
        (SEPARATOR.join(stations), flow, a, b, len(stations) - 1)
        for flow, stations in [*shown, *walked]
        for a, b in pairwise(stations)
    ]
    found = pl.DataFrame(hops, schema=HOPS, orient="row").unique().sort("path", "flow", "sender", "receiver")
    return replace(reader, context=reader.context._replace(hops=found))


def _flow_links(exchanges: pl.LazyFrame) -> pl.LazyFrame:
    """The links on which each flow was carried: `flow sender receiver`, `numbered` (its packets have numbers)."""
    read = ("flow", "sender", "receiver", "is_group", "kind", "data_kind", "complete", "payload_bytes", "packet_uid")
    rows = exchanges.select(pl.col(name).cast(EXCHANGES_SCHEMA[name], strict=False) for name in read)
    rows = rows.filter(pl.col("flow").is_not_null()).with_columns(receiver=receiver())
    rows = rows.filter(delivered(carries() & unicast()))
    return rows.group_by("flow", "sender", "receiver").agg(numbered=pl.col("packet_uid").is_not_null().any())


def walks(links: Iterable[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """The longest ways through directed links without meeting a station twice, of two hops and more.

    At most :data:`MAX_PATHS`, of at most :data:`MAX_HOPS` hops.
    """
    following: dict[str, list[str]] = {}
    preceding: dict[str, set[str]] = {}
    for a, b in links:
        following.setdefault(a, []).append(b)
        preceding.setdefault(b, set()).add(a)
    starts = ((a, b) for a, nexts in following.items() for b in nexts if preceding.get(a, set()) <= {b})
    pending: list[tuple[str, ...]] = list(islice(starts, MAX_PATHS))
    found = 0
    while pending and found < MAX_PATHS:
        walk = pending.pop()
        onward = [] if len(walk) > MAX_HOPS else [b for b in following.get(walk[-1], ()) if b not in walk]
        if onward:
            pending += [(*walk, b) for b in onward[:MAX_PATHS]]
        elif len(walk) > 2:
            found += 1
            yield walk


def _forwarded(links: pl.DataFrame) -> pl.DataFrame:
    """The links of flows that some station both receives and passes on."""
    onward = links.group_by("flow", receiver="sender").agg(
        beyond=pl.col("receiver").first(), branches=pl.col("receiver").n_unique()
    )
    turns_back = (pl.col("branches") == 1) & (pl.col("beyond") == pl.col("sender"))
    relayed = links.join(onward, on=["flow", "receiver"]).filter(~turns_back)
    return links.join(relayed, on="flow", how="semi")


def _routes(chunk: Chunk, *flows: str) -> pl.DataFrame:
    """`flow` and `stations` of every different way that a numbered packet of the flows took.

    Packets with a hop missing do not count.
    """
    observers = chunk.context.media.select("medium", "source", "observer").lazy()
    numbered = chunk.uses.filter("sample", pl.col("flow").is_in(flows), pl.col("packet_uid").is_not_null())
    by_sender = pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender"))
    seen = numbered.join(observers, on="medium").filter(by_sender)
    number = ("source", "packet_uid", "flow")
    rows = seen.select(*number, *LINK, "end_ns", rank=pl.lit(0)).collect(engine="in-memory")
    hops = tracked(chunk, _routes, rows, number)
    ways = (
        hops.sort("end_ns", *LINK)
        .group_by(*number, "passing", maintain_order=True)
        .agg("sender", "receiver")
        .filter(pl.col("sender").list.len() > 1)
        .select("flow", "sender", "receiver")
        .unique()
    )
    found = [
        (flow, [*senders, receivers[-1]])
        for flow, senders, receivers in ways.iter_rows()
        if senders[1:] == receivers[:-1] and len({*senders, receivers[-1]}) == len(senders) + 1
    ]
    return pl.DataFrame(found, schema={"flow": pl.String, "stations": pl.List(pl.String)}, orient="row")


LOWEST = ("capacity_bps", "available_bps", "available_low_bps", "available_high_bps", "idle_ratio", "exchanges")
"""Columns in which a path has the lowest value of its hops."""

SUMMED = ("forward_delay_us", "backward_delay_us")
"""Columns that add up over a path."""


def aggregate_path(rows: pl.DataFrame, hops: pl.DataFrame) -> pl.DataFrame:
    """The estimates of every path in every window in which each of its hops has an estimate.

    Args:
        rows: of `estimates`, of one estimator and mode.
        hops: :attr:`.Context.hops`.

    A hop counts with what the best placed observer concludes (:func:`distance`): its sender, from its own recording,
    before anybody else. Of several placed alike the lowest value counts. What a hop does not know, the path does not.
    `source` and `observer` are those of the hops, null where these are from several.
    """
    # Of an anonymous recording, what its sender would conclude, and nobody else.
    concludes = pl.col("observer").is_not_null() | (pl.col("state") == "sender")
    links = rows.filter(
        concludes, pl.col("peer").is_not_null(), pl.col("sender").is_not_null(), pl.col("exchanges") > 0
    )
    links = links.with_columns(distance=distance())
    links = links.filter(pl.col("distance") == pl.col("distance").min().over("window_start_ns", "sender", "receiver"))
    known = [name for name in (*LOWEST, *SUMMED) if name in rows.columns]
    best = links.group_by("window_start_ns", "sender", "receiver").agg(
        pl.col(known).min(), pl.col("covered_ns").min(), shared("source"), shared("observer")
    )
    # Texts, or categories, as the rows have them.
    named = pl.col("path", "sender", "receiver").cast(rows.schema["sender"])
    legs = hops.select(named, "hops").unique().join(best, on=["sender", "receiver"])
    whole = legs.group_by("window_start_ns", "path").agg(
        *(_if_all_known(name, pl.col(name).min()) for name in LOWEST if name in known),
        *(_if_all_known(name, ordered_sum(pl.col(name))) for name in SUMMED if name in known),
        pl.col("covered_ns").min(),
        shared("source"),
        shared("observer"),
        legs=pl.len(),
        hops=pl.col("hops").first(),
    )
    return whole.filter(pl.col("legs") == pl.col("hops")).with_columns(**ends()).drop("legs", "hops")


def distance() -> pl.Expr:
    """How far an observer is from what happens at a link's sender.

    0: the sender itself, 1: an anonymous recorder, 2: the receiver, 3: another station.
    """
    observer = pl.col("observer")
    return (
        pl.when(observer.is_null())
        .then(1)
        .when(observer == pl.col("sender"))
        .then(0)
        .when(observer == pl.col("receiver"))
        .then(2)
        .otherwise(3)
    )


def ends() -> dict[str, pl.Expr]:
    """`node`, `peer` and `state` of a row about a path."""
    known = {"node": stations().list.first(), "peer": stations().list.last(), "state": pl.lit("sender")}
    return {name: value.cast(pl.Categorical) for name, value in known.items()}


def stations() -> pl.Expr:
    """The stations of a path, in their order."""
    return pl.col("path").cast(pl.String).str.split(SEPARATOR)


def _if_all_known(name: str, value: pl.Expr) -> pl.Expr:
    return pl.when(pl.col(name).null_count() == 0).then(value).alias(name)


def shared(name: str) -> pl.Expr:
    """The value all rows have, null where they differ."""
    return pl.when(pl.col(name).n_unique() == 1).then(pl.col(name).first()).alias(name)
