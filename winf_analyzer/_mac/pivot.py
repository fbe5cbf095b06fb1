"""The parameters in use as columns, one row per sender and access category."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winf_analyzer._mac.sampling import MEDIUM

if TYPE_CHECKING:
    import polars as pl

CONTENTION = ("aifs_us", "cw_min")
"""Parameters of an access category."""

LIMITS = ("txop_limit_us",)
"""Parameters of an access category that are unknown where nothing declares them."""

STATION = ("slot_us", "sifs_us", "plcp_us", "rts_us", "cts_us", "ack_us", "header_bytes")
"""Parameters of a station in all access categories."""


def by_sender(parameters: pl.DataFrame) -> pl.DataFrame:
    """Columns to join to exchanges on `source`, `observer`, `sender` and `access_category`, with nulls equal.

    Args:
        parameters: the `mac_parameters` table.

    Returns:
        Those four, :data:`CONTENTION`, :data:`LIMITS` and :data:`STATION`; unknown values are null. A sender has
        a row for each of its access categories, and one with null for exchanges without an access category.
    """
    import polars as pl

    used = parameters.filter("used", pl.col("station").is_not_null())
    keys = [*MEDIUM, "station"]
    # What an access point declares is for its stations: its own limits are not known.
    networks = parameters.filter(pl.col("origin") == "declared", parameter="aifsn")["station"].unique()
    own = ~pl.col("parameter").is_in(LIMITS) | ~pl.col("station").is_in(networks.implode())
    names = (*CONTENTION, *LIMITS)
    categories = _columns(used.filter(own, pl.col("parameter").is_in(names)), [*keys, "access_category"], names)
    whole = used.filter(pl.col("access_category").is_null(), pl.col("parameter").is_in(STATION))
    stations = _columns(whole, keys, STATION)
    return categories.join(stations, on=keys, how="left", nulls_equal=True).rename({"station": "sender"})


def by_receiver(parameters: pl.DataFrame) -> pl.DataFrame:
    """`receiver` and `ampdu_max_bytes`, the longest A-MPDU that a station advertises to accept, octets.

    Of different announcements the smallest value counts, so that it holds in all networks of the station.
    """
    import polars as pl

    known = parameters.filter("used", pl.col("station").is_not_null(), parameter="ampdu_max_bytes")
    return known.group_by(receiver="station").agg(ampdu_max_bytes=pl.col("value").min()).sort("receiver")


def overrides_for_all(parameters: pl.DataFrame) -> dict[str, float]:
    """The values of :data:`CONTENTION` and :data:`STATION` that the user set for all stations."""
    import polars as pl

    for_all = pl.all_horizontal(pl.col("source", "station", "access_category").is_null())
    given = parameters.filter("used", for_all, pl.col("origin") == "given")
    return {
        name: value for name, value in given.select("parameter", "value").iter_rows() if name in (*CONTENTION, *STATION)
    }


def _columns(rows: pl.DataFrame, keys: list[str], names: tuple[str, ...]) -> pl.DataFrame:
    import polars as pl

    values = (pl.col("value").filter(pl.col("parameter") == name).first().alias(name) for name in names)
    return rows.group_by(keys, maintain_order=True).agg(*values)
