"""By how much senders counted on is told natively, chunk by chunk: the same as the rules say, one by one."""

import polars as pl
import pytest
from exchange_builder import A, B, C
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

from winf_analyzer import _core
from winf_analyzer._models.saturation.recorded.completeness import MAX_ADVANCE, MAX_GAP_TICKS, TICK_NS

SCHEMA = {
    "share": pl.UInt32,
    "medium": pl.UInt32,
    **dict.fromkeys(("sender", "receiver", "data_kind"), pl.String),
    **dict.fromkeys(("seq", "tid", "mpdus", "air_start_ns"), pl.Int64),
    "first": pl.Boolean,
}
NEAR = st.integers(0, 3) | st.integers(4093, 4095) | st.integers(62, 68) | st.integers(300, 303)
EXCHANGES = st.fixed_dictionaries(
    {
        "medium": st.sampled_from([0, 0, 1]),
        "sender": st.sampled_from([A, A, B, None]),
        "receiver": st.sampled_from([B, C, C, None]),
        "data_kind": st.sampled_from(
            [None, "null", "qos_null", "data", "data", "beacon", "beacon", "qos_data", "qos_data"]
        ),
        "seq": st.none() | NEAR | st.integers(0, 4095),
        "tid": st.sampled_from([None, 0, 5]),
        "mpdus": st.sampled_from([None, 0, 1, 7]),
        "air_start_ns": st.integers(0, 3_000_000_000),
        "first": st.sampled_from([None, None, False, True]),
    }
)


NOTHING = {"advanced": None, "advanced_heard": None, "gap_ticks": None, "is_new": True, "is_heard_again": False}
WINDOW = 64


def one_by_one(rows):
    """The same as rules say it: a loop over exchanges, with the numbers around the last of each counter."""
    last, left = {}, {}
    return [told(row, last, left) for row in rows.iter_rows(named=True)]


def told(row, last, left):
    kind, seq, first = row["data_kind"], row["seq"], row["first"]
    if row["sender"] is None or kind in (None, "null", "qos_null") or (seq is None and first is None):
        return NOTHING
    qos = kind == "qos_data" and row["receiver"] is not None
    counter = (row["medium"], row["sender"], *((row["receiver"], row["tid"] or 0) if qos else ()))
    mpdus = max(row["mpdus"] or 1, 1)
    begun = {"seq": seq, "start": row["air_start_ns"], "ahead": mpdus, "missing": 0, "kind": kind, "first": first}
    if counter not in last or (seq is not None and last[counter]["seq"] is None):
        last[counter] = begun
        return NOTHING
    if not qos:
        return of_sender(last, left, counter, begun)
    before = last[counter]
    back = 4096 - step_to(before, begun)
    if back > WINDOW:
        last[counter], found = gone_on(before, begun)
        return found
    credit = min(mpdus, back, before["missing"])
    before["missing"] -= credit
    before["ahead"] = max(before["ahead"], mpdus - credit)
    found = {**NOTHING, "is_new": credit > 0, "is_heard_again": credit == 0}
    return found | ({"advanced": 0, "advanced_heard": credit} if credit else {})


def of_sender(last, left, counter, begun):
    """Two places of a sender: the nearer one goes on; numbers to another one count once they are known to be missed."""
    here, other = last[counter], left.get(counter)
    step = step_to(here, begun)
    beyond = step_to(other["last"], begun) if other else None
    if beyond is not None and beyond < step:
        here, other = other["last"], {"last": here, "held": None, "passed": 0}
        left[counter], step = other, beyond
    jump = None
    if other and step <= MAX_ADVANCE and other["last"]["kind"] == begun["kind"]:
        jump = other["held"]
    last[counter], found = gone_on(here, begun)
    if step > MAX_ADVANCE or (step > WINDOW and here["kind"] != begun["kind"]):
        held = (found["advanced"], found["advanced_heard"]) if found["advanced"] else None
        left[counter] = {"last": here, "held": held, "passed": 0}
        found |= {"advanced": None, "advanced_heard": None}
    elif other:
        other["passed"] += step
        if jump or other["passed"] >= 1024:
            del left[counter]
        beyond = step_to(other["last"], begun)
        if beyond is not None and 4096 - beyond <= WINDOW:
            return found | {"advanced": None, "advanced_heard": None, "gap_ticks": None}
    if jump:
        found |= {"advanced": jump[0] + (found["advanced"] or 0)}
        found |= {"advanced_heard": jump[1] + (found["advanced_heard"] or 0)}
    return found


def step_to(before, exchange):
    if exchange["seq"] is None:
        return int(exchange["first"])
    return None if before["seq"] is None else (exchange["seq"] - before["seq"]) % 4096


def gone_on(before, begun):
    step, mpdus = step_to(before, begun), begun["ahead"]
    found, now = dict(NOTHING), dict(begun)
    heard, goes_on = min(before["ahead"], step), 1 <= step <= MAX_ADVANCE
    ticks = (begun["start"] - before["start"]) // TICK_NS
    found["is_new"] = step != 0
    found["is_heard_again"] = step == 0 or (goes_on and step < before["ahead"])
    if step == 1 and 0 <= ticks <= MAX_GAP_TICKS:
        found["gap_ticks"] = ticks
    if step == 0:
        now |= {"ahead": max(before["ahead"], mpdus), "missing": before["missing"]}
    elif goes_on:
        found |= {"advanced": step, "advanced_heard": heard}
        now |= {"ahead": before["ahead"] - heard + mpdus, "missing": step - heard}
    now["ahead"] = min(now["ahead"], max(WINDOW, mpdus))
    return now, found


@examples(60)
@given(st.lists(EXCHANGES, max_size=60), st.integers(0, 60))
def test_steps_are_those_of_the_rules_whatever_the_chunks(exchanges, cut):
    links = {}
    for exchange in exchanges:
        link = exchange["medium"], exchange["sender"], exchange["receiver"]
        exchange["share"] = links.setdefault(link, len(links))
    rows = pl.DataFrame(exchanges, schema=SCHEMA)
    steps = _core.SequenceSteps(MAX_ADVANCE, TICK_NS, MAX_GAP_TICKS)
    found = pl.concat(pl.DataFrame(steps.follow(some)) for some in (rows[:cut], rows[cut:]))
    assert found.to_dicts() == one_by_one(rows)


def heard_of(frames):
    """Numbers that a sender went on by, and how many of them were heard, of frames `(data_kind, seq)`."""
    row = {"share": 0, "medium": 0, "sender": A, "receiver": C, "air_start_ns": 0}
    rows = pl.DataFrame([{**row, "data_kind": kind, "seq": seq} for kind, seq in frames], schema=SCHEMA)
    steps = pl.DataFrame(_core.SequenceSteps(MAX_ADVANCE, TICK_NS, MAX_GAP_TICKS).follow(rows))
    return steps["advanced"].sum(), steps["advanced_heard"].sum()


@pytest.mark.parametrize("ahead", [345, 3000, -345, -70])
@pytest.mark.parametrize("burst", [1, 3])
def test_beacons_numbered_apart_are_no_missed_frames(ahead, burst):
    beacons = [("beacon", (3385 + k) % 4096) for k in range(40)]
    data = iter(range(3385 + ahead, 3385 + ahead + 40 * burst))
    frames = [frame for beacon in beacons for frame in (beacon, *(("data", next(data) % 4096) for _ in range(burst)))]
    advanced, heard = heard_of(frames)
    assert advanced == heard >= 50  # one that overtakes the other says nothing meanwhile


def test_probe_responses_that_come_late_are_no_missed_frames():
    frames = [(kind, 1300 + k) for k, kind in enumerate(["beacon", "data", "data"] * 20)]
    for place, seq in ((55, 1218), (40, 1217), (40, 1216), (25, 1215), (25, 1215), (5, 1214)):
        frames.insert(place, ("probe_resp", seq))
    advanced, heard = heard_of(frames)
    assert advanced == heard >= 59


def test_a_late_repetition_is_no_missed_frame():
    assert heard_of(
        [("data", 29), ("beacon", 30), ("data", 29), ("data", 31), ("data", 26), ("data", 28), ("data", 32)]
    ) == (3, 3)


def test_numbers_missed_between_kinds_of_frames_count_once_both_are_beyond():
    gap = [("beacon", 100), ("data", 101), ("data", 102), ("beacon", 300)]
    assert heard_of(gap) == (2, 2)
    assert heard_of([*gap, ("beacon", 301), ("data", 303)]) == (203, 5)
    assert heard_of([("data", 100), ("data", 300)]) == (200, 1)
