"""A sender whose frames surely survive collisions: nearer to the receiver than the stations it collides with.

The share of a sender's collisions that destroy is presumed to be that of its medium, until its own failures tell
otherwise (:mod:`.collision_survival`); and the number of collisions expected is trusted to a factor of two. Beside far
stations the frames of a near one survive nearly all collisions while theirs survive none: then neither holds. How good
the expectation is, the failures of the others show; and where the sender's own are fewer than chance explains, they
count alone (docs/decisions/0172).
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import ordered_sum
from winf_analyzer._models.saturation.failures.shown_collisions import EXPECTED_WITHIN

PRESUMED = 10.0
"""Collisions of others that are presumed to show :data:`.EXPECTED_WITHIN` before the first is seen."""

BY_CHANCE = 3.0
"""Standard deviations by which there may be fewer failures than collisions that destroy."""

SURELY = 0.5
"""Share of the collisions expected by which failures must be fewer than chance explains, to count alone."""


def trusted_within() -> pl.Expr:
    """Factor to which the collisions expected of a sender are trusted, 1 to :data:`.EXPECTED_WITHIN`.

    As many as the failures of the other senders in its medium are fewer than those expected of them. Reads `failures`
    and `collisions`, null where failures do not show, and `corrected`: the collisions were set by what survived.
    """
    shows = pl.col("failures").is_not_null() & pl.col("collisions").is_not_null() & ~pl.col("corrected")

    def of_others(value: str) -> pl.Expr:
        shown = pl.when(shows).then(value).otherwise(0.0)
        return ordered_sum(shown).over("medium") - shown

    expected, failed = of_others("collisions") + PRESUMED, of_others("failures") + PRESUMED / EXPECTED_WITHIN
    return (expected / failed).clip(1, EXPECTED_WITHIN)


def with_survivors(share: pl.Expr, failures: pl.Expr, collisions: pl.Expr, within: pl.Expr) -> pl.Expr:
    """`share`, or that of a sender's own failures where these are surely fewer.

    Between the two where it is not quite sure. Laplace's rule keeps the own share from 0.

    Args:
        share: of its collisions that destroy, as presumed of its medium and shown by its failures.
        failures: beyond loss.
        collisions: expected.
        within: factor to which that number is trusted.
    """
    most = within * (failures + BY_CHANCE * (failures + 1).sqrt())
    surely = ((collisions - most) / (SURELY * collisions.clip(1))).clip(0, 1)
    own = (within * failures + 1) / (collisions + 2)
    return share + surely * (own - share).clip(upper_bound=0)
