"""Runs scenarios in ns-3, and keeps what came out until the program or the parameters change."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import polars as pl

from benchmarks.accuracy.scenarios import Scenario

PROGRAM = Path(__file__).with_name("scenario.cc")
LIBRARIES = ("core", "network", "internet", "mobility", "propagation", "wifi", "traffic-control")


class Run(NamedTuple):
    """What a scenario left behind."""

    scenario: Scenario
    capture: Path
    """pcap of the sender of the link under study."""
    mac: dict[str, int]
    """`slot_us sifs_us aifsn cw_min cw_max` of that sender, as simulated."""
    truth: pl.DataFrame
    """Per second: `window_start_ns`, `truth_bps` (goodput of the saturating flow, MSDU bits)."""


def cache_folder() -> Path:
    """Outside the repository: WINF_ACCURACY_CACHE, or `winf-accuracy` in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("WINF_ACCURACY_CACHE") or Path(cache) / "winf-accuracy")


def ns3_version() -> str | None:
    """Version of ns-3, None where it (or a compiler) is not installed."""
    if not (shutil.which("pkg-config") and shutil.which("g++")):
        return None
    asked = subprocess.run(["pkg-config", "--modversion", "ns3-wifi"], capture_output=True, text=True, check=False)
    return asked.stdout.strip() or None


def build(cache: Path) -> Path:
    """The compiled scenario.cc, in a folder named after its text and the version of ns-3.

    Raises:
        SystemExit: ns-3 is missing, or the program does not compile; the message says which.
    """
    version = ns3_version()
    if version is None:
        raise SystemExit("ns-3 or g++ is missing (Debian 12: apt install libns3-dev libgsl-dev g++ pkg-config)")
    digest = hashlib.sha256(PROGRAM.read_bytes() + version.encode()).hexdigest()[:16]
    program = cache / digest / "scenario"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        packages = [f"ns3-{library}" for library in LIBRARIES]
        flags = subprocess.run(["pkg-config", "--libs", *packages], capture_output=True, text=True, check=True)
        partial = program.with_suffix(".partial")
        command = ["g++", "-std=c++17", "-O2", str(PROGRAM), "-o", str(partial), *flags.stdout.split()]
        if subprocess.run(command, check=False).returncode != 0:
            raise SystemExit(f"{PROGRAM} does not compile with ns-3 {version}")
        partial.rename(program)
    return program


def run_all(scenarios: list[Scenario], cache: Path, jobs: int) -> list[Run]:
    """Every scenario, from the cache where it holds it; `jobs` simulations at a time."""
    program = build(cache)
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda scenario: _run(program, scenario), scenarios))


def _run(program: Path, scenario: Scenario) -> Run:
    arguments = scenario.arguments()
    folder = program.parent / hashlib.sha256(json.dumps(arguments).encode()).hexdigest()[:16]
    if not folder.exists():
        partial = folder.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        for part, options in (("recorded", []), ("saturated", ["--saturate"])):
            (partial / part).mkdir(parents=True)
            command = ["nice", str(program), f"--directory={partial / part}", *options, *arguments]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise SystemExit(f"{scenario.name} failed ({done.returncode}): {' '.join(command)}\n{done.stderr}")
        partial.rename(folder)
    goodput = pl.read_csv(folder / "saturated" / "goodput.csv")
    truth = goodput.filter(pl.col("flow") == "saturating").select(
        window_start_ns="start_ns", truth_bps=pl.col("msdu_bytes") * 8e9 / pl.col("window_ns")
    )
    mac = json.loads((folder / "recorded" / "mac.json").read_text(encoding="utf-8"))
    return Run(scenario, folder / "recorded" / "sender.pcap", mac, truth)
