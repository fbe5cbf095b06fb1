"""Answers that cannot be: what every row of `recommended` must fulfil, whatever the recording."""

from __future__ import annotations

import polars as pl

from winf_analyzer import Dataset

MAX_MISSED = 0.5
"""Share of a link's frames from which on most of it was not heard."""

_VALUE, _LOW, _HIGH, _OWN = (
    pl.col(name) for name in ("available_bps", "available_low_bps", "available_high_bps", "own_bps")
)
_TCP = pl.col("available_tcp_bps")

MAX_TCP_SHARE = 0.96
"""Of a PHY's rate: an segment of 1448 octets in an MSDU of 1508, and no overhead of the air."""

RULES: dict[str, pl.Expr] = {
    "interval out of order": (_LOW > _VALUE) | (_VALUE > _HIGH) | (_LOW < 0),
    "value without interval": _VALUE.is_not_null() & (_LOW.is_null() | _HIGH.is_null()),
    "not a finite number": ~(_VALUE.is_finite() & _LOW.is_finite() & _HIGH.is_finite()),
    "above the PHY": pl.max_horizontal("capacity_bps", _HIGH) > pl.col("rate_max_mbps") * 1e6 * 0.999,
    "below its own goodput": (pl.col("capacity_bps") < _OWN * 0.999) & _VALUE.is_not_null(),
    "above the capacity": pl.col("capacity_bps") * 1.001 < _VALUE,
    "one sample": _VALUE.is_not_null() & (pl.col("samples") < 2),
    "TCP out of order": (pl.col("available_tcp_low_bps") > _TCP) | (pl.col("available_tcp_high_bps") < _TCP),
    "TCP above the PHY": pl.col("available_tcp_high_bps") > pl.col("rate_max_mbps") * 1e6 * MAX_TCP_SHARE,
    "no value and no reason": _VALUE.is_null() & (pl.col("reasons") == ""),
    "grade without value": _VALUE.is_null() != (pl.col("grade") == "unknown"),
    "capacity without answer": pl.col("capacity_bps").is_not_null() & _HIGH.is_null(),
    "most not heard and no reason": (pl.col("missed_share") > MAX_MISSED) & (pl.col("reasons") == ""),
    "tiny on an idle medium": (
        (pl.col("idle_share") > 0.9) & (0.1 * pl.col("capacity_bps") > _VALUE + _OWN) & (pl.col("failed_share") < 0.5)
    ),
}
"""What an answer must not be, by name."""


def absurd_answers(dataset: Dataset) -> pl.DataFrame:
    """Rows of `recommended` with the column `rule` that they break, a row per rule; and all other rows, without one."""
    rows = dataset.scan("recommended").with_row_index("row").collect().join(_recorded(dataset), on=_KEYS, how="left")
    rows = rows.join(_idle(dataset), on=["source"], how="left")
    broken = [rows.filter(rule.fill_null(value=False)).with_columns(rule=pl.lit(name)) for name, rule in RULES.items()]
    whole = rows.join(pl.concat(broken).select("row").unique(), on="row", how="anti")
    return pl.concat([*broken, whole], how="diagonal")


_KEYS = ["source", "sender", "receiver"]


def _recorded(dataset: Dataset) -> pl.DataFrame:
    """Per link: the highest rate and the failed share of its data, from the exchanges themselves."""
    sample = pl.col("complete") & (pl.col("payload_bytes") > 0)
    return (
        dataset.scan("exchanges")
        .filter(pl.col("sender").is_not_null(), pl.col("receiver").is_not_null())
        .group_by(_KEYS)
        .agg(
            rate_max_mbps=pl.col("rate_mbps").filter(sample).max(),
            failed_share=(~pl.col("complete")).mean(),
        )
        .collect()
    )


def _idle(dataset: Dataset) -> pl.DataFrame:
    """Per source the least idle share of any observer: one less than the sum of its exchanges over its span."""
    busy = (
        dataset.scan("exchanges")
        .filter(pl.col("end_ns") > pl.col("start_ns"))
        .group_by("source", "observer")
        .agg(
            busy=(pl.col("end_ns") - pl.col("start_ns")).sum(),
            first=pl.col("start_ns").min(),
            last=pl.col("end_ns").max(),
        )
        .group_by("source")
        .agg(idle_share=1 - pl.col("busy").max() / (pl.col("last").max() - pl.col("first").min()))
    )
    return busy.collect()
