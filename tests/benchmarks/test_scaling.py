"""The benchmark of growth: it goes on where it stopped, and its exponents are those of the figures."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

import winf_analyzer
from benchmarks import exchanges, scaling
from benchmarks.made_captures import capture


def row(size: int, seconds: float) -> scaling.Row:
    return scaling.Row("stations", size, "estimate", seconds, seconds, 100.0, "ok")


def test_exponents():
    found = list(scaling.exponents([row(40, 20.0), row(4, 1.0), row(400, 400.0)]))
    assert [(size, next_size) for _, _, size, next_size, _ in found] == [(4, 40), (40, 400)]
    assert [exponent for *_, exponent in found] == pytest.approx([1.30103, 1.30103])


def test_what_was_measured_is_not_measured_again(tmp_path, monkeypatch):
    done = [scaling.Row("stations", 4, command, 1.0, 1.0, 1.0, "ok") for command in scaling.COMMANDS]
    results = tmp_path / "results.ndjson"
    results.write_text("".join(json.dumps(asdict(each)) + "\n" for each in done))
    assert scaling.read(results) == done
    monkeypatch.setattr(scaling, "measure", None)  # calling it fails
    monkeypatch.setattr(scaling, "STATIONS", (4,))
    monkeypatch.setattr("sys.argv", ["scaling", "--only", "stations", "-o", str(results)])
    scaling.main()


def test_captures_hold_the_exchanges_that_they_say(tmp_path):
    capture(tmp_path / "a.pcap", 7, range(100, 150))
    dataset = winf_analyzer.ingest([tmp_path / "a.pcap"], tmp_path / "run.winf")
    found = dataset.scan("exchanges").filter("complete").collect()
    assert (found.height, found["sender"].n_unique()) == (50, 7)
    assert dataset.scan("warnings").collect().is_empty()


def test_made_exchanges_have_answers(tmp_path):
    made = winf_analyzer.Dataset.open(exchanges.dataset(tmp_path / "made.winf", 2000))
    winf_analyzer.estimate(made, estimators=["saturation"], mode="corrected")
    found = made.scan("recommended").filter("whole").collect()
    assert found.height == 6  # three stations, up and down
    assert found["available_bps"].null_count() == 0
