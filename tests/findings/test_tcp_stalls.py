"""Which repeated segments tell that TCP stood still."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from air import Air, tcp
from finding_scenes import AP, A

import winf_analyzer


def _found(folder: Path, air: Air) -> pl.DataFrame:
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name="tcp_stalls")


def _repeated(air: Air, octets: int, *, acknowledged: int, first: int = 1) -> None:
    """Segments of so many octets, each sent again 0.4 s later, and what is acknowledged in between, from its start."""
    for number in range(8):
        start = (first + 1000 * number) % 2**32
        for again in range(2):
            air.exchange(A, AP, AP, seq=2 * number + again, body=tcp(1, 2, start, octets))
            air.wait(20_000)
            if not again:
                acked = (start + acknowledged) % 2**32
                air.exchange(AP, A, AP, seq=number, body=tcp(2, 1, 1, 0, acked, ports=(5001, 5000)))
                air.wait(400_000)


def test_a_segment_that_was_not_acknowledged_waited_for_the_timer(tmp_path):
    air = Air()
    _repeated(air, 100, acknowledged=0)
    assert _found(tmp_path, air)["samples"].to_list() == [8]


@pytest.mark.parametrize("first", [1, 2**32 - 50])
def test_a_segment_that_was_acknowledged_did_not(tmp_path, first):
    air = Air()
    _repeated(air, 100, acknowledged=100, first=first)
    assert _found(tmp_path, air).is_empty()


def test_a_keep_alive_is_no_segment_that_waits(tmp_path):
    """One octet below the next sequence number, every 45 s; what is acknowledged is not above it."""
    air = Air()
    for number in range(6):
        air.exchange(A, AP, AP, seq=number, body=tcp(1, 2, 999, 1))
        air.exchange(AP, A, AP, seq=number, body=tcp(2, 1, 1, 0, 1000, ports=(5001, 5000)))
        air.wait(45_000_000)
    assert _found(tmp_path, air).is_empty()
    more = Air()
    for number in range(6):
        more.exchange(A, AP, AP, seq=number, body=tcp(1, 2, 999, 1))
        more.wait(45_000_000)
    assert _found(tmp_path, more).is_empty()


def test_what_is_sent_again_behind_one_timeout_is_one_timeout(tmp_path):
    """Twenty segments, silence, and all of them once more while acknowledgements come."""
    air = Air()
    for number in range(40):
        air.exchange(A, AP, AP, seq=number, body=tcp(1, 2, 1 + 100 * (number % 20), 100))
        if number == 19:
            air.wait(400_000)
        elif number > 19:
            acked = 1 + 100 * (number - 19)
            air.exchange(AP, A, AP, seq=number, body=tcp(2, 1, 1, 0, acked, ports=(5001, 5000)))
        air.wait(20_000)
    (text,) = _found(tmp_path, air)["text"]
    assert "In 1 of 1 silence the segment had been acknowledged on the air" in text


def test_a_loss_that_is_told_a_full_queue_later_waited_for_no_timer(tmp_path):
    """The round-trip time is 0.3 s; what was lost is sent again as soon as acknowledgements tell, among others."""
    air = Air()
    for number in range(200):
        lost = number - 30
        if lost >= 0 and lost % 20 == 0:
            air.exchange(A, AP, AP, seq=1000 + number, body=tcp(1, 2, 1 + 100 * lost, 100))
        air.exchange(A, AP, AP, seq=number, body=tcp(1, 2, 1 + 100 * number, 100))
        air.wait(8_000)
    assert _found(tmp_path, air).is_empty()


def _in_flights(air: Air, duplicates: int) -> None:
    """Every 0.3 s a segment, what came between the last and it, and so many acknowledgements of the one before."""
    for number in range(8):
        for again in range(2):
            air.exchange(A, AP, AP, seq=2 * number + again, body=tcp(1, 2, 1 + 100 * number, 100))
            air.wait(300_000)
            for more in range(duplicates):
                back = tcp(2, 1, 1, 0, 1 + 100 * number, ports=(5001, 5000))
                air.exchange(AP, A, AP, seq=100 * number + 10 * again + more, body=back)


@pytest.mark.parametrize(("duplicates", "timeouts"), [(1, 8), (3, 0)])
def test_a_loss_that_duplicates_tell_of_waited_for_no_timer(tmp_path, duplicates, timeouts):
    _in_flights(air := Air(), duplicates)
    assert _found(tmp_path, air)["samples"].sum() == timeouts


@pytest.mark.parametrize("answered", [True, False])
def test_what_the_radio_delivered_is_not_to_be_looked_for_on_the_air(tmp_path, answered):
    air = Air()
    for number in range(40):
        air.exchange(A, AP, AP, seq=2 * number, body=tcp(1, 2, 1 + 100 * number, 100), answered=answered)
        air.exchange(AP, A, AP, seq=number, body=tcp(2, 1, 1, 0, 1 + 100 * number, ports=(5001, 5000)))
        air.wait(400_000)
        air.exchange(A, AP, AP, seq=2 * number + 1, body=tcp(1, 2, 1 + 100 * number, 100))
        air.wait(2_000)
    row = _found(tmp_path, air).row(0, named=True)
    assert f"In {40 if answered else 0} of 40 silences the segment had been acknowledged on the air" in row["text"]
    assert ("behind the radio" in row["remedy"]) == answered


@pytest.mark.parametrize(("round_trip_us", "found"), [(2_000, True), (150_000, False)])
def test_an_outage_is_a_stall_whatever_tells_of_it_then(tmp_path, round_trip_us, found):
    """Duplicates tell of what was lost in 0.25 s without an acknowledgement; with a long way that is no outage."""
    air, ours, theirs = Air(), 0, 0

    def data(number: int) -> None:
        nonlocal ours
        ours += 1
        air.exchange(A, AP, AP, seq=ours, body=tcp(1, 2, 1 + 100 * number, 100))

    def answer(number: int) -> None:
        nonlocal theirs
        theirs += 1
        air.exchange(AP, A, AP, seq=theirs, body=tcp(2, 1, 1, 0, 1 + 100 * number, ports=(5001, 5000)))

    for number in range(6):
        data(number)
        air.wait(round_trip_us)
        answer(number + 1)
    data(6)
    air.wait(250_000)
    for number in range(7, 11):
        data(number)
        answer(6)
    data(6)
    answer(11)
    assert _found(tmp_path, air).height == found


@pytest.mark.parametrize("answered", [True, False])
def test_one_silence_behind_the_radio_is_one_observation(tmp_path, answered):
    """Ten segments, each of which is sent again after one silence: acknowledged on the air, or never."""
    air = Air()
    for number in range(20):
        body = tcp(1, 2, 1 + 100 * (number % 10), 100)
        air.exchange(A, AP, AP, seq=number, body=body, answered=answered or number >= 10)
        air.wait(1_000_000 if number == 9 else 20_000)
    air.exchange(AP, A, AP, body=tcp(2, 1, 1, 0, 1001, ports=(5001, 5000)))
    row = _found(tmp_path, air).row(0, named=True)
    assert "sent 10 segments again" in row["text"]
    assert row["samples"] == (1 if answered else 10)
    assert (row["confidence"] < 0.5) == answered
