# SPDX-License-Identifier: Apache-2.0
"""The truth of an ns-2 run: ``ns2_truth.py DIRECTORY``.

Reads what ns2_scenario.tcl left in DIRECTORY and writes truth_transmissions.csv and
truth_goodput.csv. A transmission starts at its MAC ``s`` event and ends at the ``x`` event that the
simulator raises when that node's transmitter falls silent; nothing about airtime is computed here.
"""

import csv
import json
import sys
from collections import Counter
from pathlib import Path

WINDOW_NS = 100_000_000
PLCP_BYTES = 24  # ns-2 counts the 144 + 48 bits of preamble and PLCP header in a frame's size
KINDS = {"RTS": "rts", "CTS": "cts", "ACK": "ack"}
BROADCAST = "ffffffff"


def main(directory: Path) -> None:
    setup = json.loads((directory / "setup.json").read_text())
    events = read_events(directory / "recording" / f"{setup['scenario']}.tr")
    ends = read_events(directory / "ends.tr")
    write(directory / "truth_transmissions.csv", transmissions(events, ends))
    write(directory / "truth_goodput.csv", goodput(events, setup))


def read_events(path: Path) -> list[dict]:
    """The lines of a classic trace, as far as they are needed here."""
    events = []
    for line in path.read_text().splitlines():
        letter, time, node, layer, _, uid, kind, size, *rest = line.split()
        seconds, fraction = time.split(".")
        events.append(
            {
                "letter": letter,
                "ns": int(seconds) * 1_000_000_000 + int(fraction.ljust(9, "0")),
                "node": int(node.strip("_")),
                "layer": layer,
                "uid": int(uid),
                "kind": kind,
                "size": int(size),
                "receiver": rest[1] if len(rest) > 3 else None,
                "addresses": [word.strip("[]") for word in rest[5:7]],
            }
        )
    return events


def transmissions(events: list[dict], ends: list[dict]) -> list[dict]:
    """One row per MAC ``s`` event. A station sends one frame at a time, so its n-th end is of its n-th start."""
    pending = {}
    for end in ends:
        pending.setdefault(end["node"], []).append(end)
    pending = {node: iter(queue) for node, queue in pending.items()}
    received = [e for e in events if e["letter"] == "r" and e["layer"] == "MAC"]
    rows = []
    for start in (e for e in events if e["letter"] == "s" and e["layer"] == "MAC"):
        end = next(pending[start["node"]], None)
        if end is None:
            continue  # the run ended while this one was on the air
        assert (end["kind"], end["size"], end["receiver"]) == (start["kind"], start["size"], start["receiver"])
        receiver = "all" if start["receiver"] == BROADCAST else int(start["receiver"], 16)
        heard = sorted({e["node"] for e in received if is_reception(e, start, end, receiver)})
        rows.append(
            {
                "node": start["node"],
                "start_ns": start["ns"],
                "duration_ns": end["ns"] - start["ns"],
                "kind": KINDS.get(start["kind"], "data"),
                "length_bytes": start["size"] - PLCP_BYTES,
                "receiver": receiver,
                "received_ok": ";".join(map(str, heard)),
            }
        )
    return rows


def is_reception(event: dict, start: dict, end: dict, receiver: int | str) -> bool:
    """Whether the ``r`` event ends this transmission: its last bit travels at most a few microseconds."""
    return (
        0 < event["ns"] - end["ns"] < 5_000
        and event["kind"] == start["kind"]
        and event["node"] != start["node"]
        and receiver in ("all", event["node"])
    )


def goodput(events: list[dict], setup: dict) -> list[dict]:
    """What the sinks' agents received, counted in bytes of the sender's packet, per window."""
    arrived = Counter()
    for event in events:
        if event["letter"] == "r" and event["layer"] == "AGT":
            low, high = sorted(f"node-{address}" for address in event["addresses"])
            arrived[f"{event['kind']} {low} {high}", event["ns"] // WINDOW_NS] += 1
    windows = int(setup["duration_s"] * 1_000_000_000) // WINDOW_NS
    return [
        {
            "flow": flow["flow"],
            "start_ns": window * WINDOW_NS,
            "window_ns": WINDOW_NS,
            "throughput_bps": arrived[flow["flow"], window] * flow["payload_bytes"] * 8 * 1_000_000_000 // WINDOW_NS,
        }
        for flow in setup["flows"]
        for window in range(windows)
    ]


def write(path: Path, rows: list[dict]) -> None:
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
