"""Attempts that failed because of the channel, told from those that met another frame.

An attempt that failed is put down to a collision if anybody whom its sender or receiver hears, or the receiver itself,
was on the air until the answer was due; an RTS without answer also if the receiver was bound to silence by somebody
else's announced exchange (10.3.2.4). The engine makes collisions itself, so only what is left is a loss of the link.
"""

from __future__ import annotations

import polars as pl

from winf_analyzer._replay.recorded import views

_US = 1000


def channel_losses(
    exchanges: pl.LazyFrame, heard_by: dict[str, set[str]], answer_ns: int
) -> dict[tuple[str, str], float]:
    """The share of attempts on each link that the channel lost.

    Args:
        exchanges: the ``exchanges`` table.
        heard_by: for each node those whose frames it decodes.
        answer_ns: how long after an attempt its answer may end.
    """
    unicast = exchanges.filter(pl.col("kind").is_in(views.UNICAST), pl.col("start_ns").is_not_null())
    tried = (
        views.of(unicast, views.links(exchanges))
        .filter(pl.col("end_ns").is_not_null())
        .select(
            "sender",
            "receiver",
            "start_ns",
            end_ns=pl.col("end_ns") + answer_ns,
            failed=~pl.col("complete"),
            asked=pl.col("kind") == "rts_failed",
        )
        .collect(engine="streaming")
    )
    air = on_air(unicast).sort("from_ns")
    found = {}
    for (sender, receiver), attempts in tried.group_by("sender", "receiver", maintain_order=True):
        hearing = heard_by.get(str(receiver), set()) | heard_by.get(str(sender), set()) | {str(receiver)}
        own = pl.col("answer") & (pl.col("node") == receiver) & (pl.col("peer") == sender)
        disturbing = air.filter(pl.col("node").is_in(hearing - {str(sender)}), ~own)
        failed = attempts.filter("failed").sort("end_ns")
        if failed.height and disturbing.height:
            reach = disturbing.select(
                "from_ns", on_air=pl.col("until_ns").cum_max(), bound=pl.col("bound_ns").cum_max()
            )
            failed = failed.join_asof(reach, left_on="end_ns", right_on="from_ns", strategy="backward")
            until = pl.when("asked").then("bound").otherwise("on_air")
            failed = failed.filter((until <= pl.col("start_ns")).fill_null(True))
        found[str(sender), str(receiver)] = failed.height / attempts.height
    return found


def on_air(unicast: pl.LazyFrame) -> pl.DataFrame:
    """What each node sent, and until when that binds those who hear it.

    Columns: ``node peer from_ns until_ns bound_ns``, and ``answer``: it was sent in answer to the peer.
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
