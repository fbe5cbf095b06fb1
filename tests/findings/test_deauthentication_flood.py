"""Floods of deauthentications: what counts, whom they are of, and how sure they are in a recording that is unfit."""

from pathlib import Path

import pcaps
import polars as pl
from air import ALL, Air, mac
from finding_scenes import AP, A, flooded, light

import winf_analyzer

DEAUTH, REASON = 0xC0, b"\x07\0"


def found(folder: Path, recording: bytes) -> pl.DataFrame:
    (folder / "recording.pcap").write_bytes(recording)
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name="deauthentication_flood")


def test_repetitions_by_the_mac_are_one_deauthentication(tmp_path: Path) -> None:
    air = Air()
    for number in range(30):
        air.exchange(AP, A, AP, seq=1, kind=DEAUTH, body=REASON, rate_mbps=1, answered=False, retry=number > 0)
    assert found(tmp_path, air.capture()).is_empty()


def test_it_is_as_sure_in_a_recording_that_is_unfit(tmp_path: Path) -> None:
    """Without radio headers no times on the air are known."""
    flooded(air := Air())
    bare = [(at, record[int.from_bytes(record[2:4], "little") :]) for at, record in air.records]
    (row,) = found(tmp_path, pcaps.pcap(bare, link_type=pcaps.IEEE802_11)).to_dicts()
    assert row["confidence"] > 0.9
    assert f"of {A}: 120, in the names of both, up to 120 within one second. Frames of it" in row["text"]
    assert "could have called for one: 0." in row["text"]


def test_one_to_all_is_of_every_station(tmp_path: Path) -> None:
    light(air := Air())
    for number in range(20):
        air.wait(500)
        air.send(mac(DEAUTH, ALL, AP, AP, REASON, seq=number), 1)
    (row,) = found(tmp_path, air.capture()).to_dicts()
    assert f"of every station of {AP}: 20, in the name of the access point, up to" in row["text"]
