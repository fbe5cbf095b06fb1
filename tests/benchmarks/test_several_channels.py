"""Recorders of several channels: one radio that hops, and several radios in one file."""

from __future__ import annotations

import gzip
from dataclasses import replace
from math import inf
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import winf_analyzer as winf
from benchmarks.accuracy.fixed_sample import FOLDER
from benchmarks.accuracy.recorders import on_channels, read, write
from benchmarks.accuracy.scenario_list import ListedRun
from winf_analyzer._replay.fitness import doubted
from winf_analyzer._replay.unknowns import Unknowns

RUN = ListedRun(group="", name="", seed=1, phy="g54", topology="adhoc", links=3, load=0.5, seconds=2)
LINK = ["source", "observer", "sender", "receiver"]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seconds of a sniffer on one channel."""
    path = tmp_path_factory.mktemp("alone") / "recording.pcap"
    path.write_bytes(gzip.decompress((FOLDER / "sniffer.pcap.gz").read_bytes()))
    return path


def recorded(alone: Path, folder: Path, channels: int, stay_ms: int) -> winf.Dataset:
    """A dataset of what a recorder of several channels keeps, with its estimates."""
    folder.mkdir()
    run = replace(RUN, channels=channels, stay_ms=stay_ms)
    write(alone, folder / alone.name, on_channels(read(alone), run))
    return estimated(folder / alone.name, folder)


def estimated(recording: Path, folder: Path) -> winf.Dataset:
    dataset = winf.ingest([recording], folder / "run.winf")
    winf.estimate(dataset)
    return dataset


def test_channels_at_once_are_answered_like_recordings_apart(alone: Path, tmp_path: Path) -> None:
    both = recorded(alone, tmp_path / "both", channels=2, stay_ms=0)
    one = estimated(alone, tmp_path)
    name = alone.name
    for table, order in (("estimates", ["estimator", "mode", "window_start_ns", "node", "state"]), ("recommended", [])):
        found = both.scan(table).filter(pl.col("source") == name).collect()
        order = [*order, *LINK, *(["whole", "window_start_ns"] if not order else ["path"])]
        assert_frame_equal(found.sort(order), one.scan(table).collect().sort(order), check_exact=True)
    sources = both.scan("exchanges").select(pl.col("source").unique()).collect()["source"].sort().to_list()
    assert sources == [name, f"{name}#1"]


def test_a_radio_that_hops_answers_for_the_time_that_it_listened(alone: Path, tmp_path: Path) -> None:
    dataset = recorded(alone, tmp_path / "hopped", channels=3, stay_ms=100)
    hopped = dataset.scan("recommended").filter("whole").collect()
    whole = estimated(alone, tmp_path).scan("recommended").filter("whole").collect()
    both = whole.join(hopped, on=["sender", "receiver"], suffix="_hopped")
    assert both.height == whole.height
    assert hopped.height == 3 * whole.height
    assert both["source_hopped"].unique().to_list() == [alone.name]
    assert both["reasons_hopped"].str.contains("channel_seldom_heard").all()
    answered = both.filter(pl.col("available_bps").is_not_null())
    value = pl.col("available_bps")
    assert answered.select(value.is_between("available_low_bps_hopped", "available_high_bps_hopped").all()).item()
    wider = pl.col("available_high_bps_hopped") - pl.col("available_low_bps_hopped")
    assert answered.select((wider > pl.col("available_high_bps") - pl.col("available_low_bps")).all()).item()
    assert answered.select((pl.col("available_bps_hopped") / value - 1).abs().max()).item() < 0.2
    # What flows did while the radio was elsewhere is not known.
    unknowns, doubts = doubted(dataset, Unknowns())
    assert set(unknowns.model_errors.values()) == {inf}
    assert any(doubt.code == "channel_seldom_heard" for doubt in doubts)
