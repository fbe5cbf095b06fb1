"""Paths: which stations a packet passes, and what an estimate of every hop makes of the whole.

A path is what the packets of a flow show. Where the recording numbers packets (simulators), a path is the hops of one
packet in their order. Elsewhere a flow's directed links are put together: a link a > b continues in every link b > c of
the same flow that does not turn back to a. A TCP flow over a chain so has two paths, one for its data and one for its
acknowledgments.
"""

from collections.abc import Iterable, Iterator

import polars as pl

from winf_analyzer.estimators.medium import Recording

SEPARATOR = ">"

MAX_HOPS = 32
"""Longer walks through a flow's links are not followed."""

MAX_PATHS = 256
"""Per flow, where its links branch: what is beyond is routing in motion, not a path."""

HOPS = pl.Schema(
    {"path": pl.String(), "flow": pl.String(), "sender": pl.String(), "receiver": pl.String(), "hops": pl.Int64()}
)
"""What :func:`find` returns: a row for every hop of every path of every flow; `hops`: how many the path has."""


def find(recording: Recording) -> pl.DataFrame:
    """The paths of two hops and more, by flow (:data:`HOPS`)."""
    samples = recording.uses.filter(pl.col("sample"), pl.col("flow").is_not_null())
    links = samples.group_by("flow", "sender", "receiver").agg(numbered=pl.col("packet_uid").is_not_null().any())
    forwarded = _forwarded(links.collect(engine="streaming"))
    numbered = forwarded.filter("numbered").select("flow").unique()
    shown = _packets(samples.join(numbered.lazy(), on="flow", how="semi"), recording.media) if numbered.height else []
    guessed = forwarded.join(numbered, on="flow", how="anti").sort("flow", "sender", "receiver")
    walked = [
        (flow[0], stations)
        for flow, rows in guessed.group_by("flow", maintain_order=True)
        for stations in walks(rows.select("sender", "receiver").iter_rows())
    ]
    hops = [
        (SEPARATOR.join(stations), flow, sender, receiver, len(stations) - 1)
        for flow, stations in [*shown, *walked]
        for sender, receiver in zip(stations, stations[1:], strict=False)
    ]
    return pl.DataFrame(hops, schema=HOPS, orient="row").unique().sort("path", "flow")


def walks(links: Iterable[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """The longest ways through directed links without meeting a station twice, of two hops and more.

    At most :data:`MAX_PATHS`, of at most :data:`MAX_HOPS` hops.
    """
    following: dict[str, list[str]] = {}
    for sender, receiver in links:
        following.setdefault(sender, []).append(receiver)
    preceding = {(a, b) for a, nexts in following.items() for b in nexts}
    found = 0
    for a, nexts in following.items():
        for b in nexts:
            if any((x, a) in preceding and x != b for x in following):
                continue
            pending = [(a, b)]
            while pending and found < MAX_PATHS:
                walk = pending.pop()
                longer = [(*walk, c) for c in following.get(walk[-1], []) if c not in walk]
                if longer and len(walk) <= MAX_HOPS:
                    pending += longer
                elif len(walk) > 2:
                    found += 1
                    yield walk


def _forwarded(links: pl.DataFrame) -> pl.DataFrame:
    """The links of flows that some station both receives and passes on."""
    onward = links.select("flow", receiver="sender", beyond="receiver")
    relayed = links.join(onward, on=["flow", "receiver"]).filter(pl.col("beyond") != pl.col("sender"))
    return links.join(relayed, on="flow", how="semi")


def _packets(samples: pl.LazyFrame, media: pl.DataFrame) -> list[tuple[str, tuple[str, ...]]]:
    """Flow and stations of every different way that a numbered packet took; packets with a hop missing do not count."""
    observers = media.select("medium", "source", "observer").lazy()
    seen = samples.join(observers, on="medium").filter(
        pl.col("packet_uid").is_not_null(), pl.col("observer").is_null() | (pl.col("observer") == pl.col("sender"))
    )
    hops = (
        seen.group_by("source", "packet_uid", "flow", "sender", "receiver")
        .agg(pl.col("end_ns").min())
        .sort("end_ns")
        .group_by("source", "packet_uid", "flow", maintain_order=True)
        .agg("sender", "receiver")
        .filter(pl.col("sender").list.len() > 1)
        .select("flow", "sender", "receiver")
        .unique()
        .collect(engine="streaming")
    )
    return [
        (flow, (*senders, receivers[-1]))
        for flow, senders, receivers in hops.iter_rows()
        if senders[1:] == receivers[:-1] and len({*senders, receivers[-1]}) == len(senders) + 1
    ]


LOWEST = ("capacity_bps", "available_bps", "available_low_bps", "available_high_bps", "idle_ratio", "exchanges")
"""What a path has of its worst hop."""

SUMMED = ("forward_delay_us", "backward_delay_us")
"""What adds up over a path."""


def along(rows: pl.DataFrame, hops: pl.DataFrame) -> pl.DataFrame:
    """The estimates of every path in every window in which each of its hops has an estimate.

    Args:
        rows: of `estimates`, of one estimator and mode.
        hops: what :func:`find` returns.

    A hop counts with what its sender concludes: from the sender's own recording where there is one, else from an
    anonymous one. Of several recordings alike the lowest value counts. What a hop does not know, the path does not.
    `source` and `observer` are those of the hops, null where these are from several.
    """
    own = pl.col("observer") == pl.col("sender")
    links = rows.filter(pl.col("state") == "sender", pl.col("sender").is_not_null(), pl.col("exchanges") > 0)
    links = links.with_columns(own=own.fill_null(False))
    links = links.filter(pl.col("own") == pl.col("own").max().over("window_start_ns", "sender", "receiver"))
    known = [name for name in (*LOWEST, *SUMMED) if name in rows.columns]
    best = links.group_by("window_start_ns", "sender", "receiver").agg(
        pl.col(known).min(), pl.col("covered_ns").min(), _shared("source"), _shared("observer")
    )
    legs = hops.select("path", "sender", "receiver", "hops").unique().join(best, on=["sender", "receiver"])
    whole = legs.group_by("window_start_ns", "path").agg(
        *(_if_all_known(name, pl.col(name).min()) for name in LOWEST if name in known),
        *(_if_all_known(name, pl.col(name).sum()) for name in SUMMED if name in known),
        pl.col("covered_ns").min(),
        _shared("source"),
        _shared("observer"),
        legs=pl.len(),
        hops=pl.col("hops").first(),
    )
    return whole.filter(pl.col("legs") == pl.col("hops")).with_columns(**ends()).drop("legs", "hops")


def ends() -> dict[str, pl.Expr]:
    """`node`, `peer` and `state` of a row about a path."""
    stations = pl.col("path").str.split(SEPARATOR)
    return {"node": stations.list.first(), "peer": stations.list.last(), "state": pl.lit("sender")}


def _if_all_known(name: str, value: pl.Expr) -> pl.Expr:
    return pl.when(pl.col(name).null_count() == 0).then(value).alias(name)


def _shared(name: str) -> pl.Expr:
    """The value all rows have, null where they differ."""
    return pl.when(pl.col(name).n_unique() == 1).then(pl.col(name).first()).alias(name)
