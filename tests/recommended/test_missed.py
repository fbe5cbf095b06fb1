"""What was missed by sequence numbers is counted natively: the same as a query with window functions says."""

from __future__ import annotations

import polars as pl
import pytest
from exchange_builder import A, B, C
from folders import ROOT
from hypothesis import example, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from properties import examples
from sequence_gaps_query import gaps_by_query

import winf_analyzer
from winf_analyzer import _schema
from winf_analyzer._dataset.sequence_numbers import heard_numbers
from winf_analyzer._recommended.missed import missed_shares
from winf_analyzer._recommended.paused import with_pauses

SAMPLES = ROOT / "sample_captures"
MADE = (
    (winf_analyzer.ingest, ("ns3_sniffer",)),
    (winf_analyzer.ingest, ("ns3_ht", "ns2_hidden")),
    (winf_analyzer.merge, ("ns3_chain3",)),
)
COUNTED = ("layer", "source", "observer", "direction", "kind", "ra", "ta", "seq", "frag", "tid", "retry", "fcs_ok")
READ = (*COUNTED, "parse_error", "channel_mhz", "ppdu_no", "start_ns", "end_ns")
FRAMES = pl.Schema({name: _schema.schema("frames")[name] for name in ("frame_no", "ts_ns", *READ)})

OTHERS = {
    "layer": st.sampled_from(["mac"] * 6 + ["agent", None]),
    "source": st.sampled_from(["one", "two"]),
    "observer": st.sampled_from([None, "", A]),
    "direction": st.sampled_from([None, "rx", "rx", "tx", "drop"]),
    "kind": st.sampled_from(["qos_data"] * 3 + ["data", "beacon", "qos_null", "null", None]),
    "ra": st.sampled_from([B, C, None]),
    "ta": st.sampled_from([A] * 5 + [B, "node-1", None]),
    "frag": st.sampled_from([None, 0, 0, 1]),
    "tid": st.sampled_from([None, 0, 0, 5]),
    "retry": st.sampled_from([None, False, False, True]),
    "fcs_ok": st.sampled_from([None, True, True, False]),
    "parse_error": st.sampled_from([None] * 5 + ["radiotap"]),
    "channel_mhz": st.sampled_from([None] + [2412] * 6 + [2437]),
}
NUMBERS = st.none() | st.integers(0, 9) | st.integers(4000, 4095) | st.integers(0, 4095)


def written(folder, frames):
    """Two parts of a `frames` table."""
    rows = [row | {"frame_no": number} for number, row in enumerate(frames, 1)]
    table, parts = pl.DataFrame(rows, schema=FRAMES), (folder / "0.parquet", folder / "1.parquet")
    for part, some in zip(parts, (table[: len(rows) // 2], table[len(rows) // 2 :]), strict=True):
        some.write_parquet(part)
    return parts


def counted(parts):
    # A reading without beacons may be empty where the query has no row.
    found = pl.DataFrame(heard_numbers(parts).found())
    return found.filter(pl.col("span") > 0).sort("source", "observer", "sender", "receiver")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("frames")


HEARD = {"layer": "mac", "source": "one", "kind": "qos_data", "ra": B, "ta": A, "seq": 0}
"""A frame whose channel is not known until a later one tells it: the recorder has not moved."""


@examples(40)
@given(st.lists(st.fixed_dictionaries({**OTHERS, "seq": NUMBERS}), max_size=60))
@example([dict.fromkeys(OTHERS) | HEARD | {"channel_mhz": channel} for channel in (None, 2412)])
def test_numbers_are_counted_as_the_query_has_it(folder, frames):
    parts = written(folder, frames)
    assert_frame_equal(counted(parts), gaps_by_query(parts))


@examples(20)
@given(st.lists(st.tuples(st.integers(-300, 900), st.booleans(), st.sampled_from(["beacon", "null"])), max_size=300))
def test_counters_that_go_back_and_forth_are_followed(folder, steps):
    number, frames = 0, []
    for step, retry, kind in steps:
        number += step
        known = {"layer": "mac", "source": "one", "ta": A, "kind": kind, "retry": retry}
        frames.append(dict.fromkeys(FRAMES) | known | {"seq": number % 4096})
    parts = written(folder, frames)
    assert_frame_equal(counted(parts), gaps_by_query(parts))


@pytest.mark.parametrize(("make", "names"), MADE)
def test_the_samples_are_counted_as_the_query_has_it(make, names, tmp_path):
    inputs = sorted(path for name in names for path in (SAMPLES / name / "recording").iterdir())
    parts = make(inputs, tmp_path / "run.winf").parts("frames")
    found = counted(parts)
    assert_frame_equal(found, gaps_by_query(parts))
    assert found["span"].sum() > 100


def test_the_reading_with_fewer_gaps_is_taken(tmp_path):
    """Beacons that are numbered apart leave no gaps in the numbers of the others."""
    known = dict.fromkeys(FRAMES) | {"layer": "mac", "source": "one", "ta": A}
    data = [known | {"kind": "data", "seq": number} for number in range(20) if number % 4]
    beacons = [known | {"kind": "beacon", "seq": 2000 + 3 * number} for number in range(15)]
    frames = [frame for pair in zip(data, beacons, strict=True) for frame in pair]
    links = pl.DataFrame(
        [{"source": "one", "observer": None, "sender": A, "receiver": B, "answers_only": 0, "attempts": 15}],
        schema_overrides={"observer": pl.String},
    )
    shares = missed_shares(heard_numbers(written(tmp_path, frames)), links)
    assert shares["missed_share"].to_list() == [pytest.approx(1 - 15 / 19)]


@pytest.mark.parametrize(("silence_s", "missed"), [(60, 0.0), (0.02, 0.0), (0.002, 0.9)])
def test_what_was_sent_while_nothing_was_recorded_was_not_missed(silence_s, missed, tmp_path):
    """Twenty numbers in a row, and behind a silence, or none, twenty in a row that are 360 further."""
    known = dict.fromkeys(FRAMES) | {"layer": "mac", "source": "one", "ta": A, "ra": B, "kind": "qos_data", "tid": 0}
    frames = [
        known | {"seq": number + 360 * late, "ts_ns": round(1e9 * (0.001 * number + silence_s * late))}
        for number, late in ((number, number >= 20) for number in range(40))
    ]
    link = {"source": "one", "observer": None, "sender": A, "receiver": B, "answers_only": 0, "attempts": 40}
    links = pl.DataFrame([link], schema_overrides={"observer": pl.String})
    shares = missed_shares(heard_numbers(written(tmp_path, frames)), links)
    assert shares["missed_share"].item() == pytest.approx(missed)


@pytest.mark.parametrize(("answers_only", "unheard"), [(0, 0.0), (30, 0.6)])
def test_first_attempts_that_were_not_heard_collided_where_all_that_arrives_is_heard(answers_only, unheard, tmp_path):
    """Of six in ten packets a repetition alone is heard; where answers come without data, that was missed."""
    known = dict.fromkeys(FRAMES) | {"layer": "mac", "source": "one", "ta": A, "ra": B, "kind": "qos_data", "tid": 0}
    frames = [known | {"seq": number, "retry": number % 10 >= 4} for number in range(100)]
    link = {"source": "one", "observer": None, "sender": A, "receiver": B}
    rows = [link | {"answers_only": answers_only, "attempts": 100}]
    links = pl.DataFrame(rows, schema_overrides={"observer": pl.String})
    shares = missed_shares(heard_numbers(written(tmp_path, frames)), links)
    assert shares.select("missed_share", "unheard_share").row(0) == pytest.approx((0.6, unheard))


@pytest.mark.parametrize(("step", "share"), [(20, 0.5), (1, 0.0)])
def test_time_without_a_record_counts_where_stations_went_on(step, share, tmp_path):
    """Of two seconds the second is silent; the numbers of the station go on meanwhile, or do not."""
    known = dict.fromkeys(FRAMES) | {"layer": "mac", "source": "one", "ta": A, "ra": B, "kind": "qos_data", "tid": 0}
    before = [known | {"seq": number, "ts_ns": number * 100_000_000} for number in range(11)]
    frames = [*before, known | {"seq": 10 + step, "ts_ns": 2_000_000_000}]
    window = {"source": "one", "window_start_ns": 0, "window_ns": 2_000_000_000, "covered_ns": 2_000_000_000}
    window |= {"busy_ns": 0, "sampled": 0.0}
    later = {**window, "window_start_ns": 2_000_000_000}
    rows = with_pauses(pl.DataFrame([window, later]), heard_numbers(written(tmp_path, frames)))
    assert rows["paused_share"].to_list() == [share, 0.0]
    assert rows["covered_ns"].to_list() == [round((1 - share) * 2_000_000_000), 2_000_000_000]


def test_pauses_are_on_the_time_of_the_air(tmp_path):
    """Stamps of a host whose clock is ahead by 70 ms, and more behind the pause."""
    known = dict.fromkeys(FRAMES) | {"layer": "mac", "source": "one", "ta": A, "ra": B, "kind": "qos_data", "tid": 0}
    frames = []
    for number in range(200):
        end_ns = 1_000_000 * number + 40_000_000 * (number >= 100)
        late_ns = 70_000_000 + 30_000_000 * (number >= 100)
        times = {"end_ns": end_ns, "ts_ns": end_ns + late_ns}
        frames.append(known | times | {"seq": number + 40 * (number >= 100)})
    assert heard_numbers(written(tmp_path, frames)).pauses() == [("one", 99_000_000, 140_000_000)]
