"""Which round-trip times tell of a queue."""

from __future__ import annotations

import struct
from pathlib import Path

import polars as pl
import pytest
from air import Air, tcp
from finding_scenes import AP, A, bloated, segments

import winf_analyzer


def _found(folder: Path, air: Air) -> pl.DataFrame:
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name="bufferbloat")


def _answer(air: Air, number: int, acked: int) -> None:
    air.exchange(AP, A, AP, seq=number, body=tcp(2, 1, 1, 0, acked, ports=(5001, 5000)))


def test_each_acknowledgement_is_one_sample(tmp_path):
    bloated(air := Air())
    assert _found(tmp_path, air)["samples"].to_list() == [80]


def test_a_segment_alone_waits_at_the_receiver(tmp_path):
    """It is acknowledged when the receiver's timer for delayed acknowledgements expires, mostly."""
    air = Air()
    segments(air, lambda number: 8_000 if number % 8 == 0 else 200_000, together=1)
    assert _found(tmp_path, air).is_empty()


def test_the_last_of_an_odd_number_waits_there_too(tmp_path):
    """Two of three are acknowledged at once, the third after the timer."""
    air = Air()
    for number in range(80):
        for place in range(3 * number, 3 * number + 3):
            air.exchange(A, AP, AP, seq=place, body=tcp(1, 2, 1 + 100 * place, 100))
        air.wait(5_000)
        _answer(air, 2 * number, 1 + 100 * (3 * number + 2))
        air.wait(200_000)
        _answer(air, 2 * number + 1, 1 + 100 * (3 * number + 3))
    assert _found(tmp_path, air).is_empty()


@pytest.mark.parametrize("flight", [10, 30])
def test_segments_that_are_acknowledged_one_by_one_count_while_others_are_under_way(tmp_path, flight):
    """One segment every 10 ms; the window, and with it the wait in the queue, grows from 1 to so many segments."""
    air, acked = Air(), 0
    for sent in range(1, 300):
        air.until(10_000 * sent)
        air.exchange(A, AP, AP, seq=sent, body=tcp(1, 2, 1 + 100 * (sent - 1), 100))
        if sent - acked > min(flight, 1 + sent // 4):
            acked += 1
            _answer(air, acked, 1 + 100 * acked)
    assert _found(tmp_path, air).height == (flight == 30)


def _stamped(body: bytes, mine: int, yours: int) -> bytes:
    """A TCP segment of :func:`tcp` with a Timestamps option."""
    head, payload = bytearray(body[:48]), body[48:]
    struct.pack_into(">H", head, 10, struct.unpack_from(">H", head, 10)[0] + 12)
    head[40] = 0x80
    return bytes(head) + struct.pack(">BBBBII", 1, 1, 8, 10, mine, yours) + payload


def _download(wait_us) -> Air:
    """Every 10 ms an acknowledgement of a station, and what its host sent when it came, so much later."""
    air, due = Air(), []
    for number in range(200):
        due.append((10_000 * number, False, number))
        due.append((10_000 * number + 10 + wait_us(number), True, number))
    for at_us, is_data, number in sorted(due):
        air.until(at_us)
        if is_data:
            body = _stamped(tcp(2, 1, 1 + 100 * number, 100, ports=(5001, 5000)), 5000 + number, 1000 + number)
            air.exchange(AP, A, AP, seq=number, body=body)
        else:
            body = _stamped(tcp(1, 2, 1, 0, 1 + 100 * number), 1000 + number, 5000 + number)
            air.exchange(A, AP, AP, seq=number, body=body)
    return air


@pytest.mark.parametrize("most_ms", [300, 60])
def test_a_queue_in_front_of_the_radio_shows_by_time_stamps(tmp_path, most_ms):
    """That of an access point that serves a download: what waits in it has not been on the air."""
    found = _found(tmp_path, _download(lambda number: 5_000 + min(5_000 * number, 1000 * most_ms)))
    assert found.height == (most_ms == 300)
    if most_ms == 300:
        assert "time stamps that 10.0.0.2 echoed" in found["text"][0]


def test_a_host_that_has_nothing_to_send_fills_no_queue(tmp_path):
    """It echoes the newest time stamp that it has, however old."""
    air = Air()
    for number in range(120):
        for place in range(2):
            body = _stamped(tcp(1, 2, 1, 0, 1 + 100 * number), 2 * number + place, 1)
            air.exchange(A, AP, AP, seq=2 * number + place, body=body)
        air.wait(5_000 if number % 8 == 0 else 300_000)
        body = _stamped(tcp(2, 1, 1 + 100 * number, 100, ports=(5001, 5000)), 1, 2 * number + 1)
        air.exchange(AP, A, AP, seq=number, body=body)
    assert _found(tmp_path, air).is_empty()
