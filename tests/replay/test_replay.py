"""Replays as the package offers them: tables, determinism, where they are kept, what is refused."""

from __future__ import annotations

import json
from itertools import pairwise

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import winf_analyzer
from winf_analyzer import replay
from winf_analyzer._replay.topologies import TOPOLOGIES, build
from winf_analyzer._schema import tables

KEYS = ["replay_id", "controller", "mode", "seed"]


def test_the_summary_of_stack(replay_dataset):
    """The figures of a short run, and what S003 says about them: TCP starves the middle flow, WCP does not."""
    rows = replay_dataset.scan("replay_summary").group_by("controller", "flow").agg(pl.col("throughput_bps").mean())
    rate = {(controller, flow): mean for controller, flow, mean in rows.collect().rows()}
    assert rate["new_reno", "4-6"] < 0.25 * rate["new_reno", "1-3"]
    assert rate["wcp", "4-6"] > 0.75 * rate["wcp", "1-3"]


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_topology_runs(name):
    summary = replay(topology=name, controllers=["new_reno"], duration="2s").summary
    assert summary["flow"].to_list() == [flow["name"] for flow in build(name)["flows"]]


def test_tables_have_the_published_columns(replay_dataset):
    for table in tables():
        if table.name.startswith("replay_"):
            found = replay_dataset.scan(table.name).collect_schema().names()
            assert found == table.names


def test_bins_add_up_to_the_summary(replay_dataset):
    flows, links = (replay_dataset.scan(name).collect() for name in ("replay_flows", "replay_links"))
    summed = flows.group_by(*KEYS, "flow").agg(
        delivered_bytes=(pl.col("throughput_bps") * pl.col("width_ns") / 8e9).sum().round().cast(pl.Int64),
        received_packets=pl.col("received_packets").sum(),
        lost_queue=pl.col("lost_queue").sum(),
    )
    columns = [*KEYS, "flow", "delivered_bytes", "received_packets", "lost_queue"]
    summary = replay_dataset.scan("replay_summary").select(columns).collect()
    assert_frame_equal(summed.select(columns), summary, check_row_order=False)
    assert flows["t_ns"].max() == 9_900_000_000
    assert links["utilisation"].is_between(0, 1).all()
    assert links["queue_packets_max"].max() <= 64


@pytest.mark.parametrize("width", ["300ms", "1500ms", "7s"])
def test_the_deviation_between_seconds_does_not_depend_on_the_bins(width):
    def deviation(bin_width):
        result = replay(topology="chain:2", controllers=["new_reno"], duration="10s", bin_width=bin_width)
        return result, result.summary["normalised_deviation"].item()

    tenths, expected = deviation("100ms")
    seconds = tenths.flows.collect().group_by(pl.col("t_ns") // 10**9).agg(pl.col("throughput_bps").mean())
    rates = seconds["throughput_bps"]
    assert expected == pytest.approx(rates.std(ddof=0) / rates.mean(), rel=1e-9)
    assert deviation(width)[1] == expected


def test_the_number_of_threads_changes_nothing():
    asked = {"topology": "chain:2", "controllers": ["vegas", "rcp_winf"], "seeds": 3, "duration": "2s"}
    one, four = replay(**asked, threads=1), replay(**asked, threads=4)
    assert_frame_equal(one.summary, four.summary)
    assert_frame_equal(one.flows.collect(), four.flows.collect())
    assert_frame_equal(one.links.collect(), four.links.collect())
    assert one.summary["seed"].to_list() == [1, 2, 3, 1, 2, 3]


def test_a_replay_takes_the_place_of_the_one_of_its_name(tmp_path):
    first = replay(topology="chain:1", controllers=["new_reno"], duration="1s", output=tmp_path / "run")
    again = replay(first.dataset, topology="chain:1", controllers=["vegas"], duration="1s")
    other = replay(tmp_path / "run", topology="chain:1", controllers=["xcp"], duration="1s", replay_id="other")
    assert [note for note in again.notes if note.startswith("this replaces the replay 'chain:1' of new_reno that")]
    assert not [note for note in other.notes if "replaces" in note]
    counts = winf_analyzer.sql(other.dataset, "select replay_id, controller from replay_summary order by all")
    assert counts.rows() == [("chain:1", "vegas"), ("other", "xcp")]
    assert again.flows.collect()["controller"].unique().to_list() == ["vegas"]
    replays = json.loads((tmp_path / "run" / "dataset.json").read_text())["replays"]
    assert list(replays) == ["chain:1", "other"]
    assert not [path for path in (tmp_path / "run").iterdir() if path.name.startswith(".incoming")]


def test_a_dataset_of_a_recording_takes_replays(tcp_dataset, tmp_path):
    import shutil

    shutil.copytree(tcp_dataset.path, tmp_path / "run")
    replay(tmp_path / "run", topology="chain:1", controllers=["new_reno"], duration="1s")
    answer = winf_analyzer.sql(tmp_path / "run", "select count(*) n from replay_flows, replay_summary")
    assert answer["n"].item() == 10


def test_an_output_is_not_overwritten_unless_told(tmp_path):
    asked = {"topology": "chain:1", "controllers": ["cbr"], "duration": "1s", "output": tmp_path / "run"}
    replay(**asked)
    with pytest.raises(winf_analyzer.DatasetError, match="--force"):
        replay(**asked)
    assert replay(**asked, force=True).dataset is not None


def test_flows_duration_and_constants_are_as_asked():
    result = replay(
        topology="stack",
        controllers=["cbr"],
        flows=["4-6"],
        duration="4s",
        bin_width="500ms",
        settings={"cbr": {"rate_bps": 200_000, "payload_bytes": 250}},
    )
    assert result.summary["flow"].to_list() == ["4-6"]
    assert result.summary["throughput_bps"].item() == pytest.approx(200_000, rel=0.02)
    assert result.flows.collect().height == 8


def test_max_min_is_computed():
    result = replay(topology="stack", controllers=["max_min"], duration="1s")
    rates = result.summary["throughput_bps"]
    assert rates.max() == pytest.approx(rates.min(), rel=0.02)
    assert result.summary["received_packets"].null_count() == 3
    assert result.flows.collect().is_empty()


def _over(*links):
    """A world of one flow over these links, one after the other."""
    ends = list(pairwise("abcdef"[: len(links) + 1]))
    return {
        "duration_ns": 10**9,
        "nodes": [{"name": name} for name in "abcdef"[: len(links) + 1]],
        "links": [
            {"from": a, "to": b, "duplex": True, "medium": medium} for (a, b), medium in zip(ends, links, strict=True)
        ],
        "flows": [{"name": "f", "path": list("abcdef"[: len(links) + 1])}],
    }


def test_wcp_cap_is_told_where_it_sees_nothing():
    """Its model divides airtime: on wires alone it would never grant more than its first packet a second."""
    wire, radio = {"wired": {"rate_bps": 10**6, "delay_ns": 10**6}}, {"wireless": {"rate_bps": 11_000_000}}
    wires = replay(topology=_over(wire, wire))
    assert "wcp_cap" not in wires.summary["controller"].to_list()
    assert "wcp_cap is left out: its model divides airtime, of which wires take none" in wires.notes
    with pytest.raises(winf_analyzer.UsageError, match="wcp_cap cannot run in a world of wires alone"):
        replay(topology=_over(wire), controllers=["wcp_cap"])

    mixed = replay(topology=_over(radio, wire), controllers=["wcp_cap"])
    assert [note for note in mixed.notes if note.startswith("wcp_cap does not see bottlenecks on the wires of f:")]
    assert not [note for note in replay(topology=_over(radio), controllers=["wcp_cap"]).notes if "wcp_cap does" in note]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "name a dataset, or a world with --topology"),
        ({"topology": "nowhere"}, "'nowhere' is not one of chain, grid"),
        ({"topology": "nowhere.toml"}, "nowhere.toml: cannot be read"),
        ({"topology": "stack", "controllers": ["quic"]}, "no controller 'quic'; there are xcp"),
        ({"topology": "stack", "mode": "fast"}, "'fast' is not one of paper, corrected, both"),
        ({"topology": "stack", "flows": ["1-9"]}, "no flow '1-9'; the topology has 1-3, 4-6, 7-9"),
        ({"topology": "stack", "seeds": 0}, "seeds: between 1 and"),
        ({"topology": "stack", "seeds": [-1]}, "non-negative"),
        ({"topology": "stack", "duration": "soon"}, "'soon' is not a duration"),
        ({"topology": "stack", "duration": "700h"}, "duration_ns"),
        ({"topology": "stack", "controllers": ["xcp"], "settings": {"rcp": {}}}, "'rcp' has no constants"),
        ({"topology": "stack", "controllers": ["cbr"], "settings": {"cbr": {"rate": 1}}}, "unknown field `rate`"),
        ({"topology": "mesh_access", "controllers": ["max_min"]}, "cannot be computed for a world with wires"),
        (
            {"topology": "stack", "controllers": ["cbr"], "settings": {"cbr": {"rate_bps": 1e13}}},
            "cbr: rate_bps must be 1 kbit/s to 1 Tbit/s",
        ),
        ({"topology": {"nodes": [], "links": [{}], "flows": [{}]}, "controllers": ["wcp_cap"]}, "missing field"),
        ({"topology": {"nodes": [{"name": "a"}], "links": []}}, "has no flows"),
        ({"topology": {"nodes": [], "links": [], "flows": [{"name": "f", "path": ["a"]}]}}, "names the node"),
    ],
)
def test_what_makes_no_sense_is_said(asked, message):
    with pytest.raises(winf_analyzer.UsageError, match=message):
        replay(**asked)
