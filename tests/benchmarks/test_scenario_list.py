"""The lists of the accuracy study stay as they were fixed; runs have joined the development part since.

Each was fixed before it was scored. The held-out part is as it was before the model was improved on the first of them,
but for the groups `combined`, `adhoc_aggregates` and `drawn`, which joined both parts before they were scored.
"""

import hashlib
from pathlib import Path

import pytest

from benchmarks.accuracy.drawn import GROUP, drawn
from benchmarks.accuracy.scenario_list import listed_runs

LISTS = Path(__file__).parents[2] / "benchmarks" / "accuracy" / "lists"
FIXED = {
    "development": "54eab660ab264a337a3ba45a4c7d3d3ffc29e0f261a2e891a3e1d759f5f0e154",
    "held_out": "d3e81c8a450afd85a7b44fc576265e94101772984ef6f5d8fa42875eba0de9c4",
    "adhoc_development": "7a13154243d59dbc8dfec51fc4b7b3ca78cd3b0ad4517f5b4712c103e37fb9a9",
    "adhoc_held_out": "26400c140dd20b61863ec6003abde3f3f95a162c20641f61fb33e5ca584217ee",
    "hopping_development": "035827d62e72b9b515274e439008a2338023b599e8ef58b6e30de9042f90d7c8",
    "hopping_held_out": "f296e52743cdd594fd15075c44944137d09a157c0c94c5b846dac135ed42d0c7",
}


@pytest.mark.parametrize("part", FIXED)
def test_no_list_has_changed_since_it_was_fixed(part: str) -> None:
    assert hashlib.sha256((LISTS / f"{part}.toml").read_bytes()).hexdigest() == FIXED[part]


def test_no_seed_is_in_both_halves() -> None:
    development, held_out = ({run.seed for run in listed_runs(part)} for part in ("development", "held_out"))
    assert development
    assert held_out
    assert not development & held_out


@pytest.mark.parametrize("part", ["development", "held_out"])
def test_what_was_drawn_is_drawn_again(part: str) -> None:
    for run in listed_runs(part):
        if run.group == GROUP:
            assert drawn(run.seed) == run


def test_a_tcp_flow_is_the_truth_of_best_effort_alone() -> None:
    """ns-3's bulk flow sets no type of service, whatever the category of the light one."""
    runs = [drawn(seed) for seed in range(50_000, 51_000)]
    by_tcp = {run.category for run in runs if run.probe == "tcp"}
    assert by_tcp == {"", "BE"}
    assert {run.category for run in runs} > by_tcp
