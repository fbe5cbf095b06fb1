"""MAC parameters of a world: what the recording shows over what is presumed for its PHY."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import polars as pl

from winf_analyzer._mac import PRESETS
from winf_analyzer._replay.recorded.retries import retry_limits


@dataclass(frozen=True)
class Dialect:
    """What the program that recorded does differently from the standard and from ns-3."""

    mac: dict[str, Any]
    """Fields of the engine's ``mac``."""

    addressed_only: bool
    """Receptions are recorded only where a frame was meant for the node."""

    @classmethod
    def of(cls, metadata: dict[str, Any]) -> Dialect:
        """The dialect of a dataset's recordings."""
        inputs = metadata.get("inputs") or []
        formats = [str((entry.get("container") or {}).get("format", "")) for entry in inputs if isinstance(entry, dict)]
        if formats and all(name.startswith("ns-2") for name in formats):
            # Every packet backs off, and whoever senses what it cannot decode waits EIFS.
            return cls({"access": "always_back_off", "eifs": "sensed", "nav_reset": True}, addressed_only=True)
        return cls({}, addressed_only=False)


def mac(
    facts: pl.DataFrame,
    exchanges: pl.LazyFrame,
    view: pl.DataFrame,
    used: set[tuple[str, str]],
    dialect: Dialect,
    inferred: pl.DataFrame,
) -> tuple[dict[str, Any], list[str]]:
    """The engine's ``mac``, and what was presumed.

    Args:
        facts: of :func:`.links.facts`.
        exchanges: the ``exchanges`` table.
        view: of :func:`.views.links`.
        used: links of the lifted flows.
        dialect: whose recording it is.
        inferred: the ``mac_parameters`` table.
    """
    shown = (
        exchanges.filter(pl.col("phy").is_not_null())
        .group_by("phy", pl.col("channel_mhz") < 3000)
        .len()
        .collect(engine="streaming")
    )
    phys: Counter[tuple[str, bool | None]] = Counter()
    for phy, low, count in shown.iter_rows():
        phys[phy, low] += count
    phy, low = phys.most_common(1)[0][0] if phys else ("hr_dsss", True)
    preset = PRESETS.get(f"{phy}_2ghz" if low and f"{phy}_2ghz" in PRESETS else phy, PRESETS["hr_dsss"])
    parameters: dict[str, Any] = {
        "preset": "802.11b" if phy in ("dsss", "hr_dsss") else "802.11g",
        "slot_ns": round(preset.slot_us * 1e3),
        "sifs_ns": round(preset.sifs_us * 1e3),
        "difs_ns": round(preset.difs_us * 1e3),
        "cw_min": preset.cw_min,
        # Of what was corrupted nobody knows the rate: EIFS reckons with the lowest mandatory one.
        "control_rate_bps": 1_000_000 if phy in ("dsss", "hr_dsss") else 6_000_000,
    }
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
    limits = f"retry limits {short} and {long} presumed: the default ones, or the least that the recording allows"
    times = {"slot_us": ("slot", "slot_ns"), "sifs_us": ("SIFS", "sifs_ns")}
    presumed = [f"{name} of {parameters[ns] / 1e3:g} us" for key, (name, ns) in times.items() if key not in known]
    presumed += [f"CWmin of {parameters['cw_min']}"] if "cw_min" not in known else []
    notes = [f"{', '.join(presumed)} presumed for {phy}"] if presumed else []
    return parameters | dialect.mac, [*notes, limits]


_FIELDS = {
    "slot_us": ("slot_ns", 1e3),
    "aifs_us": ("difs_ns", 1e3),
    "sifs_us": ("sifs_ns", 1e3),
    "cw_min": ("cw_min", 1),
}
"""Parameters of the table, the engine's names for them, and the factor between their units."""


def _known(inferred: pl.DataFrame, senders: set[str]) -> dict[str, float]:
    """What was measured, declared or given and is in use, for the senders of the lifted flows or else for all.

    A world has one MAC: where stations differ, what most samples show counts.
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


def answer_ns(parameters: dict[str, Any]) -> int:
    """How long after a frame the answer to it ends at the latest: SIFS, a slot, and 14 octets at the control rate."""
    plcp = 192_000 if parameters["preset"] == "802.11b" else 26_000
    octets = 14 * 8 * 1_000_000_000 // int(parameters["control_rate_bps"])
    return int(parameters["sifs_ns"] + parameters["slot_ns"] + plcp + octets)


def _rts_threshold(facts: pl.DataFrame) -> int | None:
    """Packets longer than this were sent after RTS and CTS; None: none was."""
    with_rts, without = facts["with_rts"].min(), facts["without_rts"].max()
    if not isinstance(with_rts, float):
        return None
    smallest, largest = int(with_rts), int(without) if isinstance(without, float) else 0
    return largest if largest < smallest else smallest - 1
