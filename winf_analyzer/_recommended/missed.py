"""How many of a link's data frames the recorder did not hear, from sequence numbers and from answers without data.

A short form of the query `completeness`, which tries more ways to read the counters and takes too long for every
estimate.
"""

import polars as pl

from winf_analyzer import _core

MIN_STEPS = 10
"""Sequence numbers a link must have shown before its gaps count."""

FEW_ALONE = 0.02
"""Share of the attempts of which the answer alone was heard, up to which the recorder hears what arrives."""


def missed_shares(numbers: _core.SequenceGaps, links: pl.DataFrame) -> pl.DataFrame:
    """`source observer sender receiver missed_share unheard_share`, each the larger of what gaps and answers show.

    Null where neither can. By gaps `missed_share` is the share of first attempts among the sequence numbers in their
    range that were not heard, without those that passed while nothing at all was recorded. Where hardly an answer was
    heard without its data, the recorder hears what arrives, and a first attempt that it did not hear collided:
    `unheard_share` counts any attempt there. Sequence numbers of QoS data count per receiver and TID, others per
    transmitter (IEEE 802.11-2020, 10.3.2.14.2); some drivers number beacons apart, so the reading with fewer gaps is
    taken. A station's own frames are all in its recording, and those of simulators' traces: these have no share.

    Args:
        numbers: what :func:`heard_numbers` returns.
        links: what :func:`.evidence.whole` returns.
    """
    keys = ["source", "observer", "sender"]
    rows = links
    gaps = pl.DataFrame(numbers.found())
    for name, suffix in (("with_beacons", ""), ("without_beacons", "_without_beacons")):
        span = pl.col(f"span{suffix}")
        shares = {f"{name}_{of}": 1 - pl.col(f"{of}{suffix}") / span for of in ("firsts", "heard")}
        missed = gaps.filter(span >= MIN_STEPS).select(*keys, "receiver", **shares)
        qos, others = missed.filter(pl.col("receiver").is_not_null()), missed.filter(pl.col("receiver").is_null())
        others = others.drop("receiver").rename({share: f"{share}_others" for share in shares})
        rows = rows.join(qos, on=[*keys, "receiver"], how="left", nulls_equal=True)
        rows = rows.join(others, on=keys, how="left", nulls_equal=True)
        rows = rows.with_columns(pl.coalesce(share, f"{share}_others").alias(share) for share in shares)
    alone = pl.col("answers_only") / pl.col("attempts")
    answers = pl.when(pl.col("answers_only") > 0).then(alone)
    overheard = pl.col("observer").ne_missing(pl.col("sender")) & ~pl.col("sender").str.starts_with("node-")
    firsts, heard = (
        pl.max_horizontal(pl.min_horizontal(f"with_beacons_{of}", f"without_beacons_{of}"), answers)
        for of in ("firsts", "heard")
    )
    unheard = pl.when((alone <= FEW_ALONE).fill_null(value=False)).then(heard).otherwise(firsts)
    shares = {"missed_share": firsts, "unheard_share": unheard}
    return rows.select(*keys, "receiver", **{name: pl.when(overheard).then(share) for name, share in shares.items()})
