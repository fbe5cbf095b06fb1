"""Channel losses: failed attempts that were not collisions.

A failed attempt counts as a collision if the receiver, or any station that sender or receiver hears, transmitted
while it was on the air; a response is protected by the NAV of the attempt, and by its own signal. An RTS without CTS
also counts as a collision if the NAV of the receiver was set by another exchange (10.3.2.4). The engine simulates
collisions itself, so only the other failures are losses of the link. They are a share of the attempts beside which
nobody transmitted either: beside a transmission that would have done no harm, a loss cannot be told from a collision.

Whoever listens beside two stations may hear the stronger one of two frames that collide. The other station then sends
its packet again, and is heard with a retry whose first attempt was not.
"""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay.recorded import views

_US = 1000


def channel_loss_rates(exchanges: pl.LazyFrame, audible: dict[str, set[str]]) -> dict[tuple[str, str], float]:
    """Share of attempts lost in the channel, of those without another transmission beside them, per link.

    Args:
        exchanges: the ``exchanges`` table.
        audible: for each node the nodes whose frames it decodes.
    """
    unicast = exchanges.filter(pl.col("kind").is_in(views.UNICAST), pl.col("start_ns").is_not_null())
    tried = (
        views.of(unicast, views.links(exchanges))
        .filter(pl.col("end_ns").is_not_null())
        .select(
            "sender",
            "receiver",
            "start_ns",
            end_ns=pl.coalesce("data_ns", "rts_ns", "end_ns"),
            failed=views.failed(),
            asked=pl.col("kind") == "rts_failed",
        )
        .collect(engine="streaming")
    )
    air = on_air(unicast).sort("from_ns")
    again = heard_again(unicast)
    found = {}
    for (sender, receiver), attempts in tried.group_by("sender", "receiver", maintain_order=True):
        nearby = audible.get(str(receiver), set()) | audible.get(str(sender), set()) | {str(receiver)}
        own = pl.col("answer") & (pl.col("node") == receiver) & (pl.col("peer") == sender)
        disturbing = air.filter(pl.col("node").is_in(nearby - {str(sender)}), ~own)
        alone = attempts.sort("end_ns")
        if alone["failed"].any() and disturbing.height:
            reach = disturbing.select(
                "from_ns", on_air=pl.col("until_ns").cum_max(), bound=pl.col("bound_ns").cum_max()
            )
            until = pl.when("asked").then("bound").otherwise("on_air")
            alone = alone.join_asof(reach, left_on="end_ns", right_on="from_ns", strategy="backward")
            alone = alone.filter((until <= pl.col("start_ns")).fill_null(True))
            around = nearby | {str(sender)}
            if all(around - {node} <= audible.get(node, set()) for node in around):
                # Beside hidden stations a recorder misses frames that collided with others of these.
                alone = without_unheard(alone, again.filter(pl.col("node").is_in(nearby - {str(sender)})))
        found[str(sender), str(receiver)] = int(alone["failed"].sum()) / alone.height if alone.height else 0.0
    return found


def heard_again(unicast: pl.LazyFrame) -> pl.DataFrame:
    """Packets whose first attempt was not heard, in order of time.

    Columns: ``node``, ``after_ns`` (end of what it had sent before), ``at_ns`` (begin of the retry that was heard).
    """
    before = pl.struct("seq", attempt=pl.col("attempt") + 1).shift(1).over("sender", "receiver", order_by="start_ns")
    follows = before == pl.struct("seq", "attempt")
    return (
        views.of(unicast, views.links(unicast))
        .filter(pl.col("kind") == "basic", pl.col("mpdus").fill_null(1) <= 1)
        .with_columns(
            follows=follows,
            after_ns=pl.col("end_ns").shift(1).over("sender", order_by="start_ns").fill_null(0),
        )
        .filter(pl.col("attempt") > 1, pl.col("seq").is_not_null(), ~pl.col("follows").fill_null(False))
        .select(node="sender", after_ns="after_ns", at_ns="start_ns")
        .collect(engine="streaming")
        .sort("at_ns")
    )


def without_unheard(attempts: pl.DataFrame, again: pl.DataFrame) -> pl.DataFrame:
    """``attempts`` without those that failed while another node's first attempt must have been on the air.

    That is the last failure before the node is heard again; ``again``: as of :func:`heard_again`.
    """
    failed = attempts.filter("failed").select("start_ns", failed_ns="start_ns").sort("start_ns")
    collided = again.join_asof(
        failed, left_on="at_ns", right_on="start_ns", strategy="backward", allow_exact_matches=False
    )
    collided = collided.filter(pl.col("failed_ns") >= pl.col("after_ns"))
    return attempts.join(collided, left_on="start_ns", right_on="failed_ns", how="anti", maintain_order="left")


def unheard_receivers(exchanges: pl.LazyFrame) -> set[tuple[str, str]]:
    """Links with RTS whose recorder hears no response at all: their failures do not differ from the other attempts."""
    unicast = exchanges.filter(pl.col("kind").is_in(views.UNICAST))
    answered = pl.col("cts_start_ns").is_not_null() | pl.col("ack_start_ns").is_not_null()
    asked = pl.col("rts_start_ns").is_not_null()
    links = (
        views.of(unicast, views.links(unicast))
        .group_by("sender", "receiver")
        .agg(answered=answered.any(), asked=asked.any())
        .filter("asked", ~pl.col("answered"))
        .collect(engine="streaming")
    )
    return set(links.select("sender", "receiver").iter_rows())


def on_air(unicast: pl.LazyFrame) -> pl.DataFrame:
    """Transmissions of each node, and the NAV that they set.

    Columns: ``node peer from_ns until_ns``, ``bound_ns`` (end of the NAV), ``answer`` (it is a response to the peer).
    """
    opened = views.of(unicast, views.links(unicast)).select(
        node="sender",
        peer="receiver",
        from_ns="start_ns",
        until_ns=pl.coalesce("data_ns", "rts_ns", "end_ns"),
        bound_ns=pl.max_horizontal("end_ns", pl.col("rts_ns") + pl.col("nav_rts_us").cast(pl.Int64) * _US),
        answer=pl.lit(False),
    )
    own = views.of(unicast, views.answers(unicast))
    cts = own.select(
        node="receiver",
        peer="sender",
        from_ns="cts_start_ns",
        until_ns="cts_ns",
        bound_ns=pl.max_horizontal("end_ns", pl.col("cts_ns") + pl.col("nav_cts_us").cast(pl.Int64) * _US),
        answer=pl.lit(True),
    )
    ack = own.select(
        node="receiver",
        peer="sender",
        from_ns="ack_start_ns",
        until_ns="ack_ns",
        bound_ns="ack_ns",
        answer=pl.lit(True),
    )
    rows = pl.concat([opened, cts, ack]).filter(pl.col("from_ns").is_not_null(), pl.col("until_ns").is_not_null())
    return rows.collect(engine="streaming")
