"""Runs ns-3 with and without each cause, and keeps what came out until the program or the options change."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import polars as pl

from benchmarks.accuracy.runs import LIBRARIES, cache_folder, ns3_version
from winf_analyzer._findings.registry import findings_registry

SOURCE = Path(__file__).with_name("ns3") / "findings.cc"
LISTS = Path(__file__).with_name("lists")
PARTS = ("development", "held_out")

SECONDS = 3
"""Measured time of a run, if its pair says no other."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A scenario with a cause and without it; options are those of findings.cc."""

    name: str
    finding: str
    """What has to be found in the run with the cause."""
    seed: int
    common: dict[str, str | int | float]
    cause: dict[str, str | int | float]
    """Options that bring the cause in."""
    without: dict[str, str | int | float]
    """Options in place of them."""
    removed: dict[str, str | int | float] | None = None
    """Options in place of them where the finding promises less than what `without` takes away: one sender of several
    that fill the channel. Of such a run only what the link under study could carry counts."""
    also: tuple[str, ...] = ()
    """Findings that are true in both runs, or in that without the cause, which has another: they do not count."""

    def arguments(self, options: Mapping[str, str | int | float]) -> list[str]:
        """The command line of the simulation with the `cause`, `without` it, or with it `removed`."""
        every = {**self.common, **options, "seconds": self.common.get("seconds", SECONDS), "seed": self.seed}
        return [f"--{name}={value}" for name, value in every.items()]


class Run(NamedTuple):
    """A recording, and what the link under study could carry."""

    pair: Pair
    caused: bool
    capture: Path
    sender: str
    receiver: str
    saturated_bps: float | None
    """What a flow that fills the link gets on top of the light one, MSDU bit/s; None: the finding promises no gain."""
    removed_bps: float | None
    """What it gets where what the finding names is taken away; of a run without the cause the same."""


def pairs(part: str) -> list[Pair]:
    """The pairs of a list: `development` or `held_out`."""
    return [Pair(**row) for row in tomllib.loads((LISTS / f"{part}.toml").read_text(encoding="utf-8"))["runs"]]


@cache
def build(folder: Path) -> Path:
    """The compiled findings.cc, in a folder named after the sources and the version of ns-3.

    Raises:
        SystemExit: ns-3 is missing, or the program does not compile.
    """
    version = ns3_version()
    if version is None:
        raise SystemExit("ns-3 or g++ is missing (Debian 12: apt install libns3-dev libgsl-dev g++ pkg-config)")
    shared = sorted((SOURCE.parents[2] / "accuracy" / "ns3").glob("*.h"))
    sources = (SOURCE, *sorted(SOURCE.parent.glob("*.h")), *shared)
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources) + version.encode()).hexdigest()
    program = folder / digest[:16] / "findings"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        packages = [f"ns3-{library}" for library in LIBRARIES]
        flags = subprocess.run(["pkg-config", "--libs", *packages], capture_output=True, text=True, check=True)
        partial = program.with_suffix(".partial")
        command = ["g++", "-std=c++17", "-O2", str(SOURCE), "-o", str(partial), *flags.stdout.split()]
        if subprocess.run(command, check=False).returncode != 0:
            raise SystemExit(f"{SOURCE} does not compile with ns-3 {version}")
        partial.rename(program)
    return program


def run_all(asked: list[Pair], jobs: int) -> list[Run]:
    """Both runs of every pair, `jobs` simulations at a time; of one pair, two of which may be the same, one."""
    program = build(cache_folder() / "findings")
    with ThreadPoolExecutor(jobs) as pool:
        both = pool.map(lambda pair: [_run(program, pair, caused) for caused in (True, False)], asked)
        return [run for pair in both for run in pair]


def _run(program: Path, pair: Pair, caused: bool) -> Run:
    folder = _simulated(program, pair, pair.cause if caused else pair.without)
    removed = (
        folder if not caused else _simulated(program, pair, pair.without if pair.removed is None else pair.removed)
    )
    sender, receiver, *_ = json.loads((folder / "recorded" / "stations.json").read_text(encoding="utf-8"))["addresses"]
    saturated_bps, removed_bps = (_saturated_bps(each, pair) for each in (folder, removed))
    return Run(pair, caused, folder / "recorded" / "recording.pcap", sender, receiver, saturated_bps, removed_bps)


def _simulated(program: Path, pair: Pair, options: Mapping[str, str | int | float]) -> Path:
    """The folder of the recording, and of what a saturating flow gets where the finding promises a gain."""
    arguments = pair.arguments(options)
    folder = program.parent / hashlib.sha256(json.dumps(arguments).encode()).hexdigest()[:16]
    if not folder.exists():
        partial = folder.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        saturated = {"saturated": ["--saturate=1"]} if _promises_gain(pair) else {}
        for name, more in ({"recorded": []} | saturated).items():
            (partial / name).mkdir(parents=True)
            command = [str(program), f"--directory={partial / name}", *arguments, *more]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise SystemExit(f"{pair.name} failed ({done.returncode}): {' '.join(command)}\n{done.stderr}")
        partial.rename(folder)
    return folder


def _promises_gain(pair: Pair) -> bool:
    return findings_registry()[pair.finding].has_counterfactual


def _saturated_bps(folder: Path, pair: Pair) -> float | None:
    if not _promises_gain(pair):
        return None
    goodput = pl.read_csv(folder / "saturated" / "goodput.csv").filter(flow="saturating")
    return float(goodput["bytes"].sum() * 8e9 / goodput["window_ns"].sum())
