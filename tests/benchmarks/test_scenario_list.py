"""The lists of the accuracy study stay as they were fixed; runs have joined the development part since.

Each was fixed before it was scored. The held-out part is as it was before the model was improved on the first of them,
but for the group `combined`, which joined both parts before it was scored.
"""

import hashlib
import tomllib
from pathlib import Path

import pytest

LISTS = Path(__file__).parents[2] / "benchmarks" / "accuracy" / "lists"
FIXED = {
    "development": "54eab660ab264a337a3ba45a4c7d3d3ffc29e0f261a2e891a3e1d759f5f0e154",
    "held_out": "d3e81c8a450afd85a7b44fc576265e94101772984ef6f5d8fa42875eba0de9c4",
}


@pytest.mark.parametrize("part", FIXED)
def test_no_list_has_changed_since_it_was_fixed(part: str) -> None:
    assert hashlib.sha256((LISTS / f"{part}.toml").read_bytes()).hexdigest() == FIXED[part]


def test_no_seed_is_in_both_halves() -> None:
    development, held_out = (
        {run["seed"] for run in tomllib.loads((LISTS / f"{part}.toml").read_text(encoding="utf-8"))["runs"]}
        for part in FIXED
    )
    assert development
    assert held_out
    assert not development & held_out
