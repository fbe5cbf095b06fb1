"""Who may aggregate, and who has agreed to."""

import polars as pl

from winf_analyzer._mac.constants import whole

AGGREGATING = ("ht", "vht", "he", "eht")
"""PHYs that aggregate MPDUs (IEEE 802.11-2020, 9.7)."""

NON_HT_MBPS = 54.0
"""The highest rate of PHYs that do not (17.1.1): a frame whose header names no PHY and that is faster is of another."""

LONG_BITMAPS = (512, 1024)
"""MPDUs of the longest BlockAcks (802.11be-2024, table 9-41)."""

VOICE_TIDS = (6, 7)
"""Traffic identifiers of AC_VO (table 10-1)."""


def can_aggregate(phy: str = "phy") -> pl.Expr:
    """Whether an exchange with `data_kind` and `rate_mbps`, Mb/s, is one of QoS data of such a PHY, never null.

    Args:
        phy: name of the column with its PHY, null where no header tells.
    """
    unnamed = pl.col(phy).is_null() & (pl.col("rate_mbps") > NON_HT_MBPS)
    of_phy = pl.col(phy).is_in(AGGREGATING).fill_null(unnamed)
    return (of_phy & (pl.col("data_kind") == "qos_data")).fill_null(False)


def windows(frames: pl.LazyFrame) -> pl.LazyFrame:
    """`source sender receiver shown`: the most MPDUs that a BlockAck to each sender of data acknowledges.

    Bitmaps are kept up to 256 MPDUs; the length of a longer BlockAck tells (802.11be-2024, table 9-41).

    Args:
        frames: the `frames` table.
    """
    kept = 4 * pl.col("ba_bitmap").str.len_bytes().cast(pl.Int64)
    by_length = 64 + 8 * (pl.col("length_bytes").cast(pl.Int64) - whole("block_ack"))
    shown = pl.when(kept >= whole("block_ack_window_he"), by_length.is_in(LONG_BITMAPS)).then(by_length).otherwise(kept)
    rows = frames.filter(pl.col("kind") == "block_ack", pl.col("ba_bitmap").is_not_null())
    names = {"sender": pl.col("ra").cast(pl.String), "receiver": pl.col("ta").cast(pl.String)}
    return rows.select("source", **names, shown=shown).group_by("source", *names).agg(pl.col("shown").max())


def agreements(frames: pl.LazyFrame) -> pl.LazyFrame:
    """`source sender receiver is_voice` of the BlockAck agreements that frames show (10.25.2), a row for each frame.

    A BlockAck goes to the sender of the data, the request for one comes from it. `is_voice`: it is for AC_VO.

    Args:
        frames: the `frames` table.
    """
    asks = pl.col("kind") == "block_ack_req"
    return frames.filter(asks | (pl.col("kind") == "block_ack")).select(
        "source",
        sender=pl.when(asks).then("ta").otherwise("ra").cast(pl.String),
        receiver=pl.when(asks).then("ra").otherwise("ta").cast(pl.String),
        is_voice=pl.col("tid").is_in(VOICE_TIDS).fill_null(False),
    )
