"""Time line, direction and A-MPDUs of recordings keep the standard's rules."""

from __future__ import annotations

import polars as pl
import pytest

import winf_analyzer

from . import captures
from .physics import COLUMNS, Physics, Share, ampdus, answers, measure

DRIVERS = ("wlp2s0_ch11.pcap", "faye2p4.pcap", "srb_edu_k_00004_20180308165129_K", "active2.pcap", "104_20.pcap")
"""One of each kind of recorder; the others are for ``make conformance``."""

HT = captures.ROOT / "sample_captures/ns3_ht/recording/node-0.pcap"


def frames_of(capture):
    frames = pl.DataFrame(winf_analyzer.read_frames(capture)).select(COLUMNS)
    return frames.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))


@pytest.mark.shared
@pytest.mark.parametrize("name", DRIVERS)
def test_recordings_of_drivers_keep_the_rules(shared_captures, name):
    physics = measure(shared_captures / "drivers" / name)
    assert physics.failures() == [], physics


def test_a_moved_answer_is_found():
    """The measure is no tautology: stamps taken for another instant are no longer one SIFS apart."""
    stamped = frames_of(HT).with_columns(tsft_us=pl.col("ts_ns") // 1000)
    found = answers(stamped).drop_nulls("gap_us")
    assert found.height > 50
    assert ((found["gap_us"] - found["sifs_us"]).abs() <= 4).mean() > 0.95
    is_ack = pl.col("kind").is_in(["ack", "block_ack"])
    moved = stamped.with_columns(start_ns=pl.when(is_ack).then(pl.col("start_ns") + 20_000).otherwise("start_ns"))
    found = answers(moved).drop_nulls("gap_us").filter(pl.col("next_kind") != "cts")
    assert ((found["gap_us"] - found["sifs_us"]).abs() <= 4).mean() == 0


def test_an_ampdu_of_the_wrong_length_is_found():
    stamped = frames_of(HT).with_columns(tsft_us=pl.col("start_ns").min().over("ampdu_ref") // 1000 + 1)
    found = ampdus(stamped.filter(pl.col("ampdu_ref").is_not_null())).drop_nulls("ratio")
    assert found.height > 10
    assert (found["ratio"] - 1).abs().median() < 0.02
    halved = stamped.with_columns(end_ns=pl.col("start_ns") + (pl.col("end_ns") - pl.col("start_ns")) // 2)
    cut = ampdus(halved.filter(pl.col("ampdu_ref").is_not_null(), pl.col("seq") % 2 == 0)).drop_nulls("ratio")
    assert cut.is_empty() or (cut["ratio"] - 1).abs().median() > 0.15


def test_rules_name_what_breaks_them():
    good = Physics("a.pcap", answers=Share(95, 100), spans=Share(99, 100), overlaps=Share(0, 100))
    assert good.failures() == []
    broken = Physics(
        "a.pcap", answers=Share(80, 100), spans=Share(50, 100), foreign_tx=Share(1, 9), overlaps=Share(1, 100)
    )
    assert broken.failures() == ["answers", "spans", "tx", "overlaps"]
