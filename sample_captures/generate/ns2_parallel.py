# SPDX-License-Identifier: Apache-2.0
"""Traces of parallel links and what probes get on the first: ``ns2_parallel.py DIRECTORY [SCENARIO...]``.

Each scenario is simulated three times by ns2_parallel.tcl with one seed: as recorded (SCENARIO.tr.gz), with a
saturating UDP flow on the first link, and with a bulk TCP flow. truth.json has what the first link carried, and what
the probes added to that, in bits of IP packets (UDP) or of TCP payload per second.
"""

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).with_name("ns2_parallel.tcl")
FROM_S, END_S = 0.5, 5.0

SCENARIOS = {
    "b1": "phy=b links=1 own=0.5e6",
    "b2": "phy=b links=2 load=2.0e6",
    "b4": "phy=b links=4 load=1.2e6",
    "b8": "phy=b links=8 load=0.5e6",
    "b5_rts": "phy=b links=5 rts=1 load=0.6e6",
    "b2_small": "phy=b links=2 load=0.8e6 bytes=500",
    "b4_tagged": "phy=b links=4 load=1.0e6 tagged=1 seed=2",
    "g4": "phy=g links=4 load=4e6 own=1e6",
    "g8": "phy=g links=8 load=2e6 own=1e6",
    "g3_rts": "phy=g links=3 rts=1 load=4e6 own=1e6",
    "hidden_rts": "phy=b links=2 layout=hidden rts=1 load=1.0e6",
}


def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "truth.json"
    truth = json.loads(path.read_text()) if path.exists() else {}
    for name in names or SCENARIOS:
        own, *_ = recorded = run(name, "none", folder / f"{name}.tr.gz")
        with_udp, with_tcp = run(name, "udp"), run(name, "tcp")
        truth[name] = {
            "settings": SCENARIOS[name],
            "own_bps": own,
            "total_bps": sum(recorded),
            "available_bps": with_udp[0] + with_udp[-1] - own,
            "available_tcp_bps": with_tcp[-1],
        }
    path.write_text(json.dumps(truth, indent=1, sort_keys=True) + "\n")


def run(name: str, probe: str, keep: Path | None = None) -> list[float]:
    """Goodput of each link and of the probe, bit/s; the trace is kept compressed."""
    with tempfile.TemporaryDirectory() as scratch:
        trace = Path(scratch) / "run.tr"
        command = ["ns", str(SCRIPT), str(trace), *SCENARIOS[name].split(), f"probe={probe}", f"end={END_S}"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        if keep:
            keep.write_bytes(gzip.compress(trace.read_bytes(), mtime=0))
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("GOODPUT")]
    return [8 * int(octets) / (END_S - FROM_S) for _, _, octets in lines]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
