"""Time and memory of every command with more stations and with more files, and the exponents they grow by.

    python -m benchmarks.scaling [--only stations|files] [--largest N] [-o RESULTS.ndjson]

Stations: the same number of frames, sent by more and more stations. Files: more and more small captures. What the
results file has is not measured again, so a run that was stopped goes on. A process that exceeds the limits is ended,
and its row says so; larger sizes of the same command are then left out.

The exponent is that of processor time between neighbouring sizes. Start-up is part of the time, so exponents between
small sizes are lower than those of the work alone.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.made_captures import capture, log_of

FRAMES = 48_000
"""Frames of the recordings with different numbers of stations."""

RANDOM_ADDRESSES = 100_000
STATIONS = (4, 40, 400, 4000, RANDOM_ADDRESSES)
FILES = (10, 100, 1000, 10_000)
FILE_EXCHANGES, FILE_STATIONS, FILE_IDLE_US = 50, 3, 60_000
COMMANDS = ("ingest", "estimate", "hidden_pairs", "compare", "report", "merge", "analyze")
MAX_MIB, MAX_SECONDS = 6 * 1024, 1200
POLL_S = 0.05


@dataclass(frozen=True)
class Row:
    """One measured process."""

    scale: str
    size: int
    command: str
    processor_s: float
    seconds: float
    peak_mib: float
    outcome: str
    """`ok`, or what ended it."""


def measure(arguments: list[str | os.PathLike[str]]) -> tuple[float, float, float, str]:
    """Run `winf` and return processor time, time, peak memory, and how it ended."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "winf_analyzer", "-q", *arguments]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        outcome = ""
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if _resident_mib(process.pid) > MAX_MIB:
                outcome = f"more than {MAX_MIB} MiB"
            elif time.perf_counter() - started > MAX_SECONDS:
                outcome = f"more than {MAX_SECONDS} s"
            if outcome:
                process.kill()
            time.sleep(POLL_S)
        process.returncode = os.waitstatus_to_exitcode(status)
        if not outcome and process.returncode not in (0, 3):
            errors.seek(0)
            outcome = errors.read().decode(errors="replace").strip()[-300:] or f"exit code {process.returncode}"
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - started, usage.ru_maxrss / 1024, outcome or "ok"


def _resident_mib(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def recordings(folder: Path, scale: str, size: int) -> tuple[list[Path], list[Path]]:
    """Captures for `ingest`, and captures of one channel by several recorders for `merge`."""
    folder.mkdir()
    if scale == "stations":
        exchanges = range(max(FRAMES // 2, size))
        one, other = folder / "one.pcap", folder / "other.pcap"
        capture(one, size, exchanges)
        capture(other, size, exchanges, offset_us=3_000)
        return [one], [one, other]
    files: dict[str, list[Path]] = {"apart": [], "overlapping": []}
    for (kind, found), step in zip(files.items(), (FILE_EXCHANGES, FILE_EXCHANGES // 2), strict=True):
        (folder / kind).mkdir()
        for number in range(size):
            found.append(folder / kind / f"{number:05}.pcap")
            exchanges = range(number * step, number * step + FILE_EXCHANGES)
            capture(found[-1], FILE_STATIONS, exchanges, idle_us=FILE_IDLE_US, offset_us=1_000 * (number % 7))
    return files["apart"], files["overlapping"]


def commands(folder: Path, scale: str, size: int) -> Iterator[tuple[str, list[str | os.PathLike[str]]]]:
    """The commands to measure, in an order in which each finds what it needs."""
    captures, merged = recordings(folder / "captures", scale, size)
    whole: Path = captures[0] if scale == "stations" else captures[0].parent
    log = folder / "log.csv"
    log_of(log, 12, 1e5)
    dataset = folder / "run.winf"
    yield "ingest", ["ingest", whole, "-o", dataset]
    yield "estimate", ["estimate", dataset]
    yield "hidden_pairs", ["sql", dataset, "--query", "hidden_pairs", "--to", "csv"]
    yield "compare", ["compare", dataset, "--iperf", log]
    yield "report", ["report", dataset, "-o", folder / "report.html"]
    shutil.rmtree(dataset, ignore_errors=True)
    yield "merge", ["merge", *(merged if len(merged) < 3 else [merged[0].parent]), "-o", folder / "merged.winf"]
    shutil.rmtree(folder / "merged.winf", ignore_errors=True)
    yield "analyze", ["analyze", whole, log, "-o", folder / "analysis", "--controllers", "none"]


def exponents(rows: list[Row]) -> Iterator[tuple[str, str, int, int, float]]:
    """Scale, command, two neighbouring sizes, and the exponent of processor time between them."""
    for scale in ("stations", "files"):
        for command in COMMANDS:
            of_command = sorted(
                (row.size, row.processor_s) for row in rows if (row.scale, row.command) == (scale, command)
            )
            for (size, seconds), (next_size, next_seconds) in pairwise(of_command):
                yield scale, command, size, next_size, math.log(next_seconds / seconds) / math.log(next_size / size)


def main() -> None:
    """Measure what is missing, and print the table and the exponents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("stations", "files"))
    parser.add_argument("--largest", type=int, default=max(*STATIONS, *FILES))
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("-o", "--output", type=Path, default=Path("scaling.ndjson"))
    options = parser.parse_args()
    rows = read(options.output)
    for scale, sizes in (("stations", STATIONS), ("files", FILES)):
        for size in sizes if options.only in (None, scale) else ():
            if size <= options.largest:
                _measure_all(rows, options.output, scale, size, options.commands.split(","))
    for row in rows:
        print(
            f"{row.scale:9}{row.size:8} {row.command:13}{row.processor_s:9.2f} s{row.peak_mib:8.0f} MiB  {row.outcome}"
        )
    for scale, command, size, next_size, exponent in exponents([row for row in rows if row.outcome == "ok"]):
        print(f"{scale:9}{command:13}{size:8} to{next_size:7}: exponent {exponent:.2f}")


def read(path: Path) -> list[Row]:
    """The rows of a results file."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Row(**json.loads(line)) for line in lines]


def _measure_all(rows: list[Row], output: Path, scale: str, size: int, wanted: list[str]) -> None:
    """Measure the commands that have no row of this size yet; datasets are made again where a later one needs them."""
    missing = {
        command
        for command in wanted
        if not any((row.scale, row.size, row.command) == (scale, size, command) for row in rows)
    }
    missing -= {row.command for row in rows if row.scale == scale and row.size < size and row.outcome != "ok"}
    if not missing:
        return
    with tempfile.TemporaryDirectory(prefix="winf-scaling-") as folder:
        for command, arguments in commands(Path(folder), scale, size):
            needed_later = command in ("ingest", "estimate") and missing & {
                "estimate",
                "hidden_pairs",
                "compare",
                "report",
            }
            if command not in missing and not needed_later:
                continue
            row = Row(scale, size, command, *measure(arguments))
            if command in missing:
                rows.append(row)
                with output.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(row)) + "\n")
            print(
                f"{scale} {size} {command}: {row.processor_s:.2f} s, {row.peak_mib:.0f} MiB, {row.outcome}", flush=True
            )


if __name__ == "__main__":
    main()
