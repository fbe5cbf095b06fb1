"""Recorders that pause: times in which nothing at all was recorded, though stations sent.

Buffers overrun, hosts are busy, radios scan. The time is none in which the medium was idle: as with a radio that hops
(:mod:`.hopping`), a recording is a sequence of stays, and each begins with nothing known of what was before. A stay
reaches beyond its first and last record by the mean time between two records, at most half way into the pause.

Numbers are followed over short pauses: how much was sent meanwhile they tell as well as any other time.
"""

import polars as pl

from winf_analyzer import _core
from winf_analyzer._aggregate.chunks import STAY_TIMES, Context
from winf_analyzer._aggregate.windows import WINDOW, time_inside_ns

LONG_NS = 1_000_000_000
"""In a longer pause numbers may come round, and what is sent may differ from what is sent otherwise."""

SCHEMA = {"source": pl.String, "from_ns": pl.Int64, "to_ns": pl.Int64}


def found(numbers: _core.SequenceGaps) -> pl.DataFrame:
    """`source from_ns to_ns`: the last record before each pause, and the first behind it.

    Args:
        numbers: what :func:`.heard_in` returns.
    """
    return pl.DataFrame(numbers.pauses(), schema=SCHEMA, orient="row")


def stays_between(pauses: pl.DataFrame, media: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """Rows of :attr:`.chunks.Context.stays`: the stays between pauses, of media whose radio does not hop.

    Args:
        pauses: what :func:`found` returns.
        media: `medium source channel_mhz first_ns last_ns`.
        cells: what :func:`.first_scan.cells` returns.
    """
    records = cells.group_by("medium").agg(pl.col("rows").sum())
    here = media.filter(pl.col("channel_mhz").is_null()).with_columns(pl.col("source").cast(pl.String))
    here = here.join(records, on="medium").rename({"first_ns": "since_ns", "last_ns": "until_ns"})
    rows = pauses.join(here.select("medium", "source", "since_ns", "until_ns", "rows"), on="source")
    rows = rows.filter(pl.col("from_ns") > pl.col("since_ns"), pl.col("to_ns") < pl.col("until_ns"))
    length = pl.col("to_ns") - pl.col("from_ns")
    recorded = pl.col("until_ns") - pl.col("since_ns") - length.sum().over("medium")
    reach = pl.min_horizontal(length // 2, recorded // pl.col("rows").clip(1)).clip(0)
    rows = rows.sort("medium", "from_ns").with_columns(reach=reach)
    before = rows.select(
        "medium",
        from_ns=(pl.col("to_ns") - pl.col("reach")).shift().over("medium").fill_null(pl.col("since_ns")),
        to_ns=pl.col("from_ns") + pl.col("reach"),
        first_ns=pl.col("to_ns").shift().over("medium").fill_null(pl.col("since_ns")),
        last_ns=pl.col("from_ns"),
        is_apart=(length > LONG_NS).shift().over("medium").fill_null(value=True),
    )
    last = rows.group_by("medium", maintain_order=True).last()
    behind = last.select(
        "medium",
        from_ns=pl.col("to_ns") - pl.col("reach"),
        to_ns="until_ns",
        first_ns="to_ns",
        last_ns="until_ns",
        is_apart=length > LONG_NS,
    )
    return pl.concat([before, behind]).select("medium", *STAY_TIMES, "is_apart")


def followed_share(context: Context) -> pl.DataFrame:
    """:data:`.windows.WINDOW` and `followed`: of the time over which numbers were followed the share that was recorded.

    Of media whose recorder paused for moments.
    """
    stays = context.stays.sort("from_ns").with_columns(run=pl.col("is_apart").cum_sum().over("medium"))
    length = pl.col("to_ns") - pl.col("from_ns")
    runs = stays.group_by("medium", "run").agg(
        pl.col("from_ns").min(), pl.col("to_ns").max(), recorded=length.sum(), stays=pl.len()
    )
    runs = runs.filter((pl.col("stays") > 1).any().over("medium"))
    of_media = runs.group_by("medium").agg(usual=pl.col("recorded").sum() / length.sum())
    windows = context.windows.join(of_media, on="medium")
    edges = [windows.select("medium", at_ns=edge) for edge in ("from_ns", "to_ns")]
    since, until = (time_inside_ns(runs, instants, ["medium"]) for instants in edges)
    # The window that holds the recording may end anywhere behind it.
    is_whole = pl.col("to_ns") - pl.col("from_ns") != context.settings.window_ns
    share = (pl.col("covered_ns") / (until - since)).fill_nan(1.0)
    return windows.select(*WINDOW, followed=pl.when(is_whole).then("usual").otherwise(share).clip(0, 1))
