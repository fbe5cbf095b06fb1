"""Whether late starts and failures are as many as two hidden stations would have."""

import polars as pl
import pytest

from winf_analyzer._hidden import MIN_CONFIDENCE, evidence, expected, find
from winf_analyzer._schema import complete, schema
from winf_analyzer.estimators import EXCHANGES_SCHEMA

NOBODY = pl.LazyFrame(schema=schema("neighbours"))
A, B, C = (f"02:00:00:00:00:0{n}" for n in "abc")
MS = 1_000_000


def recorded_by_a(unheard, attempts, failed, *, rts=False):
    """Ten seconds at station A: `attempts` of its own, of which `failed`, and `unheard` answers to C, all to B."""
    own = [
        {"sender": A, "start_ns": at, "data_start_ns": at, "data_ns": at + MS, "complete": number >= failed}
        for number in range(attempts)
        for at in (number * 10_000 * MS // max(attempts, 1),)
    ]
    heard = "cts_ns" if rts else "ack_ns"
    others = [
        {"sender": C, "start_ns": at, heard: at + MS // 2, "complete": True, "hidden": True}
        for number in range(unheard)
        for at in (number * 10_000 * MS // unheard + 5 * MS,)
    ]
    rows = [
        {"source": "s", "observer": A, "receiver": B, "kind": "basic", "end_ns": row["start_ns"] + MS, "hidden": False}
        | row
        for row in sorted([*own, *others], key=lambda row: row["start_ns"])
    ]
    return complete(pl.LazyFrame(rows, schema=EXCHANGES_SCHEMA).drop("is_group"), "exchanges")


def confidence(exchanges):
    """That A does not hear C."""
    return find(exchanges, NOBODY).filter(sender=C, hidden_from=A)["confidence"].item()


def test_failures_of_the_recorder_confirm_that_a_station_is_hidden():
    """Of 1000 attempts beside 100 frames of 1 ms a second 18 % meet one."""
    assert confidence(recorded_by_a(1000, 1000, 180)) > 0.99


def test_attempts_that_succeed_contradict_it():
    assert confidence(recorded_by_a(1000, 1000, 20)) == 0


@pytest.mark.parametrize("attempts", [0, 20])
def test_where_few_failures_are_expected_it_is_open(attempts):
    assert MIN_CONFIDENCE - 0.01 < confidence(recorded_by_a(1000, attempts, 0)) < MIN_CONFIDENCE


@pytest.mark.parametrize("attempts", [0, 20])
def test_rts_that_are_not_heard_count_in_full(attempts):
    assert confidence(recorded_by_a(1000, attempts, 0, rts=True)) > 0.99


def test_beside_a_station_with_rts_the_recorder_waits_from_the_cts_on():
    """Of 1000 attempts 13 % meet an RTS of 352 us, and would 18 % meet a frame as long as their own."""
    assert confidence(recorded_by_a(1000, 1000, 45, rts=True)) > 0.99
    assert confidence(recorded_by_a(1000, 1000, 45)) == 0


def test_what_stations_do_is_summed_over_batches():
    exchanges = recorded_by_a(50, 300, 7)
    whole, parts = (evidence.collect_evidence(exchanges, batch).active.sort("sender") for batch in (evidence.BATCH, 16))
    assert whole.equals(parts)


def test_of_a_hidden_station_as_many_starts_are_late_as_the_other_sends_of_the_time():
    active = evidence.collect_evidence(recorded_by_a(10, 1000, 0)).active
    assert expected.late_starts(active).filter(sender=A)["late_share"].item() == pytest.approx(0.1, rel=0.01)


def late(share):
    """A sends half of the time; C starts 1000 times, this share of them while A sends."""
    rows = [(A, at, at + 5 * MS) for at in range(0, 10_000 * MS, 10 * MS)]
    rows += [
        (C, at, at + MS // 2)
        for number in range(1000)
        for at in (number * 10 * MS + (2 * MS if number < 1000 * share else 7 * MS),)
    ]
    columns = {"source": "s", "receiver": B, "kind": "basic", "complete": True, "hidden": False}
    table = [
        columns | {"sender": sender, "start_ns": start, "data_start_ns": start, "data_ns": end, "end_ns": end}
        for sender, start, end in sorted(rows, key=lambda row: row[2])
    ]
    return complete(pl.LazyFrame(table, schema=EXCHANGES_SCHEMA).drop("is_group"), "exchanges")


@pytest.mark.parametrize(("share", "is_hidden"), [(0.5, True), (0.1, True), (0.04, False)])
def test_a_few_late_starts_of_the_many_that_a_hidden_station_has_are_preambles_that_were_missed(share, is_hidden):
    pairs = find(late(share), NOBODY).filter(sender=A, hidden_from=C)
    assert (pairs["confidence"].max() >= MIN_CONFIDENCE) == is_hidden


def of_all_nodes(after_ns, rounds=100):
    """A trace of A and C, who send to B. C has no reception of A's frames, and starts so long after each of them."""
    columns = {"source": "s", "receiver": B, "kind": "basic", "complete": True}
    rows = []
    for at in range(0, rounds * 20 * MS, 20 * MS):
        for sender, other, start in ((A, C, at), (C, A, at + after_ns)):
            times = {"start_ns": start, "end_ns": start + 5 * MS, "ack_ns": start + 5 * MS}
            own = {"observer": sender, "data_start_ns": start, "data_ns": start + 4 * MS, "hidden": False}
            seen = [own, {"observer": other, "hidden": True}]
            rows += [columns | {"sender": sender} | times | view for view in seen]
    table = pl.LazyFrame(rows, schema=EXCHANGES_SCHEMA).drop("is_group")
    return complete(table.sort("end_ns", maintain_order=True), "exchanges")


@pytest.mark.parametrize(
    ("after_ns", "rounds", "is_hidden"), [(MS, 100, True), (7 * MS, 100, False), (7 * MS, 10, False)]
)
def test_nodes_of_a_trace_that_wait_for_each_other_are_not_hidden_whatever_they_receive(after_ns, rounds, is_hidden):
    pairs = find(of_all_nodes(after_ns, rounds), NOBODY).filter(sender=A, hidden_from=C)
    assert pairs["unheard"].max() == rounds
    assert (pairs["confidence"].max() >= MIN_CONFIDENCE) == is_hidden


@pytest.mark.parametrize(
    ("starts", "began", "unwaited"),
    [(100, 0, 0.0), (100, 3, 0.0), (100, 8, 1.0), (8, 0, expected.UNCONFIRMED), (8, 8, expected.UNCONFIRMED)],
    ids=["none of 50", "a few of 50", "many of 50", "none of 4", "all of 4"],
)
def test_nodes_wait_for_each_other_where_too_few_starts_meet_a_frame(starts, began, unwaited):
    """Each of the two is on the air for a quarter of the time: of 100 starts of both 25 each would meet the other."""
    pairs = pl.DataFrame([{"source": "t", "sender": A, "other": C, "attempts": starts, "starts": starts}])
    overlaps = pl.DataFrame([{"source": "t", "sender": A, "other": C, "late_starts": began}])
    on_air = {"source": "t", "with_rts": 0.0, "sent": 100, "first_ns": 1e6, "air_ns": 1e9 / 4, "span_ns": 1e9}
    active = pl.DataFrame([on_air | {"sender": node} for node in (A, C)])
    found = expected.waits(pairs, overlaps, active, ["t"])
    assert found["unwaited"].to_list() == [unwaited]
    assert expected.waits(pairs, overlaps, active, []).is_empty(), "a capture"
