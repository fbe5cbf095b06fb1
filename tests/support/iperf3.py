"""iperf3 logs of what a simulator says passed."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path

Window = tuple[int, int, float]
"""Start (ns), length (ns), bit/s."""


def goodput(truth: Path, flow: str) -> list[Window]:
    """The windows of one flow in a sample's ``truth_goodput.csv``."""
    with truth.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["flow"] == flow]
    return [(int(row["start_ns"]), int(row["window_ns"]), float(row["throughput_bps"])) for row in rows]


def write_server_log(
    path: Path, windows: Iterable[Window], *, sender: str, receiver: str, epoch_s: int | None, udp: bool = True
) -> Path:
    """Write the JSON log of an iperf3 server: one stream, times from the first window's start.

    Ends are ``address:port``. iperf3 stamps the test in whole seconds (``epoch_s``); without it the log tells no time.
    """
    windows = list(windows)
    first = windows[0][0]
    local_host, _, local_port = receiver.rpartition(":")
    remote_host, _, remote_port = sender.rpartition(":")
    connected = {
        "socket": 5,
        "local_host": local_host,
        "local_port": int(local_port),
        "remote_host": remote_host,
        "remote_port": int(remote_port),
    }
    start = {
        "connected": [connected],
        "version": "iperf 3.12",
        "test_start": {"protocol": "UDP" if udp else "TCP", "num_streams": 1, "omit": 0},
    }
    if epoch_s is not None:
        start["timestamp"] = {"time": "", "timesecs": epoch_s}
    intervals = []
    for at, length, rate in windows:
        stream = {
            "socket": 5,
            "start": (at - first) / 1e9,
            "end": (at - first + length) / 1e9,
            "seconds": length / 1e9,
            "bytes": round(rate * length / 8e9),
            "bits_per_second": rate,
            "omitted": False,
            "sender": False,
        }
        intervals.append({"streams": [stream], "sum": stream})
    path.write_text(json.dumps({"start": start, "intervals": intervals, "end": {}}))
    return path
