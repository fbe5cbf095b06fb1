"""What is found, and how far it is trusted, where the recorder misses answers or whole stations."""

from __future__ import annotations

import duckdb
import pytest
from air import Air
from finding_scenes import AP, A, thrown_out

import winf_analyzer
from winf_analyzer._findings.questions import CHECKS, ask
from winf_analyzer._findings.registry import findings_registry

HIDDEN = (
    "create table hidden_pairs as select 'a.pcap' as source, 'R' as observer, 'A' as sender, 'R' as hidden_from,"
    " null::varchar as receiver, 0.9 as confidence, {unheard}::bigint as unheard, {overlapped}::bigint as overlapped"
)


def _counts(heard: float, answers: int, cts: int = 0) -> bool:
    """Whether a share of 400 counts against a recording with so many ACKs, and lone CTS, to a hidden station."""
    made = duckdb.connect()
    made.execute(
        f"create table audit as select 'a.pcap' as source, 'completeness' as \"check\", {heard} as value, 400 as pairs"
    )
    made.execute(
        "create table uses as select 'a.pcap' as source, 'R' as observer, 'A' as sender, 'B' as receiver,"
        f" if(number < {answers}, number, null) as ack_ns, false as heard_data, false as heard_rts"
        f" from range({answers + cts}) as r(number)"
    )
    made.execute(HIDDEN.format(unheard=answers + cts, overlapped=0))
    return bool(made.execute(CHECKS).fetchall())


@pytest.mark.parametrize(
    ("heard", "unheard", "counts"),
    [
        (0.5, 100, False),  # half of what is missed is of the hidden station
        (0.5, 99, True),
        (0.2, 319, False),
        (0.2, 240, False),  # of 160 others half were heard
        (0.2, 239, True),
        (0.2, 0, True),
        (0.2, 360, True),  # more than are missed: the share is one of sequence numbers
    ],
)
def test_a_hidden_station_excuses_what_is_its_own(heard, unheard, counts):
    assert _counts(heard, unheard) is counts


def test_a_cts_alone_is_no_answer_that_the_check_misses():
    assert _counts(0.2, 120, cts=200)
    assert not _counts(0.2, 240, cts=200)


def _hidden_pairs(kind: str, answered: int, *, meets: str | None = "B") -> list[dict]:
    """The finding's rows where a hidden pair collided, and so many of 1000 attempts to B were answered.

    `meets`: the station that sends to the one that is not heard, if any does.
    """
    met = f" union all select 'a.pcap', '{meets}', 'A', true, 'basic', true, 1.0" if meets else ""
    made = duckdb.connect()
    made.execute(HIDDEN.format(unheard=0, overlapped=20))
    made.execute(
        "create table uses as select 'a.pcap' as source, 'R' as sender, 'B' as receiver,"
        f" number < {answered} as complete, '{kind}' as kind, true as attempted, 1.0 as air_us"
        f" from range(1000) as r(number){met}"
    )
    made.execute("create table spans as select 'a.pcap' as source, 1e6 as span_us")
    return ask(made, findings_registry()["hidden_pair"])


@pytest.mark.parametrize(("answered", "found"), [(100, 1), (99, 0)])
def test_losses_at_a_station_whose_answers_are_not_heard_are_no_collisions(answered, found):
    assert len(_hidden_pairs("basic", answered)) == found


def test_the_only_station_that_answers_anybody_answers_the_one_that_is_not_heard():
    """Of uploads without a downlink nothing else shows whom a hidden station sends to."""
    (row,) = _hidden_pairs("basic", 300, meets=None)
    assert row["common"] == "B"


def test_a_station_is_not_blamed_for_losses_at_one_that_it_never_meets():
    assert len(_hidden_pairs("basic", 300)) == 1
    assert not _hidden_pairs("basic", 300, meets="D")


@pytest.mark.parametrize(("kind", "advised"), [("basic", ""), ("rts", "Most of this data goes behind RTS already")])
def test_rts_is_not_advised_where_it_is_in_use(kind, advised):
    (row,) = _hidden_pairs(kind, 300)
    assert (row["remedy"] or "").partition(":")[0] == advised


def test_a_burst_of_deauthentications_is_one_and_so_is_the_return(tmp_path):
    """Three frames throw the station out, and an authentication and an association request bring it back."""
    air = Air()
    thrown_out(air, 4)
    recording = tmp_path / "a.pcap"
    burst = [each for record in air.records for each in ([record] * 3 if _is_deauth(record[1]) else [record])]
    air.records = [(stamp + number, frame) for number, (stamp, frame) in enumerate(burst)]
    recording.write_bytes(air.capture())
    (row,) = winf_analyzer.why([recording]).findings.filter(name="deauthentication_loop").to_dicts()
    assert row["subject"] == A
    assert "4 times and came back 3 times" in row["text"]
    assert AP not in row["subject"]


def _is_deauth(record: bytes) -> bool:
    return record[int.from_bytes(record[2:4], "little")] == 0xC0
