# SPDX-License-Identifier: Apache-2.0
"""Holds every recording's time stamps against the truth: ``check_stamps.py SAMPLE_DIRECTORY...``.

A frame a station sends must be stamped at its start, a frame it receives at its end, later by the time
the signal travels. Prints the range of the differences for every recording; fails if one is off.
"""

import csv
import json
import subprocess
import sys
from pathlib import Path

FARTHEST_NS = 1_000  # propagation over 300 m


def main(samples: list[Path]) -> None:
    for sample in samples:
        truth = json.loads((sample / "truth.json").read_text())
        with (sample / "truth_transmissions.csv").open() as file:
            rows = [row | {"end_ns": int(row["start_ns"]) + int(row["duration_ns"])} for row in csv.DictReader(file)]
        for path in sorted((sample / "recording").iterdir()):
            if path.suffix == ".tr":
                observed = read_trace(path)
                pairs = [pair for n in truth["nodes"] for pair in match(observed, rows, n["node"])]
                resolution = 1
            else:
                node = truth["phy"]["sniffer"] if path.stem == "sniffer" else int(path.stem.removeprefix("node-"))
                observed = [("any", node, stamp) for stamp in read_pcap(path)]
                pairs = match(observed, rows, node)
                resolution = 1 if path.read_bytes()[:4] == b"\x4d\x3c\xb2\xa1" else 1_000
            report(f"{sample.name}/{path.name}", pairs, resolution)


def read_trace(path: Path) -> list[tuple]:
    """(direction, node, stamp) of the frames sent and received at the MAC of an ns-2 trace."""
    lines = (line.split() for line in path.read_text().splitlines())
    return [
        ("tx" if letter == "s" else "rx", int(node.strip("_")), nanoseconds(time))
        for letter, time, node, layer, *_ in lines
        if layer == "MAC" and letter in "sr"
    ]


def read_pcap(path: Path) -> list[int]:
    fields = ["tshark", "-r", str(path), "-T", "fields", "-e", "frame.time_epoch"]
    listing = subprocess.run(fields, check=True, capture_output=True, text=True).stdout
    return [nanoseconds(time) for time in listing.split()]


def nanoseconds(time: str) -> int:
    seconds, fraction = time.split(".")
    return int(seconds) * 1_000_000_000 + int(fraction)


def match(observed: list[tuple], rows: list[dict], node: int) -> list[tuple]:
    """(direction, stamp minus expected) for everything this node sent or received, in the order of time."""
    expected = []
    for row in rows:
        mpdus = int(row.get("mpdus", 1))
        if int(row["node"]) == node:
            expected += [(int(row["start_ns"]), "tx")] * mpdus
        elif str(node) in row["received_ok"].split(";"):
            expected += [(row["end_ns"], "rx")] * mpdus
    mine = sorted((stamp, direction) for direction, who, stamp in observed if who == node)
    assert len(mine) == len(expected), f"node {node}: {len(mine)} frames recorded, {len(expected)} in the truth"
    for (_, said), (_, is_) in zip(mine, sorted(expected)):
        assert said in ("any", is_)
    return [(is_, stamp - at) for (stamp, _), (at, is_) in zip(mine, sorted(expected))]


def report(name: str, pairs: list[tuple], resolution: int) -> None:
    for direction, farthest in (("tx", 0), ("rx", FARTHEST_NS)):
        off = [difference for way, difference in pairs if way == direction]
        if off:
            print(f"{name}: {len(off)} {direction}, stamp - truth {min(off)} .. {max(off)} ns")
            assert -resolution < min(off) and max(off) <= farthest, name


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
