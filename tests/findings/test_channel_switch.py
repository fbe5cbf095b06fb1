"""An access point that changes its channel is told from a recorder that does."""

from __future__ import annotations

import pytest
from air import Air, beacon, operating
from finding_scenes import AP, OTHER_AP

import winf_analyzer


def _found(folder, channels, bssids=(AP,), each=30, told=()):
    air = Air()
    for number in range(each * len(channels)):
        for bssid in bssids:
            air.until(number * 102_400)
            air.wait(500)
            says = operating(told[number // each]) if told else b""
            air.send(
                beacon(bssid, seq=number, told=says),
                1 if channels[0] < 5000 else 6,
                channel_mhz=channels[number // each],
            )
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why(folder / "recording.pcap").findings.filter(name="channel_switch")


@pytest.mark.parametrize(
    ("channels", "times"),
    [
        ((2412, 2437), "once"),
        ((2412, 2437, 2412), "2 times"),
        ((2412, 2437, 2462), "2 times"),
        ((5180, 5240) * 2, "3 times"),
    ],
)
def test_every_change_of_an_access_point_counts(channels, times, tmp_path):
    row = _found(tmp_path, channels).row(0, named=True)
    assert row["subject"] == AP
    assert row["value"] == len(channels) - 1
    assert f"changed its channel {times}." in row["text"]
    assert "DFS" not in row["remedy"]


def test_who_leaves_a_dfs_channel_is_told_of_those(tmp_path):
    row = _found(tmp_path, (5500, 5180, 5500)).row(0, named=True)
    assert row["remedy"].startswith("Choose a channel outside the DFS range")


def test_stations_that_change_together_were_recorded_on_another_channel(tmp_path):
    assert _found(tmp_path, (2412, 2417, 2412), (AP, OTHER_AP)).is_empty()
    assert _found(tmp_path, (2412, 2437) * 3).is_empty(), "it hops"


def test_what_beacons_say_counts_and_not_where_they_were_heard(tmp_path):
    """Channels 1 and 2 are heard on either: only where the beacons change has the access point moved."""
    assert _found(tmp_path, (2412, 2417, 2412), told=(1, 1, 1)).is_empty()
    row = _found(tmp_path, (2412, 2412, 2412), told=(1, 2, 1)).row(0, named=True)
    assert (row["value"], row["subject"]) == (2, AP)
    assert "From 2412 to 2417 MHz" in row["text"] or "From 2417 to 2412 MHz" in row["text"]


def test_a_recorder_that_hops_hears_of_changes_too(tmp_path):
    row = _found(tmp_path, (2412, 2417) * 4, told=(1,) * 4 + (2,) * 4).row(0, named=True)
    assert row["value"] == 1
    both = _found(tmp_path, (2412, 2437), (AP, OTHER_AP), told=(1, 6))
    assert set(both["subject"]) == {AP, OTHER_AP}, "both say that they moved"


def test_a_few_beacons_with_another_number_are_no_change(tmp_path):
    assert _found(tmp_path, (2412,) * 3, each=4, told=(1, 6, 1)).is_empty()
