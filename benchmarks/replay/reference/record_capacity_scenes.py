"""Runs S000's scenes of section 3.3 in ns-2 and ns-3 and keeps the recordings that `winf reproduce` reads.

    python -m benchmarks.replay.reference.record_capacity_scenes

Needs ``ns`` (Debian: ns2 2.35+dfsg-5), a compiler and ns-3.37 (libns3-dev libgsl-dev g++ pkg-config).
"""

from __future__ import annotations

import lzma
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE.parents[2] / "winf_analyzer" / "_papers" / "recordings"
MODULES = ("core", "network", "internet", "applications", "mobility", "propagation", "wifi", "traffic-control")
NODES = {"two-nodes": 2, "mesh": 4}
SEEDS = (1, 2)
FLOWS, SEGMENTS = (1, 4), (250, 1000, 1460)
SECONDS, SHORT = 9, 2.5
PAIR_BYTES, VOICE_KBPS, SATURATING_KBPS = 1000, 64, 4000


def main() -> None:
    """Write the recordings, and the goodput of datagrams that saturate the mesh."""
    TARGET.mkdir(exist_ok=True)
    goodputs = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        program = _compiled(folder / "capacity_ns3")
        for seed in SEEDS:
            for scene, nodes in NODES.items():
                _ns2(folder, f"{scene}-{seed}", nodes, 1, SECONDS, seed, 0, 1000, PAIR_BYTES, VOICE_KBPS)
                _ns3(program, folder, f"{scene}-{seed}", nodes, seed, PAIR_BYTES, VOICE_KBPS)
            goodputs[f"ns2-{seed}"] = _ns2(folder, None, NODES["mesh"], 1, SECONDS, seed, 0, 1000, 0, SATURATING_KBPS)
            goodputs[f"ns3-{seed}"] = _ns3(program, folder, None, NODES["mesh"], seed, 0, SATURATING_KBPS)
        for flows in FLOWS:
            _ns2(folder, f"flows-{flows}", NODES["mesh"], 1, SHORT, 1, flows, 1000, 0, 0)
            for segment in SEGMENTS:
                _ns2(folder, f"probes-{segment}-{flows}", NODES["mesh"], 0, SHORT, 1, flows, segment, 0, 0)
    rows = "".join(f"{name} = {rate:.0f}\n" for name, rate in goodputs.items())
    (TARGET / "iperf.toml").write_text(f"# Goodput of datagrams that saturate the mesh, kbit/s, by run.\n{rows}")


def _ns2(folder: Path, name: str | None, *settings: float) -> float:
    """Keep the lines of the MAC; the goodput in kbit/s, 0 without datagrams."""
    trace = folder / "trace.tr"
    lines = _lines(["ns", str(HERE / "rt_winf_ns2.tcl"), str(trace), *map(str, settings)])
    if name:
        kept = [line for line in trace.read_text().splitlines(keepends=True) if " MAC " in line]
        _keep(f"{name}.ns2.tr.xz", "".join(kept).encode())
    return _goodput(lines)


def _ns3(program: Path, folder: Path, name: str | None, nodes: int, seed: int, pair: int, kbps: int) -> float:
    """Keep what the first node recorded; the goodput in kbit/s."""
    lines = _lines([str(program), *map(str, (nodes, seed, SECONDS, pair, kbps)), str(folder / "node")])
    if name:
        _keep(f"{name}.ns3.pcap.xz", (folder / "node-0-0.pcap").read_bytes())
    return _goodput(lines)


def _lines(command: list[str]) -> list[str]:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def _goodput(lines: list[str]) -> float:
    return next((float(line.split()[1]) for line in lines if line.startswith("goodput")), 0.0)


def _keep(name: str, content: bytes) -> None:
    (TARGET / name).write_bytes(lzma.compress(content, preset=9))


def _compiled(target: Path) -> Path:
    libraries = subprocess.check_output(["pkg-config", "--libs", *(f"ns3-{name}" for name in MODULES)], text=True)
    source = HERE / "capacity_ns3.cc"
    command = ["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", str(source), "-o", str(target), *libraries.split()]
    subprocess.run(command, check=True)
    return target


if __name__ == "__main__":
    main()
