"""What the recommended answer predicts for backlogged spells, from what it knows without them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._evaluate.validation.backlog import IDLE_SHARE, LINK, MEDIUM
from winf_analyzer._util.scratch import scratch_folder
from winf_analyzer._util.whole_sums import total

if TYPE_CHECKING:
    import polars as pl

KEYS = (*MEDIUM, *LINK)
METHODS = {
    "rest": "windows of the same link, nearest in time, in which its sender was not backlogged and as many others were",
    "spell": "the other stations' traffic in the spell, none of them backlogged, and a few of the link's own exchanges",
}
"""How a spell is predicted."""

NEAREST = 10
"""Windows without backlog that a prediction from the rest of a recording rests on, at most."""

KEPT = 5
"""Exchanges of a backlogged link that are left in each window for the prediction from its spell."""

ANSWER = ("available_bps", "available_low_bps", "available_high_bps")
RECOMMENDED, ESTIMATOR, MODE = "recommended", "saturation", "corrected"


def from_the_rest(dataset: Dataset, backlog: pl.DataFrame, spells: pl.DataFrame, window_ns: int) -> pl.DataFrame:
    """Each spell predicted from windows of its link in which its sender had spare time.

    What a saturating flow would have got in such a window is the available bandwidth and what the link delivered
    itself.
    """
    import polars as pl

    idle = backlog.filter(~pl.col("backlogged") & (pl.col("excess_share") > IDLE_SHARE))
    attainable = _attainable(dataset, idle, window_ns)
    distance = (pl.col("window_start_ns") - pl.col("start_ns")).abs()
    among = idle.select(*KEYS, "window_start_ns", "others")
    attainable = attainable.join(among, on=[*KEYS, "window_start_ns"], nulls_equal=True)
    pairs = spells.join(attainable, on=[*KEYS, "others"], nulls_equal=True).sort(distance, maintain_order=True)
    nearest = pairs.group_by(*KEYS, "start_ns", maintain_order=True).head(NEAREST)
    return _per_spell(nearest, pl.element().median()).with_columns(method=pl.lit("rest"))


def from_the_spell(dataset: Dataset, backlog: pl.DataFrame, spells: pl.DataFrame, window_ns: int) -> pl.DataFrame:
    """Each spell predicted from the other stations' traffic in it: of the link's own, few exchanges are left.

    The exchanges that are taken out leave the medium idle, as if the sender had had little to send. Another station
    that was backlogged would have sent more then, and how much is not known: windows with such a station say nothing.
    """
    import polars as pl

    from winf_analyzer._models.saturation.recorded import completeness

    end = pl.col("end_ns") // window_ns * window_ns
    held = (
        backlog.filter(pl.col("backlogged") & (pl.col("others") == 0))
        .select(*KEYS, "window_start_ns")
        .with_columns(thinned=pl.lit(value=True))
    )
    exchanges = dataset.scan("exchanges").with_columns(window_start_ns=end).collect()
    marked = exchanges.join(held, on=[*KEYS, "window_start_ns"], how="left", nulls_equal=True, maintain_order="left")
    place = pl.int_range(pl.len()).over(*KEYS, "window_start_ns")
    step = pl.max_horizontal(pl.len().over(*KEYS, "window_start_ns") // KEPT, 1)
    kept = marked.filter(pl.col("thinned").is_null() | (place % step == 0))
    own = (
        kept.filter("thinned")
        .group_by(*KEYS, "window_start_ns")
        .agg(delivered_bits=total(pl.col("payload_bytes").filter(pl.col("complete").fill_null(value=False))) * 8)
    )
    # Numbers that are taken out are missing: what is available is on top of what the model takes the link to have sent.
    own = own.join(_recorded(marked, kept), on=[*KEYS, "window_start_ns"], nulls_equal=True)
    own = own.with_columns(completeness.unicast_heard("delivered_bits"))
    with scratch_folder() as folder:
        copy = folder / "thinned.winf"
        shutil.copytree(dataset.path, copy)
        thinned = Dataset.open(copy)
        thinned.replace_table("exchanges", _idle_anew(kept.select(exchanges.columns).drop("window_start_ns")))
        attainable = _attainable(thinned, own, window_ns)
    inside = (pl.col("window_start_ns") >= pl.col("start_ns")) & (
        pl.col("window_start_ns") < pl.col("start_ns") + pl.col("duration_ns")
    )
    pairs = spells.join(attainable, on=list(KEYS), nulls_equal=True).filter(inside)
    return _per_spell(pairs, pl.element().mean()).with_columns(method=pl.lit("spell"))


def _recorded(exchanges: pl.DataFrame, kept: pl.DataFrame) -> pl.DataFrame:
    """:data:`KEYS`, `window_start_ns`, and what :func:`.completeness.unicast_heard` reads of a link's numbers."""
    import polars as pl

    from winf_analyzer._models.saturation.recorded import completeness

    advanced, heard = (
        each.group_by(*KEYS, "window_start_ns").agg(pl.col("mpdus").sum().alias(name))
        for each, name in ((exchanges, "advanced"), (kept, "advanced_heard"))
    )
    both = advanced.join(heard, on=[*KEYS, "window_start_ns"], nulls_equal=True)
    whole = both.group_by(KEYS).agg(pl.col("advanced", "advanced_heard").sum())
    whole = whole.select(*KEYS, heard_share=completeness.numbered_share())
    return both.join(whole, on=list(KEYS), nulls_equal=True)


def _idle_anew(exchanges: pl.DataFrame) -> pl.DataFrame:
    """The exchanges with the idle time before each as it is without those that were taken out."""
    import polars as pl

    ordered = exchanges.sort(*MEDIUM, "start_ns", "exchange_no", nulls_last=True)
    before = pl.col("end_ns").cum_max().shift(1).over(MEDIUM)
    idle = ((pl.col("start_ns") - before) / 1000).clip(lower_bound=0)
    return ordered.with_columns(
        idle_before_us=pl.when(pl.col("idle_before_us").is_not_null()).then(idle),
        backoff_us=pl.lit(None, pl.Float64),
    )


def _attainable(dataset: Dataset, windows: pl.DataFrame, window_ns: int) -> pl.DataFrame:
    """What a saturating flow would have got in these windows of its link: available and delivered together, bit/s."""
    import polars as pl

    from winf_analyzer.estimators._write import estimate

    estimates = estimate(dataset, estimators=[ESTIMATOR], mode=MODE, window=window_ns)
    if RECOMMENDED in dataset.tables:
        rows = dataset.scan(RECOMMENDED).filter(~pl.col("whole")).collect()
    else:
        rows = estimates.filter(pl.col("estimator") == ESTIMATOR, pl.col("mode") == MODE, pl.col("path").is_null())
        order = pl.col("state").replace_strict(["sender", "receiver", "onlooker"], [0, 1, 2], default=3)
        rows = rows.sort(order, maintain_order=True)
    rows = rows.unique([*KEYS, "window_start_ns"], keep="first", maintain_order=True)
    own = pl.col("delivered_bits") * 1e9 / window_ns
    return windows.join(
        rows.select(*KEYS, "window_start_ns", *ANSWER), on=[*KEYS, "window_start_ns"], nulls_equal=True
    ).select(*KEYS, "window_start_ns", *(pl.col(name) + own for name in ANSWER))


def _per_spell(pairs: pl.DataFrame, summary: pl.Expr) -> pl.DataFrame:
    """One prediction per spell: the summary of value and bounds over the windows that have an answer."""
    import polars as pl

    names = ("predicted_bps", "predicted_low_bps", "predicted_high_bps")
    answered = pairs.filter(pl.col("available_bps").is_not_null())
    values = (
        pl.col(column).drop_nulls().implode().list.eval(summary).list.first().alias(name)
        for column, name in zip(ANSWER, names, strict=True)
    )
    return answered.group_by(*KEYS, "start_ns", maintain_order=True).agg(pl.len().alias("windows"), *values)
