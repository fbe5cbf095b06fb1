"""Senders of single frames whose packets come in bursts: how long a burst lasts, and how long the pause after it.

Beside a hidden station it matters when its packets come. Of as many packets per second, those of bursts leave the
medium free between them, and collide with one another's repetitions during them. A source that is on and off for
exponential times sends packets at a rate of p while it is on. Around a packet of its, in bins of t seconds, the rate is
more than its mean m by

    (p - m) 2 (x - 1 + exp(-x)) / x^2     with x = t (1/on + 1/off)

so that two lengths of bins tell both p and x: with the mean all of it. Where the medium delays packets, what is found
is when they were delivered.
"""

import polars as pl

from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import Chunk
from winf_analyzer._aggregate.exchange_columns import failed, quotient
from winf_analyzer._models.saturation.recorded import ampdu
from winf_analyzer._models.saturation.recorded.completeness import MIN_HEARD

BIN_NS = 16_000_000
"""Ten to twenty single frames."""

BINS = 8
"""Short bins in a long one."""

MIN_PACKETS = 100
"""Fewest packets of which it is told."""

MIN_EXCESS = 1.0
"""Variance of the packets in a long bin, beyond that of a Poisson process and over its mean, from which on they come in
bursts: what waits for a busy medium comes unevenly as well."""

DEVIATIONS = 4.0
"""Standard deviations by which it must be beyond chance."""

SCALES_S = tuple(0.002 * 10 ** (step / 20) for step in range(75))
"""Values of on off / (on + off) that are tried: 2 ms to 10 s."""

_KEYS = ("medium", "sender")


def counts(chunk: Chunk) -> pl.DataFrame:
    """`medium sender bin packets`: packets that were delivered in single frames, by the time of their exchange."""
    # Of a hidden station the answers alone are heard.
    single = pl.col("unicast") | ~pl.col("heard_data").fill_null(True)
    delivered = (single & ~failed()).fill_null(False) & ~ampdu.aggregates()
    rows = chunk.uses.filter(delivered, pl.col("sender").is_not_null())
    rows = rows.select(*_KEYS, bin=pl.col("air_start_ns") // BIN_NS)
    return rows.group_by(*_KEYS, "bin").agg(packets=pl.len().cast(pl.Int64)).collect(engine="in-memory")


def _moments(chunk: Chunk) -> pl.DataFrame:
    """Sums over the bins that are complete; the others are handed on to the next chunk."""
    bins = counts(chunk)
    if _moments in chunk.state:
        bins = pl.concat([chunk.state[_moments], bins]).group_by(*_KEYS, "bin").agg(pl.col("packets").sum())
    long = pl.col("bin") // BINS
    bins = bins.join(chunk.reaching_back.select("medium", "air_from_ns"), on="medium", how="left")
    over = ((long + 1) * BINS * BIN_NS <= pl.col("air_from_ns")).fill_null(True)
    chunk.state[_moments] = bins.filter(~over).drop("air_from_ns")
    done = bins.filter(over).select(*_KEYS, "packets", bin=long, pairs=_pairs())
    of_long = done.group_by(*_KEYS, "bin").agg(pl.col("packets", "pairs").sum()).with_columns(long_pairs=_pairs())
    return of_long.group_by(_KEYS).agg(pl.col(MOMENTS).sum())


def _pairs() -> pl.Expr:
    """Of each packet of a bin the others in it."""
    return pl.col("packets") * (pl.col("packets") - 1)


MOMENTS = ("packets", "pairs", "long_pairs")

BURSTS = Aggregate(_moments, keys=_KEYS)
"""What :func:`sources` takes: `packets`, `pairs` of them in one bin, in both orders, and those in a long bin."""


def sources(moments: pl.DataFrame, learned: pl.DataFrame) -> pl.DataFrame:
    """`medium sender scale_s peak_per_s off_share` of senders whose packets come in bursts.

    `scale_s`: on off / (on + off), of the mean times of both; `peak_per_s`: packets per second during a burst;
    `off_share`: off / (on + off).

    Args:
        moments: of :data:`BURSTS`.
        learned: sums per window and link, with :func:`.completeness.with_shares`.
    """
    covered = learned.select("medium", "window_start_ns", "covered_ns").unique()
    covered = covered.group_by("medium").agg(pl.col("covered_ns").sum())
    heard = learned.group_by("medium", "sender").agg(pl.col("heard_share").first())
    short_s = BIN_NS / 1e9
    rows = moments.join(covered, on="medium").join(heard, on=["medium", "sender"], nulls_equal=True)
    mean = quotient(pl.col("packets") * 1e9, pl.col("covered_ns"))
    around = {"short": ("pairs", short_s), "long": ("long_pairs", BINS * short_s)}
    rows = rows.with_columns(
        mean=mean,
        **{
            name: quotient(pl.col(pairs).cast(pl.Float64), pl.col("packets") * length_s) - mean
            for name, (pairs, length_s) in around.items()
        },
    )
    of_long = pl.col("long") * BINS * short_s
    chance = (2 * BINS * BIN_NS / pl.col("covered_ns").clip(1)).sqrt()
    rows = rows.filter(
        pl.col("packets") >= MIN_PACKETS,
        of_long > pl.max_horizontal(MIN_EXCESS, DEVIATIONS * chance),
        pl.col("short") > 0,
    )
    scales = pl.DataFrame({"scale_s": SCALES_S})
    tried = rows.join(scales, how="cross").with_columns(
        misfit=(_share_within(BINS * short_s) / _share_within(short_s) - pl.col("long") / pl.col("short")).abs()
    )
    best = tried.sort("medium", "sender", "misfit", "scale_s").unique(["medium", "sender"], keep="first")
    peak = pl.col("mean") + pl.col("short") / _share_within(short_s)
    of_all = peak / pl.col("heard_share").clip(MIN_HEARD)
    return best.select("medium", "sender", "scale_s", peak_per_s=of_all, off_share=1 - mean / peak)


def _share_within(length_s: float) -> pl.Expr:
    """Of the excess at a packet, what is left on the average of a bin around it."""
    x = length_s / pl.col("scale_s")
    return 2 * (x - 1 + (-x).exp()) / (x * x)


def with_times(stations: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Stations with `burst_s pause_s`, the mean times that they are on and off; 0 where packets come at random.

    Args:
        stations: with `medium sender packets_per_s`, what a station sends in the windows they are of: in some it is on
            for more of the time.
        found: what :func:`sources` returns.
    """
    rows = stations.join(found.drop("off_share"), on=["medium", "sender"], how="left", maintain_order="left")
    share = pl.col("packets_per_s") / pl.col("peak_per_s")
    in_bursts = ((share > 0) & (share < 1) & ~pl.col("subject") & ~pl.col("aggregates")).fill_null(False)
    times = {"burst_s": pl.col("scale_s") / (1 - share), "pause_s": pl.col("scale_s") / share}
    rows = rows.with_columns(pl.when(in_bursts).then(value).otherwise(0.0).alias(name) for name, value in times.items())
    return rows.drop("peak_per_s", "scale_s")
