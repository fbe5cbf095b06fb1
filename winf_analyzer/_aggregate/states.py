"""From sums per link to one row per node and state: who concludes what from which exchanges.

The node is an observer whose own recording it is, or, where the observer is unknown, every station heard: each
exchange then feeds the Sender state of its sender and the Receiver state of its receiver, as if both ran the
estimator; what remains the sniffer's own conclusion, about a link it is no part of, has no node.
"""

from collections.abc import Callable, Sequence

import polars as pl

from winf_analyzer.estimators import gathering, windows
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.settings import Mode, Settings
from winf_analyzer.estimators.stretches import SHARE, Request, Stretch, per_link

MEDIUM_AND_WINDOW = (*WINDOW, "source", "observer")

SIDES = ("sender", "receiver")
"""What each end of a link measures; an onlooker uses the sender's formula."""


Samples = Callable[[Stretch, Mode, Settings], pl.LazyFrame]
"""The exchanges of a stretch with columns `sender_<quantity>` and `receiver_<quantity>`, or `<quantity>` where both
measure alike; null where they measure nothing."""


def link_sums(
    recording: Recording, samples: Samples, quantities: tuple[str, ...], mode: Mode, *, alike: bool = False
) -> pl.DataFrame:
    """Sums `sender_<quantity>` and `receiver_<quantity>`, attempts and failures, per window and directed link.

    `alike`: the samples of sender and receiver are the same.
    """
    settings = recording.settings
    summed = gathering.sums(recording, to_sum(samples, quantities, mode, alike=alike), windows.LINK)
    links = windows.accumulate(summed, summed.columns[4:], settings, summed)
    links = links.join(recording.windows, on=WINDOW, how="semi")
    return both_sides(links, quantities) if alike else links


def to_sum(samples: Samples, quantities: tuple[str, ...], mode: Mode, *, alike: bool = False) -> Request:
    """What :func:`link_sums` gathers."""
    sums = quantities if alike else tuple(f"{side}_{quantity}" for side in SIDES for quantity in quantities)
    return (_summed, samples, sums, mode)


def both_sides(links: pl.DataFrame, quantities: Sequence[str]) -> pl.DataFrame:
    """With `sender_<quantity>` and `receiver_<quantity>`, which are the same."""
    return links.with_columns(pl.col(name).alias(f"{side}_{name}") for side in SIDES for name in quantities)


def _summed(stretch: Stretch, settings: Settings, samples: Samples, sums: tuple[str, ...], mode: Mode) -> pl.DataFrame:
    rows = samples(stretch, mode, settings)
    return per_link(
        stretch,
        rows.select(SHARE, *sums, "unicast", failed=failed()),
        pl.col(sums).sum(),
        attempts=pl.col("unicast").sum().cast(pl.Int64),
        failed=pl.col("failed").sum().cast(pl.Int64),
    )


def failed() -> pl.Expr:
    """An attempt that nobody answered."""
    return pl.col("unicast") & (~pl.col("complete") | (pl.col("kind") == "rts_failed"))


def by_state(
    links: pl.DataFrame, media: pl.DataFrame, quantities: Sequence[str], *, bystanders: bool = True
) -> pl.DataFrame:
    """Rows of every node in every state.

    Returns `medium source observer window_start_ns node peer state sender receiver collision_probability` and the
    quantities. Per link one row for each end that can be evaluated, or for an onlooker; and, where the quantities add
    up (`bystanders`), per node one onlooker row without a peer, about all exchanges it is no part of.

    Args:
        links: as :func:`link_sums` gives them.
        media: as :func:`.gathering.media` gives them.
        quantities: columns `sender_<quantity>` and `receiver_<quantity>` of `links`.
        bystanders: whether to return those rows.
    """
    known = links.lazy().filter(pl.col("attempts") > 0).join(media.lazy(), on="medium")
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
    rows = [state.drop("attempts", "failed").collect(engine="in-memory") for state in states]
    if bystanders:
        rows.append(_bystanders(links, media, quantities))
    return pl.concat(rows, how="diagonal", rechunk=True)


def ends(links: pl.DataFrame, media: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Rows of every link in every state, with columns on which sender, receiver and onlooker agree."""
    sides = both_sides(links, columns).with_columns(attempts=pl.lit(1, pl.Int64), failed=pl.lit(None, pl.Int64))
    return by_state(sides, media, columns, bystanders=False).drop("collision_probability")


def _state(links: pl.LazyFrame, state: str, node: str, peer: str, quantities: Sequence[str]) -> pl.LazyFrame:
    """The rows of `links` as seen in one state, with that side's quantities."""
    side = "receiver" if state == "receiver" else "sender"
    return links.select(
        *MEDIUM_AND_WINDOW,
        pl.col(node).alias("node"),
        pl.col(peer).alias("peer"),
        named(state),
        "sender",
        "receiver",
        "attempts",
        "failed",
        *(pl.col(f"{side}_{quantity}").alias(quantity) for quantity in quantities),
    )


def named(state: str) -> pl.Expr:
    """The column `state` of rows that are all of one."""
    return pl.lit(state).cast(pl.Categorical).alias("state")


def _bystanders(links: pl.DataFrame, media: pl.DataFrame, quantities: Sequence[str]) -> pl.DataFrame:
    """Per node, what all links it is no part of add up to: the total less its own, so the cost stays linear."""
    sums = links.select(
        *WINDOW, "sender", "receiver", *(pl.col(f"sender_{quantity}").alias(quantity) for quantity in quantities)
    )
    total = sums.group_by(WINDOW).agg(pl.col(quantity).sum() for quantity in quantities).join(media, on="medium")
    looped = pl.col("sender").eq_missing(pl.col("receiver"))
    sent = sums.select(*WINDOW, *quantities, node="sender")
    received = sums.filter(~looped).select(*WINDOW, *quantities, node="receiver")
    ends = pl.concat([sent, received]).filter(pl.col("node").is_not_null())
    own = ends.group_by(*WINDOW, "node").agg(pl.col(name).sum().name.suffix("_own") for name in quantities)
    anonymous = pl.col("observer").is_null()
    heard = own.join(total.filter(anonymous), on=WINDOW)
    recorders = total.filter(~anonymous).with_columns(node="observer").join(own, on=[*WINDOW, "node"], how="left")
    rest = [pl.col(name) - pl.col(f"{name}_own").fill_null(0) for name in quantities]
    return pl.concat(some.select(*MEDIUM_AND_WINDOW, "node", *rest, named("onlooker")) for some in (heard, recorders))
