"""What a sender would deliver by the other reading of what was recorded: in single frames, or other aggregates.

Nothing that was recorded tells which of the two it is (:mod:`.aggregation`, :mod:`.sender_limits`), and at high rates
those of one that is presumed to aggregate are ten times apart. The interval holds both.
"""

from functools import partial

import polars as pl

from winf_analyzer._aggregate.windows import LINK, WINDOW
from winf_analyzer._models.saturation.contention import contention_domain, tcp_flows
from winf_analyzer._models.saturation.failures.losses import LossModel
from winf_analyzer._models.saturation.recorded import aggregation, ampdu, sender_limits
from winf_analyzer._models.saturation.solvers import fixed_point

KEYS = (*WINDOW, *LINK)

NAMES = ("single_bps", "held_bps", "free_bps", "most_bps")
"""What :func:`with_delivered` adds."""


def with_delivered(
    rows: pl.DataFrame,
    loads: pl.DataFrame,
    loss_model: LossModel,
    acks: pl.DataFrame,
    senders: pl.DataFrame,
    usual: pl.DataFrame,
    limits: pl.DataFrame,
) -> pl.DataFrame:
    """`rows` with :data:`NAMES`, MSDU bits a second; null where there is no other reading.

    `single_bps`, in single frames, is of links that are presumed to aggregate; `held_bps`, with a limit of their
    sender's own, of those that may have one; `free_bps`, without, of those that are presumed to have one; `most_bps`,
    with the longest BlockAck window of the PHY, of those whose aggregates a window ends that may be longer. By the
    fixed point alone, without what simulations and the window before add to an answer: they are bounds.

    Args:
        rows: those of :attr:`.contention_domain.Cases.links`.
        loads: the sums that they were made of, with :data:`.completeness.SHARES`.
        loss_model: what :func:`.losses.loss_model` returns.
        acks: what :func:`.tcp_acks.followers` returns.
        senders: what :func:`.contention_domain.per_sender` returns of `loads`.
        usual: what :func:`.contention_domain.usual_exchanges` returns.
        limits: of :func:`.sender_limits.found`.
    """
    longer = {"window_mpdus": pl.col("window_most")}
    window, window_most = pl.col("ba_window"), pl.col("ba_window_most")
    ended = (pl.col("packets_max") >= window.floor()) & (window_most > window)
    solved = partial(_solved, loss_model=loss_model, acks=acks, senders=senders)
    unlimited = {name: pl.col("carried") * limit for name, limit in ampdu.UNLIMITED.items()}
    of_limits = partial(rows.filter("aggregates").join, on=sender_limits.LINK, how="semi", nulls_equal=True)
    free = solved(
        of_limits(limits.filter("presumed")), loads.with_columns(**unlimited), usual.with_columns(**unlimited)
    )
    possible = limits.filter("possible")
    held = solved(
        of_limits(possible), aggregation.with_limits(loads, possible), aggregation.with_limits(usual, possible)
    )
    singly = loads.with_columns(one_by_one=pl.lit(value=True))
    # Not of a link that something else limits as well.
    readings = {
        "single_bps": solved(rows.filter("presumed", "aggregates"), singly, usual),
        "held_bps": held.filter(pl.col("packets_max") < pl.col("packets_before")),
        "free_bps": free.filter(pl.col("packets_max") > pl.col("packets_before")),
        "most_bps": solved(
            rows.filter("aggregates", ended), loads.with_columns(**longer), usual.with_columns(**longer)
        ),
    }
    for name, reading in readings.items():
        named = reading.select(*KEYS, pl.col("delivered_bps").alias(name))
        rows = rows.join(named, on=KEYS, how="left", maintain_order="left", nulls_equal=True)
    return rows


def _solved(
    links: pl.DataFrame,
    loads: pl.DataFrame,
    usual: pl.DataFrame,
    *,
    loss_model: LossModel,
    acks: pl.DataFrame,
    senders: pl.DataFrame,
) -> pl.DataFrame:
    """:data:`KEYS`, `delivered_bps` and `packets_max` of the links, of sums as they are read otherwise.

    `packets_before`: the packets of an aggregate as they were read.
    """
    before = links.select(*KEYS, packets_before="packets_max")
    if links.is_empty():
        return before.with_columns(packets_max="packets_before", delivered_bps=pl.lit(None, pl.Float64))
    read = loads.join(before, on=KEYS, how="semi", nulls_equal=True)
    found = contention_domain.cases(read, loss_model, WINDOW, senders=senders, usual=usual)
    solved = fixed_point.solve(tcp_flows.settled(found.stations, acks)).filter("subject")
    rows = found.links.join(solved.select("case", "delivered_per_s"), on="case")
    rows = rows.select(*KEYS, "packets_max", delivered_bps=pl.col("delivered_per_s") * pl.col("packet_bits"))
    return rows.join(before, on=KEYS, nulls_equal=True)
