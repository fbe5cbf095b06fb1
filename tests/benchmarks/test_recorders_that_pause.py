"""A recorder that pauses: answers of what it recorded, and what SQL and replays say of the rest."""

from __future__ import annotations

import gzip
from math import inf
from pathlib import Path

import polars as pl
import pytest

import winf_analyzer as winf
from benchmarks.accuracy.fixed_sample import FOLDER
from benchmarks.accuracy.recorders import draws, pausing, read, write
from winf_analyzer._replay.fitness import doubted
from winf_analyzer._replay.unknowns import Unknowns

LINK = ["source", "observer", "sender", "receiver"]
SHARE = """
with spans as (select source, min(start_ns) as first_ns, max(end_ns) as last_ns from exchanges group by source)
select paused_ns(source, first_ns, last_ns) / (last_ns - first_ns) as paused from spans"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> winf.Dataset:
    """Two seconds of a sniffer that misses nothing."""
    path = tmp_path_factory.mktemp("whole") / "recording.pcap"
    path.write_bytes(gzip.decompress((FOLDER / "sniffer.pcap.gz").read_bytes()))
    return estimated(path)


def estimated(recording: Path) -> winf.Dataset:
    dataset = winf.ingest([recording], recording.parent / "run.winf")
    winf.estimate(dataset)
    return dataset


@pytest.mark.parametrize(
    ("share", "pause_ms", "reason", "error"),
    [(0.15, 30, "recording_gaps", 0.25), (0.45, 30, "recording_paused", inf)],
)
def test_answers_are_of_what_was_recorded_and_replays_know_little(share, pause_ms, reason, error, whole, tmp_path):
    plain = whole.path.parent / "recording.pcap"
    write(plain, tmp_path / plain.name, pausing(read(plain), share, pause_ms, draws("pauses")))
    dataset = estimated(tmp_path / plain.name)
    found, expected = (of.scan("recommended").filter("whole").collect() for of in (dataset, whole))
    both = expected.join(found, on=LINK, suffix="_paused", nulls_equal=True)
    assert both["reasons_paused"].str.contains(reason).all()
    answered = both.filter(pl.col("available_bps").is_not_null(), pl.col("available_bps_paused").is_not_null())
    assert answered.height
    value = pl.col("available_bps")
    assert answered.select(value.is_between("available_low_bps_paused", "available_high_bps_paused").all()).item()
    own = pl.col("own_bps_paused") / pl.col("own_bps")
    assert both.select((own - 1).abs().max()).item() < 0.35
    assert winf.sql(dataset, SHARE)["paused"].item() == pytest.approx(share, abs=0.12)
    unknowns, doubts = doubted(dataset, Unknowns())
    assert set(unknowns.model_errors.values()) == {error}
    assert any(doubt.code == reason for doubt in doubts)


def test_a_recording_that_misses_nothing_has_no_pause(whole):
    assert winf.sql(whole, SHARE)["paused"].item() == 0
    assert not whole.scan("recommended").filter(pl.col("reasons").str.contains("recording_")).collect().height
