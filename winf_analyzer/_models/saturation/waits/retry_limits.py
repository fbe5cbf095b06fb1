"""Whether a station keeps its contention window at the retry limit, by how long it waits behind it.

A station whose RTS went unanswered seven times either gives the packet up and starts again with CWmin, or goes on with
CW as large as it was: implementations differ (10.23.2.12.1). The next RTS tells which. With CWmin it comes within CWmin
slots of idle time, otherwise as late as the RTS of the attempts before.

Data without RTS does not tell it of aggregates: a single frame is given up where MPDUs under a BlockAck agreement are
not. Nor does a third station's recording, in which a CTS may be missing.
"""

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._aggregate.exchange_columns import nanoseconds
from winf_analyzer._mac.constants import whole
from winf_analyzer._models.saturation.waits.late_repetitions import longest_idle_ns

LIMIT = whole("dot11ShortRetryLimit")

GROWN = (5, LIMIT)
"""Attempts before the limit whose windows are about as large as those behind it, if they are kept."""

PRESUMED = 0.5
"""Probability beforehand that CW is kept."""

LATE_ANYWAY = 0.02
"""Share of the RTS that come later than CWmin slots for another reason, a pause of the driver or of the recorder."""

_KEYS = ("medium", "sender")
_COUNTED = ("behind", "behind_late", "grown", "grown_late")


def _counted(chunk: Chunk) -> pl.DataFrame:
    """RTS behind the limit, and of the attempts before it, and how many of both came later than CWmin slots.

    Of the recorder's own.
    """
    recorders = chunk.context.media.select("medium", sender="observer").drop_nulls()
    if recorders.is_empty():
        return chunk.rows.clear().select(*_KEYS, **dict.fromkeys(_COUNTED, pl.lit(0, pl.Int64)))
    late = nanoseconds("idle_before_us") > longest_idle_ns(pl.lit(1))
    requests = chunk.uses.filter(pl.col("kind").is_in(["rts", "rts_failed"]))
    requests = requests.join(recorders.lazy(), on=_KEYS, how="semi", maintain_order="left")
    unanswered = pl.col("kind") == "rts_failed"
    read = {"unanswered": unanswered, "late": late, "carried": pl.lit(value=False)}
    rows = requests.select(*_KEYS, "receiver", "attempt", **read).collect(engine="in-memory")
    if _counted in chunk.state:
        rows = pl.concat([chunk.state[_counted], rows])
    last = rows.unique(_KEYS, keep="last", maintain_order=True)
    chunk.state[_counted] = last.with_columns(carried=pl.lit(value=True))
    attempt, request, receiver = (pl.col(name).shift(1).over(_KEYS) for name in ("attempt", "unanswered", "receiver"))
    rows = rows.with_columns(again=request & (pl.col("receiver") == receiver), behind=attempt >= LIMIT)
    rows = rows.filter("again", ~pl.col("carried"), pl.col("late").is_not_null())
    grown = pl.col("attempt").is_between(*GROWN) & ~pl.col("behind")
    counts = {"behind": pl.col("behind"), "behind_late": pl.col("behind") & pl.col("late")}
    counts |= {"grown": grown, "grown_late": grown & pl.col("late")}
    return rows.group_by(_KEYS).agg(**{name: count.sum().cast(pl.Int64) for name, count in counts.items()})


RTS_BEHIND_LIMIT = Aggregate(_counted, keys=_KEYS)
"""What :func:`kept` takes: :data:`_COUNTED` per :data:`_KEYS`, over the recording."""


def kept(counts: pl.DataFrame) -> pl.DataFrame:
    """`medium kept`: the probability that CW is kept at the retry limit, where the recorder's own RTS tell.

    `counts`: of :data:`RTS_BEHIND_LIMIT`.
    """
    late = (pl.col("grown_late") + 1) / (pl.col("grown") + 2)
    return counts.filter(pl.col("behind") > 0).select("medium", kept=_probability(late, pl.lit(LATE_ANYWAY)))


def _probability(if_kept: pl.Expr, if_reset: pl.Expr) -> pl.Expr:
    """Bayes' rule; both: the share that is late."""
    late, timely = pl.col("behind_late"), pl.col("behind") - pl.col("behind_late")
    odds = late * (if_kept / if_reset).log() + timely * ((1 - if_kept) / (1 - if_reset)).log()
    return 1 / (1 + (1 - PRESUMED) / PRESUMED * (-odds).exp())
