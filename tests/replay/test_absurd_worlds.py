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


SILENT = """
name = "x"
duration_ns = 5_000_000_000
nodes = [{ name = "a" }, { name = "b" }]
hearing = "everyone"

[[links]]
from = "a"
to = "b"
duplex = true
medium = { wireless = { rate_bps = 11_000_000 } }
queue = { packets = 50 }

[[flows]]
name = "datagrams"
path = ["a", "b"]
source = { cbr = { rate_bps = 100_000 } }
ack_bytes = 0

[[flows]]
name = "silent"
path = ["a", "b"]
ack_bytes = 0
"""


@pytest.mark.parametrize("controllers", [["new_reno"], ["cbr", "xcp"]])
def test_a_source_that_would_never_send_is_refused(tmp_path, controllers):
    world, output = tmp_path / "world.toml", tmp_path / "run.winf"
    world.write_text(SILENT)
    with pytest.raises(UsageError, match='flow "silent": ack_bytes is 0'):
        winf_analyzer.replay(topology=world, controllers=controllers, output=output)
    assert not output.exists()


def test_a_controller_with_a_rate_of_its_own_needs_no_acknowledgements(tmp_path):
    world = tmp_path / "world.toml"
    world.write_text(SILENT)
    summary = winf_analyzer.replay(topology=world, controllers=["cbr"]).summary
    rates = dict(summary.select("flow", "throughput_bps").iter_rows())
    assert rates["datagrams"] == pytest.approx(100e3, rel=0.02)
    assert rates["silent"] == pytest.approx(64e3, rel=0.03), "S000's light load"
