"""Runs of the simulator, each made once and kept outside the repository."""

from __future__ import annotations

import csv
import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path
from signal import SIGSEGV

from benchmarks.replay.counterfactual.agents import COLUMNS, agent_flows
from benchmarks.replay.counterfactual.worlds import PHYS, StudyWorld

HERE = Path(__file__).parent
CACHE = Path(
    os.environ.get("WINF_COUNTERFACTUAL_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "winf-analyzer" / "counterfactual"
)
MODULES = (
    *("core", "network", "internet", "applications", "mobility", "propagation", "wifi", "traffic-control"),
    "point-to-point",
)
SECONDS = 30
RECORDED_SEEDS = (4, 5, 6, 7)
"""Seeds for the run that is recorded; the further ones where a flow of it stopped."""

SEEDS = tuple(seed for seed in range(1, 53) if seed not in RECORDED_SEEDS)
"""Seeds of the simulator whose mean is the truth, in the order in which they are added (see ``truths.py``)."""

RECORDED_SEED = RECORDED_SEEDS[0]
OBSERVERS = ("every_node", "sniffer")
"""Who records: each node itself, or one monitor beside the node in the middle."""


@dataclass(frozen=True)
class Run:
    """What the simulator runs."""

    world: StudyWorld
    controller: str = "TcpNewReno"
    without: int = 0
    doubled: bool = False
    segments_per_ack: int = 2
    seed: int = RECORDED_SEED
    record: str = "nobody"

    @property
    def content(self) -> tuple[object, ...]:
        """What it is kept under."""
        return (self.world.content, *(getattr(self, each.name) for each in fields(self)[1:]))

    @property
    def folder(self) -> Path:
        """Where its results are kept."""
        key = hashlib.sha256(repr((self.content, SECONDS)).encode()).hexdigest()[:10]
        return CACHE / f"{self.world.name}-{key}"

    @property
    def is_made(self) -> bool:
        """Whether it was run."""
        return (self.folder / "truth.csv").exists()

    def options(self) -> list[str]:
        """Those of the program."""
        world, phy = self.world, PHYS[self.world.phy]
        values = {
            "shape": world.shape,
            "phy": phy.standard,
            "modes": phy.doubled if self.doubled else phy.modes,
            "control-mode": phy.control_mode,
            "controller": self.controller,
            "flows": world.flows,
            "without": self.without,
            "udp-kbps": world.udp_kbps,
            "queue-packets": world.queue_packets,
            "wire-ms": world.wire_ms,
            "segments-per-ack": self.segments_per_ack,
            "loss": world.loss,
            "spacing-m": world.spacing_m,
            "pausing": world.pausing,
            "segment-bytes": world.segment_bytes,
            "udp-bytes": world.udp_bytes,
            "later-s": world.later_s,
            "rts": int(world.rts),
            "cross": int(world.cross_traffic),
            "defaults": int(world.defaults),
            "seed": self.seed,
            "seconds": SECONDS,
            "record": self.record,
        }
        return [f"--{name}={value}" for name, value in values.items()]


@dataclass(frozen=True)
class Flow:
    """What the simulator's sockets and sinks know of a flow."""

    source: str
    destination: str
    port: int
    protocol: str
    goodput_bps: float
    rtt_p50_ms: float | None
    rtt_p95_ms: float | None
    loss: float | None
    """Share of the segments that were sent again."""

    @property
    def key(self) -> str:
        """What tells it from other flows of its world."""
        return f"{self.destination}:{self.port}"


def made(run: Run) -> Path:
    """The folder of a run: ``truth.csv``, and ``recording`` if somebody records; run if it is not there yet.

    Where a simulator of C++ crashes, ``truth.csv`` has no flow.

    Raises:
        subprocess.CalledProcessError: the simulator failed.
    """
    folder = run.folder
    if not run.is_made:
        CACHE.mkdir(parents=True, exist_ok=True)
        # A name of its own: another process may be making the same run.
        new = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=CACHE))
        (new / "recording").mkdir()
        if run.world.simulator == "ns-2":
            _run_ns2(run, new)
        else:
            _run_ns3(run, new)
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
    return folder


def truth(run: Run) -> list[Flow]:
    """What is known of the flows of a run."""
    with (made(run) / "truth.csv").open(encoding="utf-8", newline="") as lines:
        return [_flow(row) for row in csv.DictReader(lines)]


def _flow(row: dict[str, str]) -> Flow:
    p50, p95 = (None if row[name] == "nan" else float(row[name]) for name in ("rtt_p50_ms", "rtt_p95_ms"))
    segments = int(row["segments"])
    loss = int(row["retransmissions"]) / segments if segments else None
    goodput = float(row["goodput_bps"])
    return Flow(row["source"], row["destination"], int(row["port"]), row["protocol"], goodput, p50, p95, loss)


def _run_ns3(run: Run, folder: Path) -> None:
    try:
        subprocess.run([program(), f"--directory={folder}", *run.options()], check=True, stdout=subprocess.DEVNULL)
    except subprocess.CalledProcessError as error:
        # It does so again with the same seed; one of some thousand runs is known, with BBR.
        if error.returncode != -SIGSEGV:
            raise
        with (folder / "truth.csv").open("w", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow(COLUMNS)


def _run_ns2(run: Run, folder: Path) -> None:
    """The same by ns-2 (Debian 12: ns2), whose trace is the recording of every node."""
    world = run.world
    threshold = 0 if world.rts else 65535
    flows = world.flows - run.without
    recorded = run.record != "nobody"
    values = [world.shape, flows, run.controller, world.queue_packets, threshold, int(recorded), run.seed, SECONDS]
    command = ["ns", str(HERE / "ns2" / "world.tcl"), *map(str, values), str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    trace = folder / "recording" / "trace.tr"
    with trace.open(encoding="ascii") as lines, (folder / "truth.csv").open("w", encoding="utf-8") as truth_file:
        rows = csv.writer(truth_file, lineterminator="\n")
        rows.writerow(COLUMNS)
        rows.writerows(flow.row(SECONDS) for flow in agent_flows(lines))
    if not recorded:
        trace.unlink()


def observers(world: StudyWorld) -> tuple[str, ...]:
    """Who can record it: ns-2 writes one trace of all nodes."""
    return OBSERVERS[:1] if world.simulator == "ns-2" else OBSERVERS


def program() -> Path:
    """The ns-3 program, built where it is older than its source (Debian 12: libns3-dev libgsl-dev g++ pkg-config)."""
    sources, target = HERE / "ns3", CACHE / "world"
    newest = max(source.stat().st_mtime for source in sources.iterdir())
    if not target.exists() or target.stat().st_mtime < newest:
        CACHE.mkdir(parents=True, exist_ok=True)
        libraries = subprocess.check_output(["pkg-config", "--libs", *(f"ns3-{name}" for name in MODULES)], text=True)
        command = ["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", str(sources / "world.cc"), "-o", str(target)]
        subprocess.run([*command, *libraries.split()], check=True)
    return target
