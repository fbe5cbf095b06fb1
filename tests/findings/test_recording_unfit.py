"""What a recording lacks, and what to record with the next time."""

from pathlib import Path

import pytest
from air import DIFS_US, Air
from finding_scenes import AP, A
from pcaps import ack

import winf_analyzer
from winf_analyzer._findings.registry import findings_registry
from winf_analyzer._ingest.description import AUDITED


def remedy(folder: Path, air: Air) -> str | None:
    (folder / "recording.pcap").write_bytes(air.capture())
    found = winf_analyzer.why([folder / "recording.pcap"]).findings
    unfit = found.filter(name="recording_unfit")
    return None if unfit.is_empty() else str(unfit["remedy"][0])


@pytest.mark.parametrize("control", [True, False])
def test_a_filter_is_told_from_a_station_that_is_not_heard(tmp_path: Path, control: bool) -> None:
    """Data without an answer; ACKs to others were stored, or no control frame at all."""
    air = Air()
    for number in range(200):
        air.exchange(A, AP, AP, seq=number, answered=False)
        air.wait(5_000)
        if control:
            air.send(ack("02:00:00:00:00:77"), 1)
            air.wait(5_000)
    said = remedy(tmp_path, air)
    assert said is not None
    assert said.startswith("Record again on the channel of the access point, closer to it")
    assert ("without a filter" in said) == (not control)


def test_answers_without_any_data_are_no_data_without_an_answer(tmp_path: Path) -> None:
    air = Air()
    for number in range(200):
        air.rts(A, AP, 2_000)
        air.wait(5_000 + 100 * (number % 7))
    assert "answer" not in (remedy(tmp_path, air) or "")


def test_a_remedy_for_two_reasons_is_told_once(tmp_path: Path) -> None:
    """No control frame is stored, and of the frames of A three of four are missing."""
    air = Air()
    for number in range(400):
        air.exchange(A, AP, AP, seq=4 * number, answered=False)
        air.wait(5_000)
    (tmp_path / "recording.pcap").write_bytes(air.capture())
    row = winf_analyzer.why([tmp_path / "recording.pcap"]).findings.filter(name="recording_unfit").row(0, named=True)
    assert row["value"] == 2
    assert "Frames heard" in row["text"]
    assert "No answer was heard with any of the 400 attempts to send data." in row["text"]
    assert row["remedy"].count("access point") == 1
    assert "without a filter" in row["remedy"]


def test_rts_without_cts_are_attempts_and_no_data_that_were_heard(tmp_path: Path) -> None:
    """60 data frames and 40 RTS of one station, of which none is answered."""
    air = Air()
    for number in range(60):
        air.exchange(A, AP, AP, seq=number, answered=False)
        air.wait(5_000)
    for _ in range(40):
        air.wait(DIFS_US + 310)
        air.rts(A, AP, 2_000, cts=False)
        air.wait(5_000)
    (tmp_path / "recording.pcap").write_bytes(air.capture())
    row = winf_analyzer.why([tmp_path / "recording.pcap"]).findings.filter(name="recording_unfit").row(0, named=True)
    assert "No answer was heard with any of the 100 attempts to send data." in row["text"]


@pytest.mark.parametrize(("late_us", "fits"), [(2_000, False), (None, True)])
def test_answers_at_other_times_are_not_told_to_be_unheard(tmp_path: Path, late_us: int | None, fits: bool) -> None:
    """ACKs to the sender of every frame, 2 ms behind it as of a driver with two clocks; or ACKs to somebody else."""
    air = Air()
    for number in range(200):
        air.exchange(A, AP, AP, seq=number, answered=False)
        air.wait(late_us or 2_000)
        air.send(ack("02:00:00:00:00:77" if late_us is None else A), 1)
        air.wait(5_000 + 100 * (number % 7))
    (tmp_path / "recording.pcap").write_bytes(air.capture())
    row = winf_analyzer.why([tmp_path / "recording.pcap"]).findings.filter(name="recording_unfit").row(0, named=True)
    assert ("though 200 answers to their senders were heard" in row["text"]) == (not fits)
    assert ("closer to it" in row["remedy"]) == fits
    assert ("by one clock" in row["remedy"]) == (not fits)


def test_every_check_of_the_audit_is_told_in_words() -> None:
    question = findings_registry()["recording_unfit"].sql
    assert [name for name in AUDITED if f"when '{name}' then" not in question] == []
