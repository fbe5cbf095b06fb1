"""Runs simulations in ns-3 and ns-2, and keeps what came out until the program or the parameters change."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import polars as pl

from benchmarks.accuracy.recorders import SECOND_NS, START_NS, cut, read_stations, record
from benchmarks.accuracy.scenario_list import TCP_PROBE, ListedRun
from benchmarks.accuracy.scenarios import Scenario

NS3_SOURCES = Path(__file__).with_name("ns3")
NS2_SCRIPT = Path(__file__).with_name("ns2_scenario.tcl")
NS2_FLOWS = Path(__file__).with_name("ns2_flows.tcl")
"""What scripts source."""
LIBRARIES = ("core", "network", "internet", "mobility", "propagation", "wifi", "traffic-control", "applications")
NS2_MAC = {"slot_us": 20, "sifs_us": 10, "aifsn": 2, "cw_min": 31, "cw_max": 1023}
"""What ns2_scenario.tcl sets."""


class Run(NamedTuple):
    """What a run left behind."""

    scenario: Scenario | ListedRun
    capture: Path
    """The recording."""
    mac: dict[str, int]
    """`slot_us sifs_us aifsn cw_min cw_max` of the sender of the link under study, as simulated."""
    truth: pl.DataFrame
    """Per 100 ms of measured time: `window_start_ns`, `truth_bps`: what the flow that fills the link gets, MSDU bits
    of UDP, payload bits of TCP."""
    sender: str
    receiver: str
    """The link under study, as the recording calls its ends."""
    seconds: float
    """How much of the measured time is recorded."""
    started_bps: float | None = None
    """Of a TCP flow, the mean of as long a time that begins 0.4 s after it: its start is not omitted."""


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


@functools.cache
def build(cache: Path) -> Path:
    """The compiled ns3/scenario.cc, in a folder named after the sources and the version of ns-3.

    Raises:
        SystemExit: ns-3 is missing, or the program does not compile; the message says which.
    """
    version = ns3_version()
    if version is None:
        raise SystemExit("ns-3 or g++ is missing (Debian 12: apt install libns3-dev libgsl-dev g++ pkg-config)")
    sources = sorted(NS3_SOURCES.iterdir())
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources) + version.encode()).hexdigest()[:16]
    program = cache / digest / "scenario"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        packages = [f"ns3-{library}" for library in LIBRARIES]
        flags = subprocess.run(["pkg-config", "--libs", *packages], capture_output=True, text=True, check=True)
        partial = program.with_suffix(".partial")
        main = NS3_SOURCES / "scenario.cc"
        command = ["g++", "-std=c++17", "-O2", str(main), "-o", str(partial), *flags.stdout.split()]
        if subprocess.run(command, check=False).returncode != 0:
            raise SystemExit(f"{main} does not compile with ns-3 {version}")
        partial.rename(program)
    return program


def run_all(scenarios: Sequence[Scenario | ListedRun], cache: Path, jobs: int) -> list[Run]:
    """Every scenario, from the cache where it holds it; `jobs` simulations at a time.

    A run that was interrupted is made again, one that is complete is not.
    """
    # Runs that differ by their recorder alone share a simulation, so it must not be made twice at a time.
    distinct = {_folder(scenario, cache): scenario for scenario in scenarios}
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda scenario: _simulated(scenario, cache), distinct.values()))
        return list(pool.map(lambda scenario: run(scenario, cache), scenarios))


def run(scenario: Scenario | ListedRun, cache: Path) -> Run:
    """One scenario, simulated unless the cache holds it."""
    folder = _simulated(scenario, cache)
    saturated, recorded = goodput(folder / "saturated"), goodput(folder / "recorded")
    if missing := missing_neighbours(recorded, saturated):
        raise SystemExit(f"{scenario.name}: {', '.join(missing)} sent in the recording and not beside the filled link")
    if isinstance(scenario, Scenario):
        capture, seconds = folder / f"{scenario.name}.pcap", float(scenario.seconds)
        if not capture.exists():
            # Before it starts to be measured, the medium is idle.
            partial = capture.with_suffix(".partial")
            cut(folder / "recorded" / "recording.pcap", partial, START_NS, START_NS + round(seconds * 1e9))
            partial.rename(capture)
        truth = added(saturated, recorded)
        return Run(scenario, capture, _mac(folder), truth, *_ends(folder), seconds)
    if scenario.simulator == "ns2":
        # What the filled queue drops of the light flow, the saturating flow gets; it would have to be delivered.
        bits = {flow: table["truth_bps"] for flow, table in (saturated | {"offered": recorded["light"]}).items()}
        more = bits["saturating"] + bits["light"] - bits["offered"]
        truth = saturated["saturating"].with_columns(truth_bps=more.clip(lower_bound=0))
        source, mac, ends = folder / "recorded" / "recording.tr", NS2_MAC, ("node-0", "node-1")
        stations: dict[str, list] = {}
        started_bps = None
    else:
        truth = saturated["saturating"] if scenario.probe == TCP_PROBE else added(saturated, recorded)
        truth, started_bps = _established(truth, scenario)
        mac, ends = _mac(folder), _ends(folder)
        source = folder / "recorded" / "recording.pcap"
        stations = read_stations(folder / "recorded" / "stations.json")
    capture = folder / f"{scenario.name}{source.suffix}"
    if not capture.exists():
        partial = capture.with_suffix(".partial")
        record(scenario, source, stations, partial)
        partial.rename(capture)
    seconds = scenario.recorded_ms / 1000 if scenario.recorded_ms else scenario.seconds
    return Run(scenario, capture, mac, truth, *ends, float(seconds), started_bps)


def _established(truth: pl.DataFrame, scenario: ListedRun) -> tuple[pl.DataFrame, float | None]:
    """The truth without what is omitted, and its mean where that is not omitted, null where nothing is."""
    if not scenario.omitted_s:
        return truth, None
    start = pl.col("window_start_ns")
    started = truth.filter(start < START_NS + scenario.seconds * SECOND_NS)
    started_bps: float = started.select(pl.col("truth_bps").mean()).item()
    return truth.filter(start >= START_NS + scenario.omitted_s * SECOND_NS), started_bps


def added(saturated: dict[str, pl.DataFrame], recorded: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """`window_start_ns truth_bps` of the flow that fills the link, less what the light flow loses to it.

    The two share a queue. Where packets grow too old in it, as many of the light flow's are dropped as of the other's.
    In proportion to what the link carries in a window: in the filled queue the light flow's packets come later.
    """
    filled = saturated["saturating"]
    before, beside = (flows["light"].select(pl.col("truth_bps").mean()).item() for flows in (recorded, saturated))
    mean = filled.select(pl.col("truth_bps").mean()).item()
    share = max(0.0, 1 - (before - beside) / mean) if mean else 0.0
    return filled.with_columns(pl.col("truth_bps") * share)


def missing_neighbours(recorded: dict[str, pl.DataFrame], saturated: dict[str, pl.DataFrame]) -> list[str]:
    """Flows of neighbours that sent in the first run and nothing at all in the second, which is no truth of it then.

    Args:
        recorded: per flow `window_start_ns` and `truth_bps`, of the run that is recorded.
        saturated: the same of the one whose link is filled.
    """
    sent = {flow: table["truth_bps"].sum() for flow, table in recorded.items() if flow.startswith("background")}
    return [flow for flow, bits in sent.items() if bits > 0 and not saturated[flow]["truth_bps"].sum()]


def _folder(scenario: Scenario | ListedRun, cache: Path) -> Path:
    """Where a simulation is kept: named after its program and its arguments."""
    if isinstance(scenario, ListedRun) and scenario.simulator == "ns2":
        parent = cache / hashlib.sha256(NS2_SCRIPT.read_bytes() + NS2_FLOWS.read_bytes()).hexdigest()[:16]
    else:
        parent = build(cache).parent
    return parent / hashlib.sha256(json.dumps(_arguments(scenario)).encode()).hexdigest()[:16]


def _arguments(scenario: Scenario | ListedRun) -> list[str]:
    if isinstance(scenario, Scenario):
        return scenario.arguments()
    if scenario.simulator == "ns2":
        return [str(word) for pair in scenario.arguments().items() for word in pair]
    return [f"--{name}={value}" for name, value in scenario.arguments().items() if value != ""]


def _simulated(scenario: Scenario | ListedRun, cache: Path) -> Path:
    """The folder of a finished simulation, with and without the flow that fills the link."""
    folder = _folder(scenario, cache)
    if folder.exists():
        return folder
    partial = folder.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    ns2 = isinstance(scenario, ListedRun) and scenario.simulator == "ns2"
    for part, filled in (("recorded", False), ("saturated", True)):
        (partial / part).mkdir(parents=True)
        if ns2:
            command = ["ns", str(NS2_SCRIPT), str(partial / part), *_arguments(scenario), "saturate", str(int(filled))]
        else:
            command = [str(build(cache)), f"--directory={partial / part}", *_arguments(scenario)]
            command += ["--saturate"] * filled
        done = subprocess.run(["nice", *command], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{scenario.name} failed ({done.returncode}): {' '.join(command)}\n{done.stderr}")
    partial.rename(folder)
    return folder


def goodput(folder: Path) -> dict[str, pl.DataFrame]:
    """Per flow: `window_start_ns`, `truth_bps`."""
    table = pl.read_csv(folder / "goodput.csv").select(
        "flow", window_start_ns="start_ns", truth_bps=pl.col("bytes") * 8e9 / pl.col("window_ns")
    )
    return {str(flow): rows.drop("flow") for (flow,), rows in table.group_by("flow", maintain_order=True)}


def _mac(folder: Path) -> dict[str, int]:
    mac: dict[str, int] = json.loads((folder / "recorded" / "mac.json").read_text(encoding="utf-8"))
    return mac


def _ends(folder: Path) -> tuple[str, str]:
    sender, receiver, *_ = read_stations(folder / "recorded" / "stations.json")["addresses"]
    return sender, receiver
