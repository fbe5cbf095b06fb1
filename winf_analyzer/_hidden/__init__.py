"""The ``hidden_pairs`` table: stations that do not hear each other, with evidence and confidence.

Two senders that are hidden from each other do not defer to each other and collide at a receiver that hears both. The
table is directed: `hidden_from` does not hear `sender`. It combines three kinds of evidence (:mod:`.evidence`):

    responses    c w, w = lower bound of Wilson's interval of unheard / answered; c = 1 where RTS are not
                 heard or the recorder's own attempts fail as they would beside a hidden station, 0 where far fewer
                 fail, 1/2 where that is open; in a trace of all nodes 0 where the two do not start while the other
                 transmits, at most 1/2 where too few such starts are expected
    late starts  1 - 2^-(late_starts - g), g: a thousandth of hidden_from's attempts, for errors of carrier sense
                 and clocks, or more if the recording shows that they err more often; at least a tenth of the late
                 starts that a hidden station would have (:mod:`.expected`)
    loss         (1 - p)/2, p of Fisher's exact test of failed x overlapped attempts; a common cause may explain the
                 association as well, hence the factor 1/2

    confidence = (1 - (1 - responses)(1 - late starts)(1 - loss)) (1 - heard)

`heard` is the evidence against: 1 if the two stations responded to each other, else the delivery ratio from `sender`
to `hidden_from` in the `neighbours` table, 0 if unknown. A pair that hears each other half of the time therefore gets
half the confidence.

Stations of one radio (`nodes.radio`) are no pair: they cannot be hidden from one another. If they seem to overlap, or
if the audit finds other overlaps that cannot be, the clock errs, and times of that recording weigh less or nothing
(:mod:`.clock`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from winf_analyzer import _schema
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._hidden import clock, evidence, expected
from winf_analyzer._hidden.association import fisher, odds_ratio, wilson_lower

if TYPE_CHECKING:
    import os

MIN_CONFIDENCE = 0.5
"""Confidence from which a pair counts as hidden."""


@reads_dataset
def hidden_pairs(dataset: Dataset | str | os.PathLike[str]) -> pl.DataFrame:
    """Find stations that do not hear each other, and replace the dataset's ``hidden_pairs`` table.

    Args:
        dataset: a dataset or its path.

    Returns:
        The table, a row for every pair, direction and recording with any evidence, highest confidence first.
        Recordings that were not merged are evaluated separately, because their clocks may differ.

    Raises:
        DatasetError: there is no dataset at this path, or it cannot be written.
    """
    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    dataset.check_tables("hidden_pairs")
    pairs = pairs_of(dataset)
    dataset.replace_table("hidden_pairs", pairs)
    return pairs


def pairs_of(
    dataset: Dataset, exchanges: pl.LazyFrame | None = None, neighbours: pl.LazyFrame | None = None
) -> pl.DataFrame:
    """What :func:`hidden_pairs` returns, and nothing is written; of these tables in place of the dataset's own."""
    exchanges = dataset.scan("exchanges") if exchanges is None else exchanges
    neighbours = dataset.scan("neighbours") if neighbours is None else neighbours
    nodes = dataset.scan("nodes").select("node", "radio").collect() if dataset.parts("nodes") else None
    audit = dataset.scan("audit").collect() if dataset.parts("audit") else None
    return find(exchanges, neighbours, nodes, audit)


def find(
    exchanges: pl.LazyFrame,
    neighbours: pl.LazyFrame,
    nodes: pl.DataFrame | None = None,
    audit: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """The ``hidden_pairs`` table from these tables, in memory proportional to the number of pairs.

    Args:
        exchanges: the table.
        neighbours: the table.
        nodes: `node` and `radio`; None: each station is a radio of its own.
        audit: the table; None: there was no audit.
    """
    links, overlaps, active = evidence.collect_evidence(exchanges)
    by_time = overlaps
    unheard = evidence.unheard_senders(links).filter(pl.col("unheard") > 0)
    if unheard.is_empty() and by_time.is_empty():  # thirty steps, each of which takes as long without rows
        return pl.DataFrame(schema=_schema.schema("hidden_pairs"))
    unheard = unheard.join(expected.failures(active, links), on=["source", "observer", "sender"], how="left")
    observers = links.group_by("source").agg(pl.col("observer").n_unique(), only=pl.col("observer").first())
    recorders = observers.select("source", observer=pl.when(pl.col("observer") == 1).then("only"))
    radios = nodes if nodes is not None else pl.DataFrame(schema={"node": pl.String, "radio": pl.String})
    attempts = evidence.attempts(links)
    errors = clock.error_rates(by_time, attempts, radios, audit)
    by_time = by_time.join(recorders, on="source").join(errors, on="source", how="left")
    by_time = by_time.filter(pl.col("error_rate").fill_null(0) <= clock.MAX_ERROR_RATE)
    pairs = unheard.join(by_time, on=evidence.PAIR, how="full", coalesce=True, nulls_equal=True)
    pairs = clock.of_different_radios(pairs, radios)
    pairs = pairs.join(expected.late_starts(active), on=["source", "sender"], how="left")
    others = attempts.select("source", other="sender", starts="attempts")
    pairs = pairs.join(attempts, on=["source", "sender"], how="left").join(others, on=["source", "other"], how="left")
    unwaited = expected.waits(pairs, overlaps, active, evidence.global_traces(links))
    pairs = pairs.join(unwaited, on=["source", "sender", "other"], how="left", nulls_equal=True)
    pairs = pairs.join(evidence.common_receivers(links, pairs), on=["sender", "other"], how="left")
    pairs = pairs.with_columns(pl.col(*_COUNTS, "overlap_ns").fill_null(0))
    pairs = pairs.with_columns(overlap_us=pl.col("overlap_ns") / 1e3)
    pairs = _with_confidence(pairs.join(_delivery_ratios(links, neighbours), on=["sender", "other"], how="left"))
    back = pairs.group_by(sender="other", other="sender").agg(back=pl.col("confidence").max())
    return (
        pairs.join(back, on=["sender", "other"], how="left")
        .with_columns(mutual=pl.col("back").fill_null(0) >= MIN_CONFIDENCE)
        .rename({"other": "hidden_from"})
        .select(pl.col(name).cast(dtype) for name, dtype in _schema.schema("hidden_pairs").items())
        .sort("confidence", "source", "observer", "sender", "hidden_from", descending=[True, *[False] * 4])
    )


_COUNTS = ("answered", "unheard", "late_starts", "starts", "attempts", "failed", "overlapped", "overlapped_failed")


def _delivery_ratios(links: pl.DataFrame, neighbours: pl.LazyFrame) -> pl.DataFrame:
    """`sender`, `other` and `heard`: the known delivery ratios from the sender to the other station."""
    known = evidence.answering_pairs(links).with_columns(heard=pl.lit(1.0))
    ratios = neighbours.select(sender="neighbour", other="node", heard="delivery_ratio").drop_nulls()
    both = pl.concat([known, ratios.collect(engine="streaming")])
    return both.group_by("sender", "other").agg(pl.col("heard").max())


def _with_confidence(pairs: pl.DataFrame) -> pl.DataFrame:
    """The pairs with odds ratio, p-value and confidence."""
    rates = pl.max_horizontal(
        pl.col("error_rate").fill_null(clock.ERROR_RATE), expected.HEARD_LATE * pl.col("late_share").fill_null(0)
    )
    confirmed = pl.min_horizontal(pl.col("confirmed").fill_null(expected.UNCONFIRMED), "unwaited")
    weighed = [_confidence(*row) for row in pairs.select(*_COUNTS, "heard", rates, confirmed).iter_rows()]
    schema = dict.fromkeys(("odds_ratio", "p_value", "confidence"), pl.Float64)
    return pl.concat([pairs, pl.DataFrame(weighed, schema=schema, orient="row")], how="horizontal")


def _confidence(
    answered: int,
    unheard: int,
    late_starts: int,
    starts: int,
    attempts: int,
    failed: int,
    overlapped: int,
    overlapped_failed: int,
    heard: float | None,
    error_rate: float,
    confirmed: float,
) -> tuple[float | None, float | None, float]:
    """Odds ratio, p-value and confidence of one pair."""
    odds = p_value = None
    excess_late_starts = max(0.0, late_starts - error_rate * starts)
    doubt = (1 - confirmed * wilson_lower(unheard, answered)) * 0.5 ** min(excess_late_starts, 64)
    if overlapped > 0:
        alone_failed = max(0, failed - overlapped_failed)
        cells = (
            overlapped_failed,
            overlapped - overlapped_failed,
            alone_failed,
            max(0, attempts - overlapped - alone_failed),
        )
        odds, p_value = odds_ratio(*cells), fisher(*cells)
        doubt *= 1 - (1 - p_value) / 2
    return odds, p_value, (1 - doubt) * (1 - min(1.0, heard or 0.0))
