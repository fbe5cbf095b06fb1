"""No absurd answer in any sample, nor in any third-party capture at hand."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from absurd import RULES, absurd_answers
from folders import CAPTURES, ROOT, SAMPLES

import winf_analyzer
from winf_analyzer import WinfError

RECORDINGS = sorted(path.parent for path in SAMPLES.glob("*/recording") if path.parent.name != "ns2_wired")

MAX_BYTES = 4 << 20
"""Larger captures are left to the nightly test."""


def _answers(folder: Path, recording: Path) -> pl.DataFrame:
    folder.mkdir(exist_ok=True)
    dataset = winf_analyzer.ingest([recording], folder / "run.winf")
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")
    return absurd_answers(dataset)


@pytest.mark.parametrize("folder", RECORDINGS, ids=[path.name for path in RECORDINGS])
def test_samples_have_no_absurd_answer(tmp_path: Path, folder: Path) -> None:
    rows = _answers(tmp_path, folder / "recording")
    assert rows.height > 0
    assert rows["rule"].drop_nulls().unique().to_list() == []


@pytest.mark.nightly("estimates every third-party capture")
def test_captures_have_at_most_one_absurd_answer_in_a_hundred(tmp_path: Path) -> None:
    if not CAPTURES.is_dir():
        pytest.skip("no third-party captures beside the repository")
    tables = []
    for number, path in enumerate(sorted(CAPTURES.rglob("*cap*"))):
        if not path.is_file() or path.stat().st_size > MAX_BYTES:
            continue
        try:
            found = _answers(tmp_path / str(number), path)
        except WinfError:
            continue  # not a capture of 802.11
        tables.append(found.with_columns(file=pl.lit(path.name)))
    assert tables, "no capture could be read"
    rows = pl.concat(tables, how="diagonal")
    answers = rows.select("file", "row").n_unique()
    broken = rows.filter(pl.col("rule").is_not_null())
    table = broken.group_by("rule").len().sort("len", descending=True)
    print(f"{answers} answers, {broken.select('file', 'row').n_unique()} absurd\n{table}")
    assert broken.select("file", "row").n_unique() <= answers / 100
    unheard = rows.filter("whole", pl.col("missed_share") > 0.5)
    assert unheard.filter(pl.col("reasons") == "").is_empty()


@pytest.mark.parametrize("rule", list(RULES))
def test_each_rule_can_be_broken(rule: str) -> None:
    sound = {
        "available_bps": 3e6,
        "available_low_bps": 2e6,
        "available_high_bps": 4e6,
        "own_bps": 1e6,
        "capacity_bps": 6e6,
        "rate_max_mbps": 11.0,
        "samples": 50,
        "available_tcp_bps": 2.5e6,
        "available_tcp_low_bps": 2e6,
        "available_tcp_high_bps": 3e6,
        "reasons": "",
        "grade": "good",
        "missed_share": 0.0,
        "idle_share": 0.5,
        "failed_share": 0.0,
    }
    broken = {
        "interval out of order": {"available_low_bps": 3.5e6},
        "value without interval": {"available_low_bps": None},
        "not a finite number": {"available_bps": float("nan")},
        "above the PHY": {"available_high_bps": 12e6},
        "below its own goodput": {"own_bps": 7e6},
        "above the capacity": {"available_bps": 6.5e6},
        "one sample": {"samples": 1},
        "TCP out of order": {"available_tcp_bps": 3.5e6},
        "TCP above the PHY": {"available_tcp_high_bps": 12e6},
        "no value and no reason": {"available_bps": None},
        "grade without value": {"available_bps": None, "reasons": "x"},
        "capacity without answer": {"available_bps": None, "available_high_bps": None},
        "most not heard and no reason": {"missed_share": 0.9},
        "tiny on an idle medium": {"available_bps": 0.1e6, "own_bps": 0.0, "idle_share": 0.97},
    }
    types = {name: pl.Float64 for name, value in sound.items() if isinstance(value, float)}
    good = pl.DataFrame([sound], schema_overrides=types)
    bad = pl.DataFrame([sound | broken[rule]], schema_overrides=types)
    assert good.filter(RULES[rule]).is_empty()
    assert bad.filter(RULES[rule]).height == 1


def test_data_are_small() -> None:
    assert all(path.stat().st_size < 1 << 20 for path in (ROOT / "tests/data/ns2_parallel").iterdir())
