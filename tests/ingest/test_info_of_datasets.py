"""What `winf info` says of a dataset is what it says of the recordings that the dataset was made from."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pcaps
import polars as pl
import pytest

import winf_analyzer

KEYS = ("networks", "stations", "number_of_networks", "number_of_stations", "mac_parameters")


@pytest.mark.parametrize("name", ["ns3_sniffer", "ns3_basic_link", "ns3_ht"])
def test_networks_stations_and_mac_parameters_are_those_of_the_capture(name, sample, tmp_path):
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


def test_a_network_is_what_has_a_bssid_on_the_channel_where_most_of_it_is_heard(tmp_path, winf):
    ap, other = "00:11:22:33:44:55", "00:11:22:33:44:66"
    cf_end = struct.pack("<BBH", 0xE4, 0, 0) + b"\xff" * 6 + pcaps.address(other)
    frames = [(2437, pcaps.beacon(ap, b"net")), (2442, pcaps.beacon(ap, b"net")), (2437, pcaps.beacon(ap, b"net"))]
    frames += [(2437, cf_end), (2437, pcaps.beacon("00:00:00:00:00:00", b""))]
    records = [
        (number * 10**8, pcaps.radiotap(frame, tsft_us=number * 100_000, channel_mhz=channel_mhz))
        for number, (channel_mhz, frame) in enumerate(frames)
    ]
    (tmp_path / "a.pcap").write_bytes(pcaps.pcap(records))
    winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / "run.winf")
    for asked in ("a.pcap", "run.winf"):
        (entry,) = winf_analyzer.info([tmp_path / asked])
        assert entry["number_of_networks"] == 1
        (network,) = entry["networks"]
        assert (network["bssid"], network["channel_mhz"], network["beacons"]) == (ap, 2437, 3)
    rows = json.loads(winf("sql", tmp_path / "run.winf", "--query", "networks", "--to", "json").stdout)
    assert [(row["bssid"], row["channel_mhz"]) for row in rows] == [(ap, 2437)]


def test_tables_of_several_datasets_say_which_row_is_of_which(tmp_path, winf):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    folders = [tmp_path / "one.winf", tmp_path / "other.winf"]
    for folder in folders:
        winf_analyzer.ingest(tmp_path / "a.pcap", folder)
    lines = winf("info", *folders, "--to", "csv").stdout.splitlines()
    assert lines[0].startswith("dataset,source,error,frames,")
    assert [line.split(",")[:2] for line in lines[1:]] == [[str(folder), "a.pcap"] for folder in folders]


def test_the_columns_of_a_recording_have_the_same_types_without_an_error(tmp_path, winf_process):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    (tmp_path / "b.pcap").write_bytes(b"nothing of the kind")
    alone = winf_process("info", tmp_path / "a.pcap", "--to", "arrow", text=False).stdout
    both = winf_process("info", tmp_path / "a.pcap", tmp_path / "b.pcap", "--to", "arrow", text=False).stdout
    assert pl.read_ipc_stream(alone).schema == pl.read_ipc_stream(both).schema


def test_a_dataset_without_provenance_says_so(tmp_path, winf):
    (tmp_path / "a.pcap").write_bytes(pcaps.busy_link(3))
    for name in ("run.winf", "whole.winf"):
        winf_analyzer.ingest(tmp_path / "a.pcap", tmp_path / name)
    run = tmp_path / "run.winf"
    (run / "dataset.json").unlink()
    assert winf_analyzer.repair(run).left == []
    assert winf_analyzer.info([run]) == []
    for to in ("table", "json"):
        (sentence,) = winf("info", run, tmp_path / "whole.winf", "--to", to).stderr.splitlines()
        assert sentence.startswith(f"{run}: what is known of its recordings is lost; ingest them again with --force.")


def test_a_dataset_of_replays_says_that_it_holds_no_recordings(replay_dataset, winf):
    answer = winf("info", replay_dataset.path)
    assert (answer.stdout, answer.stderr) == ("", f"{replay_dataset.path}: holds no recordings.\n")
