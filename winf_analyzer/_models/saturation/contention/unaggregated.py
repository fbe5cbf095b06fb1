"""What a sender would deliver by the other reading of what was recorded: in single frames, or in longer aggregates.

Nothing that was recorded tells which of the two it is (:mod:`.aggregation`), and at high rates those of one that is
presumed to aggregate are ten times apart. The interval holds both.
"""

import polars as pl

from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer._models.saturation.contention import contention_domain, tcp_acks
from winf_analyzer._models.saturation.failures.losses import LossModel
from winf_analyzer._models.saturation.solvers import fixed_point

KEYS = (*WINDOW, *LINK)


def delivered(
    links: pl.DataFrame,
    loads: pl.DataFrame,
    loss_model: LossModel,
    acks: pl.DataFrame,
    senders: pl.DataFrame,
    usual: pl.DataFrame,
) -> pl.DataFrame:
    """:data:`KEYS` and `single_bps` of the links that are presumed to aggregate: MSDU bits a second in single frames.

    By the fixed point alone, without what simulations and the window before add to an answer: it is a bound.

    Args:
        links: those of :class:`.contention_domain.Cases`.
        loads: the sums that they were made of, with :data:`.completeness.SHARES`.
        loss_model: what :func:`.losses.loss_model` returns.
        acks: what :func:`.tcp_acks.followers` returns.
        senders: what :func:`.contention_domain.per_sender` returns of `loads`.
        usual: what :func:`.contention_domain.usual_exchanges` returns.
    """
    presumed = links.filter("presumed", "aggregates").select(KEYS)
    if presumed.is_empty():
        return presumed.with_columns(single_bps=pl.lit(None, pl.Float64))
    singly = loads.join(presumed, on=KEYS, how="semi", nulls_equal=True).with_columns(one_by_one=pl.lit(value=True))
    return _solved(singly, "single_bps", loss_model, acks, senders, usual)


def delivered_at_most(
    links: pl.DataFrame,
    loads: pl.DataFrame,
    loss_model: LossModel,
    acks: pl.DataFrame,
    senders: pl.DataFrame,
    usual: pl.DataFrame,
) -> pl.DataFrame:
    """:data:`KEYS` and `most_bps` of the links whose aggregates a BlockAck window ends that may be longer.

    MSDU bits a second with the longest window of the PHY, as for :func:`delivered`.
    """
    ends = (pl.col("packets_max") >= pl.col("ba_window").floor()) & (pl.col("ba_window_most") > pl.col("ba_window"))
    ending = links.filter("aggregates", ends).select(KEYS)
    if ending.is_empty():
        return ending.with_columns(most_bps=pl.lit(None, pl.Float64))
    longer = loads.join(ending, on=KEYS, how="semi", nulls_equal=True).with_columns(window_mpdus="window_most")
    usual = usual.with_columns(window_mpdus="window_most")
    return _solved(longer, "most_bps", loss_model, acks, senders, usual)


def _solved(
    loads: pl.DataFrame,
    name: str,
    loss_model: LossModel,
    acks: pl.DataFrame,
    senders: pl.DataFrame,
    usual: pl.DataFrame,
) -> pl.DataFrame:
    found = contention_domain.cases(loads, loss_model, WINDOW, senders=senders, usual=usual)
    solved = fixed_point.solve(tcp_acks.settled(found.stations, acks)).filter("subject")
    rows = found.links.join(solved.select("case", "delivered_per_s"), on="case")
    return rows.select(*KEYS, (pl.col("delivered_per_s") * pl.col("packet_bits")).alias(name))
