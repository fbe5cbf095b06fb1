"""Speed and memory beside a peer, on recordings made for the purpose, in one run.

    python -m benchmarks.speed [--frames 2000000] [--events 6200000] [--exchanges 1000000] [--reported 5000000]
        [--rounds 3]

The peers take turns, the best round of each counts, and start-up time is part of every figure. Peak memory is that of
the whole process. tshark is asked for 11 fields; winf fills every column.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks import exchanges, made_captures, ratios
from benchmarks.processes import Contender, beside, python, winf
from benchmarks.tiled import tile_pcap, tile_trace

SAMPLES = Path(__file__).parent.parent / "sample_captures"
SNIFFER = SAMPLES / "ns3_sniffer" / "recording" / "sniffer.pcap"
TRACE = SAMPLES / "ns2_rts_link" / "recording" / "rts_link.tr"
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
import sys, duckdb, winf_analyzer
frames = winf_analyzer.read_frames(sys.argv[1])
((count,),) = duckdb.sql("select count(*) from frames").fetchall()
assert count >= int(sys.argv[2])
"""
"""Every record batch with all its columns is made and handed over; counting costs nothing and keeps none."""

ESTIMATORS = """
import sys
from winf_analyzer import estimators
from winf_analyzer._dataset.dataset import Dataset
dataset = Dataset.open(sys.argv[1])
exchanges, frames, parameters = map(dataset.scan, ("exchanges", "frames", "mac_parameters"))
assert sum(rows.height for rows in estimators.estimate_each(exchanges, frames=frames, parameters=parameters.collect()))
"""
"""Every estimate is made, and dropped; the dataset has been estimated before."""


REPORT_BYTES, REPORT_SECONDS = 8_000_000, 3
"""Aims of the report of a long recording: its size, and its time by the clock on two idle cores."""


def ingest(recording: Path, scratch: Path) -> Contender:
    """`winf ingest` of a recording, from nothing each time."""
    target = scratch / "run.winf"
    command = [*winf("-q", "ingest"), recording, "-o", target]
    return Contender("winf ingest: frames, exchanges, Parquet", command, lambda: shutil.rmtree(target, True))


def captures(scratch: Path, frames: int, rounds: int) -> None:
    """A radiotap capture: decoding and ingest beside tshark."""
    recording = scratch / "long.pcap"
    frames = tile_pcap(SNIFFER, recording, frames)
    fields = [word for field in FIELDS for word in ("-e", field)]
    contenders = [
        Contender("tshark -T fields, 11 fields", ["tshark", "-n", "-r", recording, "-T", "fields", *fields]),
        Contender("recording to Arrow, all columns", [*python(TO_ARROW), recording, str(frames)]),
        ingest(recording, scratch),
    ]
    print(f"capture of {frames} frames, {recording.stat().st_size / 2**20:.0f} MiB")
    tshark, to_arrow, ingested = Contender.compare(contenders, frames, "frames", rounds)
    ratios.note(beside("capture to Arrow beside tshark", tshark, to_arrow))
    ratios.note(beside("ingest beside tshark", tshark, ingested))


def traces(scratch: Path, events: int, rounds: int) -> None:
    """An ns-2 trace: parsing beside mawk summing one field, by octets."""
    recording = scratch / "long.tr"
    events = tile_trace(TRACE, recording, events)
    contenders = [
        Contender("mawk summing one field", ["mawk", "{ total += $8 } END { print total }", recording]),
        Contender("ns-2 trace to Arrow, all columns", [*python(TO_ARROW), recording, str(events)]),
    ]
    size = recording.stat().st_size
    print(f"ns-2 trace of {events} events, {size / 2**20:.0f} MiB")
    mawk, to_arrow = Contender.compare(contenders, size / 1e6, "MB", rounds)
    ratios.note(beside("ns-2 trace to Arrow beside mawk", mawk, to_arrow))


def lengths(scratch: Path, frames: int, rounds: int) -> None:
    """The same capture, ten times as long: memory and cost per frame should not change."""
    for part in (frames // 10, frames):
        recording = scratch / f"{part}.pcap"
        count = tile_pcap(SNIFFER, recording, part)
        print(f"capture of {count} frames")
        Contender.compare([ingest(recording, scratch)], count, "frames", rounds)


def estimate(dataset: Path) -> Contender:
    """`winf estimate` of a dataset: all estimators in both modes."""
    return Contender("winf estimate: all estimators, both modes", [*winf("-q", "estimate", "--again"), dataset])


def estimators(dataset: Path) -> Contender:
    """The estimators without what the command does besides: MAC parameters, hidden pairs, writing and printing."""
    return Contender("all estimators, both modes, alone", [*python(ESTIMATORS), dataset])


def estimates(scratch: Path, frames: int, rounds: int) -> None:
    """All estimators beside the ingest of the same recording."""
    recording = scratch / "estimated.pcap"
    frames = tile_pcap(SNIFFER, recording, frames)
    print(f"capture of {frames} frames, ingested and estimated")
    dataset = scratch / "run.winf"
    contenders = [ingest(recording, scratch), estimate(dataset), estimators(dataset)]
    ingested, estimated, alone = Contender.compare(contenders, frames, "frames", rounds)
    ratios.note(beside("winf estimate beside ingest", ingested, estimated))
    ratios.note(beside("estimators beside ingest", ingested, alone))


def estimate_lengths(scratch: Path, rows: int) -> None:
    """Estimates of made exchanges, and of ten times as many: memory and cost per row should not change."""
    for part in (rows // 10, rows):
        made = exchanges.dataset(scratch / f"{part}.winf", part)
        print(f"{part} exchanges")
        Contender.compare([estimate(made)], part, "rows", 1)
        shutil.rmtree(made)


def report(scratch: Path, frames: int, rounds: int) -> None:
    """`winf report` of a long recording with all its estimates, beside its ingest."""
    recording, page = scratch / "reported.pcap", scratch / "report.html"
    frames = tile_pcap(SNIFFER, recording, frames)
    dataset = scratch / "run.winf"
    ingested = ingest(recording, scratch).run()
    recording.unlink()
    estimate(dataset).run()
    print(f"dataset of {frames} frames with all estimates, reported")
    command = [*winf("-q", "report"), dataset, "-o", page, "--force"]
    (run,) = Contender.compare([Contender("winf report", command)], frames, "frames", rounds)
    size = page.stat().st_size
    print(
        f"{size / 1e6:.1f} MB, aim {REPORT_BYTES / 1e6:.0f}; {run.seconds:.1f} s by the clock, aim {REPORT_SECONDS}\n"
    )
    ratios.note(beside("report beside ingest", ingested, run))
    if size > REPORT_BYTES:
        sys.exit(f"the report has {size} octets, more than {REPORT_BYTES}")


def small(scratch: Path, rounds: int) -> None:
    """Commands on a capture of a thousand frames, beside loading Polars, which is a measure of the machine."""
    recording, dataset = scratch / "small.pcap", scratch / "small.winf"
    made_captures.capture(recording, 4, range(500))
    query = "select kind, count(*) from frames group by kind"
    again, analysis = ["-o", dataset, "--force"], ["-o", scratch / "analysis", "--force"]
    commands = {
        "--help": winf("--help"),
        "list formats": winf("list", "formats"),
        "info": [*winf("info"), recording],
        "ingest": [*winf("-q", "ingest"), recording, *again],
        "sql": [*winf("sql"), dataset, query],
        "analyze without replay": [*winf("-q", "analyze"), recording, *analysis, "--controllers", "none"],
        "analyze": [*winf("-q", "analyze"), recording, *analysis],
    }
    polars = Contender("python -c 'import polars'", python("import polars"))
    contenders = [Contender(f"winf {name}", command) for name, command in commands.items()]
    print("capture of 1000 frames")
    loaded, *runs = Contender.compare([polars, *contenders], 1, "runs", rounds)
    for name, run in zip(commands, runs, strict=True):
        ratios.note({f"small: winf {name} beside loading Polars, processor": loaded.processor_s / run.processor_s})


def main() -> None:
    """Make the recordings, measure, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=2_000_000)
    parser.add_argument("--events", type=int, default=6_200_000, help="of the ns-2 trace, which has 400 MB by that")
    parser.add_argument("--exchanges", type=int, default=1_000_000)
    parser.add_argument("--reported", type=int, default=5_000_000, help="frames of the dataset that is reported")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for peer, package in (("tshark", "tshark"), ("mawk", "mawk")):
        if shutil.which(peer) is None:
            sys.exit(f"{peer} is a peer of this measurement and is not installed (on Debian: apt install {package}).")
    print(f"{os.cpu_count()} cores, best of {options.rounds} rounds\n")
    with tempfile.TemporaryDirectory(prefix="winf-bench-") as folder:
        captures(Path(folder), options.frames, options.rounds)
        traces(Path(folder), options.events, options.rounds)
        lengths(Path(folder), options.frames, options.rounds)
        estimates(Path(folder), options.frames, options.rounds)
        estimate_lengths(Path(folder), options.exchanges)
        report(Path(folder), options.reported, options.rounds)
        small(Path(folder), options.rounds)


if __name__ == "__main__":
    main()
