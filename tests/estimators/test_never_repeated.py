"""A sender with a retry limit of one: a fifth of its data is lost, and none is sent again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

import pytest
from one_sender import CLIENT, recorded

import winf_analyzer


def a_fifth_is_lost(random: Random, _again: int) -> tuple[int, bool]:
    return 54, random.random() > 0.2


@pytest.mark.parametrize("repeats", [True, False])
def test_what_is_never_repeated_may_be_lost(repeats: bool, tmp_path: Path) -> None:
    sent = partial(recorded, attempts=7 if repeats else 1, attempt=a_fifth_is_lost)
    full, own = sent(0, tmp_path / "full.pcap"), sent(3000, tmp_path / "light.pcap")
    dataset = winf_analyzer.ingest([tmp_path / "light.pcap"], tmp_path / "light.winf")
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")
    answer = dataset.scan("recommended").filter("whole", receiver=CLIENT).collect().row(0, named=True)
    assert answer["available_low_bps"] < 1e6 * (full - own) < answer["available_high_bps"]
    assert ("never_repeated" in answer["reasons"]) == (not repeats)
    assert (answer["grade"] == "good") == repeats
