"""Simulates kinds of world that the study has not, and prints the recommended answers beside the truth.

    python -m benchmarks.accuracy.worlds [NAME...] [--seeds 901,902] [--jobs 2]

Each world is recorded by the sender's own radio and by a third party's beside it; ns-2 traces all, from the start, when
stations ask for addresses, and from when traffic is measured. Needs what the study needs, and keeps simulations where
it does. Nothing is written into the documents: what these show belongs into the model or its refusals.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

import winf_analyzer as winf
from benchmarks.accuracy.recorders import SECOND_NS, cut, draws, missing, read, read_stations, write
from benchmarks.accuracy.runs import LIBRARIES, NS2_FLOWS, added, cache_folder, goodput

FOLDER = Path(__file__).parent
LISTS = tuple(FOLDER / f"{name}.toml" for name in ("worlds", "common", "mixed", "traces", "everyday", "visits"))
SECONDS = 6
"""How long a world is recorded if its options do not say."""


class Answer(NamedTuple):
    """What is said of the link under study, Mb/s."""

    world: str
    seed: int
    recorder: str
    truth: float
    available: float | None
    low: float | None
    high: float | None
    grade: str
    reasons: str

    @property
    def missed(self) -> bool:
        """The interval does not hold the truth."""
        return self.low is not None and self.high is not None and not self.low <= self.truth <= self.high


def worlds() -> list[dict[str, Any]]:
    """The lists: `name`, `options`, `simulator` where it is ns-2, and `recorder` where not all is recorded.

    Of a `recorder`: `begin` and `seconds` of the measured time, the share that the third station `missed`, and how many
    frames it misses in a row (`burst`).
    """
    return [world for path in LISTS for world in tomllib.loads(path.read_text(encoding="utf-8"))["worlds"]]


def build(cache: Path) -> Path:
    """The compiled world.cc, in a folder named after what it is made of."""
    sources = sorted([*FOLDER.glob("*.h"), FOLDER / "world.cc", FOLDER.parent / "ns3" / "traffic.h"])
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    program = cache / "worlds" / digest / "world"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        packages = [f"ns3-{library}" for library in (*LIBRARIES, "spectrum", "aodv", "olsr", "point-to-point")]
        flags = subprocess.run(["pkg-config", "--libs", *packages], capture_output=True, text=True, check=True).stdout
        partial = program.with_suffix(".partial")
        command = ["g++", "-std=c++17", "-O2", str(FOLDER / "world.cc"), "-o", str(partial), *flags.split()]
        subprocess.run(command, check=True)
        partial.rename(program)
    return program


def simulated(world: dict[str, Any], seed: int, cache: Path) -> Path:
    """The folder of a world, with the link filled and without; from the cache where it is there."""
    options = {"seconds": SECONDS} | world["options"] | {"seed": seed}
    words = [str(value).lower() if isinstance(value, bool) else str(value) for value in options.values()]
    pairs = list(zip(options, words, strict=True))
    ns2, script = world.get("simulator") == "ns2", FOLDER / "ns2_world.tcl"
    program = script if ns2 else build(cache)
    sources = script.read_bytes() + NS2_FLOWS.read_bytes()
    told = json.dumps([sources.hex() if ns2 else program.parent.name, pairs])
    folder = cache / "worlds" / "runs" / f"{world['name']}-{seed}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"
    if folder.exists():
        return folder
    partial = folder.with_suffix(".partial")
    for part, filled in (("recorded", False), ("saturated", True)):
        into = partial / part
        into.mkdir(parents=True, exist_ok=True)
        if ns2:
            command = ["ns", str(script), str(into), *(word for pair in pairs for word in pair)]
            command += ["saturate", str(int(filled))]
        else:
            command = [str(program), f"--directory={into}", *(f"--{name}={value}" for name, value in pairs)]
            command += ["--saturate"] * filled
        subprocess.run(command, check=True, capture_output=True)
    partial.rename(folder)
    return folder


def miss(source: Path, capture: Path, recorder: dict[str, Any], numbers: random.Random) -> None:
    """Leave out of `capture`, cut from `source`, what its `recorder` misses, as :func:`worlds` says it."""
    if "missed" in recorder:
        heard = missing(list(read(capture)), recorder["missed"], recorder.get("burst", 1), numbers)
        write(source, capture, heard)


def answers(world: dict[str, Any], seed: int, cache: Path) -> Iterator[Answer]:
    """What is recommended of each recording of a world."""
    folder, options = simulated(world, seed, cache), world["options"]
    saturated, recorded = goodput(folder / "saturated"), goodput(folder / "recorded")
    recorder = world.get("recorder", {})
    begin_ns = (options.get("begin", 1) + recorder.get("begin", 0)) * SECOND_NS
    until_ns = begin_ns + recorder.get("seconds", options.get("seconds", SECONDS)) * SECOND_NS
    if world.get("simulator") == "ns2":
        # As in the study: what the filled queue drops of the light flow, the saturating flow gets.
        bits = {name: table["truth_bps"] for name, table in (saturated | {"offered": recorded["light"]}).items()}
        truth = (bits["saturating"] + bits["light"] - bits["offered"]).clip(lower_bound=0)
        sender, receiver = (f"node-{options['sender'] + end}" for end in (0, 1))
        trace = folder / "recorded" / "recording.tr"
        recordings = {"whole": (trace, 0), "cut": (trace, begin_ns)}
    else:
        within = pl.col("window_start_ns").is_between(begin_ns, until_ns, closed="left")
        truth = added(saturated, recorded).filter(within)["truth_bps"]
        sender, receiver, *_ = read_stations(folder / "recorded" / "stations.json")["addresses"]
        recordings = {name: (folder / "recorded" / f"{name}.pcap", begin_ns) for name in ("own", "sniffer")}
    mean = truth.mean()
    assert isinstance(mean, float)
    for radio, (source, from_ns) in recordings.items():
        with tempfile.TemporaryDirectory() as temporary:
            capture = Path(temporary) / f"{radio}{source.suffix}"
            cut(source, capture, from_ns, until_ns)
            if radio == "sniffer":
                miss(source, capture, recorder, draws(f"{world['name']}-{seed}"))
            dataset = winf.ingest([capture], Path(temporary) / "run.winf")
            winf.estimate(dataset, estimators=["saturation"], mode="corrected", window="1s")
            rows = dataset.scan("recommended").filter("whole", sender=sender, receiver=receiver).collect()
        row = rows.row(0, named=True)
        values = (row[f"available_{name}bps"] for name in ("", "low_", "high_"))
        available, low, high = (None if value is None else value / 1e6 for value in values)
        yield Answer(world["name"], seed, radio, mean / 1e6, available, low, high, row["grade"], row["reasons"])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="worlds; default: all")
    parser.add_argument("--seeds", default="901,902", help="comma-separated")
    parser.add_argument("--jobs", type=int, default=2, help="simulations at a time")
    arguments = parser.parse_args()
    cache, seeds = cache_folder(), [int(seed) for seed in arguments.seeds.split(",")]
    asked = [
        (world, seed) for world in worlds() for seed in seeds if world["name"] in (arguments.names or [world["name"]])
    ]
    build(cache)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(lambda one: simulated(one[0], one[1], cache), asked))
    found = [answer for one in asked for answer in answers(one[0], one[1], cache)]
    table = pl.DataFrame([answer._asdict() | {"missed": answer.missed} for answer in found], infer_schema_length=None)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, fmt_str_lengths=80, float_precision=2):
        print(table)


if __name__ == "__main__":
    main()
