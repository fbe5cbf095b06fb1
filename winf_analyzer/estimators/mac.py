"""MAC and PHY parameters of each exchange as columns: those that count for its sender, else its PHY's preset."""

import polars as pl

from winf_analyzer.parameters import PRESETS, Mac, by_sender
from winf_analyzer.parameters.presets import preset_name
from winf_analyzer.parameters.sampling import access_category
from winf_analyzer.parameters.wide import CONTENTION, STATION, by_receiver, of_everyone

__all__ = ["PRESETS", "US", "Mac", "nanoseconds", "with_mac"]

US = 1000
"""Nanoseconds per microsecond; estimators calculate in integer nanoseconds."""


def nanoseconds(column: str) -> pl.Expr:
    """A column of microseconds in nanoseconds; null where that is not a number an integer can hold."""
    return (pl.col(column) * US).round().cast(pl.Int64, strict=False)


def with_mac(exchanges: pl.LazyFrame, mac: Mac | None, parameters: pl.DataFrame | None = None) -> pl.LazyFrame:
    """Adds the parameters of each exchange's sender, of its PHY where those are unknown, or those of `mac`, as columns.

    Durations `t_*` in nanoseconds (`t_slot t_sifs t_difs t_backoff t_plcp t_rts t_cts t_ack`), rates, CWmin and
    header size. `t_difs` is the AIFS of the access category, which is DIFS without QoS; `t_backoff` is E[BO] of a first
    attempt. `ampdu_max_bytes` is what the receiver announced to accept, null where it did not.

    Args:
        exchanges: the `exchanges` table with `source` and `observer`.
        mac: parameters for every exchange, whatever else is known.
        parameters: the `mac_parameters` table; without it the presets stand.
    """
    if parameters is None:
        exchanges = exchanges.with_columns(ampdu_max_bytes=pl.lit(None, pl.Float64))
    else:
        exchanges = exchanges.join(by_receiver(parameters).lazy(), on="receiver", how="left")
    if mac is not None:
        return exchanges.with_columns(pl.lit(value).alias(name) for name, value in _columns(mac).items())
    presets = pl.LazyFrame([{"preset": name, **_columns(preset)} for name, preset in PRESETS.items()])
    # The short DSSS preamble and header take half the time of the long ones (16.2.2.3).
    t_plcp = pl.when(pl.col("preamble") == "short").then(pl.col("t_plcp") // 2).otherwise(pl.col("t_plcp"))
    known = exchanges.with_columns(preset=preset_name()).join(presets, on="preset", how="left")
    known = known.with_columns(t_plcp=t_plcp)
    if parameters is not None:
        known = _with_parameters(known, parameters)
    return known.drop("preset", "preamble", "channel_mhz", "phy")


def _with_parameters(exchanges: pl.LazyFrame, parameters: pl.DataFrame) -> pl.LazyFrame:
    """Puts what is known about a sender, or was given for all, in the place of its preset."""
    columns = {f"{name}_us": f"t_{name}" for name in ("slot", "sifs", "plcp", "rts", "cts", "ack")}
    columns |= {"aifs_us": "t_difs", "cw_min": "cw_min", "header_bytes": "header_bytes"}
    senders, everyone = by_sender(parameters).rename(_PREFIXED), of_everyone(parameters)
    joined = exchanges.with_columns(access_category=access_category()).join(
        senders.lazy(), on=["source", "observer", "sender", "access_category"], how="left", nulls_equal=True
    )
    for parameter, column in columns.items():
        value = pl.coalesce(f"known_{parameter}", pl.lit(everyone.get(parameter), pl.Float64()))
        value = value * US if column.startswith("t_") else value
        joined = joined.with_columns(pl.coalesce(value.round().cast(pl.Int64, strict=False), column).alias(column))
    t_backoff = (pl.col("cw_min") * pl.col("t_slot")) // 2
    return joined.with_columns(t_backoff=t_backoff).drop(*_PREFIXED.values(), "access_category")


_PREFIXED = {name: f"known_{name}" for name in (*CONTENTION, *STATION)}


def _columns(mac: Mac) -> dict[str, int | float]:
    """The columns that stand for `mac`."""
    durations = ("slot", "sifs", "difs", "backoff", "plcp", "rts", "cts", "ack")
    others = ("cw_min", "header_bytes", "rate_min_bps", "rate_max_bps")
    return {f"t_{name}": round(getattr(mac, f"{name}_us") * US) for name in durations} | {
        name: getattr(mac, name) for name in others
    }
