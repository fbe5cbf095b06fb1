"""The ``hidden_pairs`` table: stations that do not hear one another, with the evidence and how sure it is.

Two senders that are hidden from each other do not defer to each other and collide where both are heard. The table is
directed: `hidden_from` does not hear `sender`. Three kinds of evidence (:mod:`.evidence`) are weighed apart:

    by answers   w = lower end of Wilson's interval of unheard / answered
    by starts    1 - 2^-(late_starts - g), g: a thousandth of hidden_from's attempts, in which carrier sense or a
                 clock may have erred
    by loss      (1 - p)/2, p of Fisher's exact test of failed x overlapped attempts: overlap that hurts is
                 overlap that happened, but a common cause can do the same

    confidence = (1 - (1 - by answers)(1 - by starts)(1 - by loss)) (1 - heard)

`heard` is what speaks against: 1 where the two answered each other, else the share of the sender's frames that
`hidden_from` received as the `neighbours` table knows it, 0 where it does not. Hidden is a matter of degree: a pair
that hears each other half of the time gets half the confidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.nodes import Column
from winf_analyzer._hidden import evidence
from winf_analyzer._hidden.association import fisher, odds_ratio, wilson_lower

if TYPE_CHECKING:
    import os

HIDDEN_PAIRS = (
    Column("source", pl.String(), "recording the evidence is from"),
    Column("observer", pl.String(), "whose radio recorded it; null: an anonymous sniffer, or all nodes of a trace"),
    Column("sender", pl.String(), "station that is not heard"),
    Column("hidden_from", pl.String(), "station that does not hear it"),
    Column("receiver", pl.String(), "station both send to, where they collide; null: none is known"),
    Column("answered", pl.Int64(), "the sender's exchanges that hidden_from's own recording holds a part of"),
    Column("unheard", pl.Int64(), "of them, those with an answer to the sender and no frame of the sender"),
    Column(
        "late_starts", pl.Int64(), "times that hidden_from began while the sender was sending, not in the same slot"
    ),
    Column("attempts", pl.Int64(), "the sender's attempts in this recording"),
    Column("failed", pl.Int64(), "of them, those without answer"),
    Column(
        "overlapped", pl.Int64(), "overlaps of an attempt and an exchange of hidden_from, not begun in the same slot"
    ),
    Column("overlapped_failed", pl.Int64(), "of them, those without answer"),
    Column("overlap_us", pl.Float64(), "how long they overlapped in all, us"),
    Column("odds_ratio", pl.Float64(), "odds to fail with overlap over the odds without; null: nothing overlapped"),
    Column("p_value", pl.Float64(), "chance of so many failures with overlap if overlap did no harm (Fisher)"),
    Column("mutual", pl.Boolean(), "the sender does not hear hidden_from either, more likely than not"),
    Column("confidence", pl.Float64(), "0 to 1; claimed from 0.5"),
)
"""Columns of the table."""

HIDDEN_PAIRS_SCHEMA = pl.Schema({column.name: column.dtype for column in HIDDEN_PAIRS})
"""Names and types of :data:`HIDDEN_PAIRS`, in order."""

ERRORS = 1e-3
"""Share of a station's starts that may be late though it hears: carrier sense is no certainty, and clocks err."""

CLAIMED = 0.5
"""Confidence from which a pair is more likely hidden than not."""


def hidden_pairs(dataset: Dataset | str | os.PathLike[str]) -> pl.DataFrame:
    """Find the stations that do not hear one another; the dataset's ``hidden_pairs`` table is replaced by the result.

    Args:
        dataset: a dataset or its path.

    Returns:
        The columns of :data:`HIDDEN_PAIRS`, a row for every pair, direction and recording with any evidence, the surest
        first. Recordings of one channel that were not merged say nothing together: their clocks may differ.

    Raises:
        DatasetError: no dataset there, or it cannot be written.
    """
    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    dataset.check_tables("hidden_pairs")
    pairs = find(dataset.scan("exchanges"), dataset.scan("neighbours"))
    dataset.replace_table("hidden_pairs", pairs)
    return pairs


def find(exchanges: pl.LazyFrame, neighbours: pl.LazyFrame) -> pl.DataFrame:
    """The ``hidden_pairs`` table of these two tables; in memory bounded by the number of pairs."""
    links, by_time = evidence.gather(exchanges)
    direct = evidence.unheard_senders(links).filter(pl.col("unheard") > 0)
    observers = links.group_by("source").agg(pl.col("observer").n_unique(), only=pl.col("observer").first())
    recorders = observers.select("source", observer=pl.when(pl.col("observer") == 1).then("only"))
    by_time = by_time.join(recorders, on="source")
    pairs = direct.join(by_time, on=evidence.PAIR, how="full", coalesce=True, nulls_equal=True)
    attempts = evidence.attempts(links)
    others = attempts.select("source", other="sender", starts="attempts")
    pairs = pairs.join(attempts, on=["source", "sender"], how="left").join(others, on=["source", "other"], how="left")
    pairs = pairs.join(evidence.common_receivers(links), on=["sender", "other"], how="left")
    pairs = pairs.with_columns(pl.col(*_COUNTS, "overlap_ns").fill_null(0))
    pairs = pairs.with_columns(overlap_us=pl.col("overlap_ns") / 1e3)
    pairs = _weighed(pairs.join(_heard(links, neighbours), on=["sender", "other"], how="left"))
    back = pairs.group_by(sender="other", other="sender").agg(back=pl.col("confidence").max())
    return (
        pairs.join(back, on=["sender", "other"], how="left")
        .with_columns(mutual=pl.col("back").fill_null(0) >= CLAIMED)
        .rename({"other": "hidden_from"})
        .select(pl.col(name).cast(dtype) for name, dtype in HIDDEN_PAIRS_SCHEMA.items())
        .sort("confidence", "source", "observer", "sender", "hidden_from", descending=[True, *[False] * 4])
    )


_COUNTS = ("answered", "unheard", "late_starts", "starts", "attempts", "failed", "overlapped", "overlapped_failed")


def _heard(links: pl.DataFrame, neighbours: pl.LazyFrame) -> pl.DataFrame:
    """`sender`, `other` and `heard`: the share of the sender's frames that the other receives, as far as is known."""
    known = evidence.acquaintances(links).with_columns(heard=pl.lit(1.0))
    ratios = neighbours.select(sender="neighbour", other="node", heard="delivery_ratio").drop_nulls()
    both = pl.concat([known, ratios.collect(engine="streaming")])
    return both.group_by("sender", "other").agg(pl.col("heard").max())


def _weighed(pairs: pl.DataFrame) -> pl.DataFrame:
    """With odds ratio, p-value and confidence."""
    weighed = [_weigh(*row) for row in pairs.select(*_COUNTS, "heard").iter_rows()]
    schema = dict.fromkeys(("odds_ratio", "p_value", "confidence"), pl.Float64)
    return pl.concat([pairs, pl.DataFrame(weighed, schema=schema, orient="row")], how="horizontal")


def _weigh(
    answered: int,
    unheard: int,
    late: int,
    starts: int,
    attempts: int,
    failed: int,
    overlapped: int,
    hurt: int,
    heard: float | None,
) -> tuple[float | None, float | None, float]:
    """Odds ratio, p-value and confidence of one pair."""
    odds = p_value = None
    evident = max(0.0, late - ERRORS * starts)
    doubt = (1 - wilson_lower(unheard, answered)) * 0.5 ** min(evident, 64)
    if overlapped > 0:
        alone_failed = max(0, failed - hurt)
        cells = (hurt, overlapped - hurt, alone_failed, max(0, attempts - overlapped - alone_failed))
        odds, p_value = odds_ratio(*cells), fisher(*cells)
        doubt *= 1 - (1 - p_value) / 2
    return odds, p_value, (1 - doubt) * (1 - min(1.0, heard or 0.0))
