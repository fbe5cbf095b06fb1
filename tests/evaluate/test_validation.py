"""Backlogged spells: beside the queues of a simulator, under other clocks, and their predictions."""

import gzip
import json
import sys
from pathlib import Path

import polars as pl
import pytest

import winf_analyzer
from winf_analyzer._evaluate.validation.backlog import EXCESS_SHARE, PACKETS, backlog, spells
from winf_analyzer._evaluate.validation.predictions import METHODS
from winf_analyzer._mac.of_dataset import mac_parameters

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.accuracy import recorders

WINDOW_NS = 100_000_000
RECORDINGS = Path(__file__).with_name("backlog")
SCENES = ("g", "n")
LIGHT = "00:00:00:00:00:07"
"""Sends 60 packets a second."""


def windows(capture: Path, folder: Path) -> pl.DataFrame:
    dataset = winf_analyzer.ingest([capture], folder / "run.winf")
    return backlog(dataset.scan("exchanges").collect(), mac_parameters(dataset), WINDOW_NS)


def held(scene: str) -> pl.DataFrame:
    """The share of each window in which the queue of each station held something."""
    queues = pl.read_csv(RECORDINGS / scene / "queues.csv")
    starts = pl.DataFrame({"window_start_ns": range(0, 3_000_000_000, WINDOW_NS)})
    begin, end = pl.col("window_start_ns"), pl.col("window_start_ns") + WINDOW_NS
    overlap = (pl.min_horizontal("end_ns", end) - pl.max_horizontal("start_ns", begin)).clip(lower_bound=0)
    return (
        queues.join(starts, how="cross")
        .group_by(pl.col("station").alias("sender"), "window_start_ns")
        .agg(held=overlap.sum() / WINDOW_NS)
    )


@pytest.fixture(scope="module")
def beside_queues(tmp_path_factory):
    tables = [
        windows(RECORDINGS / scene / "recording.pcap.gz", tmp_path_factory.mktemp(scene))
        .join(held(scene), on=["sender", "window_start_ns"], how="left")
        .with_columns(pl.col("held").fill_null(0), scene=pl.lit(scene))
        for scene in SCENES
    ]
    return pl.concat(tables)


def test_stations_found_backlogged_had_something_to_send(beside_queues):
    found = beside_queues.filter("backlogged")
    truly = found["held"] >= 1 - EXCESS_SHARE
    assert found.height >= 20
    assert truly.mean() >= 0.95


def test_where_most_collisions_are_heard_half_of_the_backlogged_windows_are_found(beside_queues):
    truly = beside_queues.filter(pl.col("held") == 1, pl.col("scene") == "g")
    assert truly["backlogged"].mean() >= 0.5
    assert beside_queues.filter(pl.col("held") == 1)["backlogged"].mean() >= 0.3


def test_a_light_sender_is_never_backlogged(beside_queues):
    light = beside_queues.filter(sender=LIGHT)
    assert light.height >= 30
    assert not light["backlogged"].any()


def test_what_acknowledges_a_flow_of_tcp_is_not_backlogged(beside_queues):
    answers = beside_queues.filter(sender="00:00:00:00:00:04")
    assert answers.height >= 25
    assert not answers.filter(pl.col("held") < 0.5)["backlogged"].any()


@pytest.mark.parametrize("clock", ["1ms", "jitter300us", "batch5ms"])
def test_stamps_that_are_no_times_make_no_spells(clock, tmp_path):
    plain = tmp_path / "plain.pcap"
    plain.write_bytes(gzip.decompress((RECORDINGS / "g" / "recording.pcap.gz").read_bytes()))
    capture = tmp_path / "recording.pcap"
    stamped = recorders.CLOCKS[clock](recorders.read(plain), recorders.draws("test"))
    recorders.write(plain, capture, map(recorders.without_tsft, stamped))
    assert spells(windows(capture, tmp_path), WINDOW_NS).is_empty()


def test_frames_that_were_missed_are_not_taken_for_what_was_delivered(tmp_path):
    plain = tmp_path / "plain.pcap"
    plain.write_bytes(gzip.decompress((RECORDINGS / "g" / "recording.pcap.gz").read_bytes()))
    capture = tmp_path / "recording.pcap"
    heard = recorders.missing(recorders.read(plain), 0.1, 1, recorders.draws("test"))
    recorders.write(plain, capture, heard)
    assert spells(windows(capture, tmp_path), WINDOW_NS).is_empty()


@pytest.fixture(scope="module")
def validation():
    return winf_analyzer.validate([RECORDINGS / "g" / "recording.pcap.gz"])


def test_spells_are_long_and_deliver_what_the_link_did_in_them(validation, beside_queues):
    assert validation.spells["packets"].min() >= PACKETS
    delivered = beside_queues.filter("backlogged", scene="g").group_by("sender").agg(pl.col("delivered_bits").sum())
    by_sender = (
        validation.spells.filter(method="rest")
        .group_by("sender")
        .agg(bits=(pl.col("delivered_bps") * pl.col("duration_ns") / 1e9).sum())
        .join(delivered, on="sender")
    )
    assert by_sender.height == 2
    assert by_sender["bits"].to_list() == pytest.approx(by_sender["delivered_bits"].to_list())


def test_every_spell_is_predicted_by_every_method_or_says_why_not(validation):
    counts = validation.spells.group_by("sender", "start_ns").agg(pl.col("method").sort())
    assert all(methods == sorted(METHODS) for methods in counts["method"].to_list())
    given = validation.spells.filter(pl.col("predicted_bps").is_not_null())
    assert given.height >= 8
    assert given["reason"].is_null().all()
    assert given.select((pl.col("predicted_low_bps") <= pl.col("predicted_high_bps")).all()).item()
    assert given["error"].to_list() == pytest.approx((given["predicted_bps"] / given["delivered_bps"] - 1).to_list())
    inside = given.select(pl.col("delivered_bps").is_between("predicted_low_bps", "predicted_high_bps"))
    assert given["covered"].to_list() == inside.to_series().to_list()
    silent = validation.spells.filter(pl.col("predicted_bps").is_null())
    assert silent["reason"].is_not_null().all()


def test_spells_of_ns3_are_predicted_within_a_quarter(validation):
    errors = validation.spells.group_by("method").agg(pl.col("error").abs().median())
    assert dict(errors.iter_rows())["rest"] <= 0.25
    assert dict(errors.iter_rows())["spell"] <= 0.25


def test_the_summary_counts_each_spell_once(validation):
    summary = validation.summary
    total = summary.filter(recorder="all recorders", method="rest").row(0, named=True)
    assert total["spells"] == validation.spells.filter(method="rest").height
    assert total["recordings"] == 1
    assert total["predicted"] <= total["spells"]
    assert set(summary["recorder"]) == {"a station's radio, TSFT, 802.11g", "all recorders"}


def test_the_program_prints_spells_and_says_where_there_are_none(winf, tmp_path):
    shown = winf("validate", RECORDINGS / "n" / "recording.pcap.gz")
    assert shown.returncode == 0
    assert "nothing to validate" in shown.stderr
    rows = json.loads(winf("validate", RECORDINGS / "g" / "recording.pcap.gz", "--to", "json").stdout)
    assert {row["method"] for row in rows} == set(METHODS)
    assert winf("validate", tmp_path / "absent.pcap").returncode == 4


def test_an_interrupted_validation_is_no_damaged_input(monkeypatch):
    def interrupted(*_):
        raise winf_analyzer.InterruptedRun("interrupted")

    monkeypatch.setattr("winf_analyzer._ingest.ingestion.ingest", interrupted)
    with pytest.raises(winf_analyzer.InterruptedRun):
        winf_analyzer.validate([RECORDINGS / "g" / "recording.pcap.gz"])
