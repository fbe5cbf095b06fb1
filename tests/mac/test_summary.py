"""The lines of MAC parameters: what is said of their evidence holds of the recording."""

from __future__ import annotations

from typing import Any

import pytest

from winf_analyzer._mac.summary import parameter_lines


def rows(parameter: str, origin: str, *samples: int, value: float = 9.0) -> list[dict[str, Any]]:
    """One row per station."""
    named = {"access_category": None, "parameter": parameter, "origin": origin, "value": value}
    return [
        {**named, "station": f"02:00:00:00:00:{number:02x}", "samples": count} for number, count in enumerate(samples)
    ]


@pytest.mark.parametrize(
    ("parameter", "origin", "samples", "said"),
    [
        ("slot_us", "measured", (55, 55, 55), "slot 9 us (measured on 55 gaps, 3 stations)"),
        ("slot_us", "measured", (55, 26), "slot 9 us (measured on 26 to 55 gaps, 2 stations)"),
        ("slot_us", "measured", (1,), "slot 9 us (measured on 1 gap, 1 station)"),
        ("control_rate_mbps", "measured", (200, 15), "CTS and ACK at 9 Mb/s (measured on 215 frames, 2 stations)"),
        ("slot_us", "declared", (312, 312), "slot 9 us (declared, 2 stations)"),
        ("slot_us", "presumed", (0,), "slot 9 us (presumed, 1 station)"),
    ],
)
def test_what_several_stations_share_is_counted_once(parameter, origin, samples, said):
    """The gaps that tell the slot, and the beacons of a network, stand in the rows of all its stations."""
    assert parameter_lines(rows(parameter, origin, *samples)) == [said]
