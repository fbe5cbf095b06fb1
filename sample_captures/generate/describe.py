# SPDX-License-Identifier: Apache-2.0
"""Writes truth.json of one sample: ``describe.py DIRECTORY``.

Adds to the simulator's setup.json what to expect: transmissions by kind from the truth, and frames by
kind in every file as tshark (pcap) or the event letters and layers (ns-2 trace) count them.
"""

import csv
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

SUBTYPES = {
    0x00: "mgmt_other",
    0x01: "mgmt_other",
    0x08: "beacon",
    0x0D: "mgmt_other",
    0x18: "block_ack_req",
    0x19: "block_ack",
    0x1B: "rts",
    0x1C: "cts",
    0x1D: "ack",
    0x20: "data",
    0x28: "qos_data",
}


def main(directory: Path) -> None:
    truth = json.loads((directory / "setup.json").read_text())
    with (directory / "truth_transmissions.csv").open() as file:
        truth["transmissions"] = by_kind(row["kind"] for row in csv.DictReader(file))
    recordings = sorted((directory / "recording").iterdir())
    truth["files"] = {path.name: expected(path) for path in recordings}
    lines = [f" {json.dumps(name)}: {layout(value)}" for name, value in truth.items()]
    (directory / "truth.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def expected(path: Path) -> dict[str, int]:
    """How many frames, or trace events, of each kind a recording holds."""
    if path.suffix == ".tr":
        events = (line.split()[:4] for line in path.read_text().splitlines())
        return by_kind(f"{letter} {layer}" for letter, _, _, layer in events)
    fields = ["tshark", "-r", str(path), "-T", "fields", "-e", "wlan.fc.type_subtype"]
    listing = subprocess.run(fields, check=True, capture_output=True, text=True).stdout
    return by_kind(SUBTYPES[int(line, 16)] for line in listing.split())


def by_kind(kinds: Iterable[str]) -> dict[str, int]:
    counts = Counter(kinds)
    return {"all": counts.total(), **dict(sorted(counts.items()))}


def layout(value: object) -> str:
    """JSON with one line per element of a table."""
    if isinstance(value, list):
        return "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in value) + "\n ]"
    if isinstance(value, dict) and any(isinstance(inner, dict) for inner in value.values()):
        return "{\n" + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items()) + "\n }"
    return json.dumps(value)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
