"""What counts as a failed attempt where a sniffer does not hear everything."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from air import DIFS_US, SIFS_US, Air, airtime_us
from finding_scenes import AP, A, B, retries
from pcaps import ack

import winf_analyzer

PROTECTED_US = airtime_us(1028, 11) + 324


def _found(folder: Path, air: Air) -> pl.DataFrame:
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings


def _rts_alone(air: Air, count: int, answered_by_ap: int) -> None:
    """RTS of A that no CTS follows, beside answered exchanges of B with the access point."""
    for number in range(count):
        air.wait(400)
        air.rts(A, AP, PROTECTED_US, cts=False)
        if number < answered_by_ap:
            air.exchange(B, AP, AP, seq=number)
        else:
            air.exchange(AP, B, AP, seq=number)
        air.wait(5_000)


def test_an_rts_without_cts_failed_where_its_receiver_is_heard_to_answer(tmp_path):
    air = Air()
    _rts_alone(air, 80, answered_by_ap=10)
    row = _found(tmp_path, air).filter(name="retry_storm").row(0, named=True)
    assert (row["subject"], row["value"]) == (f"{A} > {AP}", 1.0)
    assert "Of 80 attempts" in row["text"]
    assert row["samples"] == 12  # as many packets: seven attempts each (dot11ShortRetryLimit)


def test_an_rts_without_cts_says_nothing_where_no_answer_of_its_receiver_is_heard(tmp_path):
    air = Air()
    _rts_alone(air, 80, answered_by_ap=0)
    assert "retry_storm" not in _found(tmp_path, air)["name"]


def test_an_rts_without_cts_says_nothing_where_cts_ahead_of_data_are_not_heard(tmp_path):
    """The sniffer hears a few answers of the access point, and none of its CTS."""
    air = Air()
    _rts_alone(air, 80, answered_by_ap=10)
    for number in range(80):
        air.wait(400)
        air.rts(A, AP, PROTECTED_US, cts=False)
        air.exchange(A, AP, AP, seq=number, answered=False, backoff_us=-DIFS_US - SIFS_US)
        air.wait(5_000)
    assert "retry_storm" not in _found(tmp_path, air)["name"]


def test_the_share_is_that_of_the_rate_beside_it(tmp_path):
    """Most failures are RTS without CTS, whose data has no rate."""
    air = Air()
    _rts_alone(air, 80, answered_by_ap=0)
    retries(air)
    text = _found(tmp_path, air).filter(name="retry_storm", sender=A)["text"].item()
    assert "most often at 11 Mb/s (33 % of 300)" in text
    more = Air()
    _rts_alone(more, 180, answered_by_ap=0)
    retries(more)
    text = _found(tmp_path, more).filter(name="retry_storm", sender=A)["text"].item()
    assert "most often RTS without CTS (180 times)" in text


def _falls_back(air: Air, count: int, *, gets_back: int, unheard_answers: int = 0) -> None:
    """Data of A at 54 Mb/s: so many attempts fail and are repeated at 24, of others the answer is not heard."""
    for number in range(count):
        answered = number >= gets_back + unheard_answers
        air.exchange(A, AP, AP, seq=number, rate_mbps=54, answered=answered)
        if number < gets_back:
            air.exchange(A, AP, AP, seq=number, rate_mbps=24, retry=True)
        air.wait(3_000)


def test_a_repetition_at_another_rate_proves_a_failure(tmp_path):
    air = Air()
    _falls_back(air, 200, gets_back=150)
    row = _found(tmp_path, air).filter(name="retry_storm").row(0, named=True)
    assert row["value"] == pytest.approx(150 / 350)
    assert "most often at 54 Mb/s (75 % of 200)" in row["text"]
    # A failed frame of 1032 octets at 54 Mb/s takes 182 us of the 3.9 ms of each round.
    assert row["airtime_share"] == pytest.approx(0.034, abs=0.004)


def test_answers_that_were_not_heard_are_no_failures_whatever_the_rate(tmp_path):
    """Of 150 attempts without an answer 20 were repeated: 20 failed, of 220."""
    air = Air()
    _falls_back(air, 200, gets_back=20, unheard_answers=130)
    assert "retry_storm" not in _found(tmp_path, air)["name"]
    more = Air()
    _falls_back(more, 200, gets_back=80, unheard_answers=80)
    row = _found(tmp_path, more).filter(name="retry_storm").row(0, named=True)
    assert row["value"] == pytest.approx(80 / 280)
    assert "most often at 54 Mb/s (40 % of 200)" in row["text"]


def test_data_that_was_not_heard_is_no_failure(tmp_path):
    """RTS and CTS at 1 Mb/s reach the sniffer, the data behind them does not."""
    air = Air()
    for number in range(80):
        air.wait(400)
        air.rts(A, AP, PROTECTED_US)
        air.wait(PROTECTED_US)
        air.exchange(B, AP, AP, seq=number)
        air.wait(5_000)
    assert "retry_storm" not in _found(tmp_path, air)["name"]


def test_a_finding_of_an_unfit_recording_is_doubtful(tmp_path):
    fit, unfit = Air(), Air()
    retries(fit)
    retries(unfit)
    for _ in range(2_000):  # ACKs whose data was not heard
        unfit.wait(1_000)
        unfit.send(ack(B), 1)
    sure, doubtful = (_found(tmp_path, air).filter(name="retry_storm").row(0, named=True) for air in (fit, unfit))
    assert sure["confidence"] > 0.95
    assert doubtful["confidence"] <= 0.5


def test_what_happened_to_one_packet_is_one_observation(tmp_path):
    """A station that has gone: the access point sends one MSDU to it again and again."""
    air = Air()
    for number in range(64):
        air.exchange(AP, A, AP, seq=7, answered=False, retry=number > 0)
        air.exchange(B, AP, AP, seq=number)
        air.wait(5_000)
    row = _found(tmp_path, air).filter(name="retry_storm").row(0, named=True)
    assert "Of 64 attempts" in row["text"]
    assert (row["samples"], row["confidence"]) == (1, pytest.approx(1 / 3))


def test_few_attempts_may_fail_more_often_by_chance(tmp_path):
    """29 % of 70, and of 700; a quarter is no storm."""
    few, many = Air(), Air()
    _falls_back(few, 50, gets_back=20)
    _falls_back(many, 500, gets_back=200)
    assert "retry_storm" not in _found(tmp_path, few)["name"]
    assert "retry_storm" in _found(tmp_path, many)["name"]
