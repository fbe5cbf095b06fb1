"""Who sends before its turn, by what its access point announces, and who seems to."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from air import Air
from finding_scenes import AP, A, B, announces, contends, sent_at_5_ghz

import winf_analyzer


def _found(folder: Path, air: Air) -> pl.DataFrame:
    (folder / "recording.pcap").write_bytes(air.capture())
    return winf_analyzer.why([folder / "recording.pcap"]).findings.filter(name="edca_misuse")


def test_backoffs_from_a_quarter_of_the_window(tmp_path):
    contends(air := Air())
    row = _found(tmp_path, air).row(0, named=True)
    assert (row["subject"], row["airtime_share"]) == (f"{A}, best effort", row["value"])
    # Where the access point sent between, its five slots belong to the backoff.
    assert "100 % of its 600 accesses (90 % interval 99 to 100 %)" in row["text"]
    assert "less than 8 slots beyond the announced AIFS; with the announced CWmin of 15 at most 50 %" in row["text"]
    assert "before the announced AIFS" not in row["text"]
    assert row["effect_bps"] is None


@pytest.mark.parametrize("cw_min", [3, 7])
def test_what_is_announced_is_no_misuse(cw_min, tmp_path):
    contends(air := Air(), cw=cw_min, cw_min=cw_min)
    assert _found(tmp_path, air).is_empty()


def test_video_and_voice_have_windows_of_their_own(tmp_path):
    """AIFSN 2 and backoffs from 0 to 7 and 0 to 3: those of best effort with them are misuse."""
    for priority, cw in ((5, 7), (6, 3)):
        contends(air := Air(), cw, space_us=lambda slots: 34 + 9 * slots, priority=priority)
        assert _found(tmp_path, air).is_empty()
        contends(air := Air(), cw, space_us=lambda slots: 34 + 9 * slots)
        assert _found(tmp_path, air)["subject"].to_list() == [f"{A}, best effort"]


def test_frames_before_aifs_is_over(tmp_path):
    contends(air := Air(), 15, space_us=lambda slots: 25 + 9 * slots)
    row = _found(tmp_path, air).row(0, named=True)
    # Backoffs of 0 and 1 slot of 16, which A takes two thirds of the time with.
    assert 0.075 < row["value"] < 0.09
    early = int(row["text"].split(" of its 600 accesses came before the announced AIFS")[0].split()[-1])
    assert early == pytest.approx(600 / 8, abs=2)


@pytest.mark.parametrize("shift_us", [-5, -4, 4])
def test_times_of_a_recorder_beside_the_slots(shift_us, tmp_path):
    """Its times of VHT PPDUs end 4 us late, say: no frame of A was early, and no backoff too short."""
    contends(air := Air(), 15, space_us=lambda slots: 43 + shift_us + 9 * slots)
    assert _found(tmp_path, air).is_empty()
    contends(air := Air(), 3, space_us=lambda slots: 43 + shift_us + 9 * slots)
    assert "CWmin" in _found(tmp_path, air).row(0, named=True)["text"]


def test_spaces_that_end_before_a_slot_does_are_not_a_slot_less(tmp_path):
    """Backoffs from 0 to 11: of 600 two thirds seem to be of less than 8 slots, with a slot less three quarters."""
    values = []
    for shift_us in (0, -4):
        contends(air := Air(), 11, space_us=lambda slots, by=shift_us: 43 + by + 9 * slots, alone=True)
        row = _found(tmp_path, air).row(0, named=True)
        assert "66 % of its 600 accesses" in row["text"]  # but for those behind beacons
        values.append(row["value"])
    assert values[0] == pytest.approx(values[1], rel=0.02)


def test_a_recorder_that_takes_all_spaces_for_a_slot_shorter(tmp_path):
    """Only what would be too soon with a slot more counts as a short backoff; 1 of 16 seems to come before AIFS."""
    contends(air := Air(), 15, space_us=lambda slots: 34 + 9 * slots, count=2000, alone=True)
    assert _found(tmp_path, air).is_empty()


def test_times_that_do_not_tell_slots(tmp_path):
    """As of a station that does not hear those it comes behind: at any time."""
    number = iter(range(1200))
    contends(air := Air(), 3, space_us=lambda _: 30 + 5 * next(number) % 37)
    assert _found(tmp_path, air).is_empty()


def test_frames_of_others_between_do_not_count(tmp_path):
    """Whether A hears B is not known: if not, its backoff went on while B sent."""
    air = Air()
    for number in range(600):
        if number % 100 == 0:
            announces(air, number)
        sent_at_5_ghz(air, A, AP, number, 43 + 9 * (number % 4))
        sent_at_5_ghz(air, B, AP, number, 43 + 9 * (number % 4))
    assert _found(tmp_path, air).is_empty()


def _bursts(air: Air, of: int, *, fragments: bool = False, sender: str = A, wait_us: int = 0) -> None:
    for number in range(200):
        if number % 100 == 0:
            announces(air, number)
        for each in range(of):
            seq = number if fragments else of * number + each
            sent_at_5_ghz(air, sender, AP if sender == A else B, seq, 16 if each else 43 + wait_us + 9 * (number % 16))


def test_bursts_where_one_exchange_is_allowed(tmp_path):
    _bursts(air := Air(), 3)
    row = _found(tmp_path, air).row(0, named=True)
    assert "400 times it went on beyond the announced TXOP limit of one frame exchange" in row["text"]
    # Two of three frames, and some idle time.
    assert 0.5 < row["value"] < 0.67


def test_bursts_that_are_none(tmp_path):
    """Fragments of one frame go together; an access point's own limit is not what it announces."""
    _bursts(air := Air(), 3, fragments=True)
    assert _found(tmp_path, air).is_empty()
    _bursts(air := Air(), 3, sender=AP)
    assert _found(tmp_path, air).is_empty()


def test_an_access_point_is_told_of_as_one_that_may(tmp_path):
    air = Air()
    for number in range(400):
        if number % 100 == 0:
            announces(air, number)
        sent_at_5_ghz(air, AP, A, number, 43 + 9 * (number % 4))
    row = _found(tmp_path, air).row(0, named=True)
    assert row["text"].startswith("The access point ")
    assert "may have others itself" in row["text"]
    assert "downloads" in row["remedy"]


def test_what_takes_little_time_is_none(tmp_path):
    _bursts(air := Air(), 2, wait_us=9 * 1200)
    assert _found(tmp_path, air).is_empty()
