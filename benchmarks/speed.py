"""Decoding and ingest beside ``tshark -T fields``, on one recording, in one run.

    python -m benchmarks.speed [--frames 400000] [--rounds 3]

The peers take turns, the best round of each counts, and start-up time is part of every figure. Peak memory is that of
the whole process. tshark is asked for 11 fields; winf fills every column.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.tiled import tile

SAMPLE = Path(__file__).parent.parent / "sample_captures" / "ns3_sniffer" / "recording"
FIELDS = (
    "frame.number",
    "frame.time_epoch",
    "wlan.fc.type_subtype",
    "wlan.ra",
    "wlan.ta",
    "wlan.seq",
    "wlan.fc.retry",
    "wlan.duration",
    "wlan_radio.data_rate",
    "wlan_radio.duration",
    "radiotap.dbm_antsignal",
)
TO_ARROW = """
import sys, polars, winf_analyzer
frame = polars.DataFrame(winf_analyzer.read_frames(sys.argv[1]))
assert frame.height == int(sys.argv[2])
"""


class Run(NamedTuple):
    """One measured process."""

    seconds: float
    peak_mib: float


def measure(command: list[str | os.PathLike[str]]) -> Run:
    """Run a process to its end; output is thrown away."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"failed ({process.returncode}): {' '.join(map(str, command))}")
    return Run(seconds, usage.ru_maxrss / 1024)


def contenders(recording: Path, frames: int, scratch: Path) -> dict[str, Callable[[], Run]]:
    """What is measured, by name; the first is the peer the others are compared with."""
    winf = Path(sysconfig.get_path("scripts")) / "winf"

    def ingest() -> Run:
        shutil.rmtree(scratch / "run.winf", ignore_errors=True)
        return measure([sys.executable, winf, "-q", "ingest", recording, "-o", scratch / "run.winf"])

    fields = [word for field in FIELDS for word in ("-e", field)]
    return {
        "tshark -T fields, 11 fields": lambda: measure(["tshark", "-n", "-r", recording, "-T", "fields", *fields]),
        "recording to Arrow, all columns": lambda: measure([sys.executable, "-c", TO_ARROW, recording, str(frames)]),
        "winf ingest (frames, exchanges, Parquet)": ingest,
    }


def main() -> None:
    """Make the recording, measure, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if shutil.which("tshark") is None:
        sys.exit("tshark is the peer of this measurement and is not installed (on Debian: apt install tshark).")
    with tempfile.TemporaryDirectory(prefix="winf-bench-") as folder:
        scratch = Path(folder)
        recording = scratch / "long.pcap"
        frames = tile(next(SAMPLE.glob("*.pcap")), recording, options.frames)
        size_mib = recording.stat().st_size / 2**20
        print(f"{frames} frames, {size_mib:.0f} MiB, {os.cpu_count()} cores, best of {options.rounds} rounds\n")
        runs = contenders(recording, frames, scratch)
        best: dict[str, Run] = {}
        for _ in range(options.rounds):
            for name, run in runs.items():
                found = run()
                best[name] = min(best.get(name, found), found)
        peer = next(iter(best.values())).seconds
        print(f"{'':42}{'seconds':>9}{'frames/s':>12}{'x tshark':>10}{'peak MiB':>10}")
        for name, run in best.items():
            rate = frames / run.seconds
            print(f"{name:42}{run.seconds:9.2f}{rate:12.0f}{peer / run.seconds:10.1f}{run.peak_mib:10.0f}")


if __name__ == "__main__":
    main()
