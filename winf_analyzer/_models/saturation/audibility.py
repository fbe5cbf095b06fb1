"""Whether a station of which only the answers to it are heard is hidden from the others, or from the recorder alone.

A station that hears the others begins only when they are silent, so that the answer to it begins no sooner than its data
takes after the end of what was heard before. One that does not hear them begins at any time: of its n answers

    n x lambda x t

begin within t of an end, where lambda is how often anything ends. With t shorter than any data, a station in range has
none of these.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import quotient

PREAMBLES = 4
"""Preambles and headers that t is long, besides :data:`DATA_NS`: shorter than data of any size worth counting."""

DATA_NS = 100_000
"""The part of t that does not grow with the preamble."""

MIN_EXPECTED = 3.0
"""Answers within t that must be expected of a hidden station before their absence says anything."""

MAX_SHARE = 0.25
"""Share of those expected up to which a station counts as one in range."""


def close_ns() -> pl.Expr:
    """The t of an exchange."""
    return PREAMBLES * pl.col("t_plcp") + DATA_NS + pl.col("t_sifs")


def in_range(links: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """`medium sender in_range`, from the sums per window and link.

    A sniffer that belongs to nobody (`observer` null) may be out of range of stations that hear one another: for it all
    are in range.
    """
    covered = links.select("medium", "window_start_ns", "covered_ns").unique()
    covered = covered.group_by("medium").agg(pl.col("covered_ns").sum())
    counts = ("accesses", "unheard", "unheard_close", "close_ns")
    sums = links.group_by("medium", "sender").agg(pl.col(counts).sum()).join(covered, on="medium")
    sums = sums.join(media.select("medium", "observer"), on="medium")
    heard = (pl.col("accesses") - pl.col("unheard")).sum().over("medium")
    expected = quotient(pl.col("close_ns") * heard, pl.col("covered_ns").clip(1))
    contradicted = (expected >= MIN_EXPECTED) & (pl.col("unheard_close") < MAX_SHARE * expected)
    return sums.select("medium", "sender", in_range=pl.col("observer").is_null() | contradicted)
