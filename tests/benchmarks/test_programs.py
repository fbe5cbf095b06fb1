"""The simulations of the studies compile: they share headers, and a study is run months after a header has changed."""

from __future__ import annotations

import subprocess

import pytest
from folders import ROOT

from benchmarks.accuracy.runs import LIBRARIES, ns3_version

PROGRAMS = sorted((ROOT / "benchmarks").rglob("*.cc"))


@pytest.mark.nightly("half a minute of a compiler for each program")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT / "benchmarks")))
def test_a_simulation_compiles(program):
    if ns3_version() is None:
        pytest.skip("ns-3 or g++ is not installed")
    packages = [f"ns3-{library}" for library in LIBRARIES]
    flags = subprocess.run(["pkg-config", "--cflags", *packages], capture_output=True, text=True, check=True)
    command = ["g++", "-std=c++17", "-fsyntax-only", str(program), *flags.stdout.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
