"""The lists of the accuracy study stay as they were fixed; runs have joined the development part since.

Each was fixed before it was scored. The held-out part is as it was before the model was improved on the first of them.
"""

import hashlib
import tomllib
from pathlib import Path

import pytest

LISTS = Path(__file__).parents[2] / "benchmarks" / "accuracy" / "lists"
FIXED = {
    "development": "6ab9803f5dfb8f1292618f8bd3ad9aeaca99b062aab82f122ee5ceebe8dc92c4",
    "held_out": "3270f98f003f57c25a913604b3e83fa83dd314bf4be53d28ac92b05b8d66ee55",
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
