"""How long exchanges take of which only the answers are heard: planted gaps between these."""

import random
from itertools import pairwise

import polars as pl
import pytest
from one_chunk import chunk

from winf_analyzer._models.saturation.contention.presumed import of_unheard
from winf_analyzer._models.saturation.recorded import completeness
from winf_analyzer._models.saturation.unheard import unheard_airtime

AIFS_US, SLOT_US, SIFS_US, WINDOW = 28, 9, 16, 16


def answers(data_us, waiting=200, at_random=200, per_s=100.0, seed=1):
    """Answers to a hidden station whose frames take so long: of packets that waited, and of ones that came any time."""
    draw = random.Random(seed)
    each_us = AIFS_US + data_us + SIFS_US
    gaps = [each_us + SLOT_US * draw.randrange(WINDOW) for _ in range(waiting)]
    gaps += [each_us + draw.expovariate(per_s / 1e6) for _ in range(at_random)]
    draw.shuffle(gaps)
    row = {"medium": 0, "sender": "a", "kind": "basic", "heard_data": False}
    return [row | {"gap_us": gap} for gap in gaps]


def counted(rows, *cuts):
    """Of exchanges, each an answer of 30 us, so long behind one another."""
    start = (pl.col("gap_us") + 30).cum_sum() - 30
    times = {"air_start_ns": start * 1000, "end_ns": (start + 30) * 1000}
    state, table = {}, pl.DataFrame(rows).with_columns(**times).with_columns(pl.col(list(times)).cast(pl.Int64))
    edges = [0, *cuts, table.height]
    parts = [unheard_airtime.GAPS.function(chunk(table[begin:end], state)) for begin, end in pairwise(edges)]
    return pl.concat(parts).group_by("medium", "sender", "tick").agg(pl.col("gaps").sum())


def told(rows, seconds=60, off=0.0):
    """Of a recording of so many seconds, in which this share of the answers is not where it belongs."""
    of_link = {
        "answer_off": off,
        "medium": 0,
        "window_start_ns": 0,
        "sender": "a",
        "covered_ns": seconds * 10**9,
        "unheard": len(rows),
    }
    return unheard_airtime.told(pl.DataFrame([of_link]), counted(rows))["unheard_gap_ns"].item()


@pytest.mark.parametrize("data_us", [250, 560, 2400])
def test_the_shortest_of_many_gaps_is_aifs_data_and_sifs(data_us):
    assert told(answers(data_us)) / 1000 == pytest.approx(AIFS_US + data_us + SIFS_US, abs=11)


def test_coarse_stamps_tell_nothing():
    assert told(answers(560), off=0.4) is None


def test_packets_that_come_at_any_time_tell_nothing():
    assert told(answers(560, waiting=0, at_random=2000)) is None


def test_packets_at_equal_intervals_tell_nothing():
    """Every 10 ms, give or take what they wait: their gaps would be exchanges that fill all of the time."""
    draw = random.Random(3)
    row = answers(560)[0]
    assert told([row | {"gap_us": 10_000 + draw.uniform(0, 200)} for _ in range(500)], seconds=5) is None
    assert told([row | {"gap_us": 2_000} for _ in range(500)]) is None


def test_few_that_waited_tell_nothing():
    assert told(answers(560, waiting=10, at_random=0)) is None


def test_what_follows_a_frame_that_was_heard_does_not_count():
    """The hidden station may have begun within it."""
    rows = answers(560)
    heard = {"medium": 0, "sender": "b", "kind": "basic", "heard_data": True, "gap_us": 50.0}
    rows += [row for _ in range(50) for row in (heard, rows[0] | {"gap_us": 100.0})]
    assert told(rows) / 1000 == pytest.approx(AIFS_US + 560 + SIFS_US, abs=11)


@pytest.mark.parametrize("cut", [1, 57, 399])
def test_chunks_make_no_difference(cut):
    rows = answers(560)
    assert counted(rows, cut).sort("tick").equals(counted(rows).sort("tick"))


STATION = {
    "case": 0,
    "sender": "a",
    "data_unheard": False,
    "rts": False,
    "aggregates": False,
    "unheard_mpdus": 1.0,
    "hidden": False,
    "window": 16.0,
    "packets_per_s": 100.0,
    "packets_max": 1.0,
    "packet_s": 0.0,
    "first_packet_s": 0.0,
    "request_s": None,
    "access_s": 0.5e-3,
    "first_s": 0.5e-3,
    "tail_s": 90e-6,
    "sifs_s": 16e-6,
    "aifs_s": 28e-6,
    "unheard_gap_ns": None,
}


def beside(subject, **changed):
    """What is presumed of a hidden station beside a subject."""
    hidden = STATION | {"subject": False, "data_unheard": True, "access_s": 0.1e-3} | changed
    rows = [STATION | {"subject": True} | subject, hidden]
    table = pl.DataFrame(rows, schema_overrides={"unheard_gap_ns": pl.Float64, "request_s": pl.Float64})
    return of_unheard(table).row(1, named=True)


def presumed(gap_ns, **changed):
    """Seconds of an access of a hidden station beside a subject whose accesses take 0.5 ms."""
    return beside({}, unheard_gap_ns=gap_ns, **changed)["access_s"]


def test_a_hidden_station_takes_what_its_answers_show_and_else_what_the_link_sends():
    assert presumed(1e6) == pytest.approx(1e-3 + 90e-6 - 16e-6 - 28e-6)
    assert presumed(None) == 0.5e-3
    assert presumed(1e6, rts=True) == 0.1e-3


def test_what_the_link_sends_comes_after_an_aifs_of_its_own():
    assert presumed(None, aifs_s=19e-6) == pytest.approx(0.5e-3 - 9e-6)
    assert beside({"aggregates": True}, aifs_s=19e-6, window=8.0)["access_s"] == pytest.approx(0.5e-3 - 9e-6)


@pytest.mark.parametrize(("mpdus", "packet_s"), [(1.2, 0.25e-3), (1.8, 0.2e-3)])
def test_the_shortest_gap_is_an_aggregate_of_one_mpdu_if_most_are(mpdus, packet_s):
    """Of an access of 0.75 ms the 0.5 ms are what the subject's take besides their MPDUs."""
    subject = {"aggregates": True, "packet_s": 0.2e-3, "first_packet_s": 0.2e-3, "packets_max": 28.0}
    row = beside(subject, unheard_gap_ns=0.75e6 - 46e3, unheard_mpdus=mpdus)
    assert (row["packet_s"], row["first_packet_s"]) == pytest.approx((packet_s, packet_s))
    assert row["access_s"] == pytest.approx(0.5e-3)


def test_gaps_shorter_than_an_aggregate_of_nothing_tell_nothing():
    subject = {"aggregates": True, "packet_s": 0.2e-3, "first_packet_s": 0.2e-3, "packets_max": 28.0}
    assert beside(subject, unheard_gap_ns=0.4e6)["packet_s"] == 0.2e-3


@pytest.mark.parametrize(("window", "aggregates"), [(4.0, False), (8.0, True), (16.0, True)])
def test_voice_that_is_not_heard_sends_single_frames_beside_a_subject_that_aggregates(window, aggregates):
    """A single frame is as long as an aggregate of one of the subject's packets."""
    row = beside({"aggregates": True, "packet_s": 0.2e-3, "packets_max": 28.0}, window=window)
    assert row["aggregates"] is aggregates
    assert row["access_s"] == pytest.approx(0.5e-3 if aggregates else 0.7e-3)


@pytest.mark.parametrize(("hidden", "window", "taken"), [(True, 4.0, 16.0), (True, 32.0, 32.0), (False, 4.0, 4.0)])
def test_what_seems_hidden_is_taken_for_a_station_that_gives_way(hidden, window, taken):
    assert beside({}, hidden=hidden, window=window)["window"] == taken


def test_what_is_put_back_beside_a_link_that_aggregates_does_so_too():
    """Of its time on the air, what is no MPDU of the subject's is that of one exchange."""
    subject = {"aggregates": True, "packets_max": 20.0, "packet_s": 0.2e-3, "access_s": 0.3e-3}
    put_back = {"sender": completeness.PUT_BACK, "data_unheard": False, "access_s": 0.9e-3}
    found = beside(subject, **put_back)
    assert found["aggregates"]
    assert found["packets_max"] == 20
    assert found["packets_per_s"] == pytest.approx(300)
    single = beside({}, **put_back)
    assert not single["aggregates"]
    assert (single["access_s"], single["packets_per_s"]) == (0.9e-3, 100)
