"""Ratios of two releases: what fell is named."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks import ratios

BEFORE = {"a": 10.0, "b": 2.0}


def test_what_fell_by_more_than_fifteen_percent_is_named():
    assert ratios.fallen({"a": 8.6, "b": 3.0}, BEFORE) == []
    assert ratios.fallen({"a": 8.4, "b": 1.6, "c": 0.1}, BEFORE) == [
        "a: 8.4, 10 at the last release (-16%)",
        "b: 1.6, 2 at the last release (-20%)",
    ]


def test_what_was_not_measured_is_named():
    assert ratios.fallen({"b": 2.0}, BEFORE) == ["a: not measured; 10 at the last release"]


def test_ratios_of_a_run_are_compared_or_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ratios, "MEASURED", tmp_path / "target" / "bench.json")
    monkeypatch.setattr(ratios, "RELEASED", tmp_path / "released.json")
    monkeypatch.setattr(sys, "argv", ["ratios"])
    with pytest.raises(SystemExit, match="make bench"):
        ratios.main()
    ratios.note({"b": 2.0})
    ratios.note({"a": 10.0})
    monkeypatch.setattr(sys, "argv", ["ratios", "--keep"])
    ratios.main()
    assert json.loads((tmp_path / "released.json").read_text()) == BEFORE
    monkeypatch.setattr(sys, "argv", ["ratios"])
    ratios.main()
    assert "a" in capsys.readouterr().out
    ratios.note({"a": 5.0})
    with pytest.raises(SystemExit, match="a: 5, 10"):
        ratios.main()


def test_the_ratios_of_the_last_release_are_ratios():
    released = json.loads(ratios.RELEASED.read_text(encoding="utf-8"))
    assert released
    assert all(value > 0 for value in released.values())
