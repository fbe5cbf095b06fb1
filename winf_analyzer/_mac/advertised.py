"""What networks and stations announce, from the `capabilities` table."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import polars as pl

from winf_analyzer._mac.default import LONG_SLOT_US
from winf_analyzer._mac.schema import ACCESS_CATEGORIES, Row

SHORT_SLOT_US = 9.0
"""The aSlotTime of an ERP with short slot time (18.5.4)."""

OF_NETWORK = ("short_slot", "short_preamble", "non_erp_present", "use_protection", "barker_preamble")
"""Flags that an access point, or the members of an IBSS, set for all."""

OF_CATEGORY = ("aifsn", "cw_min", "cw_max", "txop_limit_us")
"""EDCA parameters that an access point sets for its stations; its own are not announced."""

OF_STATION = ("ampdu_max_bytes", "ampdu_spacing_us", "amsdu_max_bytes", "spatial_streams")
"""What a station is able to receive."""


def declared_parameters(capabilities: pl.DataFrame, sources: Collection[str] | None = None) -> list[Row]:
    """Rows of `mac_parameters`: those of a network under its BSSID, those of a station under its address.

    The latest announcement comes first. With `sources`, what was heard in a recording that is not among them (but was
    merged into one) holds for all.
    """
    rows: list[Row] = []
    for heard in capabilities.sort("last_ns", descending=True, maintain_order=True).iter_rows(named=True):
        alone = sources is None or heard["source"] in sources
        where = {"source": heard["source"] if alone else None, "observer": heard["observer"] if alone else None}
        if heard["ess"] or heard["ibss"]:
            rows += _of_network(heard, where)
        rows += _rows({name: heard[name] for name in OF_STATION}, heard, where, heard["station"])
    return _together(rows)


def _together(rows: list[Row]) -> list[Row]:
    """Announcements of the same value in different frames as one row."""
    found: dict[Row, int] = {}
    for row in rows:
        alike = replace(row, samples=None)
        found[alike] = found.get(alike, 0) + (row.samples or 0)
    return [replace(row, samples=samples) for row, samples in found.items()]


def _of_network(heard: dict[str, Any], where: dict[str, Any]) -> list[Row]:
    values = {name: heard[name] for name in OF_NETWORK}
    if heard["non_erp_present"] is not None:
        # Only where there is an ERP element: at 5 GHz the bit is reserved, and a network without ERP has long slots.
        values["slot_us"] = SHORT_SLOT_US if heard["short_slot"] else LONG_SLOT_US
    rows = _rows(values, heard, where, heard["bssid"])
    for category in ACCESS_CATEGORIES:
        edca = {name: heard[f"{category}_{name}"] for name in OF_CATEGORY}
        rows += _rows(edca, heard, where, heard["bssid"], category)
    return rows


def _rows(
    values: dict[str, Any], heard: dict[str, Any], where: dict[str, Any], station: str, category: str | None = None
) -> list[Row]:
    return [
        Row(
            **where,
            station=station,
            access_category=category,
            parameter=name,
            value=float(value),
            origin="declared",
            samples=heard["frames"],
        )
        for name, value in values.items()
        if value is not None
    ]
