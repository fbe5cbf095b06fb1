"""The cooperation of rt-Winf: the Receiver reports its values to the Sender, which takes the lower ones.

Source: L. Barreto (see :mod:`.rt_winf`), sec. 3.1.

The paper lets the values ride on the 802.11 ACK, which has no body; offline the two rows only have to be brought
together.
"""

import polars as pl

LINK = ("window_start_ns", "sender", "receiver")
VALUES = ("capacity_bps", "available_bps")


def merge(rows: pl.DataFrame) -> pl.DataFrame:
    """Replaces capacity and available bandwidth of Sender rows by the lower of their own and the Receiver's.

    The Receiver's row on the same link and window comes from the receiver's own recording where there is one, in
    whichever source, else from the same anonymous one. A value only one of the two knows stands.
    """
    receivers = rows.filter(pl.col("state") == "receiver")
    own = (
        receivers.filter(pl.col("observer").is_not_null()).group_by(LINK).agg(pl.col(VALUES).min().name.suffix("_own"))
    )
    sniffed = receivers.filter(pl.col("observer").is_null()).select(
        "medium", *LINK, pl.col(VALUES).name.suffix("_sniffed")
    )
    reported = {name: pl.coalesce(f"{name}_own", f"{name}_sniffed") for name in VALUES}
    sends = pl.col("state") == "sender"
    lower = {
        name: pl.when(sends).then(pl.min_horizontal(name, value)).otherwise(pl.col(name))
        for name, value in reported.items()
    }
    return (
        rows.join(own, on=LINK, how="left")
        .join(sniffed, on=["medium", *LINK], how="left")
        .with_columns(**lower)
        .with_columns(available_bps=pl.min_horizontal("available_bps", "capacity_bps"))
    )
