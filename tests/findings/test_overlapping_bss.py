"""Which networks are others, and in the way."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from air import Air, beacon, operating
from finding_scenes import AP, OTHER_AP, A, C

import winf_analyzer
from winf_analyzer._findings import analysis, questions, registry

NAME = "overlapping_bss"


def _dataset(
    folder: Path, *, other_mhz: int = 2412, mhz: int = 2412, told: tuple[bytes, bytes] = (b"", b"")
) -> winf_analyzer.Dataset:
    """Two networks in turn for 0.2 s each, the second heard on `other_mhz`; `told`: elements of their beacons."""
    folder.mkdir(exist_ok=True)
    air = Air()
    for number in range(200):
        own = number // 20 % 2 == 0
        bssid, station, channel = (AP, A, mhz) if own else (OTHER_AP, C, other_mhz)
        if number % 20 == 0:
            air.wait(50)
            air.send(beacon(bssid, seq=number, told=told[not own]), 1 if mhz < 5000 else 6, channel_mhz=channel)
        body, rate_mbps = bytes(1000 if own else 700), 11 if mhz < 5000 else 6
        air.exchange(station, bssid, bssid, seq=number, body=body, channel_mhz=channel, rate_mbps=rate_mbps)
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
    contending = [] if radio == AP else [OTHER_AP]
    condition, values = questions.bound(finding.remove, {"contending": contending, "told": [], "own_mhz": 2412})
    with analysis.questioned(dataset) as connection:
        query = f"select count(*) from exchanges where data_kind = 'data' and not coalesce({condition}, false)"
        assert connection.execute(query, values).fetchall() == [(left,)]


WIDE = operating(36, above=True, centre_80=42)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ((WIDE, WIDE), ", on the same primary channel"),
        ((WIDE, operating(36)), ", on the same primary channel"),
        ((WIDE, operating(48)), ", whose channel overlaps: its primary channel is 5240 MHz, and not 5180"),
        (
            (operating(36), operating(40, above=False)),
            ", whose channel overlaps: its primary channel is 5200 MHz, and not 5180",
        ),
        ((operating(36), operating(40)), None),
        ((operating(36, above=True), operating(44, above=True)), None),
        ((WIDE, operating(52, above=True, centre_80=58)), None),
        ((WIDE, b""), ""),
        ((b"", operating(40)), ""),
    ],
)
def test_networks_share_what_their_beacons_say(told, said, tmp_path):
    """Both are heard on one channel of a wide recorder: where one does not tell its own, that is all there is."""
    rows = _rows(_dataset(tmp_path, mhz=5180, other_mhz=5180, told=told))
    assert [row["most_is"] for row in rows] == ([] if said is None else [said])
    for row in rows:
        overlaps_alone = "overlaps" in said
        assert (row["untold"], row["contending"]) == (overlaps_alone, [] if overlaps_alone else [OTHER_AP])


def test_one_primary_channel_is_one_channel_wherever_it_was_heard(tmp_path):
    """Of a recorder that hops, or is wide, the radiotap channel is its own."""
    told = (operating(1), operating(1))
    (row,) = _rows(_dataset(tmp_path, other_mhz=2417, told=told))
    assert (row["bssid_most"], row["told"]) == (OTHER_AP, [OTHER_AP])
    assert not _rows(_dataset(tmp_path / "apart", told=(operating(1), operating(6))))
