"""DSDV within a replay beside ns-2's: messages, and what of a stream arrives, in a row under load and among mobiles."""

import csv
from pathlib import Path
from statistics import fmean

import polars as pl
import pytest

from winf_analyzer._replay import replay
from winf_analyzer._replay.topologies import build
from winf_analyzer._replay.topologies import world as w

REFERENCE = Path(__file__).parents[2] / "benchmarks/replay/reference"
RECORDING, AMONG_MOBILES = REFERENCE / "dsdv_ns2.csv", REFERENCE / "dsdv_mesh_ns2.csv"
NS2_MAC = {"preset": "802.11b", "eifs": "sensed", "access": "always_back_off", "nav_reset": False}
MOVES_S, ENDS_S = 200, 400


def line(load_kbps):
    names = [f"n{index}" for index in range(4)]
    nodes = [
        {"name": name, "position_m": [300.0 + 200 * index, 0.0], "interface_queue": {"packets": 50}}
        for index, name in enumerate(names)
    ]
    places = [(0, nodes[-1]["position_m"]), (MOVES_S * 10**9, nodes[-1]["position_m"])]
    places.append((MOVES_S * 10**9 + 1_000_000, [400.0, 0.0]))
    nodes[-1]["waypoints"] = [{"at_ns": at, "position_m": place} for at, place in places]
    flows = [w.cbr("thin", names, 5120, payload_bytes=64, stop_s=ENDS_S)]
    loaded = (["n0", "n1"], ["n2", "n1"]) if load_kbps else ()
    flows += [w.cbr("-".join(ends), ends, 1000 * load_kbps, start_s=50, stop_s=ENDS_S) for ends in loaded]
    world = w.world(
        "line",
        ENDS_S,
        nodes=nodes,
        links=[w.wireless(*ends) for ends in (("n0", "n1"), ("n1", "n2"), ("n2", "n3"), ("n0", "n3"), ("n1", "n3"))],
        flows=[{**flow, "header_bytes": 20} for flow in flows],
        hearing={"range": {"decode_m": 250.0, "sense_m": 250.0, "corrupt_m": 250.0, "capture_db": 10.0}},
        mac={**NS2_MAC, "late_capture": False},
    )
    return {**world, "routing": {"dsdv": {}}}


@pytest.mark.parametrize("load_kbps", [0, 2000])
def test_message_load_and_delivery_are_those_of_ns2(load_kbps):
    with RECORDING.open(encoding="utf-8", newline="") as lines:
        there = [
            {name: float(row[name]) for name in ("messages", "octets", "delivered")}
            for row in csv.DictReader(lines)
            if (row["nodes"], row["load_kbps"], row["sensed_m"]) == ("4", str(load_kbps), "250")
        ]
    seeds = 4
    found = replay(topology=line(load_kbps), controllers=["new_reno"], duration=f"{ENDS_S}s", seeds=seeds)
    broadcasts = found.links.filter(pl.col("receiver") == "*").select(pl.col("carried_packets", "carried_bytes").sum())
    messages, octets = broadcasts.collect().row(0)
    assert messages / seeds == pytest.approx(fmean(row["messages"] for row in there), rel=0.06)
    assert octets / seeds == pytest.approx(fmean(row["octets"] for row in there), rel=0.06)
    since = pl.col("t_ns") - pl.col("t_ns").min()
    settled = (pl.col("flow") == "thin") & (since >= 100 * 10**9) & (since < MOVES_S * 10**9)
    sent, received = (
        found.flows.filter(settled).select(pl.col("sent_packets", "received_packets").sum()).collect().row(0)
    )
    assert received / sent == pytest.approx(fmean(row["delivered"] for row in there), abs=0.15)


SECONDS, SEEDS = 200, 8


def among_mobiles(mesh, mobiles, kbps, seed):
    """Messages, their octets, packets sent and received in the scene of `dsdv_mesh_ns2.tcl`."""
    world = build(f"mesh_mobiles:mesh={mesh},mobiles={mobiles},seed={seed},seconds={SECONDS},dsdv=2")
    stream = {"payload_bytes": 1000, "header_bytes": 20, "ack_bytes": 0, "source": {"cbr": {"rate_bps": 1000 * kbps}}}
    changed = {
        "nodes": [{**node, "interface_queue": {"packets": 50}} for node in world["nodes"]],
        "flows": [{**flow, **stream} for flow in world["flows"]],
        "hearing": {"range": {"decode_m": 250.0, "sense_m": 550.0, "corrupt_m": 550.0, "capture_db": 10.0}},
        "mac": {**NS2_MAC, "late_capture": False},
    }
    run = replay(topology={**world, **changed}, controllers=["new_reno"], seeds=[seed], bin_width=10**9)
    broadcasts = run.links.filter(pl.col("receiver") == "*").select(pl.col("carried_packets", "carried_bytes").sum())
    packets = run.flows.select(pl.col("sent_packets", "received_packets").sum())
    return (*broadcasts.collect().row(0), *packets.collect().row(0))


@pytest.mark.parametrize(("mesh", "mobiles", "kbps"), [(16, 5, 80), (5, 7, 8)])
def test_as_much_reaches_mobiles_as_in_ns2(mesh, mobiles, kbps):
    """Along the same tracks, seed by seed: messages and delivery."""
    with AMONG_MOBILES.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["seed"] in map(str, range(1, SEEDS + 1))]
    asked = (str(mesh), str(mobiles), str(kbps))
    names = ("messages", "octets", "sent", "delivered")
    there = [[int(row[name]) for name in names] for row in rows if (row["mesh"], row["mobiles"], row["kbps"]) == asked]
    here = [among_mobiles(mesh, mobiles, kbps, seed) for seed in range(1, SEEDS + 1)]
    for column in (0, 1):
        assert fmean(run[column] for run in here) == pytest.approx(fmean(run[column] for run in there), rel=0.05)
    apart = [a[3] / a[2] - b[3] / b[2] for a, b in zip(here, there, strict=True)]
    assert abs(fmean(apart)) < 0.03
    assert max(map(abs, apart)) < 0.1
