"""Predictions beside what was delivered, and why there is nothing to predict."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from winf_analyzer._evaluate.validation.backlog import EARLY_SHARE, EXCESS_SHARE, MISSED_SHARE, PACKETS
from winf_analyzer._evaluate.validation.predictions import KEYS, METHODS

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._dataset.dataset import Dataset

NO_PREDICTION = {
    "rest": "no answer in a window of the link without backlog and with as many others backlogged",
    "spell": "another station was backlogged, or no answer without the link's own traffic",
}
"""Why a spell has no prediction, by method."""


def scored(spells: pl.DataFrame, predictions: Iterable[pl.DataFrame], recorder: str, source: str) -> pl.DataFrame:
    """The rows of :attr:`.Validation.spells`: each spell once per method."""
    import polars as pl

    empty: dict[str, Any] = {
        **{name: spells.schema[name] for name in (*KEYS, "start_ns")},
        "windows": pl.UInt32,
        **dict.fromkeys(("predicted_bps", "predicted_low_bps", "predicted_high_bps"), pl.Float64),
        "method": pl.String,
    }
    found = pl.concat([pl.DataFrame(schema=empty), *(each.select(*empty) for each in predictions)])
    methods = pl.DataFrame({"method": list(METHODS)})
    rows = spells.join(methods, how="cross").join(found, on=[*KEYS, "start_ns", "method"], how="left", nulls_equal=True)
    truth = pl.col("delivered_bps")
    inside = truth.is_between("predicted_low_bps", "predicted_high_bps")
    given = pl.col("predicted_bps").is_not_null()
    return rows.select(
        pl.lit(recorder).alias("recorder"),
        pl.lit(source).alias("source"),
        *(name for name in (*KEYS[1:], "start_ns", "duration_ns", "packets", "delivered_bps")),
        "method",
        "windows",
        "predicted_bps",
        "predicted_low_bps",
        "predicted_high_bps",
        error=pl.when(truth > 0).then(pl.col("predicted_bps") / truth - 1),
        covered=pl.when(given).then(inside.fill_null(value=False)),
        reason=pl.when(~given).then(pl.col("method").replace_strict(NO_PREDICTION, default=None)),
    )


def without_spells(dataset: Dataset, windows: pl.DataFrame) -> str:
    """Why no station of a recording was found backlogged: what stops most windows."""
    import polars as pl

    if windows.is_empty():
        timed = dataset.scan("exchanges").select(pl.col("start_ns").is_not_null().any()).collect().item()
        return "no data frames between two stations" if timed else "no frame has a start on the air"
    busy = windows.filter(pl.col("packets") >= PACKETS / 3)
    if busy.is_empty():
        return "no link is busy enough"
    causes = {
        "nothing that was sent was answered": pl.col("delivered_bits") == 0,
        "senders had nothing to send, or others were not heard": pl.col("excess_share") > EXCESS_SHARE,
        "frames were missed": pl.col("missed_share") > MISSED_SHARE,
        "stamps do not fit channel access": pl.col("early_share") > EARLY_SHARE,
        "senders waited longer than a backoff": pl.col("median_backoff") > 1,
    }
    shares = busy.select(**{cause: stopped.mean() for cause, stopped in causes.items()}).row(0, named=True)
    cause, share = max(shares.items(), key=lambda entry: entry[1] or 0)
    return f"{cause} ({100 * share:.0f} % of the busy windows)" if share else "spells are too short"
