"""By how much senders counted on is told natively, chunk by chunk: the same as the rules say, one by one."""

import polars as pl
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
EXCHANGES = st.fixed_dictionaries(
    {
        "medium": st.sampled_from([0, 0, 1]),
        "sender": st.sampled_from([A, A, B, None]),
        "receiver": st.sampled_from([B, C, C, None]),
        "data_kind": st.sampled_from([None, "null", "qos_null", "data", "qos_data", "qos_data"]),
        "seq": st.none() | st.integers(0, 3) | st.integers(4093, 4095) | st.integers(0, 4095),
        "tid": st.sampled_from([None, 0, 5]),
        "mpdus": st.sampled_from([None, 0, 1, 7]),
        "air_start_ns": st.integers(0, 3_000_000_000),
        "first": st.sampled_from([None, None, False, True]),
    }
)


def one_by_one(rows):
    """The same as rules say it: a loop over exchanges, with the numbers around the last of each counter."""
    last, found = {}, []
    for row in rows.iter_rows(named=True):
        told = {"advanced": None, "advanced_heard": None, "gap_ticks": None, "is_new": True, "is_heard_again": False}
        found.append(told)
        kind, seq, first = row["data_kind"], row["seq"], row["first"]
        if row["sender"] is None or kind in (None, "null", "qos_null") or (seq is None and first is None):
            continue
        qos = kind == "qos_data" and row["receiver"] is not None
        counter = (row["medium"], row["sender"], *((row["receiver"], row["tid"] or 0) if qos else ()))
        mpdus, start = max(row["mpdus"] or 1, 1), row["air_start_ns"]
        begun = {"seq": seq, "start": start, "ahead": mpdus, "missing": 0}
        before = last.setdefault(counter, begun)
        if before is begun or (seq is not None and before["seq"] is None):
            last[counter] = begun
            continue
        step = int(first) if seq is None else (seq - before["seq"]) % 4096
        if qos and 4096 - step <= 64:
            credit = min(mpdus, 4096 - step, before["missing"])
            before["missing"] -= credit
            before["ahead"] = max(before["ahead"], mpdus - credit)
            told |= {"is_new": credit > 0, "is_heard_again": credit == 0}
            told |= {"advanced": 0, "advanced_heard": credit} if credit else {}
            continue
        heard, goes_on = min(before["ahead"], step), 1 <= step <= MAX_ADVANCE
        ticks = (start - before["start"]) // TICK_NS
        told["is_new"] = step != 0
        told["is_heard_again"] = step == 0 or (goes_on and step < before["ahead"])
        if step == 1 and 0 <= ticks <= MAX_GAP_TICKS:
            told["gap_ticks"] = ticks
        if step == 0:
            begun |= {"ahead": max(before["ahead"], mpdus), "missing": before["missing"]}
        elif goes_on:
            told |= {"advanced": step, "advanced_heard": heard}
            begun |= {"ahead": before["ahead"] - heard + mpdus, "missing": step - heard}
        begun["ahead"] = min(begun["ahead"], max(64, mpdus))
        last[counter] = begun
    return found


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
