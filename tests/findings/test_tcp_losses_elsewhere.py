"""Which segments were lost on the air, and which were not."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from air import Air, tcp
from finding_scenes import AP, A, lost_behind

import winf_analyzer


def _found(folder: Path, air: Air) -> pl.DataFrame:
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name="tcp_losses_elsewhere")


def test_a_segment_that_was_acknowledged_on_the_air_was_lost_behind_it(tmp_path):
    lost_behind(air := Air())
    row = _found(tmp_path, air).row(0, named=True)
    assert (row["value"], row["samples"]) == (10 / 400, 10)
    assert "Of 400 segments of tcp 10.0.0.1:5000 10.0.0.2:5001 from 10.0.0.1, 10 were acknowledged" in row["text"]
    assert row["remedy"].startswith("Look behind the radio")


def test_a_segment_that_no_sequence_number_of_the_mac_was_used_for_was_lost_ahead(tmp_path):
    lost_behind(air := Air(), sent=False)
    row = _found(tmp_path, air).row(0, named=True)
    assert (row["value"], row["samples"]) == (9 / 400, 9)  # what is ahead of the first segment is not known
    assert "0 were acknowledged" in row["text"]
    assert "9 did not come to the radio" in row["text"]
    assert row["remedy"].startswith("Look ahead of the radio")


def test_a_segment_that_the_recorder_missed_may_have_been_lost_on_the_air(tmp_path):
    """Its sequence number of the MAC was used: there is a gap."""
    lost_behind(air := Air(), delivered=False)
    copies = [number for number, (_, frame) in enumerate(air.records) if _is_lost(frame)]
    assert len(copies) == 20
    air.records = [record for number, record in enumerate(air.records) if number not in copies[::2]]
    assert _found(tmp_path, air).is_empty()


def _is_lost(frame: bytes) -> bool:
    """A segment of 100 octets that begins at 1 + 100 x 40 n."""
    start = frame.find(b"\xaa\xaa\x03")
    return start > 0 and len(frame) > start + 148 and int.from_bytes(frame[start + 32 : start + 36]) % 4000 == 1


def test_what_the_receiver_does_not_ask_for_is_not_known_to_be_missing(tmp_path):
    lost_behind(air := Air(), answers=1)
    assert _found(tmp_path, air).is_empty()


def test_a_loss_now_and_then_is_how_tcp_finds_its_rate(tmp_path):
    lost_behind(air := Air(), every=200)
    assert _found(tmp_path, air).is_empty()


def test_what_tcp_sends_again_behind_a_loss_had_arrived(tmp_path):
    """One segment in eight is lost on the air; its sender sends it and the seven behind it again."""
    air, sent, answers = Air(), 0, 0
    for first in range(0, 400, 8):
        for again in range(2):
            for each in range(first, first + 8):
                lost = not again and each == first
                air.exchange(A, AP, AP, seq=sent, body=tcp(1, 2, 1 + 100 * each, 100), answered=not lost)
                sent += 1
            air.wait(5_000)
            for _ in range(1 if again else 6):
                acked = 1 + 100 * (first + 8 * again)
                air.exchange(AP, A, AP, seq=answers, body=tcp(2, 1, 1, 0, acked, ports=(5001, 5000)))
                answers += 1
    assert _found(tmp_path, air).is_empty()
