"""Losses that collisions explain, and those that they do not: stations of DCF that always have a frame to send."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import polars as pl
import pytest
from air import DIFS_US, Air
from finding_scenes import AP, A

import winf_analyzer
from winf_analyzer._findings import analysis, questions, registry
from winf_analyzer._models.bianchi import saturation

OTHERS = tuple(f"02:00:00:00:01:{number:02x}" for number in range(9))
CW_MIN, CW_MAX, SLOT_US = 15, 1023, 9


def _contend(stations: int, *, turns: int = 5000, loss: float = 0) -> Air:
    """What A records. It does not hear who collides; `loss`: chance that the channel loses a frame of A."""
    air, chance = Air(), random.Random(5)
    names = (A, *OTHERS[: stations - 1])
    failed, seq = dict.fromkeys(names, 0), dict.fromkeys(names, 0)

    def draw(name: str) -> int:
        return chance.randint(0, min((CW_MIN + 1 << failed[name]) - 1, CW_MAX))

    backoff = {name: draw(name) for name in names}
    for _ in range(turns):
        least = min(backoff.values())
        sending = [name for name in names if backoff[name] == least]
        space_us = 28 - DIFS_US + SLOT_US * least  # DIFS of ERP with short slots
        alone = len(sending) == 1
        answered = alone and not (sending == [A] and chance.random() < loss)
        if alone or A in sending:
            name = A if A in sending else sending[0]
            again = failed[name] > 0
            air.exchange(name, AP, AP, seq=seq[name], rate_mbps=54, answered=answered, retry=again, backoff_us=space_us)
        else:
            air.wait(28 + SLOT_US * least + 180 + 60)
        for name in names:
            if name not in sending:
                backoff[name] -= least
                continue
            failed[name] = 0 if answered else failed[name] + 1
            seq[name] += answered
            backoff[name] = draw(name)
    return air


def _found(folder: Path, air: Air) -> pl.DataFrame:
    (folder / "recording.pcap").write_bytes(air.capture())
    found = winf_analyzer.why([folder / "recording.pcap"], observer=A).findings
    return found.filter(name="retry_storm", subject=f"{A} > {AP}")


@pytest.mark.parametrize("stations", [2, 4, 8])
def test_what_collides_is_told_from_how_often_the_others_send(tmp_path, stations):
    finding = registry.findings_registry()["retry_storm"]
    anything = {**finding.parameters, "threshold": (-9.0, ""), "deviations": (99.0, "")}
    (tmp_path / "recording.pcap").write_bytes(_contend(stations).capture())
    dataset = winf_analyzer.ingest([tmp_path / "recording.pcap"], tmp_path / "run.winf", observer=A)
    with analysis.questioned(dataset) as connection:
        rows = questions.ask(connection, dataclasses.replace(finding, parameters=anything))
    (row,) = (row for row in rows if row["sender"] == A)
    assert row["collided"] == pytest.approx(row["failed"], abs=0.025)
    assert row["collided"] == pytest.approx(saturation(stations, CW_MIN + 1, 6).p, abs=0.025)


def test_collisions_among_many_stations_are_no_storm(tmp_path):
    """More than a third of the attempts fail, as in Bianchi's model."""
    assert saturation(8, CW_MIN + 1, 6).p > 0.33
    assert _found(tmp_path, _contend(8)).is_empty()


@pytest.mark.parametrize("stations", [2, 8])
def test_what_the_channel_loses_is_a_storm_among_however_many(tmp_path, stations):
    row = _found(tmp_path, _contend(stations, loss=0.5)).row(0, named=True)
    assert row["value"] == pytest.approx(0.5, abs=0.08)


def test_losses_among_collisions_are_not_taken_away(tmp_path):
    """Without the frames of A that failed the model would see a medium on which A never collides."""
    alone, crowd = (_found(tmp_path, _contend(stations, loss=0.5)).row(0, named=True) for stations in (1, 8))
    assert alone["effect_bps"] > 0
    assert crowd["effect_bps"] is None


def test_stations_that_hardly_send_explain_nothing(tmp_path):
    """As many, of which one at a time sends after a while: that they are eight is no reason for collisions."""
    air, chance = Air(), random.Random(5)
    names = (A, *OTHERS[:7])
    for number in range(800):
        air.wait(3_000)
        name = names[number % 8]
        for again in range(7):
            answered = name != A or chance.random() >= 0.4
            backoff_us = 28 - DIFS_US + SLOT_US * chance.randint(0, CW_MIN)
            air.exchange(
                name, AP, AP, seq=number // 8, rate_mbps=54, answered=answered, retry=again > 0, backoff_us=backoff_us
            )
            if answered:
                break
    row = _found(tmp_path, air).row(0, named=True)
    assert row["value"] == pytest.approx(0.4, abs=0.05)
