"""Attempts to reach one station, which of them failed, and how many of the failures were collisions.

An *attempt* is one use of the medium: an RTS, or a DATA without RTS. It failed if the answer is missing: no CTS, or no
ACK. It *collided* if it failed because its frame, or the answer, overlapped another transmission where it was to be
received. One failure does not tell a sender which it was; many do, under these assumptions:

* RTS are short and go at a basic rate: one without CTS collided, or met a receiver that another reservation had
  silenced, which is contention too. No channel loss is charged to RTS.
* Channel loss of DATA grows with the rate, overlap does not depend on it. The share that fails at the lowest rates in
  use is overlap; what fails beyond it at higher rates is channel loss. A link that uses one rate shows no difference:
  its failures count as collisions.
* Where nobody but the two ends of a link was ever heard or named, nobody else can have collided with them. They collide
  with each other at most as often as two saturated stations (Bianchi), and never if one of them sends nothing.
* What an anonymous recorder did not hear of a repeated DATA (Retry bit set) overlapped at the recorder too. RTS
  that it did not hear leave no trace: collisions it finds are a lower bound, where the sender's own recording is exact.

A station nobody heard, whose answers nobody heard either, is unknown to all of this.
"""

from collections.abc import Callable, Sequence

import polars as pl

from winf_analyzer._aggregate import windows
from winf_analyzer._aggregate.aggregate import Aggregate
from winf_analyzer._aggregate.chunks import GROUP, Chunk
from winf_analyzer._aggregate.exchange_columns import nanoseconds, ordered_sum
from winf_analyzer._aggregate.windows import WINDOW
from winf_analyzer._mac.exchange_parameters import US
from winf_analyzer._models import bianchi

LINK = ("medium", "sender", "receiver")
STAGE = (*LINK, "stage")

MIN_ATTEMPTS = 20
"""Attempts at the lowest rates that must be there before their failures are taken for the overlap."""

PIECE_COUNTS = 100_000
"""Counts that are summed up by link at a time."""

MAX_COLLISIONS_OF_TWO = bianchi.saturation(2, window=16).p
"""How often the attempts of two saturated stations collide, with the smallest CWmin that a PHY has: 15."""

COUNTS = ("attempts", "no_cts", "no_ack", "collided", "delivered")
"""What :func:`by_link` counts."""


Summed = Callable[[pl.LazyFrame], pl.LazyFrame]
"""Exchanges with columns that are summed over attempts besides."""

STAGES = pl.Enum(["rts", "cleared", "bare"])
"""RTS that were not answered, DATA after a CTS, and DATA without RTS."""

KEYS = ("sender", "receiver", "unicast", "rate_mbps", "stage", "reserved")
"""What attempts are counted by, besides the window."""


def counts(summed: Summed, sums: tuple[str, ...]) -> Aggregate:
    """Counts and `sums` per window, link, stage and data rate.

    Stages: `rts` (unanswered), `cleared` (DATA after a CTS), `bare` (DATA without RTS). Where the data was not heard,
    `rate_mbps` is null and `reserved` what the Durations left for it, microseconds.
    """
    return Aggregate(_counted, (summed, sums), keys=(*WINDOW, *KEYS))


def _counted(chunk: Chunk, summed: Summed, sums: tuple[str, ...]) -> pl.DataFrame:
    kind = pl.col("kind")
    rts, cleared, bare = (pl.lit(name, STAGES) for name in STAGES.categories)
    stage = pl.when(kind == "rts_failed").then(rts).when(kind == "rts").then(cleared).otherwise(bare)
    after_data = 2 * pl.col("t_sifs") + pl.col("t_ack")
    reserved = pl.coalesce(
        nanoseconds("nav_cts_us") - after_data,
        nanoseconds("nav_rts_us") - after_data - pl.col("t_sifs") - pl.col("t_cts"),
    )
    unheard = pl.col("unicast") & pl.col("rate_mbps").is_null()
    counted = {
        "attempts": pl.col("medium").is_not_null(),
        "failed": unanswered(),
        "retried": (pl.col("attempt") > 1) & (kind != "rts_failed"),
        "hidden": pl.col("hidden"),
        "octets": pl.col("length_bytes"),
        "lengths": pl.col("length_bytes").is_not_null(),
    }
    keys = {
        "stage": stage,
        "reserved": pl.when(unheard).then((reserved - pl.col("t_plcp")) // US),
    }
    rows = summed(chunk.uses).with_columns(**keys)
    rows = rows.with_columns(value.cast(pl.Int64).alias(f"count_{name}") for name, value in counted.items())
    of_counts = (pl.col(f"count_{name}").sum().alias(name) for name in counted)
    found = rows.group_by(GROUP, *KEYS[2:]).agg(pl.col(*WINDOW, *LINK[1:]).first(), *of_counts, pl.col(sums).sum())
    return found.select(*WINDOW, *KEYS, *counted, *sums).collect(engine="in-memory")


def unanswered() -> pl.Expr:
    """The attempt was not answered."""
    return ~pl.col("complete").fill_null(value=False)


def by_link(counts: pl.DataFrame, media: pl.DataFrame, sums: Sequence[str]) -> pl.DataFrame:
    """Attempts per window and directed link, from :func:`counts`.

    Returns `medium window_start_ns sender receiver`, the `sums`, and the counts `attempts`, `no_cts` (RTS unanswered),
    `no_ack` (DATA unanswered), `collided` (of both; expected, so not whole), `delivered` (attempts answered).
    """
    tried = counts.lazy().filter("unicast")
    mean_length = pl.col("octets").sum() / pl.col("lengths").sum()
    lengths = tried.group_by(LINK).agg(mean_length=mean_length).collect(engine="in-memory")
    shares = _collision_shares(_with_rates(tried, lengths))
    links = pl.concat(_by_window(some, lengths, shares, media, sums) for some in windows.pieces(counts, PIECE_COUNTS))
    return _limited(links, counts, media)


def _by_window(
    counts: pl.DataFrame, lengths: pl.DataFrame, shares: pl.DataFrame, media: pl.DataFrame, sums: Sequence[str]
) -> pl.DataFrame:
    rows = _with_rates(counts.lazy().filter("unicast"), lengths).join(shares.lazy(), on=STAGE, how="left")
    failed, unheard = pl.col("failed"), pl.col("unheard")
    requests = pl.col("stage") == "rts"
    return (
        rows.group_by(*WINDOW, *STAGE[1:], "share")
        .agg(pl.col("attempts", "failed", *sums).sum(), unheard=(pl.col("retried") - failed).sum().clip(lower_bound=0))
        .join(media.lazy().select("medium", "observer"), on="medium")
        .with_columns(unheard=pl.when(pl.col("observer").is_null()).then("unheard").otherwise(0))
        .group_by(*WINDOW, *LINK[1:])
        .agg(
            pl.col(*sums).sum(),
            attempts=(pl.col("attempts") + unheard).sum(),
            no_cts=failed.filter(requests).sum(),
            no_ack=(failed + unheard).filter(~requests).sum(),
            collided=ordered_sum(failed * pl.when(requests).then(1.0).otherwise("share") + unheard),
            delivered=(pl.col("attempts") - failed).sum(),
        )
        .collect(engine="in-memory")
    )


def _with_rates(tried: pl.LazyFrame, lengths: pl.DataFrame) -> pl.LazyFrame:
    """Adds `rate`, Mb/s: of the data, or where that was not heard what was reserved for the link's mean length."""
    implied = pl.when(pl.col("reserved") > 0).then(8 * pl.col("mean_length") / pl.col("reserved")).round()
    rate = pl.coalesce("rate_mbps", implied.fill_nan(None))
    return tried.join(lengths.lazy(), on=LINK, how="left").with_columns(rate=rate)


def _collision_shares(tried: pl.LazyFrame) -> pl.DataFrame:
    """Of the failures of a link's DATA, the `share` that is overlap; over the whole recording, windows hold too few.

    The lowest rates are pooled from the bottom up to where their failures are fewest. That share of all attempts is
    overlap; what was sent at an unknown rate is no evidence.
    """
    rates = tried.group_by(*STAGE, "rate").agg(pl.col("attempts", "failed").sum()).collect(engine="in-memory")
    seen, lost = (pl.col(name).cum_sum().over(STAGE, order_by="rate") for name in ("attempts", "failed"))
    known = rates.filter(pl.col("rate").is_not_null()).with_columns(
        pooled=pl.when(seen >= MIN_ATTEMPTS).then(lost / seen)
    )
    overlap = known.group_by(STAGE).agg(overlap=pl.col("pooled").min())
    total = rates.group_by(STAGE).agg(pl.col("attempts", "failed").sum())
    share = (pl.col("overlap") * pl.col("attempts") / pl.col("failed")).clip(0, 1)
    return total.join(overlap, on=STAGE, how="left").select(*STAGE, share=share.fill_nan(1).fill_null(1))


def _limited(links: pl.DataFrame, counts: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """Collisions of links on whose recording nobody but the two ends was heard or named are at most those of two."""
    seen = counts.group_by(LINK).agg(pl.col("hidden").sum())
    ends = [seen.select("medium", "hidden", station=end) for end in ("sender", "receiver")]
    heard = pl.concat(ends).join(media.select("medium", "source"), on="medium")
    sources = heard.group_by("source").agg(
        stations=pl.col("station").drop_nulls().n_unique(), third=pl.col("hidden").sum() > 0
    )
    sending = links.group_by("medium").agg(sending=pl.col("sender").n_unique())
    alone = (pl.col("stations") <= 2) & ~pl.col("third")
    most = pl.when(pl.col("sending") > 1).then(MAX_COLLISIONS_OF_TWO).otherwise(0.0) * pl.col("attempts")
    return (
        links.join(media.select("medium", "source"), on="medium")
        .join(sources, on="source")
        .join(sending, on="medium")
        .with_columns(collided=pl.when(alone).then(pl.min_horizontal("collided", most)).otherwise("collided"))
        .drop("source", "stations", "third", "sending")
    )
