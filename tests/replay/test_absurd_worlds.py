"""Worlds and replays that no machine can hold are refused before they are built."""

from __future__ import annotations

import resource
import time

import pytest

import winf_analyzer
from winf_analyzer._replay.topologies.world import MAX_NODES
from winf_analyzer._replay.worlds import MAX_FILE_BYTES
from winf_analyzer._util.errors import UsageError


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"topology": "stack", "seeds": 10**9}, "seeds: between 1 and"),
        ({"topology": "grid:side=3000"}, "9000000 nodes are too many"),
        ({"topology": "chain:100000"}, "nodes are too many"),
        ({"topology": "mesh_mobiles:mesh=100000"}, "nodes are too many"),
        ({"topology": "mesh_mobiles:mobiles=2000,seconds=100000"}, "too many to work out their routes"),
        ({"topology": {"name": "x", "nodes": [{}] * (MAX_NODES + 1), "flows": [{}]}}, "nodes are too many"),
    ],
)
def test_absurd_figures(asked, says):
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(UsageError, match=says):
        winf_analyzer.replay(**asked, controllers=["new_reno"])
    assert time.process_time() - started < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024


def test_an_endless_file(tmp_path):
    endless = tmp_path / "world.toml"
    endless.symlink_to("/dev/zero")
    with pytest.raises(UsageError, match="larger than 16 MiB"):
        winf_analyzer.replay(topology=endless)


def test_a_large_file_is_not_read_to_its_end(tmp_path):
    large = tmp_path / "world.toml"
    with large.open("wb") as file:
        file.truncate(100 * MAX_FILE_BYTES)
    with pytest.raises(UsageError, match="larger than"):
        winf_analyzer.replay(topology=large)
