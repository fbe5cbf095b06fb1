"""TCP ACKs: which packets are some, and of which data, and those of a subject.

A link that carries small packets against a link of large ones, one for each or for every second of them, carries their
TCP ACKs (RFC 5681, 4.2); payload that is encrypted tells as much by its sizes. If a backlogged station takes a part of
the data's rate, the load of its ACKs shrinks by the same part, and so on (:mod:`.tcp_flows`).
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._aggregate.tcp_sizes import ACK_OCTETS, DATA_OCTETS, MIN_PACKETS, RATIO

SHORT = 0.5
"""Airtime of a frame with a TCP ACK, at most, over that of other data; without an answer it has no size."""

TIMEOUT = 2.0
"""Round-trip times that a timeout lasts: RFC 6298 adds four deviations, which are a quarter of one each where queues
fill and empty."""

MOSTLY = 0.5
"""Share of the time that it may wait, at most."""


def followers(links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender leader share together data_share data_together`: the ACKs of what `leader` sends `sender`.

    Where these and the data are in the usual queue (:mod:`.queues`). `share` and `data_share`: which part they are of
    the packets of `sender` and of `leader` in it; `together` and `data_together`: MPDUs of an access with them.

    Args:
        links: sums per window and link.
    """
    names = ("mpdus", "bits", "carried")
    sums = links.group_by("medium", "sender", "receiver").agg(pl.col(names).sum(), pl.col("queue").first())
    sums = sums.filter(pl.col("queue") == 0)
    sums = sums.with_columns(
        all_mpdus=pl.col("mpdus").sum().over("medium", "sender"), together=pl.col("mpdus") / pl.col("carried").clip(1)
    )
    of_data = {f"data_{name}": pl.col(name) for name in ("mpdus", "bits", "all_mpdus", "together")}
    back = sums.select("medium", sender="receiver", receiver="sender", **of_data)
    both = sums.join(back, on=["medium", "sender", "receiver"])
    octets, data_octets = (pl.col(f"{of}bits") / pl.col(f"{of}mpdus") / 8 for of in ("", "data_"))
    ratio = pl.col("mpdus") / pl.col("data_mpdus")
    found = both.filter(
        pl.col("mpdus") >= MIN_PACKETS, octets <= ACK_OCTETS, data_octets >= DATA_OCTETS, ratio.is_between(*RATIO)
    )
    return found.select(
        "medium",
        "sender",
        leader="receiver",
        share=pl.col("mpdus") / pl.col("all_mpdus"),
        together="together",
        data_share=pl.col("data_mpdus") / pl.col("data_all_mpdus"),
        data_together="data_together",
    )


def of_hidden(links: pl.DataFrame) -> pl.DataFrame:
    """`medium sender leader share`, as of :func:`followers`, where the data of `leader` is not heard, nor its answers.

    Or where a third station hears that the leader and others do not hear one another.

    Args:
        links: sums per window and link, with `unaware` of :func:`.hidden_senders.told`.
    """
    names = ("unheard", "fresh", "first_ns", "accesses", "carried")
    sums = links.group_by("medium", "sender", "receiver").agg(pl.col(names).sum())
    each_ns = pl.col("first_ns") / pl.col("accesses")
    carried = pl.col("carried") > 0
    usual_ns = pl.col("first_ns").filter(carried).sum() / pl.col("accesses").filter(carried).sum()
    sums = sums.with_columns(
        short=each_ns < SHORT * usual_ns.over("medium"), all=pl.col("fresh").sum().over("medium", "sender")
    )
    hidden = sums.filter(pl.col("unheard") * 2 > pl.col("accesses")).group_by("medium", receiver="sender")
    both = sums.join(hidden.agg(data=pl.col("unheard").sum()), on=["medium", "receiver"])
    found = both.filter(pl.col("fresh") >= MIN_PACKETS, "short", (pl.col("fresh") / pl.col("data")).is_between(*RATIO))
    share = (pl.col("fresh") / pl.col("all")).cast(pl.Float64)
    unheard = found.select("medium", "sender", leader="receiver", share=share)
    apart = links.filter(pl.col("unaware") > 0).select("medium", leader="sender").unique()
    heard = followers(links).select("medium", "sender", "leader", pl.col("share").cast(pl.Float64))
    return pl.concat([unheard, heard.join(apart, on=["medium", "leader"], how="semi")])


def silent(lost: pl.Expr) -> pl.Expr:
    """Share of the time that a TCP flow waits for timeouts, of whose packets this share is lost.

    By Padhye et al. (IEEE/ACM Transactions on Networking 8(2), 2000): of windows of sqrt(8 / 3p) packets, 3 in as many
    losses end in a timeout, and timeouts double. What is lost is that of a flow that sends as recorded: if it falls
    silent the subject sends more, and if the subject backs off the flow goes on. So silence counts no more than half.
    """
    windows = (8 / 3 / lost.clip(1e-9)).sqrt()
    waits = TIMEOUT * (3 / windows).clip(0, 1) * lost * (1 + 32 * lost * lost)
    runs = (2 / 3 * lost).sqrt()
    return (waits / (waits + runs).clip(1e-12)).clip(0, MOSTLY)


def left_of_own(solved: pl.DataFrame, acks: pl.DataFrame) -> pl.DataFrame:
    """`case own_left`: which share of its own packets a subject still has where it acknowledges others' data.

    Args:
        solved: stations of cases with `medium`, `sender` and `delivered_per_s`, of :func:`.fixed_point.solve`.
        acks: what :func:`followers` returns.
    """
    got = (pl.col("delivered_per_s") / pl.col("packets_per_s").clip(1e-9)).clip(0, 1)
    leaders = solved.filter(~pl.col("subject")).select("case", leader="sender", got=got)
    pairs = solved.filter("subject").select("case", "medium", "sender").join(acks, on=["medium", "sender"])
    lost = pairs.join(leaders, on=["case", "leader"])
    return lost.group_by("case").agg(own_left=1 - ordered_sum(pl.col("share") * (1 - pl.col("got"))).clip(0, 1))
