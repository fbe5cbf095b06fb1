"""Radios that hop: for how much of the time they listened to the channel of a link, and what that leaves open.

What was heard in the stays on a channel is a sample of what happened there. How much the stays differ in how busy the
medium was tells how far their mean may be from that of the whole time.
"""

from typing import NamedTuple

import polars as pl

from winf_analyzer._recommended.evidence import LINK
from winf_analyzer._util.student import NORMAL_90

USUAL_DEVIATION, WEIGHT = 0.15, 3
"""By how much the busy shares of stays differ, as far as few of them do not tell; it counts as this many stays."""

MIN_IDLE = 0.1
"""Share of the time that is taken to be left for the link at least."""

_CHANNEL = ["source", "channel_mhz"]


class Channels(NamedTuple):
    """What :func:`found` returns; empty where no radio hops."""

    stays: pl.DataFrame
    """As of :class:`.hopping.Hopping`."""
    homes: pl.DataFrame
    """As of :class:`.hopping.Hopping`."""
    usual: pl.DataFrame
    """`source channel_mhz stay_ns deviation`: how long stays are, and the standard deviation of their busy shares."""


NONE = Channels(
    pl.DataFrame(schema={"source": pl.String}), pl.DataFrame(schema=list(LINK)), pl.DataFrame(schema=_CHANNEL)
)
"""Where no radio hops."""


def found(exchanges: pl.LazyFrame, media: pl.DataFrame) -> Channels:
    """When radios that hop listened where.

    Args:
        exchanges: the table.
        media: of :class:`.evidence.Evidence`, with the channel of sources that have several.
    """
    sources = media.filter(pl.col("channel_mhz").is_not_null())["source"].unique(maintain_order=True)
    if sources.is_empty():
        return NONE
    from winf_analyzer._aggregate import hopping  # few recordings need it

    stays, homes = hopping.found(exchanges, sources.to_list())
    rows = exchanges.filter(pl.col("source").is_in(sources.implode())).select(
        "source", pl.col("channel_mhz").cast(pl.Int64), "end_ns", busy_ns=pl.col("end_ns") - pl.col("start_ns")
    )
    numbered = stays.sort("from_ns").with_row_index("stay")
    of_stays = (
        rows.drop_nulls()
        .sort("end_ns")
        .join_asof(numbered.lazy(), left_on="end_ns", right_on="from_ns", by=_CHANNEL, check_sortedness=False)
        .group_by("stay")
        .agg(pl.col("busy_ns").sum())
        .collect(engine="streaming")
    )
    length = pl.col("to_ns") - pl.col("from_ns")
    shares = numbered.join(of_stays, on="stay", how="left").sort("stay")
    # The share of a short stay says as much less.
    weight, share = length / length.mean().over(_CHANNEL), pl.col("busy_ns").fill_null(0) / length.clip(1)
    shares = shares.with_columns(weight=weight.fill_nan(0), share=share.clip(0, 1), length=length)
    mean = (pl.col("share") * pl.col("weight")).sum() / pl.col("weight").sum()
    squares = (pl.col("weight") * (pl.col("share") - mean) ** 2).sum()
    usual = shares.group_by(_CHANNEL, maintain_order=True).agg(
        stay_ns=pl.col("length").mean(),
        deviation=((squares + WEIGHT * USUAL_DEVIATION**2) / (pl.col("weight").sum() - 1 + WEIGHT)).sqrt(),
    )
    return Channels(stays, homes, usual)


def most_listened(exchanges: pl.LazyFrame) -> pl.DataFrame:
    """`source listened_share` of radios that hop: the share of the time for the channel that they listened to most."""
    channels = exchanges.group_by("source").agg(pl.col("channel_mhz").drop_nulls().n_unique())
    several = channels.filter(pl.col("channel_mhz") > 1).select("source").sort("source").collect(engine="streaming")
    if several.is_empty():
        return pl.DataFrame(schema={"source": pl.String, "listened_share": pl.Float64})
    from winf_analyzer._aggregate import hopping  # few recordings need it

    stays = hopping.found(exchanges, several["source"].to_list()).stays
    length, span = pl.col("to_ns") - pl.col("from_ns"), pl.col("to_ns").max() - pl.col("from_ns").min()
    shares = stays.select("source", "channel_mhz", share=length / span.over("source"))
    return (
        shares.group_by(_CHANNEL)
        .agg(pl.col("share").sum())
        .group_by("source")
        .agg(listened_share=pl.col("share").max())
    )


def at_home(sums: pl.DataFrame, channels: Channels) -> pl.DataFrame:
    """The sums of links on the channel that each belongs to."""
    if channels.homes.is_empty():
        return sums
    hops = pl.col("source").is_in(channels.stays["source"].unique().implode())
    of_home = sums.filter(hops).join(
        channels.homes.cast({"channel_mhz": sums.schema["channel_mhz"]}),
        on=[*LINK, "channel_mhz"],
        how="semi",
        nulls_equal=True,
        maintain_order="left",
    )
    return pl.concat([sums.filter(~hops), of_home])


def medium_mhz(channels: Channels) -> pl.Expr:
    """The channel that identifies the medium of a link: null where the radio has one."""
    return pl.when(pl.col("source").is_in(channels.stays["source"].unique().implode())).then("channel_mhz")


def with_listened(rows: pl.DataFrame, channels: Channels) -> pl.DataFrame:
    """`rows` with `covered_ns`, `listened_share` and `sampled`.

    `covered_ns`: how long the radio listened to the channel of the link; `listened_share`: that as a share of the time;
    `sampled`: half the width of the 90 % interval of what the link would deliver, as a share of it, by having heard no
    more than that.

    Args:
        rows: `source channel_mhz since_ns until_ns`, and `busy_ns` of the medium.
        channels: what :func:`found` returns.
    """
    span = pl.col("until_ns") - pl.col("since_ns")
    if channels.stays.is_empty():
        return rows.with_columns(covered_ns=span, listened_share=pl.lit(1.0), sampled=pl.lit(0.0))
    from winf_analyzer._aggregate import windows  # few recordings need it

    typed = rows.with_columns(pl.col("channel_mhz").cast(pl.Int64))
    until, since = (
        windows.time_inside_ns(channels.stays, typed.select(*_CHANNEL, at_ns=f"{edge}_ns"), _CHANNEL)
        for edge in ("until", "since")
    )
    hops = pl.col("source").is_in(channels.stays["source"].unique().implode())
    typed = typed.with_columns(covered_ns=pl.when(hops).then(until - since).otherwise(span))
    typed = typed.join(channels.usual, on=_CHANNEL, how="left", maintain_order="left")
    share = (pl.col("covered_ns") / span.clip(1)).clip(0, 1)
    idle = (1 - pl.col("busy_ns").fill_null(0) / pl.col("covered_ns").clip(1)).clip(MIN_IDLE, 1)
    stays = pl.col("covered_ns").clip(1) / pl.col("stay_ns")
    sampled = NORMAL_90 * pl.col("deviation") * ((1 - share) / stays).sqrt() / idle
    return typed.with_columns(listened_share=share, sampled=sampled.fill_null(0.0)).drop("stay_ns", "deviation")
