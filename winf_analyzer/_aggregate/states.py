"""From sums per link to one row per node and state: who concludes what from which exchanges.

The node is an observer whose own recording it is, or, where the observer is unknown, every station heard: each
exchange then feeds the Sender state of its sender and the Receiver state of its receiver, as if both ran the
estimator; what remains is the sniffer's own conclusion, about a link it is no part of, and has no node.
"""

from collections.abc import Callable, Sequence

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import GROUP, Chunk, Context
from winf_analyzer._aggregate.exchange_columns import failed
from winf_analyzer._aggregate.windows import WINDOW, accumulate

_MEDIUM_AND_WINDOW = (*WINDOW, "source", "observer")

SIDES = ("sender", "receiver")
"""What each end of a link measures; an onlooker uses the sender's formula."""

Samples = Callable[[Chunk], pl.LazyFrame]
"""The exchanges of a chunk with columns `sender_<quantity>` and `receiver_<quantity>`, or `<quantity>` where both ends
measure the same, whole numbers; null where they measure nothing."""


def link_sums(samples: Samples, quantities: Sequence[str], *, by_side: bool = False) -> Aggregate:
    """Sums of the quantities, `attempts` and those that `failed`, per window and directed link.

    Args:
        samples: what is summed.
        quantities: names of columns.
        by_side: sender and receiver measure for themselves.
    """
    sums = tuple(f"{side}_{name}" for side in SIDES for name in quantities) if by_side else tuple(quantities)
    return Aggregate(_link_sums, (samples, sums))


def _link_sums(chunk: Chunk, samples: Samples, sums: tuple[str, ...]) -> pl.DataFrame:
    rows = samples(chunk).select(GROUP, *sums, attempts="unicast", failed=failed())
    return chunk.link_sums(rows, (*sums, "attempts", "failed"))


def sums_by_state(context: Context, summed: pl.DataFrame, quantities: Sequence[str]) -> pl.DataFrame:
    """Rows of every node in every state, from :func:`link_sums`.

    Returns:
        `medium source observer window_start_ns node peer state sender receiver collision_probability` and the
        quantities. Per link one row for each end that can be evaluated, or for an onlooker; and per node one onlooker
        row without a peer, about all exchanges it is no part of. `collision_probability`: the failed share of all
        attempts of the node, in Sender rows.
    """
    links = accumulate(summed, summed.columns[4:], context.settings, summed)
    links = links.join(context.windows, on=WINDOW, how="semi")
    if quantities and quantities[0] in links.columns:
        links = _both_sides(links, quantities)
    return pl.concat(
        [*_per_link(context, links, quantities), _bystanders(links, context.media_names, quantities)],
        how="diagonal",
        rechunk=True,
    )


def values_by_state(context: Context, links: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The same of columns on which sender, receiver and onlooker agree, and which do not add up: rows per link only.

    `collision_probability` is there where `links` has `attempts` and `failed`.
    """
    sides = _both_sides(links, columns)
    counted = "attempts" in links.columns
    if not counted:
        sides = sides.with_columns(attempts=pl.lit(1, pl.Int64), failed=pl.lit(None, pl.Int64))
    rows = pl.concat(_per_link(context, sides, columns), how="diagonal", rechunk=True)
    return rows if counted else rows.drop("collision_probability")


def _both_sides(links: pl.DataFrame, quantities: Sequence[str]) -> pl.DataFrame:
    return links.with_columns(pl.col(name).alias(f"{side}_{name}") for side in SIDES for name in quantities)


def _per_link(context: Context, links: pl.DataFrame, quantities: Sequence[str]) -> list[pl.DataFrame]:
    known = links.lazy().filter(pl.col("attempts") > 0).join(context.media_names.lazy(), on="medium")
    anonymous, observer = pl.col("observer").is_null(), pl.col("observer")
    sends, receives = observer == pl.col("sender"), observer == pl.col("receiver")
    attempts = pl.col("attempts").sum().over(*WINDOW, "sender")
    failures = pl.col("failed").sum().over(*WINDOW, "sender")
    states = [
        _state(known.filter(anonymous | sends), "sender", "sender", "receiver", quantities),
        _state(known.filter(anonymous | receives), "receiver", "receiver", "sender", quantities),
        _state(known.filter(anonymous | (~sends & ~receives)), "onlooker", "observer", "sender", quantities),
    ]
    # Only the sender knows the attempts that nobody answered (Barreto, sec. 4.3).
    states[0] = states[0].with_columns(collision_probability=failures / attempts)
    return pl.collect_all([state.drop("attempts", "failed") for state in states], engine="in-memory")


def _state(links: pl.LazyFrame, state: str, node: str, peer: str, quantities: Sequence[str]) -> pl.LazyFrame:
    """The rows of `links` as seen in one state, with that side's quantities."""
    side = "receiver" if state == "receiver" else "sender"
    return links.select(
        *_MEDIUM_AND_WINDOW,
        pl.col(node).alias("node"),
        pl.col(peer).alias("peer"),
        _named(state),
        "sender",
        "receiver",
        "attempts",
        "failed",
        *(pl.col(f"{side}_{quantity}").alias(quantity) for quantity in quantities),
    )


def _named(state: str) -> pl.Expr:
    return pl.lit(state).cast(pl.Categorical).alias("state")


def _bystanders(links: pl.DataFrame, media: pl.DataFrame, quantities: Sequence[str]) -> pl.DataFrame:
    """Per node, what all links it is no part of add up to: the total less its own, so the cost stays linear.

    A node that a radio that hops heard on several channels is on the one on which it took part in most attempts.
    """
    sums = links.select(
        *WINDOW,
        "sender",
        "receiver",
        "attempts",
        *(pl.col(f"sender_{quantity}").alias(quantity) for quantity in quantities),
    )
    total = sums.group_by(WINDOW).agg(pl.col(quantities).sum()).join(media, on="medium")
    looped = pl.col("sender").eq_missing(pl.col("receiver"))
    sent = sums.select(*WINDOW, *quantities, "attempts", node="sender")
    received = sums.filter(~looped).select(*WINDOW, *quantities, "attempts", node="receiver")
    ends = pl.concat([sent, received]).filter(pl.col("node").is_not_null())
    own = ends.group_by(*WINDOW, "node").agg(pl.col(quantities).sum().name.suffix("_own"), pl.col("attempts").sum())
    anonymous = pl.col("observer").is_null()
    heard = own.join(total.filter(anonymous), on=WINDOW)
    recorders = total.filter(~anonymous).with_columns(node="observer").join(own, on=[*WINDOW, "node"], how="left")
    rest = [pl.col(name) - pl.col(f"{name}_own").fill_null(0) for name in quantities]
    columns = (*_MEDIUM_AND_WINDOW, "node", *rest, _named("onlooker"), "attempts")
    rows = pl.concat(some.select(columns) for some in (heard, recorders))
    if media.select("source", "observer").is_duplicated().any():
        keys = ["source", "observer", "window_start_ns", "node"]
        rows = rows.sort("attempts", "medium", descending=[True, False], nulls_last=True).unique(keys, keep="first")
    return rows.drop("attempts")
