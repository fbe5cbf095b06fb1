"""Recorders that pause: times in which nothing at all was recorded, though stations sent.

Buffers overrun, hosts are busy, radios scan. The time is none in which the medium was idle: as with a radio that hops
(:mod:`.hopping`), a recording is a sequence of stays, and each begins with nothing known of what was before. A stay
reaches beyond its first and last record by the mean time between two records, at most half way into the pause.
"""

import polars as pl

from winf_analyzer import _core
from winf_analyzer._aggregate.chunks import STAY_TIMES

SCHEMA = {"source": pl.String, "from_ns": pl.Int64, "to_ns": pl.Int64}


def found(numbers: _core.SequenceGaps) -> pl.DataFrame:
    """`source from_ns to_ns`: the last record before each pause, and the first behind it.

    Args:
        numbers: what :func:`.heard_in` returns.
    """
    return pl.DataFrame(numbers.pauses(), schema=SCHEMA, orient="row")


def stays_between(pauses: pl.DataFrame, media: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """`medium` and :data:`.chunks.STAY_TIMES`: the stays between pauses, of media whose radio does not hop.

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
    )
    last = rows.group_by("medium", maintain_order=True).last()
    behind = last.select(
        "medium",
        from_ns=pl.col("to_ns") - pl.col("reach"),
        to_ns="until_ns",
        first_ns="to_ns",
        last_ns="until_ns",
    )
    return pl.concat([before, behind]).select("medium", *STAY_TIMES)
