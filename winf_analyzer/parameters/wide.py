"""The values that count as columns, one row per sender and access category."""

import polars as pl

from winf_analyzer.parameters.sampling import MEDIUM

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
    anyone = parameters.filter("used", pl.col("station").is_null(), pl.col("source").is_null()).filter(
        pl.col("access_category").is_null()
    )
    keys = [*MEDIUM, "station"]
    categories = _columns(used.filter(pl.col("parameter").is_in(CONTENTION)), [*keys, "access_category"], CONTENTION)
    whole = used.filter(pl.col("access_category").is_null(), pl.col("parameter").is_in(STATION))
    stations = _columns(whole, keys, STATION)
    everyone = {row["parameter"]: row["value"] for row in anyone.iter_rows(named=True) if row["parameter"] in STATION}
    return (
        categories.join(stations, on=keys, how="left", nulls_equal=True)
        .with_columns(pl.coalesce(pl.lit(everyone.get(name), pl.Float64()), name).alias(name) for name in STATION)
        .rename({"station": "sender"})
    )


def _columns(rows: pl.DataFrame, keys: list[str], names: tuple[str, ...]) -> pl.DataFrame:
    values = (pl.col("value").filter(pl.col("parameter") == name).first().alias(name) for name in names)
    return rows.group_by(keys, maintain_order=True).agg(*values)
