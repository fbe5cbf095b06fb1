"""Which networks are others, and in the way."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from air import Air, beacon
from finding_scenes import AP, OTHER_AP, A, C

import winf_analyzer
from winf_analyzer._findings import analysis, questions, registry

NAME = "overlapping_bss"


def _dataset(folder: Path, *, other_mhz: int = 2412) -> winf_analyzer.Dataset:
    """Two networks in turn for 0.2 s each, the second of them on this channel."""
    air = Air()
    for number in range(200):
        own = number // 20 % 2 == 0
        bssid, station, channel = (AP, A, 2412) if own else (OTHER_AP, C, other_mhz)
        if number % 20 == 0:
            air.wait(50)
            air.send(beacon(bssid, seq=number), 1, channel_mhz=channel)
        air.exchange(station, bssid, bssid, seq=number, body=bytes(1000 if own else 700), channel_mhz=channel)
        air.wait(2_000)
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.ingest([folder / "recording.pcap"], folder / "run.winf")


def _rows(dataset: winf_analyzer.Dataset) -> list[dict]:
    with analysis.questioned(dataset) as connection:
        return questions.ask(connection, registry.findings_registry()[NAME])


def test_a_network_on_another_channel_is_not_in_the_way(tmp_path):
    (tmp_path / "same").mkdir()
    (row,) = _rows(_dataset(tmp_path / "same"))
    assert (row["own_bssid"], row["bssid_most"], row["networks"]) == (AP, OTHER_AP, 1)
    (tmp_path / "other").mkdir()
    assert not _rows(_dataset(tmp_path / "other", other_mhz=2437))


def test_a_network_of_the_same_radio_is_no_other(tmp_path):
    dataset = _dataset(tmp_path)
    nodes = dataset.scan("nodes").collect()
    dataset.replace_table("nodes", nodes.with_columns(radio=pl.lit(AP)))
    assert not _rows(dataset)


@pytest.mark.parametrize(("radio", "mhz", "left"), [(OTHER_AP, 2412, 100), (AP, 2412, 200), (OTHER_AP, 2437, 200)])
def test_what_is_taken_away_is_what_was_found(tmp_path, radio, mhz, left):
    """Without the others: the networks of the own radio, and what is on other channels, stay."""
    dataset = _dataset(tmp_path, other_mhz=mhz)
    nodes = dataset.scan("nodes").collect()
    of_radio = pl.when(node=OTHER_AP).then(pl.lit(radio)).otherwise("radio")
    dataset.replace_table("nodes", nodes.with_columns(radio=of_radio))
    finding = registry.findings_registry()[NAME]
    condition, values = questions.bound(finding.remove, {"own_radio": AP, "own_mhz": 2412})
    with analysis.questioned(dataset) as connection:
        query = f"select count(*) from exchanges where data_kind = 'data' and not coalesce({condition}, false)"
        assert connection.execute(query, values).fetchall() == [(left,)]
