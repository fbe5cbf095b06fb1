"""Speed of the replay engine: Stack beside ns-3 in the same run, packet events per second, sweeps on all cores.

    python -m benchmarks.replay.speed [--rounds 3] [--seconds 60]

Stack (S003): three TCP flows of two hops, 512-byte packets, RTS/CTS, 11 Mbit/s. Processes are measured as a whole,
start-up included; the best round counts. CPU seconds are user and system time of the process, which other work on the
machine disturbs least.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks import ratios
from benchmarks.replay.engine import Control, Outcome, example, run
from benchmarks.replay.reference import record_new_reno_ns3 as ns3
from benchmarks.replay.worlds import neighbourhoods
from winf_analyzer import _core
from winf_analyzer._replay.controller_runs import MAX_MIN

SWEPT = ("new_reno", "wcp", "wcp_cap")
EVERY = tuple(name for name, *_ in _core.controllers() if name != MAX_MIN)
SEEDS = range(1, 5)


class Cost(NamedTuple):
    """What one process took."""

    cpu_s: float
    wall_s: float
    output: str


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    if shutil.which("pkg-config") is None or subprocess.run(["pkg-config", "--exists", "ns3-wifi"]).returncode:
        sys.exit("ns-3 is the peer of this measurement and is not installed (on Debian: apt install libns3-dev).")
    print(f"{os.cpu_count()} cores, best of {options.rounds} rounds; Stack for {options.seconds} s\n")
    beside_ns3(options.seconds, options.rounds)
    events(options.seconds, options.rounds)
    sweep(options.seconds)


def beside_ns3(seconds: int, rounds: int) -> None:
    """The same topology and TCP, by turns."""
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / "new_reno_ns3"
        ns3.compile_program(program)
        commands: dict[str, list[str | Path]] = {
            "ns-3": [program, "stack", "1", "1", str(seconds)],
            "winf": [example("speed"), str(seconds)],
        }
        costs: dict[str, list[Cost]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                costs[name].append(_cost(command))
    best = {name: min(runs) for name, runs in costs.items()}
    print(f"{'':22}{'CPU s':>10}{'wall s':>10}{'x ns-3':>10}")
    for name, cost in best.items():
        print(f"{name:22}{cost.cpu_s:10.3f}{cost.wall_s:10.3f}{best['ns-3'].cpu_s / cost.cpu_s:10.1f}")
    ratios.note({"replay of Stack beside ns-3, processor": best["ns-3"].cpu_s / best["winf"].cpu_s})
    rates = [line.split(",")[-1] for line in best["ns-3"].output.split()]
    print("ns-3, kbit/s:", ", ".join(f"{int(rate) / 1e3:.0f}" for rate in rates))
    print("winf, kbit/s:", ", ".join(line.split()[1] for line in best["winf"].output.splitlines() if "-" in line), "\n")


def events(seconds: int, rounds: int) -> None:
    """Steps of packets (sent, queued, dequeued, tried, forwarded, delivered, dropped) per second of one core.

    A few of them are few for cbr and voip, which offer little: starting takes most of their time.
    """
    print(f"{'':22}{'CPU s':>10}{'million packet events per CPU s':>34}")
    for name in EVERY:
        cost = min(_cost([example("speed"), str(seconds), name]) for _ in range(rounds))
        (steps,) = (int(line.split()[0]) for line in cost.output.splitlines() if line.endswith("steps of packets"))
        print(f"{name:22}{cost.cpu_s:10.3f}{steps / cost.cpu_s / 1e6:34.2f}")
    print()


def sweep(seconds: int) -> None:
    """Controllers and seeds on one core and on all: the outcomes have to be the same."""
    world = neighbourhoods("stack", seconds)
    jobs = [(world, Control(name), seed) for name in SWEPT for seed in SEEDS]
    example("run")  # compiled before the clock runs
    results: list[list[Outcome]] = []
    for workers in (1, os.cpu_count() or 1):
        started = time.perf_counter()
        results.append(list(run(jobs, lambda outcome: outcome, workers)))
        print(f"{len(jobs)} runs on {workers} core{'s'[: workers > 1]}: {time.perf_counter() - started:.2f} s")
    if results[0] != results[1]:
        sys.exit("runs on one core and on all differ")
    print("with the same outcomes to the last bit")


def _cost(command: list[str | Path]) -> Cost:
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"failed ({process.returncode}): {' '.join(map(str, command))}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - started, output)


if __name__ == "__main__":
    main()
