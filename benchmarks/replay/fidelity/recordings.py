"""The recordings of the study: made once with ns-3 and ns-2, kept outside the repository."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "winf-analyzer" / "fidelity"
MODULES = ("core", "network", "internet", "applications", "mobility", "propagation", "wifi", "traffic-control")
SECONDS = 30
SEED = 1


@dataclass(frozen=True)
class Setting:
    """What to record."""

    topology: str
    traffic: str
    rts: bool
    simulator: str = "ns-3"

    @property
    def name(self) -> str:
        """Its folder."""
        return f"{self.simulator}-{self.topology}-{self.traffic}-{'rts' if self.rts else 'basic'}"

    @property
    def title(self) -> str:
        """Its name in the table."""
        hops = "Stack" if self.topology == "stack" else f"{self.topology[-1]} hop{'s' * (self.topology[-1] != '1')}"
        return f"{self.simulator}, {hops}{', cross traffic' * (self.traffic == 'cross')}{', RTS/CTS' * self.rts}"


SETTINGS = (
    *(Setting(f"chain{hops}", "tcp", rts) for rts in (False, True) for hops in (1, 2, 3, 4)),
    *(Setting(f"chain{hops}", "cross", rts) for rts in (False, True) for hops in (1, 2)),
    *(Setting("stack", "tcp", rts) for rts in (False, True)),
    *(Setting(f"chain{hops}", "udp", False) for hops in (1, 2, 3, 4)),
    *(Setting(f"chain{hops}", "tcp", True, "ns-2") for hops in (1, 2)),
)


@dataclass(frozen=True)
class Truth:
    """What a simulator's application and socket know of a flow."""

    source: str
    protocol: str
    goodput_bps: float
    median_rtt_ms: float | None


def recorded(setting: Setting, seconds: int = SECONDS, seed: int = SEED) -> Path:
    """The folder of a recording: `recording/` and `truth.csv`; made where it is not there yet.

    Raises:
        subprocess.CalledProcessError: a simulator failed.
    """
    folder = CACHE / f"{setting.name}-{seconds}s-{seed}"
    if not (folder / "truth.csv").exists():
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "recording").mkdir(parents=True)
        if setting.simulator == "ns-2":
            command = ["ns", HERE / "record.tcl", setting.topology[-1], str(seed), str(seconds), folder]
        else:
            numbers = [str(int(setting.rts)), str(seed), str(seconds)]
            command = [_program(), setting.topology, setting.traffic, *numbers, folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder


def truth(folder: Path) -> list[Truth]:
    """What is known of the flows of a recording."""
    with (folder / "truth.csv").open(encoding="utf-8", newline="") as lines:
        return [
            Truth(
                row["source"],
                row["protocol"],
                float(row["goodput_bps"]),
                float(row["median_rtt_ms"]) if row["median_rtt_ms"] else None,
            )
            for row in csv.DictReader(lines)
        ]


def _program() -> Path:
    """The ns-3 program, built where it is older than its source (Debian 12: libns3-dev libgsl-dev g++ pkg-config)."""
    source, target = HERE / "record.cc", CACHE / "record"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        CACHE.mkdir(parents=True, exist_ok=True)
        libraries = subprocess.check_output(["pkg-config", "--libs", *(f"ns3-{name}" for name in MODULES)], text=True)
        command = ["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", source, "-o", target, *libraries.split()]
        subprocess.run(command, check=True)
    return target
