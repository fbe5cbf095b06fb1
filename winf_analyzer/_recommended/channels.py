"""Recordings that hold several channels: of a sniffer that hops, of two radios, or joined from files.

The air of one channel is not that of another, but what a recording holds is one medium to the estimators: what is sent
on other channels counts as load beside the link.
"""

import polars as pl

from winf_analyzer._recommended.evidence import LINK

MIN_SHARE = 0.05
"""Share of the attempts that are on other channels, from which on it is said."""


def with_other_channels(rows: pl.DataFrame, links: pl.DataFrame) -> pl.DataFrame:
    """`rows` with `channels_mixed`: more than :data:`MIN_SHARE` of what was recorded beside is on other channels.

    Args:
        rows: with :data:`.evidence.LINK`.
        links: :func:`.evidence.whole`.
    """
    recorder = ["source", "observer"]
    known = links.filter(pl.col("channel_mhz").is_not_null())
    of_channel = pl.col("attempts").sum().over(*recorder, "channel_mhz")
    others = 1 - of_channel / pl.col("attempts").sum().over(recorder)
    found = known.select(*LINK, channels_mixed=others > MIN_SHARE)
    rows = rows.join(found, on=list(LINK), how="left", nulls_equal=True, maintain_order="left")
    return rows.with_columns(pl.col("channels_mixed").fill_null(value=False))
