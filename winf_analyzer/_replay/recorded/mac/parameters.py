"""MAC parameters of a world: those that the recording shows, else the defaults of its PHY."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from winf_analyzer._mac import PRESETS
from winf_analyzer._mac.constants import LOW_BAND, TEN_MHZ_CHANNELS, constant, in_low_band
from winf_analyzer._mac.presets import phy_family
from winf_analyzer._replay.recorded.mac.retries import retry_limits


@dataclass(frozen=True)
class MacDialect:
    """How the MAC of a simulator, and its trace, differ from the standard and from ns-3."""

    mac: dict[str, Any]
    """Fields of the engine's ``mac``."""

    addressed_only: bool
    """Receptions are recorded only at the addressed node."""

    @classmethod
    def of(cls, metadata: dict[str, Any]) -> MacDialect:
        """The dialect of a dataset's recordings."""
        inputs = metadata.get("inputs") or []
        formats = [str((entry.get("container") or {}).get("format", "")) for entry in inputs if isinstance(entry, dict)]
        if formats and all(name.startswith("ns-2") for name in formats):
            # Every packet has a backoff, and sensing a frame that cannot be decoded causes EIFS.
            return cls({"access": "always_back_off", "eifs": "sensed", "nav_reset": True}, addressed_only=True)
        return cls({}, addressed_only=False)


def mac(
    facts: pl.DataFrame,
    exchanges: pl.LazyFrame,
    view: pl.DataFrame,
    used: set[tuple[str, str]],
    dialect: MacDialect,
    inferred: pl.DataFrame,
) -> tuple[dict[str, Any], list[str]]:
    """The engine's ``mac``, and notes on assumptions.

    Args:
        facts: from :func:`.link_facts`.
        exchanges: the ``exchanges`` table.
        view: from :func:`.views.links`.
        used: links of the flows under study.
        dialect: that of the recordings.
        inferred: the ``mac_parameters`` table.
    """
    phy, low = _usual_phy(exchanges, used)
    phy = "erp" if low and phy == "ofdm" else phy
    preset = PRESETS.get(f"{phy}_2ghz" if low and f"{phy}_2ghz" in PRESETS else phy, PRESETS["hr_dsss"])
    parameters: dict[str, Any] = {
        "preset": "802.11b" if phy in ("dsss", "hr_dsss") else "802.11g",
        "slot_ns": round(preset.slot_us * 1e3),
        "sifs_ns": round(preset.sifs_us * 1e3),
        "difs_ns": round(preset.difs_us * 1e3),
        "cw_min": preset.cw_min,
        # The rate of a corrupted frame is unknown, so EIFS is computed with the lowest mandatory rate.
        "control_rate_bps": round(1e6 * constant("min_rate", *(_DSSS if phy in ("dsss", "hr_dsss") else _ERP))),
    }
    if phy == "ofdm_10mhz":
        preamble_us, symbol_us = constant("preamble", "ofdm", TEN_MHZ_CHANNELS), 2 * constant("ofdm_symbol")
        rate_mbps = constant("min_rate", "ofdm", TEN_MHZ_CHANNELS)
        parameters |= {"plcp_ns": round(1e3 * preamble_us), "symbol_ns": round(1e3 * symbol_us)}
        parameters["control_rate_bps"] = round(1e6 * rate_mbps)
    if low is False:
        # The preset's is that of the band at 2.4 GHz.
        parameters["signal_extension_ns"] = 0
    mine = facts.filter(pl.concat_str("sender", pl.lit(" "), "receiver").is_in([f"{a} {b}" for a, b in used]))
    header = mine["header_bytes"].median()
    if isinstance(header, float) and header >= 0:
        parameters["mac_header_bytes"] = round(header)
    threshold = _rts_threshold(mine)
    if threshold is not None:
        parameters["rts_threshold_bytes"] = threshold
    known = _known(inferred, {sender for sender, _ in used})
    if "slot_us" in known:
        # DIFS = SIFS + 2 slots (10.3.7), unless the gaps themselves show another AIFS.
        parameters["difs_ns"] = round((preset.sifs_us + 2 * known["slot_us"]) * 1e3)
    parameters |= {field: round(known[name] * scale) for name, (field, scale) in _FIELDS.items() if name in known}
    short, long = retry_limits(exchanges, view)
    parameters |= {"short_retry_limit": short, "long_retry_limit": long}
    limits = f"retry limits {short} and {long} assumed: the defaults, or the lowest values that the recording allows"
    times = {"slot_us": ("slot", "slot_ns"), "sifs_us": ("SIFS", "sifs_ns")}
    assumed = [f"{name} of {parameters[ns] / 1e3:g} us" for key, (name, ns) in times.items() if key not in known]
    assumed += [f"CWmin of {parameters['cw_min']}"] if "cw_min" not in known else []
    notes = [f"{', '.join(assumed)} assumed for {phy}"] if assumed else []
    return parameters | dialect.mac, [*notes, limits]


def _usual_phy(exchanges: pl.LazyFrame, used: set[tuple[str, str]]) -> tuple[str, bool | None]:
    """The PHY of most data of the links under study, and whether it is in the band at 2.4 GHz.

    Beacons and null frames go at the lowest rates whatever data does, and there may be many more of them. Where these
    links have no data, all exchanges count.
    """
    keys = pl.concat_str("sender", pl.lit(" "), "receiver").is_in([f"{a} {b}" for a, b in used])
    carries = (keys & pl.col("data_kind").is_in(("data", "qos_data"))).fill_null(False)
    shown = (
        exchanges.filter(pl.col("phy").is_not_null())
        .group_by(phy=phy_family(), low=in_low_band())
        .agg(carried=carries.sum(), seen=pl.len())
        .collect(engine="streaming")
    )
    if shown.is_empty():
        return "hr_dsss", True
    return (
        shown.sort("carried", "seen", "phy", "low", descending=[True, True, False, False]).select("phy", "low").row(0)
    )


_DSSS, _ERP = ("hr_dsss", LOW_BAND), ("erp", LOW_BAND)
"""The PHYs of the presets 802.11b and 802.11g."""

_FIELDS = {
    "slot_us": ("slot_ns", 1e3),
    "aifs_us": ("difs_ns", 1e3),
    "sifs_us": ("sifs_ns", 1e3),
    "cw_min": ("cw_min", 1),
}
"""Parameters of the table, their names in the engine, and the factor between the units."""


def _known(inferred: pl.DataFrame, senders: set[str]) -> dict[str, float]:
    """Measured, declared or given parameters in use, of the senders of the flows under study, else of all stations.

    A world has one set of MAC parameters: if stations differ, the value with most samples is used.
    """
    rows = inferred.filter(
        "used",
        pl.col("origin") != "presumed",
        pl.col("access_category").is_null(),
        pl.col("parameter").is_in(list(_FIELDS)),
    )
    own = rows.filter(pl.col("station").is_in(sorted(senders)))
    votes = (
        (own if own.height else rows)
        .group_by("parameter", "value")
        .agg(weight=pl.col("samples").fill_null(0).sum())
        .sort("parameter", "weight", "value")
    )
    return {name: float(value) for name, value, _ in votes.iter_rows()}


def _rts_threshold(facts: pl.DataFrame) -> int | None:
    """Packets longer than this were sent with RTS/CTS; None if none was."""
    with_rts, without = facts["with_rts"].min(), facts["without_rts"].max()
    if not isinstance(with_rts, float):
        return None
    smallest, largest = int(with_rts), int(without) if isinstance(without, float) else 0
    return largest if largest < smallest else smallest - 1
