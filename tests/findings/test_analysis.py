"""Findings of samples: ranked, in words, as a table; what the model says without a cause."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from pathlib import Path
from unittest import mock

import pcaps
import polars as pl
import pytest
from air import Air
from finding_scenes import SCENES, beacons, light, unanswered
from folders import ROOT, SAMPLES

import winf_analyzer
from winf_analyzer import Dataset
from winf_analyzer._dataset import staging
from winf_analyzer._findings import registry
from winf_analyzer._schema import schema

GOLDEN = Path(__file__).with_name("golden")
SAMPLED = ("ns2_hidden", "ns3_basic_link", "ns3_hidden", "ns3_ht", "ns3_sniffer", "ns3_tcp")
MIX = ROOT.parent / "shared" / "captures" / "rmaratos__networks744" / "testing_mix1.pcap"


def _capture(folder: Path, *scenes, name: str = "recording.pcap") -> Path:
    air = Air()
    for scene in scenes:
        scene(air)
    (folder / name).write_bytes(air.capture())
    return folder / name


def _without_radio_header(folder: Path, name: str) -> Path:
    air = Air()
    SCENES["deauthentication_loop"][0](air)
    bare = [(at, record[int.from_bytes(record[2:4], "little") :]) for at, record in air.records]
    (folder / name).write_bytes(pcaps.pcap(bare, link_type=pcaps.IEEE802_11))
    return folder / name


@pytest.mark.parametrize("name", SAMPLED)
def test_findings_of_samples(name):
    found = winf_analyzer.why([SAMPLES / name / "recording"]).findings
    shown = found.select("rank", "name", "subject", "source", *(pl.col(c).round(3) for c in ("value", "confidence")))
    text, golden = shown.write_csv(), GOLDEN / f"{name}.csv"
    if os.environ.get("WINF_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_hidden_stations_are_found_and_stations_in_range_are_not():
    assert "hidden_pair" in pl.read_csv(GOLDEN / "ns3_hidden.csv")["name"]
    assert "hidden_pair" not in pl.read_csv(GOLDEN / "ns3_basic_link.csv")["name"]


def test_without_a_cause_the_model_says_what_it_says_of_a_recording_that_never_had_it(tmp_path):
    """The beacons are taken out of the file, and out of the model."""

    def silent(air: Air) -> None:
        beacons(air)
        air.records = [record for record in air.records if b"\x80\x00\x00\x00" + b"\xff" * 6 not in record[1][:64]]

    found = winf_analyzer.why([_capture(tmp_path, beacons)]).findings.row(0, named=True)
    assert found["name"] == "management_overhead"
    with_them, without = (
        _available(tmp_path, scene, f"{scene.__name__}.pcap", (found["sender"], found["receiver"]))
        for scene in (beacons, silent)
    )
    assert found["available_bps"] == pytest.approx(with_them, rel=1e-9)
    assert found["without_bps"] == pytest.approx(without, rel=0.05)
    assert found["effect_bps"] == pytest.approx(found["without_bps"] - found["available_bps"])
    assert 0 < found["effect_low_bps"] < found["effect_bps"] < found["effect_high_bps"]
    assert found["without_low_bps"] < found["without_bps"] < found["without_high_bps"]


def _available(folder: Path, scene, name: str, link: tuple[str, str]) -> float:
    dataset = winf_analyzer.ingest([_capture(folder, scene, name=name)], folder / f"{name}.winf")
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")
    rows = dataset.scan("recommended").filter("whole", sender=link[0], receiver=link[1]).collect()
    return float(rows["available_bps"].item())


def test_a_recording_that_is_unfit_says_so_first_and_lowers_the_others(tmp_path):
    found = winf_analyzer.why([_capture(tmp_path, unanswered)]).findings
    assert found["name"][0] == "recording_unfit"
    assert found["remedy"][0] == (
        "Record again on the channel of the access point, closer to it, "
        "without a filter, which has left out all control frames."
    )
    assert found["rank"].to_list() == list(range(1, found.height + 1))


def test_a_recording_without_a_radio_header_has_findings_but_no_gains(tmp_path):
    """No exchange has a known time, so the capacity model has nothing to run on."""
    found = winf_analyzer.why([_without_radio_header(tmp_path, "bare.pcap")]).findings
    assert found["name"].to_list() == ["recording_unfit", "deauthentication_loop"]
    assert "radiotap headers" in found["remedy"][0]
    assert "closer" not in found["remedy"][0]
    assert found["effect_bps"].null_count() == found.height


def test_the_table_is_kept_in_the_dataset_and_its_sql_finds_the_same(tmp_path):
    dataset = winf_analyzer.ingest([_capture(tmp_path, beacons)], tmp_path / "run.winf")
    found = winf_analyzer.why(dataset).findings
    kept = dataset.scan("findings").collect()
    assert kept.equals(found)
    assert kept.schema == schema("findings")
    again = winf_analyzer.sql(dataset, found["sql"][0])
    assert again["value"][0] == pytest.approx(found["value"][0])


def test_findings_are_the_same_before_and_after_an_estimate(tmp_path):
    dataset = winf_analyzer.ingest([_capture(tmp_path, beacons)], tmp_path / "run.winf")
    before = winf_analyzer.findings(dataset)
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")
    assert winf_analyzer.findings(dataset).equals(before)


def test_a_clean_recording_says_what_was_looked_at(tmp_path):
    told = winf_analyzer.why([_capture(tmp_path, light)])
    text = "\n".join(told.lines())
    assert told.findings.is_empty()
    assert text.startswith("Nothing found in recording.pcap (")
    for each in registry.findings_registry().values():
        assert each.title in text
    assert "no TCP header could be read" in text


def test_of_several_recordings_each_kind_is_told_once_with_its_recordings(winf, tmp_path):
    for number in range(7):
        _capture(tmp_path, beacons, name=f"beacons-{number}.pcap")
    _capture(tmp_path, SCENES["far_client"][0], name="far.pcap")
    recordings = sorted(tmp_path.glob("*.pcap"))
    told = winf_analyzer.why(recordings)
    assert told.findings.filter(name="management_overhead").height == 7
    lines = told.lines()
    (first,) = (at for at, line in enumerate(lines) if "Beacons and probes take the air: " in line)
    assert re.match(r"   In 7 recordings, first of all in beacons-\d\.pcap: Beacons \(800 of 20", lines[first + 1])
    also = r"(beacons-\d\.pcap; ){5}and 1 more\."
    assert re.fullmatch(f"   Also: {also}", lines[first + 2])
    named = re.findall(r"beacons-\d\.pcap", lines[first + 1] + lines[first + 2])
    assert len(set(named)) == len(named) == 6
    assert any(line.startswith("   In far.pcap: ") for line in lines)
    assert [row["rank"] for row in told.told()] == list(range(1, len(told.told()) + 1))
    alone = winf_analyzer.why(recordings[0])
    assert "In beacons-0.pcap" not in "\n".join(alone.lines())
    headline = winf("analyze", *recordings, "-o", tmp_path / "out").stdout
    assert headline.count("Beacons and probes take the air") == 1


def test_doubtful_findings_of_several_recordings_are_counted(tmp_path):
    for number in range(2):
        _without_radio_header(tmp_path, f"{number}.pcap")
    told = winf_analyzer.why(sorted(tmp_path.glob("*.pcap")))
    assert told.findings["name"].to_list() == ["recording_unfit"] * 2 + ["deauthentication_loop"] * 2
    assert [row["name"] for row in told.told()] == ["recording_unfit"]
    assert told.lines()[-1] == "2 more are doubtful; --to csv has every one with its recording."


def test_the_program_prints_words_and_data(winf, tmp_path):
    capture = _capture(tmp_path, beacons)
    said = winf("why", capture)
    assert said.returncode == 0
    assert said.stdout.startswith("1. Beacons and probes take the air: channel 2412 MHz\n")
    assert "Mb/s available (90 % interval" in said.stdout
    assert "Wireshark: wlan.fc.type_subtype in {4, 5, 8}, frames 1" in said.stdout
    rows = json.loads(winf("why", capture, "--to", "json").stdout)
    assert list(rows[0]) == list(schema("findings"))
    assert rows[0]["name"] == "management_overhead"


def test_of_a_second_at_least_a_share_is_told(tmp_path):
    """A capture of a few frames is all beacons by chance."""

    def cut(name: str, seconds: float) -> Path:
        air = Air()
        beacons(air)
        end = air.records[0][0] + round(seconds * 1e9)
        (tmp_path / name).write_bytes(pcaps.pcap([record for record in air.records if record[0] <= end]))
        return tmp_path / name

    assert "management_overhead" not in winf_analyzer.why([cut("short.pcap", 0.9)]).findings["name"]
    assert "management_overhead" in winf_analyzer.why([cut("long.pcap", 1.3)]).findings["name"]


def test_names_of_files_do_not_reach_the_terminal_as_they_are(winf, tmp_path):
    hostile = _capture(tmp_path, unanswered, name="a\x1b[31m\nb.pcap")
    said = winf("why", hostile)
    assert "\x1b" not in said.stdout
    assert "\\x1b[31m" in said.stdout
    dataset = winf_analyzer.ingest([hostile], tmp_path / "run.winf")
    found = winf_analyzer.findings(dataset)
    for column in ("subject", "text", "title", "display_filter"):
        assert not any("\x1b" in text for text in found[column].drop_nulls())


@pytest.mark.shared
@pytest.mark.skipif(not MIX.exists(), reason="the third-party captures are not here")
def test_an_engineer_sees_the_beacons_first(winf):
    said = winf("why", MIX).stdout.splitlines()
    assert said[0] == "1. Beacons and probes take the air: channel 2412 MHz"
    assert "Beacons (6668 of 50 BSSIDs, at 1 to 6 Mb/s, 1 in the median)" in said[1]


@pytest.mark.parametrize("estimated", [True, False])
def test_of_a_dataset_that_cannot_be_written_they_are_told_and_not_kept(
    demo_dataset, winf, tmp_path, monkeypatch, estimated
):
    run = shutil.copytree(demo_dataset.path, tmp_path / "run.winf")
    if not estimated:
        for table in ("mac_parameters", "hidden_pairs"):
            emptied = Dataset.open(run)
            emptied.replace_table(table, emptied.scan(table).collect().clear())
    expected = shutil.copytree(run, tmp_path / "other" / "run.winf")
    refused = OSError(errno.EROFS, "Read-only file system")
    before = (run / "dataset.json").read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(staging, "tempfile", mock.Mock(mkdtemp=mock.Mock(side_effect=refused)))
        done = winf("why", run, "--to", "csv")
    assert (done.returncode, done.stdout) == (0, winf("why", expected, "--to", "csv").stdout)
    assert "Read-only file system. The findings are not kept." in done.stderr
    assert (run / "dataset.json").read_bytes() == before
