"""Recordings of one simulation by clocks that are wrong on purpose, merged and held against the truth."""

from __future__ import annotations

import json
import random
import resource
from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from folders import SAMPLES
from polars.testing import assert_frame_equal
from rewriting import AMPDU_STATUS, SIGNAL, Record, radiotap_fields, reclocked, records, tiled, write

import winf_analyzer
from benchmarks.made_captures import capture
from winf_analyzer._ingest.merging import clock_alignments

MERGEABLE = ["ns3_basic_link", "ns3_basic_link_b", "ns3_chain3", "ns3_hidden", "ns3_ht", "ns3_rts_link"]
AHEAD_S = (0.0, 3.25, -0.75, 86_400.0)
FAST_PPM = (0.0, 18.5, -33.0, 7.25)
PERIOD_NS, TIMES = 1_700_000_000, 30


def truth(name: str) -> pl.DataFrame:
    return pl.read_csv(SAMPLES / name / "truth_transmissions.csv", infer_schema_length=None)


def clock(number: int):
    ahead_ns, ppm = round(AHEAD_S[number] * 1e9), FAST_PPM[number]
    return lambda ns: 10**9 + ns + ahead_ns + round(ns * ppm * 1e-6)


def wrong_clocks(name: str, folder: Path, times: int) -> list[Path]:
    """The sample's recordings, repeated, each by a clock of its own."""
    paths = []
    for number, path in enumerate(sorted((SAMPLES / name / "recording").glob("*.pcap"))):
        frames = tiled(list(records(path)), times, PERIOD_NS)
        paths.append(folder / path.name)
        write(paths[-1], reclocked(frames, clock(number)))
    return paths


@pytest.mark.parametrize("name", ["ns3_basic_link", "ns3_chain3", "ns3_rts_link"])
def test_offset_and_drift_are_recovered_and_duplicates_removed(name, tmp_path):
    paths = wrong_clocks(name, tmp_path, TIMES)
    dataset = winf_analyzer.merge(paths, tmp_path / "run.winf")
    assert dataset.metadata["skipped"] == []
    for number, (path, entry) in enumerate(zip(paths, dataset.metadata["inputs"], strict=True)):
        first_ns = next(records(SAMPLES / name / "recording" / path.name)).ns
        ahead_us = (clock(number)(first_ns) - clock(0)(first_ns)) / 1e3
        found = entry["alignment"]
        assert found["offset_us"] == pytest.approx(ahead_us, abs=1.0), path.name
        assert found["drift_ppm"] == pytest.approx(FAST_PPM[number], abs=0.1), path.name
        assert found["pieces"] == (number > 0)
    frames = dataset.scan("frames").collect()
    expected = truth(name)["kind"].value_counts().rows()
    assert Counter(frames["kind"].cast(pl.String).to_list()) == {kind: count * TIMES for kind, count in expected}


@pytest.mark.parametrize("name", MERGEABLE)
def test_merged_transmissions_are_those_on_the_air(name, tmp_path):
    """Each transmission once, when it began, and as one exchange what was one."""
    dataset = winf_analyzer.merge([SAMPLES / name / "recording"], tmp_path / "run.winf")
    frames = dataset.scan("frames").sort("start_ns").collect()
    sent = truth(name)
    assert frames.height == sent["mpdus"].clip(1).sum()
    assert frames["frame_no"].is_sorted()
    singles = sent.filter(pl.col("mpdus") <= 1)
    group = pl.col("kind").cast(pl.String).replace({"action": "mgmt_other"})
    found = frames.select(group, found_ns="start_ns").sort("found_ns")
    nearest = singles.sort("start_ns").join_asof(
        found, left_on="start_ns", right_on="found_ns", by="kind", strategy="nearest"
    )
    assert (nearest["found_ns"] - nearest["start_ns"]).abs().max() < 3_000
    answers = sent["kind"].is_in(["ack", "block_ack"]).sum()
    exchanges = dataset.scan("exchanges").collect()
    assert exchanges["ack_ns"].is_not_null().sum() == answers
    assert exchanges["observer"].null_count() == exchanges.height


def test_an_ampdu_is_one_whatever_each_recorder_missed_of_it(tmp_path):
    """Where a subframe is in its A-MPDU is known as far as the rest of it was heard; recorders number A-MPDUs anew."""

    def repeated(frame: Record, number: int, signals: random.Random) -> Record:
        octets, at = bytearray(frame.octets), radiotap_fields(frame)
        if SIGNAL in at:
            octets[at[SIGNAL]] = signals.randrange(180, 220)
        if AMPDU_STATUS in at:
            octets[at[AMPDU_STATUS] + 2] = number
            octets[frame.mac + 1] |= 0x08
        return replace(frame, octets=bytes(octets))

    frames = list(records(SAMPLES / "ns3_ht" / "recording" / "node-1.pcap"))
    heard, paths = [], [tmp_path / "one.pcap", tmp_path / "other.pcap"]
    for number, path in enumerate(paths):
        dice = random.Random(number)
        heard.append([place for place in range(len(frames)) if dice.random() > 0.2])
        held = [repeated(frames[place], number, dice) for place in heard[-1]]
        write(path, reclocked(held, clock(number)))
    dataset = winf_analyzer.merge(paths, tmp_path / "run.winf")
    copies: dict[int, set[int]] = {}
    pairs = dataset.scan("hearings").select("source", "source_frame_no", "frame_no").collect()
    for source, number, merged in pairs.rows():
        copies.setdefault(merged, set()).add(heard[source == "other.pcap"][number - 1])
    assert all(len(places) == 1 for places in copies.values()), "only copies of one are joined"
    known = sorted({*heard[0], *heard[1]})
    assert len(copies) == len(known), "and all of them"
    dice = random.Random(2)
    write(tmp_path / "all.pcap", reclocked([repeated(frames[place], 0, dice) for place in known], clock(0)))
    whole = winf_analyzer.ingest([tmp_path / "all.pcap"], tmp_path / "all.winf")
    columns = ["sender", "kind", "complete", "mpdus", "length_bytes", "data_airtime_us", "start_ns"]
    one, other = (
        each.scan("exchanges")
        .sort("start_ns")
        .select(columns)
        .with_columns(pl.col("sender", "kind").cast(str))
        .collect()
        for each in (whole, dataset)
    )
    assert one["mpdus"].max() >= 5
    same = pl.col("data_airtime_us").round(1), (pl.col("start_ns") / 1e4).round()
    assert_frame_equal(other.with_columns(same), one.with_columns(same), abs_tol=1.0)


def test_a_host_clock_that_is_set_gives_pieces(tmp_path):
    """Without a MAC clock, a step of the host's clock shows only against the other recordings."""
    paths = wrong_clocks("ns3_basic_link", tmp_path, 4)
    frames = list(records(paths[1]))
    middle_ns = frames[len(frames) // 2].ns
    write(paths[1], reclocked(frames, lambda ns: ns + (40_000_000 if ns >= middle_ns else 0)))
    dataset = winf_analyzer.merge(paths[:2], tmp_path / "run.winf")
    assert [entry["alignment"]["pieces"] for entry in dataset.metadata["inputs"]] == [0, 2]
    table = clock_alignments(dataset)
    assert table["pieces"].to_list() == [0, 2]
    assert table["source"].to_list() == [entry["source"] for entry in dataset.metadata["inputs"]]
    twice = dataset.scan("frames").collect().height - 4 * truth("ns3_basic_link").height
    assert 0 <= twice <= 3, "only frames between two shared ones cannot be placed"


def test_what_cannot_be_merged_is_left_out_and_said(tmp_path):
    paths = wrong_clocks("ns3_basic_link", tmp_path, 1)
    (tmp_path / "cut.pcap").write_bytes(paths[0].read_bytes()[:-7])
    (tmp_path / "text.pcap").write_text("not a recording", encoding="utf-8")
    stranger = SAMPLES / "ns3_ht" / "recording" / "node-0.pcap"
    inputs = [tmp_path / "text.pcap", tmp_path / "cut.pcap", paths[1], stranger]
    dataset = winf_analyzer.merge(inputs, tmp_path / "run.winf")
    assert [entry["source"] for entry in dataset.metadata["inputs"]] == ["cut.pcap", paths[1].name]
    assert [Path(entry["path"]) for entry in dataset.metadata["skipped"]] == [tmp_path / "text.pcap", stranger]
    assert "text" in dataset.metadata["skipped"][0]["reason"]
    assert "shares too few frames" in dataset.metadata["skipped"][1]["reason"]
    warnings = dataset.scan("warnings").collect()
    assert warnings.select("source", "code").rows() == [("cut.pcap", "truncated_record")]
    with pytest.raises(winf_analyzer.UnusableInput, match="shares too few frames"):
        winf_analyzer.merge([paths[0], stranger], tmp_path / "none.winf")
    with pytest.raises(winf_analyzer.UnusableInput, match="at least two"):
        winf_analyzer.merge([paths[0]], tmp_path / "none.winf")
    assert not (tmp_path / "none.winf").exists()


def test_damage_anywhere_is_survived(tmp_path):
    """Octets changed and files cut at random: a dataset, or a sentence that says why not."""
    dice = random.Random(3)
    originals = [path.read_bytes() for path in wrong_clocks("ns3_basic_link_b", tmp_path, 1)]
    for attempt in range(12):
        paths = []
        for number, original in enumerate(originals):
            content = bytearray(original[: dice.randrange(len(original) // 2, len(original))])
            for _ in range(dice.choice([1, 30, 1000])):
                content[dice.randrange(24, len(content))] = dice.randrange(256)
            paths.append(tmp_path / f"{attempt}-{number}.pcap")
            paths[-1].write_bytes(content)
        try:
            dataset = winf_analyzer.merge(paths, tmp_path / f"{attempt}.winf")
        except winf_analyzer.UnusableInput:
            continue
        recorded = sum(entry["counts"]["frames"] for entry in dataset.metadata["inputs"])
        assert dataset.scan("hearings").collect().height == recorded


def test_hearings_say_where_each_frame_came_from(tmp_path):
    dataset = winf_analyzer.merge([SAMPLES / "ns3_hidden" / "recording"], tmp_path / "run.winf")
    hearings, frames = dataset.scan("hearings").collect(), dataset.scan("frames").collect()
    recorded = {entry["source"]: entry["counts"]["frames"] for entry in dataset.metadata["inputs"]}
    assert dict(hearings.group_by("source").len().rows()) == recorded
    assert set(hearings["frame_no"]) == set(frames["frame_no"])
    assert hearings.group_by("frame_no").agg(pl.col("sent").sum())["sent"].max() == 1
    assert hearings["apart_ns"].max() < 6_000


@pytest.mark.parametrize("make", [winf_analyzer.merge, winf_analyzer.ingest])
@pytest.mark.parametrize("name", ["ns3_chain3", "ns3_hidden"])
def test_neighbours_are_who_the_truth_says(name, make, tmp_path):
    dataset = make([SAMPLES / name / "recording"], tmp_path / "run.winf")
    facts = json.loads((SAMPLES / name / "truth.json").read_text(encoding="utf-8"))
    address = {node["node"]: node["address"] for node in facts["nodes"]}
    sent = truth(name).filter(pl.col("kind").is_in(["data", "rts"]))
    heard = sent.with_columns(pl.col("received_ok").cast(pl.String).str.split(";")).explode("received_ok")
    expected = {
        (address[int(node)], address[neighbour]): count
        for neighbour, node, count in heard.group_by("node", "received_ok").len().rows()
        if node
    }
    total = {address[node]: count for node, count in sent.group_by("node").len().rows()}
    rows = dataset.scan("neighbours").collect()
    assert dict(zip(rows.select("node", "neighbour").rows(), rows["heard"], strict=True)) == expected
    for _, neighbour, count, ratio, signal in rows.iter_rows():
        assert ratio == pytest.approx(count / total[neighbour])
        assert signal < 0


def test_neighbours_of_a_trace_count_what_was_meant_for_the_node(tmp_path):
    dataset = winf_analyzer.ingest([SAMPLES / "ns2_hidden" / "recording"], tmp_path / "run.winf")
    sent = truth("ns2_hidden").filter(pl.col("kind").is_in(["data", "rts"]) & (pl.col("node") == 0))
    meant = sent.filter(pl.col("receiver").cast(pl.String).is_in(["1", "all"]))
    ok = meant["received_ok"].cast(pl.String).str.split(";").list.contains("1").sum()
    row = dataset.scan("neighbours").filter(node="node-1", neighbour="node-0").collect().row(0, named=True)
    assert (row["heard"], row["delivery_ratio"]) == (ok, pytest.approx(ok / meant.height))


def test_of_recordings_one_after_the_other_few_are_open(tmp_path, winf_process):
    """Each overlaps the next by half; a process that may open 96 files merges any number of them."""
    for number in range(100):
        capture(tmp_path / f"{number:03}.pcap", 3, range(25 * number, 25 * number + 50), idle_us=60_000)
    limit = (96, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    output = tmp_path / "run.winf"
    command = ("merge", *sorted(tmp_path.glob("*.pcap")), "-o", output)
    done = winf_process(*command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit))
    assert done.returncode == 0, done.stderr
    dataset = winf_analyzer.Dataset.open(output)
    assert len(dataset.parts("hearings")) == 100
    assert winf_analyzer.sql(dataset, "select count(*) n, count(distinct source) s from hearings").row(0) == (
        10_000,
        100,
    )
    assert winf_analyzer.sql(dataset, "select count(*) from exchanges").item() == 25 * 99 + 50
