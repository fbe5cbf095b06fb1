"""Which BSSIDs are one radio: by addresses, channel and TSF timers together."""

from __future__ import annotations

import pcaps
import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._dataset.radios import joined

DAY_US = 86_400_000_000
ALIKE = ("10:20:30:40:50:60", "10:20:30:40:50:61")


def timers(*rows):
    """Timers of (address, ahead of the recording, drift); source, channel and span are the same."""
    columns = ("node", "ahead_us", "drift_ppm")
    values = {name: [row[place] for row in rows] for place, name in enumerate(columns)}
    return pl.DataFrame(values).with_columns(source=pl.lit("s"), channel_mhz=2412, span_us=10_000_000.0)


@pytest.mark.parametrize(
    ("other", "ahead_us", "drift_ppm", "is_one"),
    [
        (ALIKE[1], DAY_US + 24_576, 12.1, True),
        ("10:20:30:40:50:7f", DAY_US, 12.0, True),
        ("12:20:30:40:50:60", DAY_US, 12.0, True),
        ("10:20:30:40:50:80", DAY_US, 12.0, False),
        ("10:20:30:40:51:61", DAY_US, 12.0, False),
        ("30:20:30:40:50:61", DAY_US, 12.0, False),
        (ALIKE[1], DAY_US + 5_860_000, 12.0, False),
        (ALIKE[1], DAY_US, 19.7, False),
    ],
    ids=["one clock", "last of 32", "local address", "beyond 32", "another number", "another vendor", "started later",
         "drifts"],
)  # fmt: skip
def test_addresses_and_timers_have_to_agree(other, ahead_us, drift_ppm, is_one):
    found = joined(timers((ALIKE[0], DAY_US, 12.0), (other, ahead_us, drift_ppm)))
    assert found == ({ALIKE[0]: min(ALIKE[0], other), other: min(ALIKE[0], other)} if is_one else {})


def test_a_radio_is_on_one_channel():
    rows = timers((ALIKE[0], DAY_US, 1.0), (ALIKE[1], DAY_US, 1.0))
    assert joined(rows.with_columns(channel_mhz=pl.Series([2412, 5180]))) == {}


def test_networks_are_joined_step_by_step():
    addresses = [f"10:20:30:40:50:{octet:02x}" for octet in (0x20, 0x38, 0x50)]
    found = joined(timers(*((address, DAY_US, 1.0) for address in addresses)))
    assert set(found.values()) == {addresses[0]}
    assert set(found) == set(addresses)


def test_a_simulators_clock_says_nothing_of_radios():
    assert joined(timers((ALIKE[0], 12.0, 0.0), (ALIKE[1], 12.0, 0.0))) == {}
    counted = (("00:00:00:00:00:01", DAY_US, 1.0), ("00:00:00:00:00:02", DAY_US, 1.0))
    assert joined(timers(*counted)) == {}


def test_nodes_say_which_stations_are_one_radio(tmp_path):
    other = "10:20:30:99:50:61"
    records = []
    for number in range(40):
        for place, (address, ahead_us) in enumerate([*((each, DAY_US) for each in ALIKE), (other, 3 * DAY_US)]):
            at_us = 1_000_000 + 102_400 * number + 5_000 * place
            frame = pcaps.beacon(address, b"net", seq=number, timestamp_us=ahead_us + at_us)
            records.append((1000 * at_us, pcaps.radiotap(frame, tsft_us=at_us, rate_mbps=1)))
    (tmp_path / "a.pcap").write_bytes(pcaps.pcap(records))
    dataset = winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "run.winf")
    found = winf_analyzer.sql(dataset, "select node, radio from nodes order by node")
    assert found.rows() == [(ALIKE[0], ALIKE[0]), (ALIKE[1], ALIKE[0]), (other, other)]
    schedule = winf_analyzer.sql(dataset, "select value, pairs from audit where \"check\" = 'beacon_schedule'")
    assert schedule.rows() == [(1.0, 117)]
