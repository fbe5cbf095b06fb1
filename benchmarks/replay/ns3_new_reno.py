"""NewReno in ns-3, the reference of `benchmarks.replay.new_reno`: makes `ns3_new_reno.csv` anew.

    python -m benchmarks.replay.ns3_new_reno [--seeds 3] [--duration 40]

Needs a compiler and ns-3.37 (Debian 12: apt install libns3-dev libgsl-dev g++ pkg-config). Some minutes.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
REFERENCE = HERE / "ns3_new_reno.csv"
MODULES = ("core", "network", "internet", "applications", "mobility", "propagation", "wifi", "traffic-control")
TOPOLOGIES = ("chain1", "chain2", "chain3", "chain4", "stack")
HEADER = "topology,rts,seed,flow,goodput_bps\n"


def compile_program(target: Path) -> None:
    """Build the C++ program beside this file."""
    libraries = subprocess.check_output(["pkg-config", "--libs", *(f"ns3-{name}" for name in MODULES)], text=True)
    source = HERE / "ns3_new_reno.cc"
    subprocess.run(["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", source, "-o", target, *libraries.split()], check=True)


def main() -> None:
    """Run every topology with and without RTS for every seed, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--duration", type=float, default=40, help="seconds; the first 10 do not count")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        program = Path(scratch) / "ns3_new_reno"
        compile_program(program)

        def run(setting: tuple[str, str, int]) -> str:
            topology, rts, seed = setting
            out = subprocess.check_output([program, topology, rts, str(seed), str(options.duration)], text=True)
            print(out, end="", file=sys.stderr)
            return out

        settings = itertools.product(TOPOLOGIES, "01", range(1, options.seeds + 1))
        REFERENCE.write_text("".join([HEADER, *pool.map(run, settings)]))


if __name__ == "__main__":
    main()
