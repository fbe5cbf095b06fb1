"""How long DSDV takes to find a route, and another one after a node has moved, beside ns-2's times.

The scenes are those of `dsdv_times_ns2.tcl`. There is no typical time: a route is told of after its settling time
or, where a newer number came before, with one of the full updates that follow. So distributions are compared.
"""

import csv
import math
import shutil
from bisect import bisect_right
from itertools import combinations
from pathlib import Path
from statistics import fmean, variance

import polars as pl
import pytest

from benchmarks.replay.reference import record_dsdv_mesh_ns2, record_dsdv_times_ns2
from winf_analyzer._replay import replay
from winf_analyzer._replay.topologies import world as w

RECORDING = Path(__file__).parents[2] / "benchmarks/replay/reference/dsdv_times_ns2.csv"
NS2_MAC = {"preset": "802.11b", "eifs": "sensed", "access": "always_back_off", "nav_reset": False}
RANGE_M = 250.0
BIN_S = 0.25
MOVES_S, ENDS_S = 200.05, 280
SEEDS = 96
SCENES = {
    "one": (((300, 1500), (500, 1500)), (0, 1), None),
    "two": (((300, 1500), (500, 1500), (700, 1500)), (0, 1, 2), None),
    "nearer": (((300, 1500), (500, 1500), (700, 1500), (900, 1500)), (0, 1, 2, 3), (3, (400, 1500))),
    "farther": (((300, 1500), (500, 1500), (700, 1500), (400, 1500)), (0, 3), (3, (900, 1500))),
    "around": (
        ((300, 1500), (500, 1500), (400, 1700), (600, 1700), (700, 1500)),
        (0, 1, 4),
        (1, (5000, 5000)),
    ),
}
"""Places, the nodes of the first route, and which node moves where."""


def scene(name, **dsdv):
    places, path, move = SCENES[name]
    nodes = [
        {"name": f"n{index}", "position_m": list(map(float, place)), "interface_queue": {"packets": 50}}
        for index, place in enumerate(places)
    ]
    later = list(places)
    if move:
        which, later[move[0]] = move
        track = ((0, places[which]), (MOVES_S, places[which]), (MOVES_S + 0.001, later[which]))
        nodes[which]["waypoints"] = [{"at_ns": round(at * w.SECOND), "position_m": [*map(float, p)]} for at, p in track]
    pairs = combinations(range(len(places)), 2)
    near = [(a, b) for a, b in pairs if any(math.dist(at[a], at[b]) <= RANGE_M for at in (places, later))]
    names = [f"n{index}" for index in path]
    world = w.world(
        name,
        ENDS_S,
        nodes=nodes,
        links=[w.wireless(f"n{a}", f"n{b}") for a, b in near],
        flows=[{**w.cbr("thin", names, 5120, payload_bytes=64, stop_s=ENDS_S), "header_bytes": 20}],
        hearing={"range": {"decode_m": RANGE_M, "sense_m": 550.0, "corrupt_m": 550.0, "capture_db": 10.0}},
        mac={**NS2_MAC, "late_capture": False},
    )
    return {**world, "routing": {"dsdv": dsdv}, "record": {"bin_ns": round(BIN_S * w.SECOND)}}


def found(world):
    """First times and times of repair, one a seed."""
    runs = replay(topology=world, controllers=["new_reno"], duration=f"{ENDS_S}s", seeds=SEEDS)
    at = (pl.col("t_ns") - pl.col("t_ns").min()) / w.SECOND
    arrived = runs.flows.with_columns(at.alias("at")).filter(pl.col("received_packets") > 0)
    first = arrived.group_by("seed").agg(pl.col("at").min()).collect()["at"].to_list()
    after = arrived.filter(pl.col("at") > MOVES_S).group_by("seed").agg(pl.col("at").min() - MOVES_S)
    repaired = after.collect()["at"].to_list()
    # Who has no route at the end has the latest time of all.
    return [times + [ENDS_S] * (SEEDS - len(times)) for times in (first, repaired)]


def there(name):
    """The same of ns-2, in the same bins."""
    with RECORDING.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["scene"] == name]
    after = math.ceil(MOVES_S / BIN_S) * BIN_S
    repaired = (max(after, begin(MOVES_S + float(row["repaired_s"]))) - MOVES_S for row in rows)
    return [[begin(float(row["first_s"])) for row in rows], list(repaired)]


def begin(at_s):
    """Of the bin that holds an instant."""
    return math.floor(at_s / BIN_S) * BIN_S


def distance(these, those):
    """The largest difference of the shares that came by a time (Kolmogorov, Smirnov)."""
    these, those = ([round(time, 6) for time in sorted(times)] for times in (these, those))
    apart = (bisect_right(these, at) / len(these) - bisect_right(those, at) / len(those) for at in {*these, *those})
    return max(map(abs, apart))


def agree(these, those):
    """Whether samples of one distribution would be as near as that in 99 of 100 cases, and their means too."""
    limit = 1.63 * math.sqrt(1 / len(these) + 1 / len(those))
    error = math.sqrt(variance(these) / len(these) + variance(those) / len(those))
    return distance(these, those) < limit and abs(fmean(these) - fmean(those)) <= 3 * error


@pytest.mark.parametrize("name", SCENES)
def test_routes_come_and_come_back_when_they_do_in_ns2(name):
    first, repaired = zip(found(scene(name)), there(name), strict=True)
    assert agree(*first)
    assert agree(*repaired)


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("two", {"settling_ns": 5 * w.SECOND}),
        ("two", {"settling_weight": 0.1}),
        ("nearer", {"triggered_ns": 0}),
        ("farther", {"silent_periods": 2}),
    ],
)
def test_other_constants_show(name, changed):
    assert not all(map(agree, found(scene(name, **changed)), there(name)))


needs_ns2 = pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed")


@needs_ns2
@pytest.mark.parametrize("name", SCENES)
def test_ns2_does_what_was_recorded(name):
    first, repaired = record_dsdv_times_ns2.run(name, seed=1)
    with RECORDING.open(encoding="utf-8", newline="") as lines:
        (row,) = [row for row in csv.DictReader(lines) if (row["scene"], row["seed"]) == (name, "1")]
    assert (first, repaired) == pytest.approx((float(row["first_s"]), float(row["repaired_s"])), rel=1e-5)


@needs_ns2
def test_ns2_does_what_was_recorded_among_mobiles():
    with record_dsdv_mesh_ns2.TARGET.open(encoding="utf-8", newline="") as lines:
        row = next(csv.DictReader(lines))
    found = record_dsdv_mesh_ns2.run(*(int(row[name]) for name in ("mesh", "mobiles", "kbps", "seed")))
    assert found == tuple(int(row[name]) for name in ("messages", "octets", "sent", "delivered"))
