"""Recorders of other kinds than the study's: their answers are right, or say that they may be wrong."""

import gzip
import json
import sys
from pathlib import Path

import pytest

import winf_analyzer as winf

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.accuracy import kinds, recorders
from benchmarks.accuracy.fixed_sample import FOLDER, TRUTH

RUNS = json.loads((FOLDER / TRUTH).read_text(encoding="utf-8"))
BY_CAPTURE = {run["capture"].split(".")[0]: run for run in RUNS.values()}
SURE = ("good", "fair")


def made(kind: str, group: str, folder: Path) -> Path:
    """The sample's recording of a group, as a recorder of this kind would have made it."""
    run = BY_CAPTURE[group]
    plain, capture = folder / "plain.pcap", folder / f"{kind}.pcap"
    plain.write_bytes(gzip.decompress((FOLDER / run["capture"]).read_bytes()))
    link = kinds.Link(*(bytes.fromhex(run[end].replace(":", "")) for end in ("sender", "receiver")))
    draws = recorders.draws(f"{kind} {group}")
    recorders.write(plain, capture, kinds.recorded(recorders.read(plain), kind, draws, link))
    return capture


def answered(kind: str, group: str, folder: Path) -> dict[str, object]:
    """What is recommended of the link under study, with the truth."""
    run = BY_CAPTURE[group]
    dataset = winf.ingest([made(kind, group, folder)], folder / "run.winf")
    winf.estimate(dataset, estimators=["saturation"], mode="corrected", window="1s")
    rows = dataset.scan("recommended").filter(whole=True, sender=run["sender"], receiver=run["receiver"]).collect()
    return rows.row(0, named=True) | {"truth_bps": sum(run["truth_bps"]) / len(run["truth_bps"])}


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_every_kind_leaves_records_that_can_be_read(kind, tmp_path):
    frames = winf.ingest([made(kind, "n", tmp_path)], tmp_path / "run.winf").scan("frames").collect()
    assert frames.height > 100
    assert frames["parse_error"].is_null().mean() > 0.9


def test_what_is_left_alone_stays_the_same(tmp_path):
    made("no_fcs", "n", tmp_path)
    plain = list(recorders.read(tmp_path / "plain.pcap"))
    kept = [kinds._header(frame.fields) + frame.mac for frame in kinds.frames(plain)]
    assert kept == [record.octets for record in plain]


@pytest.mark.parametrize(
    ("kind", "group"),
    [
        ("damaged", "contention"),
        ("damaged", "n"),
        ("told_first", "n"),
        ("told_last", "n"),
        ("told_last", "ac"),
        ("first_subframe", "ac"),
        ("overflow", "n"),
        ("modern_half", "n"),
        ("status", "n"),
        ("paused", "contention"),
        ("paused", "ac"),
        ("ends_only", "sniffer"),
        ("usb", "contention"),
    ],
)
def test_an_answer_is_right_or_says_that_it_may_be_wrong(kind, group, tmp_path):
    row = answered(kind, group, tmp_path)
    if row["grade"] in SURE:
        assert row["available_low_bps"] <= row["truth_bps"] <= row["available_high_bps"]


@pytest.mark.parametrize("kind", ["told_first", "told_last"])
def test_rate_and_format_that_are_told_once_are_those_of_the_whole_ppdu(kind, tmp_path):
    told, plain = answered(kind, "n", tmp_path), answered("no_fcs", "n", tmp_path)
    assert told["available_bps"] == pytest.approx(plain["available_bps"], rel=0.02)
    assert told["capacity_bps"] == pytest.approx(plain["capacity_bps"], rel=0.02)


def test_rates_of_a_driver_that_knows_no_ht_are_not_believed(tmp_path):
    row = answered("as_54", "n", tmp_path)
    assert row["available_high_bps"] is None
    warnings = winf.Dataset.open(tmp_path / "run.winf").scan("warnings").collect()
    assert "rate_contradicted" in warnings["code"]


def test_damaged_frames_are_no_station_of_their_own(tmp_path):
    row = answered("damaged", "contention", tmp_path)
    assert "neighbour_unheard" not in row["reasons"]


def test_a_pause_of_the_recorder_is_told(tmp_path):
    assert "recording_paused" in answered("paused", "ac", tmp_path)["reasons"]
