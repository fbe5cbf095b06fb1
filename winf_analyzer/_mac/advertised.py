"""Parameters that networks and stations advertise, from the `capabilities` table."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from winf_analyzer._mac.constants import constant
from winf_analyzer._mac.default import LONG_SLOT_US
from winf_analyzer._mac.schema import ACCESS_CATEGORIES, Row

SHORT_SLOT_US = constant("short_slot")
"""The aSlotTime of an ERP with short slot time (18.5.4)."""

NETWORK_FLAGS = ("short_slot", "short_preamble", "non_erp_present", "use_protection", "barker_preamble")
"""Flags that an access point, or the members of an IBSS, set for the whole network."""

EDCA_PARAMETERS = ("aifsn", "cw_min", "cw_max", "txop_limit_us")
"""EDCA parameters that an access point sets for its stations; its own are not advertised."""

STATION_CAPABILITIES = ("ampdu_max_bytes", "ampdu_spacing_us", "amsdu_max_bytes", "spatial_streams")
"""Receive capabilities of a station."""


COLUMNS = (
    *("source", "observer", "station", "bssid", "ess", "ibss", "frames", "last_ns"),
    *NETWORK_FLAGS,
    *STATION_CAPABILITIES,
    *(f"{category}_{name}" for category in ACCESS_CATEGORIES for name in EDCA_PARAMETERS),
)
"""The columns of `capabilities` that are read."""


def advertised_parameters(
    capabilities: Iterable[Mapping[str, Any]], sources: Collection[str] | None = None
) -> list[Row]:
    """Rows of `mac_parameters` from rows of `capabilities` with :data:`COLUMNS`.

    Those of a network are under its BSSID, those of a station under its address.

    The latest announcement comes first. With `sources`, rows from a recording that is not among them (because it was
    merged) apply to all recordings.
    """
    rows: list[Row] = []
    for announcement in sorted(capabilities, key=lambda announcement: -(announcement["last_ns"] or 0)):
        is_own_source = sources is None or announcement["source"] in sources
        recorder = {
            "source": announcement["source"] if is_own_source else None,
            "observer": announcement["observer"] if is_own_source else None,
        }
        if announcement["ess"] or announcement["ibss"]:
            rows += _network_rows(announcement, recorder)
        rows += _rows(
            {name: announcement[name] for name in STATION_CAPABILITIES}, announcement, recorder, announcement["station"]
        )
    return _merged(rows)


def _merged(rows: list[Row]) -> list[Row]:
    """The rows with announcements of the same value in different frames merged."""
    merged: dict[Row, int] = {}
    for row in rows:
        key = replace(row, samples=None)
        merged[key] = merged.get(key, 0) + (row.samples or 0)
    return [replace(row, samples=samples) for row, samples in merged.items()]


def _network_rows(announcement: Mapping[str, Any], recorder: dict[str, Any]) -> list[Row]:
    values = {name: announcement[name] for name in NETWORK_FLAGS}
    if announcement["non_erp_present"] is not None:
        # Only with an ERP element: at 5 GHz the bit is reserved, and a network without ERP has long slots.
        values["slot_us"] = SHORT_SLOT_US if announcement["short_slot"] else LONG_SLOT_US
    rows = _rows(values, announcement, recorder, announcement["bssid"])
    for category in ACCESS_CATEGORIES:
        edca = {name: announcement[f"{category}_{name}"] for name in EDCA_PARAMETERS}
        rows += _rows(edca, announcement, recorder, announcement["bssid"], category)
    return rows


def _rows(
    values: dict[str, Any],
    announcement: Mapping[str, Any],
    recorder: dict[str, Any],
    station: str,
    category: str | None = None,
) -> list[Row]:
    return [
        Row(
            **recorder,
            station=station,
            access_category=category,
            parameter=name,
            value=float(value),
            origin="declared",
            samples=announcement["frames"],
        )
        for name, value in values.items()
        if value is not None
    ]
