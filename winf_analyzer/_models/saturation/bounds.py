"""How far off the model may be: an interval that covers the true available bandwidth nine times out of ten.

Three terms, added in quadrature. The *draws*: in N accesses of T seconds, backoffs of variance (W^2 - 1)/12 slots make
the time they take vary by slot W sqrt(N/12), so what is delivered varies by its share slot W/(T sqrt(12 N)). The
*edges*: of every other station, an exchange more or less may fall into the window, which takes as much from the
sender's own airtime N T. Both times 1.645 for 90 %. The *model*: the shares below, of what the sender delivers; they
grow with the load of the other stations, and were set to the 90 % quantiles of the absolute error in the development
part of the accuracy study (docs/accuracy.md).
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient

QUANTILE = 1.645
"""Standard deviations of a normal distribution that hold 90 %."""

ALONE = 0.012
"""Model error of a sender without others."""

PER_LOAD = 0.12
"""What the airtime share of the others adds, times that share."""

PER_LOAD_AGGREGATED = 0.25
"""The same where aggregates risk a collision as a whole."""

PER_LOAD_AGGREGATED_RTS = 0.10
"""The same where they are behind an RTS."""

LOSSLESS = 0.01
"""Loss up to which a link counts as one that loses nothing."""

LOSSY = 0.03
"""What a lossy link adds."""

HIDDEN = 0.25
"""What hidden stations add."""

MISSED_LOAD = 0.5
"""Error of the airtime that was put back for frames of others that were not recorded, as a share of it."""

MISSED_OWN = 0.15
"""Error per share of the sender's own frames, or of their answers, that was not recorded or has no place in time."""

RATE_SPREAD = 0.5
"""Error per coefficient of variation of the sender's rate: a saturated sender may be given other rates."""


def surroundings(stations: pl.DataFrame) -> pl.DataFrame:
    """Per `case` of stations: `model_error`, the model term without loss, and `edge_s`, exchanges at the edges."""
    others = ~pl.col("subject")
    exchange_s = pl.col("access_s") + pl.col("packet_s")
    airtime = pl.col("packets_per_s") * exchange_s
    load = ordered_sum(airtime.filter(others)).clip(0, 1)
    subject = {name: pl.col(name).filter("subject").first() for name in ("aggregates", "rts")}
    aggregated = pl.when(subject["rts"]).then(PER_LOAD_AGGREGATED_RTS).otherwise(PER_LOAD_AGGREGATED)
    slope = pl.when(subject["aggregates"]).then(aggregated).otherwise(PER_LOAD)
    hidden = pl.when(pl.col("hidden").any()).then(HIDDEN).otherwise(0.0)
    sent = others & (pl.col("attempts") > 0)
    return stations.group_by("case").agg(
        beside_hidden=pl.col("hidden").any(),
        beside_unheard=(pl.col("data_unheard") & (pl.col("attempts") > 0) & others).any(),
        missed_load=ordered_sum(((1 - pl.col("heard_share")) * airtime).filter(others)).clip(0, 1),
        model_error=ALONE + slope * load + hidden,
        edge_s=ordered_sum(exchange_s.filter(sent) ** 2).sqrt()
    )


def margin(per_s: pl.Expr) -> pl.Expr:
    """Half the width of the interval, as a share of what is delivered.

    Args:
        per_s: packets delivered per second.

    Reads `model_error`, `edge_s`, `covered_ns`, `loss` and the costs of the link.
    """
    covered_s = pl.col("covered_ns") * 1e-9  # by a factor: see `quotient`
    accesses = (per_s / pl.col("packets_max") * covered_s).clip(1)
    access_s = (covered_s / accesses).clip(1e-6)
    draws = pl.col("slot_s") * pl.col("window") / (access_s * (12 * accesses).sqrt())
    own_s = accesses * (pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s"))
    edges = pl.col("edge_s") / own_s.clip(1e-6)
    model = pl.col("model_error") + pl.when(pl.col("loss") > LOSSLESS).then(LOSSY).otherwise(0.0)
    own_share = quotient(own_s, covered_s).clip(0.02)
    missed = MISSED_LOAD * pl.col("missed_load") / own_share
    missed += MISSED_OWN * pl.max_horizontal(1 - pl.col("heard_share"), "answer_missed", "answer_off")
    varies = RATE_SPREAD * pl.col("rate_spread")
    return (QUANTILE**2 * (draws**2 + edges**2) + model**2 + missed**2 + varies**2).sqrt()
