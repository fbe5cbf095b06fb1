"""What `winf info` says of a dataset is what it says of the recordings that the dataset was made from."""

from __future__ import annotations

from pathlib import Path

import pytest

import winf_analyzer

KEYS = ("networks", "stations", "number_of_networks", "number_of_stations")


@pytest.mark.parametrize("name", ["ns3_sniffer", "ns3_basic_link", "ns3_ht"])
def test_networks_and_stations_are_those_of_the_capture(name, sample, tmp_path):
    recording = sample(name)
    told = {entry["source"]: entry for entry in winf_analyzer.info([recording])}
    winf_analyzer.ingest([recording], tmp_path / "run.winf")
    again = {entry["source"]: entry for entry in winf_analyzer.info([tmp_path / "run.winf"])}
    assert again.keys() == told.keys()
    for source, entry in told.items():
        assert {key: again[source].get(key) for key in KEYS} == {key: entry.get(key) for key in KEYS}


@pytest.mark.parametrize("name", ["testing_mix1.pcap", "active3.pcap"])
def test_the_same_of_a_real_capture(name, tmp_path):
    capture = Path(__file__).parents[3] / "shared/captures/rmaratos__networks744" / name
    if not capture.exists():
        pytest.skip("the captures of ../shared are not at hand")
    (told,) = winf_analyzer.info([capture])
    winf_analyzer.ingest([capture], tmp_path / "run.winf")
    (again,) = winf_analyzer.info([tmp_path / "run.winf"])
    assert {key: again.get(key) for key in KEYS} == {key: told.get(key) for key in KEYS}
