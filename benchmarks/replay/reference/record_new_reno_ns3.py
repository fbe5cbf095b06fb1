"""Runs NewReno in ns-3 over chains and Stack and writes down the goodput of every flow.

    python -m benchmarks.replay.reference.record_new_reno_ns3

Needs a compiler and ns-3.37 (Debian 12: libns3-dev libgsl-dev g++ pkg-config). Some minutes.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE / "new_reno_ns3.csv"
MODULES = ("core", "network", "internet", "applications", "mobility", "propagation", "wifi", "traffic-control")
TOPOLOGIES = ("chain1", "chain2", "chain3", "chain4", "stack")
SEEDS = range(1, 4)
SECONDS = 40


def main() -> None:
    """Run every topology with and without RTS for every seed, and write the recording."""
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        program = Path(scratch) / "new_reno_ns3"
        compile_program(program)

        def run(setting: tuple[str, str, int]) -> str:
            topology, rts, seed = setting
            out = subprocess.check_output([program, topology, rts, str(seed), str(SECONDS)], text=True)
            print(out, end="", file=sys.stderr)
            return out

        settings = itertools.product(TOPOLOGIES, "01", SEEDS)
        TARGET.write_text("".join(["topology,rts,seed,flow,goodput_bps\n", *pool.map(run, settings)]))


def compile_program(target: Path) -> None:
    """Build the C++ program beside this file."""
    libraries = subprocess.check_output(["pkg-config", "--libs", *(f"ns3-{name}" for name in MODULES)], text=True)
    source = HERE / "new_reno_ns3.cc"
    subprocess.run(
        ["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", source, "-o", target, *libraries.split()], check=True
    )


if __name__ == "__main__":
    main()
