"""MAC and PHY parameters of each exchange as columns: those in use by its sender, else its PHY's preset."""

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from winf_analyzer._mac import PRESETS, Mac, by_sender
from winf_analyzer._mac.pivot import CONTENTION, LIMITS, STATION, by_receiver, overrides_for_all
from winf_analyzer._mac.presets import preset_name
from winf_analyzer._mac.sampling import access_category
from winf_analyzer._schema import schema

UNKNOWN_LIMIT = -1
"""In place of a TXOP limit that nobody declared; 0 is one PPDU per TXOP, however long it is (10.23.2.9)."""

US = 1000
"""Nanoseconds per microsecond; durations are added up in integer nanoseconds."""


class Known(NamedTuple):
    """What is known about senders and receivers, in the form in which it is joined to exchanges."""

    senders: pl.DataFrame
    """:data:`_SENDER` and the number of it, `known`."""
    profiles: pl.DataFrame
    """The columns of :func:`with_mac` for each number that :func:`_profile` gives."""
    receivers: pl.DataFrame
    """`receiver` and `ampdu_max_bytes`, of those who announced it."""


def what_is_known(parameters: pl.DataFrame | None) -> Known:
    """The contents of a `mac_parameters` table; without one the presets of the PHYs apply."""
    table = pl.DataFrame(schema=schema("mac_parameters")) if parameters is None else parameters
    senders = by_sender(table).with_row_index("known")
    profiles = _presets() if parameters is None else _overruled(_presets(), senders, overrides_for_all(table))
    numbered = profiles.select(_profile(), *_columns(PRESETS["dsss"]))
    return Known(senders.select(*_SENDER, "known"), numbered, by_receiver(table))


def with_mac(exchanges: pl.LazyFrame, mac: Mac | None, known: Known | None = None) -> pl.LazyFrame:
    """Adds the parameters of each exchange's sender, of its PHY where those are unknown, or those of `mac`, as columns.

    Durations `t_*` in nanoseconds (`t_slot t_sifs t_difs t_backoff t_plcp t_rts t_cts t_ack`), rates, CWmin and
    header size. `t_difs` is the AIFS of the access category, which is DIFS without QoS; `t_backoff` is E[BO] of a first
    attempt; `t_txop` the TXOP limit, :data:`UNKNOWN_LIMIT` where nothing declares it.
    `ampdu_max_bytes` is what the receiver announced to accept, null where it did not.

    Args:
        exchanges: the `exchanges` table with `source` and `observer`.
        mac: parameters for every exchange, whatever else is known.
        known: what :func:`what_is_known` makes of the `mac_parameters` table; without it the presets stand.
    """
    known = known or what_is_known(None)
    exchanges = exchanges.join(known.receivers.lazy(), on="receiver", how="left")
    if mac is not None:
        return exchanges.with_columns(pl.lit(value).alias(name) for name, value in _columns(mac).items())
    # Of a wide table, joins and expressions are what costs: one number per row picks all its parameters.
    numbered = (
        exchanges.with_columns(access_category=access_category())
        .join(known.senders.lazy(), on=_SENDER, how="left", nulls_equal=True)
        .with_columns(preset=preset_name(), preamble=pl.col("preamble") == "short")
        .with_columns(_profile())
    )
    joined = numbered.join(known.profiles.lazy(), on="profile", how="left")
    return joined.drop("profile", "known", "preset", "preamble", "access_category", "channel_mhz", "phy")


_SENDER = ("source", "observer", "sender", "access_category")
"""What a sender's parameters go by."""

_PRESET = pl.Enum(list(PRESETS))


def _profile() -> pl.Expr:
    """The number of the parameters of a `preset`, `preamble` (is it short) and `known` sender (null: none)."""
    preset = pl.col("preset").cast(_PRESET).to_physical().cast(pl.Int64)
    sender = pl.col("known").cast(pl.Int64).fill_null(-1)
    short = pl.col("preamble").fill_null(value=False).cast(pl.Int64)
    return ((sender * len(PRESETS) + preset) * 2 + short).alias("profile")


def _presets() -> pl.DataFrame:
    """The parameters of every `preset` and `preamble`, where the sender is not `known`."""
    presets = pl.DataFrame([{"preset": name, **_columns(preset)} for name, preset in PRESETS.items()])
    # The short DSSS preamble and header take half the time of the long ones (16.2.2.3).
    short = presets.with_columns(pl.col("t_plcp") // 2, preamble=pl.lit(value=True))
    both = pl.concat([presets.with_columns(preamble=pl.lit(value=False)), short])
    return both.with_columns(known=pl.lit(None, pl.UInt32))


def _overruled(presets: pl.DataFrame, senders: pl.DataFrame, everyone: Mapping[str, float]) -> pl.DataFrame:
    """What is known about a sender, or was given for all, in the place of every preset."""
    of_sender = pl.concat([senders, senders.clear(1)]).select(
        "known", pl.col(*CONTENTION, *LIMITS, *STATION).name.prefix("own_")
    )
    rows = presets.drop("known").join(of_sender, how="cross")
    columns = {f"{name}_us": f"t_{name}" for name in ("slot", "sifs", "plcp", "rts", "cts", "ack")}
    columns |= {"aifs_us": "t_difs", "txop_limit_us": "t_txop", "cw_min": "cw_min", "header_bytes": "header_bytes"}
    for parameter, column in columns.items():
        value = pl.coalesce(f"own_{parameter}", pl.lit(everyone.get(parameter), pl.Float64()))
        value = value * US if column.startswith("t_") else value
        rows = rows.with_columns(pl.coalesce(value.round().cast(pl.Int64, strict=False), column).alias(column))
    return rows.with_columns(t_backoff=(pl.col("cw_min") * pl.col("t_slot")) // 2)


def _columns(mac: Mac) -> dict[str, int | float]:
    """The columns that stand for `mac`."""
    durations = ("slot", "sifs", "difs", "backoff", "plcp", "rts", "cts", "ack")
    others = ("cw_min", "header_bytes", "rate_min_bps", "rate_max_bps")
    known = {f"t_{name}": round(getattr(mac, f"{name}_us") * US) for name in durations}
    return known | {name: getattr(mac, name) for name in others} | {"t_txop": UNKNOWN_LIMIT}


PARAMETERS = tuple(_columns(PRESETS["dsss"]))
"""The columns that :func:`with_mac` adds, but for `ampdu_max_bytes`."""
