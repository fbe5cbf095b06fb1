"""The values that count as columns, one row per sender and access category."""

import polars as pl

from winf_analyzer._mac.sampling import MEDIUM

CONTENTION = ("aifs_us", "cw_min")
"""Parameters of an access category."""

STATION = ("slot_us", "sifs_us", "plcp_us", "rts_us", "cts_us", "ack_us", "header_bytes")
"""Parameters of a station in whatever access category."""


def by_sender(parameters: pl.DataFrame) -> pl.DataFrame:
    """Columns to be joined to exchanges on `source`, `observer`, `sender` and `access_category`, nulls being equal.

    Args:
        parameters: the `mac_parameters` table.

    Returns:
        Those four and :data:`CONTENTION` and :data:`STATION`, null where nothing is known. A sender has a row for each
        of its access categories, and one without for exchanges that name none.
    """
    used = parameters.filter("used", pl.col("station").is_not_null())
    keys = [*MEDIUM, "station"]
    categories = _columns(used.filter(pl.col("parameter").is_in(CONTENTION)), [*keys, "access_category"], CONTENTION)
    whole = used.filter(pl.col("access_category").is_null(), pl.col("parameter").is_in(STATION))
    stations = _columns(whole, keys, STATION)
    return categories.join(stations, on=keys, how="left", nulls_equal=True).rename({"station": "sender"})


def by_receiver(parameters: pl.DataFrame) -> pl.DataFrame:
    """`receiver` and `ampdu_max_bytes`, the longest A-MPDU a station announced to accept (octets), wherever it did.

    Of different announcements the least counts: whoever sends to it in any of its networks stays within that.
    """
    known = parameters.filter("used", pl.col("station").is_not_null(), parameter="ampdu_max_bytes")
    return known.group_by(receiver="station").agg(ampdu_max_bytes=pl.col("value").min()).sort("receiver")


def of_everyone(parameters: pl.DataFrame) -> dict[str, float]:
    """The values of :data:`CONTENTION` and :data:`STATION` that the user gave for all stations."""
    for_all = pl.all_horizontal(pl.col("source", "station", "access_category").is_null())
    given = parameters.filter("used", for_all, pl.col("origin") == "given")
    return {
        name: value for name, value in given.select("parameter", "value").iter_rows() if name in (*CONTENTION, *STATION)
    }


def _columns(rows: pl.DataFrame, keys: list[str], names: tuple[str, ...]) -> pl.DataFrame:
    values = (pl.col("value").filter(pl.col("parameter") == name).first().alias(name) for name in names)
    return rows.group_by(keys, maintain_order=True).agg(*values)
