"""What is said of frames of very many addresses, as somebody makes them up, and of as many that are real."""

from pathlib import Path

import polars as pl
from air import Air, beacon, mac
from finding_scenes import AP

import winf_analyzer

DEAUTH, DATA = 0xC0, 0x08
MANY = 120


def stations(number: int) -> str:
    return f"06:00:00:{number >> 16:02x}:{number >> 8 & 255:02x}:{number & 255:02x}"


def found(folder: Path, air: Air, name: str) -> pl.DataFrame:
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name=name)


def told_to_leave(count: int, *, known: bool = False, every_us: int = 4_000) -> Air:
    """Each of many stations is told once; `known`: each sent something before."""
    air = Air()
    for number in range(count if known else 0):
        air.exchange(stations(number), AP, AP, body=bytes(60))
    for number in range(count):
        air.wait(every_us)
        air.send(mac(DEAUTH, stations(number), AP, AP, b"\x07\0", seq=number), 11)
    return air


def test_each_of_many_strangers_told_once_to_leave_is_a_flood(tmp_path: Path) -> None:
    (row,) = found(tmp_path, told_to_leave(MANY), "deauthentication_flood").to_dicts()
    assert row["subject"] == AP
    assert f"of stations that sent nothing else: {MANY}, one each or a few, up to {MANY} within" in row["text"]


def test_an_access_point_that_restarts_is_none(tmp_path: Path) -> None:
    assert found(tmp_path, told_to_leave(MANY, known=True), "deauthentication_flood").is_empty()


def test_nor_are_strangers_who_are_told_now_and_then(tmp_path: Path) -> None:
    assert found(tmp_path, told_to_leave(MANY, every_us=20_000), "deauthentication_flood").is_empty()


def announced(networks: int, beacons: int) -> Air:
    air = Air()
    for number in range(beacons):
        for network in range(networks):
            air.wait(50)
            air.send(beacon(stations(network), seq=number), 1)
    return air


def test_no_setting_of_an_access_point_helps_against_networks_that_are_made_up(tmp_path: Path) -> None:
    (row,) = found(tmp_path, announced(1000, 1), "management_overhead").to_dicts()
    assert "Beacons (1000 of 1000 BSSIDs, at 1 Mb/s, of which 1000 were heard once) and" in row["text"]
    assert "who makes networks up" in row["remedy"]
    (row,) = found(tmp_path, announced(MANY, 10), "management_overhead").to_dicts()
    assert f"Beacons (1200 of {MANY} BSSIDs, at 1 Mb/s) and" in row["text"]
    assert "offer fewer SSIDs" in row["remedy"]


def taking_turns(senders: int) -> Air:
    air = Air()
    for number in range(1200):
        air.exchange(stations(number % senders), AP, AP, seq=number // senders, backoff_us=0)
    return air


def test_nobody_is_blamed_for_a_channel_that_is_filled_by_a_crowd(tmp_path: Path) -> None:
    (row,) = found(tmp_path, taking_turns(400), "saturated_channel").to_dicts()
    assert "Of 400 senders none has much of it: " in row["text"]
    assert "Without" not in row["text"]
    assert row["effect_bps"] is None
    assert "Find out who all these are" in row["remedy"]
    (row,) = found(tmp_path, taking_turns(3), "saturated_channel").to_dicts()
    assert "DIFS and backoffs. 06:00:00:00:00:0" in row["text"]
    assert "Without what 06:00:00:00:00:0" in row["text"]
    assert "Move heavy senders" in row["remedy"]
