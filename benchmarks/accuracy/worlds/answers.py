"""What is recommended of the recordings of worlds, beside the truth."""

from __future__ import annotations

import functools
import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

import winf_analyzer as winf
from benchmarks.accuracy.recorders import SECOND_NS, cut, draws, missing, read, read_stations, write
from benchmarks.accuracy.runs import added, goodput
from benchmarks.accuracy.worlds.listed import SECONDS
from benchmarks.accuracy.worlds.simulation import simulated
from benchmarks.processes import workers

Asked = tuple[dict[str, Any], int]
"""A world and a seed."""


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


def miss(source: Path, capture: Path, recorder: dict[str, Any], numbers: random.Random) -> None:
    """Leave out of `capture`, cut from `source`, what its `recorder` misses, as :func:`worlds` says it."""
    if "missed" in recorder:
        heard = missing(list(read(capture)), recorder["missed"], recorder.get("burst", 1), numbers)
        write(source, capture, heard)


class Recorded(NamedTuple):
    """A recording of a world, and the mean of what the flow that fills the link gets meanwhile."""

    radio: str
    capture: Path
    sender: str
    receiver: str
    truth_bps: float


def recordings(world: dict[str, Any], seed: int, cache: Path, into: Path) -> Iterator[Recorded]:
    """Each recording of a world, cut from the simulation, in the folder `into`."""
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
        sources = {"whole": (trace, 0), "cut": (trace, begin_ns)}
    else:
        within = pl.col("window_start_ns").is_between(begin_ns, until_ns, closed="left")
        truth = added(saturated, recorded).filter(within)["truth_bps"]
        sender, receiver, *_ = read_stations(folder / "recorded" / "stations.json")["addresses"]
        sources = {name: (folder / "recorded" / f"{name}.pcap", begin_ns) for name in ("own", "sniffer")}
    mean = truth.mean()
    assert isinstance(mean, float)
    for radio, (source, from_ns) in sources.items():
        capture = into / f"{radio}{source.suffix}"
        cut(source, capture, from_ns, until_ns)
        if radio == "sniffer":
            miss(source, capture, recorder, draws(f"{world['name']}-{seed}"))
        yield Recorded(radio, capture, sender, receiver, mean)


def answers(world: dict[str, Any], seed: int, cache: Path) -> Iterator[Answer]:
    """What is recommended of each recording of a world."""
    with tempfile.TemporaryDirectory() as temporary:
        for radio, capture, sender, receiver, truth_bps in recordings(world, seed, cache, Path(temporary)):
            dataset = winf.ingest([capture], Path(temporary) / f"{radio}.winf")
            winf.estimate(dataset, estimators=["saturation"], mode="corrected", window="1s")
            rows = dataset.scan("recommended").filter("whole", sender=sender, receiver=receiver).collect()
            row = rows.row(0, named=True)
            values = (row[f"available_{name}bps"] for name in ("", "low_", "high_"))
            available, low, high = (None if value is None else value / 1e6 for value in values)
            told = row["grade"], row["reasons"]
            yield Answer(world["name"], seed, radio, truth_bps / 1e6, available, low, high, *told)


def of_all(asked: Sequence[Asked], cache: Path, jobs: int) -> list[Answer]:
    """The answers of several, in processes of one thread each: the tables are small."""
    with workers(jobs) as pool:
        return [answer for found in pool.map(functools.partial(_of_one, cache), asked) for answer in found]


def _of_one(cache: Path, asked: Asked) -> list[Answer]:
    return list(answers(*asked, cache))
