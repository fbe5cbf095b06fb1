"""How many collisions of each sender show in a recording, and what became of them.

The recorder knows its own failures; others show theirs by the Retry bit, since what collides does not reach a third
station. RTS have none: of stations that send them, the numbers that are missing show what survived, and of the
collisions expected the others failed; where none is missing, nothing is learned. Of two stations whose packets come at
equal intervals, both collide every time or never, which says nothing: of their collisions only those with others count.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum, quotient
from winf_analyzer._models.saturation.failures import traced_collisions
from winf_analyzer._models.saturation.recorded import completeness

EXPECTED_WITHIN = 2.0
"""Factor to which the number of expected collisions is trusted: only fewer failures than that mean capture. Recordings
of few collisions have half of them by chance."""

MIN_SHOWN = 0.3
"""Share of the expected collisions that must be those of stations of which it shows how many there were."""

MAX_MORE = 3.0
"""How many times more collisions than expected are believed."""


def of_senders(rows: pl.DataFrame, traced: pl.DataFrame) -> pl.DataFrame:
    """With `failures`, `survived`, `collisions` and `corrected` of each sender; null where failures do not show.

    Args:
        rows: sums per sender with `collisions`, those expected, and what of the failures loss explains: `lost`
            `rts_lost`.
        traced: of :func:`.traced_collisions.of_media`.
    """
    return _as_traced(_collided(_failed_and_survived(rows)), traced)


def is_own() -> pl.Expr:
    """True of the recorder's own frames."""
    return (pl.col("sender") == pl.col("observer")).fill_null(False)


def _failed_and_survived(rows: pl.DataFrame) -> pl.DataFrame:
    """With `failures` that loss does not explain (null: they do not show), and what `survived` a collision.

    Behind RTS, whose Retry bit is never set, no failure shows; what survived does, and of as many collisions as are
    expected the others failed.
    """
    own, with_rts = is_own(), pl.col("with_rts") * 2 >= pl.col("accesses")
    by_retries = pl.when(~with_rts & ~completeness.is_put_back()).then(
        pl.col("retries") / pl.col("heard_share").clip(0.05)
    )
    missed = pl.when(own & ~completeness.is_partial()).then(pl.col("accesses") - pl.col("done")).otherwise(by_retries)
    rows = rows.with_columns(failures=(missed - pl.col("lost") - pl.col("rts_lost")).clip(0))
    # Frames that a third station did not hear because they collided, but whose receiver did, are never repeated.
    # Aggregates to the receiver of others' frames all collide there: what is missing of them the recorder missed. It
    # misses the same share of MPDUs as of answers, and of data as of that whose RTS it heard.
    single = pl.col("aggregating") * 2 <= pl.col("done")
    each = (pl.col("mpdus") / pl.col("carried").clip(1)).clip(1)
    frames = pl.when(single).then(1.0).otherwise((1 - pl.col("together")) / each)
    data_missed = pl.when(with_rts).then(quotient(pl.col("rts_unheard"), pl.col("with_rts").clip(1))).otherwise(0.0)
    missed_anyway = pl.when(single).then(data_missed).otherwise("answer_missed") * pl.col("advanced")
    gaps = (pl.col("advanced") - pl.col("advanced_heard") - missed_anyway).clip(0) * frames
    survived = gaps * (2 - gaps / pl.col("collisions").clip(1e-3)).clip(0, 1)
    behind_rts = with_rts & single
    shows = ~own & (pl.col("failures").is_not_null() | behind_rts)
    rows = rows.with_columns(survived=pl.when(shows).then(survived).otherwise(0.0))
    others = pl.when(behind_rts & (pl.col("survived") > 0)).then((pl.col("collisions") - pl.col("survived")).clip(0))
    return rows.with_columns(failures=pl.coalesce("failures", others))


def _collided(rows: pl.DataFrame) -> pl.DataFrame:
    """With `collisions` that say something of capture in place of those expected; null where failures do not show.

    And `corrected`: they follow from what survived.
    """
    # Where it shows how many there were, that is trusted.
    shown = pl.col("survived") > 0
    seen = pl.col("failures") + pl.col("survived")
    among = ordered_sum(pl.col("collisions").filter(shown)).over("medium")
    enough = among > MIN_SHOWN * ordered_sum(pl.col("collisions")).over("medium")
    more = pl.when(enough).then(ordered_sum(seen.filter(shown)).over("medium") / among).clip(1, MAX_MORE)
    of_recorder = is_own() & more.is_not_null()
    collisions = (
        pl.when(shown)
        .then(pl.max_horizontal("collisions", EXPECTED_WITHIN * seen))
        .when(of_recorder)
        .then(EXPECTED_WITHIN * more * pl.col("collisions"))
        .otherwise("collisions")
    )
    known = pl.col("failures").is_not_null()
    return rows.with_columns(
        collisions=pl.when(known).then(collisions * _by_chance()),
        corrected=(shown | of_recorder).fill_null(False),
    )


def _as_traced(rows: pl.DataFrame, traced: pl.DataFrame) -> pl.DataFrame:
    """With the collisions, and the failures among them, that a trace shows in place of those worked out."""
    of_senders = traced.filter(pl.col("receiver").is_null()).select(
        "medium", "sender", "met", "met_failed", *traced_collisions.ORDERS
    )
    rows = rows.join(of_senders, on=["medium", "sender"], how="left", maintain_order="left")
    return rows.with_columns(
        collisions=pl.coalesce(pl.col("met").cast(pl.Float64), "collisions"),
        failures=pl.coalesce(pl.col("met_failed").cast(pl.Float64), "failures"),
    )


def is_traced() -> pl.Expr:
    """The number of collisions is known."""
    return pl.col("met").is_not_null()


def _by_chance() -> pl.Expr:
    """Share of a sender's collisions that are by chance.

    All of one whose packets come at random; of one whose packets come at equal intervals those with random ones alone.
    """
    regular, random = pl.col("regularity"), pl.col("accesses") * (1 - pl.col("regularity"))
    others = pl.col("accesses").sum().over("medium") - pl.col("accesses")
    random_others = ordered_sum(random).over("medium") - random
    return 1 - regular + regular * (random_others / others.clip(1)).clip(0, 1)
