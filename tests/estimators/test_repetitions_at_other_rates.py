"""A sender whose first attempts at 54 Mb/s never arrive, and whose second ones at 24 Mb/s always do."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

import pytest
from one_sender import CLIENT, recorded

import winf_analyzer


def at_24_alone(_random: Random, again: int) -> tuple[int, bool]:
    return (24, True) if again else (54, False)


def always_at_24(_random: Random, _again: int) -> tuple[int, bool]:
    return 24, True


@pytest.mark.parametrize("falls_back", [True, False])
def test_packets_back_off_as_often_as_it_was_seen(falls_back: bool, tmp_path: Path) -> None:
    sent = partial(recorded, attempts=2, attempt=at_24_alone if falls_back else always_at_24)
    full, own = sent(0, tmp_path / "full.pcap"), sent(3000, tmp_path / "light.pcap")
    dataset = winf_analyzer.ingest([tmp_path / "light.pcap"], tmp_path / "light.winf")
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")
    answer = dataset.scan("recommended").filter("whole", receiver=CLIENT).collect().row(0, named=True)
    truth = 1e6 * (full - own)
    assert answer["available_low_bps"] < truth < answer["available_high_bps"]
    assert answer["available_bps"] == pytest.approx(truth, rel=0.12)
    assert ("failures_differ" in answer["reasons"]) == falls_back
    assert (answer["grade"] == "good") == (not falls_back)
