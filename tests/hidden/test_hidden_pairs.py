"""Hidden pairs on the samples, whose truth says who hears whom; and what does not make a pair."""

import json

import polars as pl
import pytest
from folders import SAMPLES
from hypothesis import given
from hypothesis import strategies as st
from properties import examples

import winf_analyzer
from winf_analyzer._hidden import MIN_CONFIDENCE, find
from winf_analyzer._replay.recorded import world_of
from winf_analyzer._schema import complete, schema
from winf_analyzer.estimators import EXCHANGES_SCHEMA

KNOWN = [
    (folder.parent.name, how)
    for folder in sorted(SAMPLES.glob("*/truth.json"))
    for how in ("ingest", "merge")
    if how == "ingest" or len(list((folder.parent / "recording").glob("*.pcap"))) > 1
]
NOBODY = pl.LazyFrame(schema=schema("neighbours"))
A, B, C = (f"02:00:00:00:00:0{n}" for n in "abc")


def claimed(pairs):
    """Sender and who does not hear it."""
    return set(pairs.filter(pl.col("confidence") >= MIN_CONFIDENCE).select("sender", "hidden_from").iter_rows())


def truly_hidden(name):
    """The same, from the sample's truth."""
    nodes = json.loads((SAMPLES / name / "truth.json").read_text(encoding="utf-8"))["nodes"]
    return {
        (sender["address"], other["address"])
        for sender in nodes
        for other in nodes
        if sender is not other and sender["node"] not in other["hears"]
    }


@pytest.mark.parametrize(("name", "how"), KNOWN)
def test_no_pair_is_claimed_that_hears_each_other(name, how, tmp_path):
    dataset = getattr(winf_analyzer, how)([SAMPLES / name / "recording"], tmp_path / "run.winf")
    assert claimed(winf_analyzer.hidden_pairs(dataset)) <= truly_hidden(name)


def test_estimate_and_replay_know_too_which_stations_are_one_radio(tmp_path):
    """`winf estimate` writes the table as well, and the worlds of replays rest on the pairs."""
    dataset = winf_analyzer.merge([SAMPLES / "ns3_hidden" / "recording"], tmp_path / "run.winf")
    dataset.replace_table("neighbours", pl.DataFrame(schema=schema("neighbours")))  # they would tell without overlaps
    hidden = truly_hidden("ns3_hidden")
    winf_analyzer.estimate(dataset)
    assert claimed(dataset.scan("hidden_pairs").collect()) == hidden
    assert not audible(dataset) & hidden
    stations = [station for pair in hidden for station in pair]
    radio = pl.when(pl.col("node").is_in(stations)).then(pl.lit(min(stations))).otherwise("radio")
    dataset.replace_table("nodes", dataset.scan("nodes").with_columns(radio=radio).collect())
    winf_analyzer.estimate(dataset)
    assert claimed(dataset.scan("hidden_pairs").collect()) == set()
    assert audible(dataset) >= hidden


def audible(dataset):
    """Sender and who hears it in a replay of the recording."""
    return {tuple(pair) for pair in world_of(dataset, None).world["hearing"]["graph"]["decodes"]}


@pytest.mark.parametrize(("name", "how"), [("ns2_hidden", "ingest"), ("ns3_hidden", "ingest"), ("ns3_hidden", "merge")])
def test_two_senders_hidden_from_each_other_are_found(name, how, tmp_path):
    dataset = getattr(winf_analyzer, how)([SAMPLES / name / "recording"], tmp_path / "run.winf")
    pairs = winf_analyzer.hidden_pairs(dataset)
    assert claimed(pairs) == truly_hidden(name)
    sure = pairs.filter(pl.col("confidence") >= MIN_CONFIDENCE)
    assert sure["mutual"].all()
    assert sure["confidence"].min() > 0.95
    assert sure["receiver"].n_unique() == 1
    if how == "merge" or name == "ns2_hidden":
        overlap_hurts = (pl.col("late_starts") > 20) & (pl.col("p_value") < 1e-6) & (pl.col("odds_ratio") > 100)
        assert sure.filter(overlap_hurts).height == 2
    else:
        assert sure["unheard"].to_list() == sure["answered"].to_list()


def test_the_table_is_kept_in_the_dataset(hidden_dataset):
    kept = winf_analyzer.sql(hidden_dataset, "select * from hidden_pairs")
    assert kept.schema == schema("hidden_pairs")
    assert kept.height == 2


def exchanges(rows):
    """Basic exchanges of (sender, receiver, start, end, complete), microseconds; one anonymous recording."""
    rows = pl.LazyFrame(
        [
            {
                "source": "s",
                "sender": sender,
                "receiver": receiver,
                "kind": "basic",
                "start_ns": start * 1000,
                "end_ns": end * 1000,
                "data_start_ns": start * 1000,
                "data_ns": end * 1000,
                "complete": complete,
                "hidden": False,
            }
            for sender, receiver, start, end, complete in rows
        ],
        schema=EXCHANGES_SCHEMA,
    )
    return complete(rows.drop("is_group"), "exchanges")


def apart(shift, complete=False):
    """Every 10 ms A sends to B, and C begins `shift` microseconds later."""
    times = range(0, 1_000_000, 10_000)
    return [
        row
        for at in times
        for row in ((A, B, at, at + 1500, complete), (C, B, at + shift, at + shift + 1500, complete))
    ]


def test_a_late_start_is_evidence_and_a_start_in_the_same_slot_is_none():
    assert claimed(find(exchanges(apart(20)), NOBODY)) == set()
    assert claimed(find(exchanges(apart(200)), NOBODY)) == {(A, C)}
    assert claimed(find(exchanges(apart(1600)), NOBODY)) == set()


def test_a_few_late_starts_among_thousands_are_errors():
    many = [(sender, B, at, at + 1500, True) for at in range(0, 20_000_000, 4000) for sender in (A,)]
    others = [(C, B, at + 2000, at + 3500, True) for at in range(0, 20_000_000, 4000)]
    late = [(C, B, 1_000_200, 1_001_000, True)]
    rows = sorted([*many, *others, *late], key=lambda row: row[3])
    assert claimed(find(exchanges(rows), NOBODY)) == set()


def test_those_who_answer_each_other_hear_each_other():
    talk = [(C, A, 2_000_000, 2_001_000, True)]
    assert claimed(find(exchanges([*apart(200), *talk]), NOBODY)) == set()


def test_hearing_most_frames_speaks_against_it():
    hears = pl.LazyFrame([(C, A, 90, 0.9, -60.0)], schema=NOBODY.collect_schema(), orient="row")
    pairs = find(exchanges(apart(200)), hears)
    assert pairs.filter(pl.col("sender") == A)["confidence"].item() == pytest.approx(0.1, abs=0.001)


def test_losses_with_overlap_are_told():
    """A's attempts that C overlaps are lost, the others are not."""
    alone = [(A, B, at, at + 1500, True) for at in range(1_000_000, 2_000_000, 10_000)]
    row = find(exchanges([*apart(200), *alone]), NOBODY).row(0, named=True)
    counts = ("attempts", "failed", "overlapped", "overlapped_failed", "late_starts")
    assert [row[name] for name in counts] == [200, 100, 100, 100, 100]
    assert row["odds_ratio"] == pytest.approx(201**2)
    assert row["p_value"] < 1e-50
    assert row["overlap_us"] == pytest.approx(100 * 1300)


ANYTHING = st.none() | st.integers(0, 10**7) | st.integers(-(2**63), 2**63 - 1)
DAMAGED = st.fixed_dictionaries(
    {
        "source": st.sampled_from(["s", "t"]),
        "observer": st.sampled_from([None, A, B]),
        "sender": st.sampled_from([None, A, B, C]),
        "receiver": st.sampled_from([None, A, B, C, "ff:ff:ff:ff:ff:ff", "x"]),
        "kind": st.sampled_from(["rts", "basic", "rts_failed", "cts_self", "broadcast", "unknown"]),
        "complete": st.none() | st.booleans(),
        "hidden": st.none() | st.booleans(),
    }
    | {name: ANYTHING for name in EXCHANGES_SCHEMA if name.endswith("_ns")}
)


@examples(60)
@given(st.lists(DAMAGED, max_size=12))
def test_any_exchanges_give_a_table(rows):
    pairs = find(complete(pl.LazyFrame(rows, schema=EXCHANGES_SCHEMA).drop("is_group"), "exchanges"), NOBODY)
    assert pairs.schema == schema("hidden_pairs")
    assert pairs["confidence"].is_between(0, 1).all()
    assert (pairs["overlap_us"] >= 0).all()
    assert (pairs["sender"] != pairs["hidden_from"]).all()


def test_nothing_in_nothing_out():
    assert find(exchanges([]), NOBODY).schema == schema("hidden_pairs")
