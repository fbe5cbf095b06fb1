"""Two senders that do not hear each other, in the recording of a third station that hears both.

Where their frames overlap, the recorder decodes neither, as their receiver does not: no frame is heard without an
answer, but many are heard as repetitions of one that was not heard. Stations that hear each other collide where both
draw the same slot, hidden ones wherever their frames overlap, which are many times as many. What the channel alone
loses on its way to the receiver, the recorder would have heard.

Of more than two senders it is not told who does not hear whom.
"""

import polars as pl

from winf_analyzer._aggregate.exchange_columns import quotient
from winf_analyzer._hidden.expected import overlap
from winf_analyzer._models.saturation import completeness, expected_collisions

MIN_DIFFERENCE = 10.0
"""Failures by which the readings must differ."""

UNHEARD = 0.8
"""Share of a sender's failed attempts that must not have been heard."""

HEARD = 0.8
"""Share of its other attempts that must have been heard: a recorder at the edge of its range misses both kinds."""


def told(links: pl.DataFrame, simulated: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """`links` with `unaware` true of senders that do not hear each other.

    Args:
        links: sums per window and link, with :func:`.completeness.with_shares`.
        simulated: what :func:`.expected_collisions.as_recorded` returns of them, all in range.
        media: `medium observer`.
    """
    third = media.filter(pl.col("observer").is_null())["medium"]
    senders = _pairs(links.filter(pl.col("medium").is_in(third.implode()), ~completeness.is_traced()))
    if senders.is_empty():
        return links
    beside = expected_collisions.collided(simulated).rename({"collided": "beside"})
    rows = senders.join(beside, on=["medium", "sender"])
    of_other = {name: pl.col(name).sum().over("medium") - pl.col(name) for name in ("sent", "air_ns")}
    other_ns = quotient(of_other["air_ns"], of_other["sent"].clip(1))
    meets = overlap(
        of_other["sent"] / pl.col("covered_ns"), quotient(pl.col("air_ns"), pl.col("sent").clip(1)), other_ns
    )
    rows = rows.with_columns(overlapped=pl.col("sent") * meets)
    enough = pl.col("overlapped") - pl.col("beside") >= MIN_DIFFERENCE
    nearer = (pl.col("missed") + 1) ** 2 > (pl.col("beside") + 1) * (pl.col("overlapped") + 1)
    unheard = pl.col("missed") > UNHEARD * (pl.col("missed") + pl.col("silent"))
    unaware = rows.filter((enough & nearer & unheard & (pl.col("heard_share") > HEARD)).all().over("medium"))
    is_unaware = pl.struct("medium", "sender").is_in(unaware.select("medium", "sender").to_struct().implode())
    return links.with_columns(unaware=is_unaware)


def missed() -> pl.Expr:
    """Attempts that failed and were not heard, at least: repetitions, less what was heard without an answer."""
    return (quotient(pl.col("retries"), pl.col("heard_share").clip(0.05)) - pl.col("silent")).clip(0)


def _pairs(links: pl.DataFrame) -> pl.DataFrame:
    """Senders of single frames without RTS to one receiver, of media that have two of them."""
    counts = ("accesses", "with_rts", "aggregating", "carried", "retries", "silent", "carried_air_ns")
    covered = links.select("medium", "window_start_ns", "covered_ns").unique()
    covered = covered.group_by("medium").agg(pl.col("covered_ns").sum())
    unicast = links.filter(pl.col("receiver").is_not_null(), pl.col("carried") > 0)
    rows = unicast.group_by("medium", "sender").agg(
        pl.col(counts).sum(),
        pl.col("heard_share").first(),
        pl.col("receiver").first(),
        to=pl.col("receiver").n_unique(),
    )
    two = (pl.len().over("medium") == 2) & (pl.col("receiver").n_unique().over("medium") == 1)
    single = (pl.col("with_rts") == 0) & (pl.col("aggregating") * 2 <= pl.col("carried")) & (pl.col("to") == 1)
    rows = rows.filter(two & single.all().over("medium")).join(covered, on="medium")
    rows = rows.with_columns(missed=missed(), air_ns=quotient(pl.col("carried_air_ns"), pl.col("carried")))
    sent = pl.col("accesses") + pl.col("missed")
    return rows.with_columns(sent=sent, air_ns=pl.col("air_ns") * sent)
