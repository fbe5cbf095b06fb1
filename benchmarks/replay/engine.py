"""Runs worlds in the engine: JSON in, JSON out, over its example ``run``."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

Json = dict[str, Any]
T = TypeVar("T")
ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Control:
    """A controller in one mode, with the constants that differ from its defaults."""

    name: str
    mode: str = "corrected"
    settings: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What a run left behind: tables of columns."""

    flows: Json
    links: Json
    flow_bins: Json
    link_bins: Json
    bin_ns: int

    def flow_series(self, flow: int, column: str) -> list[Any]:
        """A column of one flow's bins, in order of time."""
        return self.flow_bins[column][flow :: len(self.flows["name"])]

    def link_series(self, link: int, column: str) -> list[Any]:
        """A column of one link's bins, in order of time."""
        return self.link_bins[column][link :: len(self.links["from"])]

    def seconds(self) -> float:
        """Length of the run."""
        return len(self.flow_series(0, "t_ns")) * self.bin_ns / 1e9

    def per_second(self, series: list[Any]) -> list[float]:
        """Means of a column over whole seconds; what is null is left out."""
        width = round(1e9 / self.bin_ns)
        chunks = (series[start : start + width] for start in range(0, len(series) - width + 1, width))
        return [mean(value for value in chunk if value is not None) for chunk in chunks]

    def link(self, start: str, end: str) -> int:
        """Index of the link from one node to another."""
        ends = list(zip(self.links["from"], self.links["to"], strict=True))
        return ends.index((start, end))


def run(
    jobs: Iterable[tuple[Json, Control, int]], figures: Callable[[Outcome], T], workers: int | None = None
) -> Iterator[T]:
    """The figures of every world, under its controller and with its seed, in order; on all cores or `workers`.

    Raises:
        RuntimeError: The engine refused a world, or a run ended before its time.
    """
    program = example("run")
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        yield from pool.map(lambda job: figures(_run(program, *job)), jobs)


def _run(program: str, world: Json, control: Control, seed: int) -> Outcome:
    world = {"congestion_headers": "free", **world}  # as in ns-2, which the papers and these studies ran
    request = json.dumps({"world": world, "controllers": [asdict(control)], "seed": seed})
    done = subprocess.run([program], input=request, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{world['name']} under {control.name}: {done.stderr.strip()}")
    out = json.loads(done.stdout)
    if out["fault"]:
        raise RuntimeError(f"{world['name']} under {control.name} stopped: {out['fault']}")
    return Outcome(out["flows"], out["links"], out["flow_bins"], out["link_bins"], out["bin"])


def mean(values: Iterable[float]) -> float:
    """Their mean, 0 for none."""
    kept = list(values)
    return fmean(kept) if kept else 0.0


def jain(rates: list[float]) -> float:
    """Jain's fairness index, S004 eq. (6); 1 where all are 0."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 1.0


def max_min(world: Json) -> list[float]:
    """Max-min fair goodputs of a world's flows by WCPCap's model of the medium, bit/s."""
    done = subprocess.run([example("max_min")], input=json.dumps(world), capture_output=True, text=True, check=True)
    rates: list[float] = json.loads(done.stdout)
    return rates


@cache
def example(name: str) -> str:
    """One of the engine's examples, built."""
    command = ["cargo", "build", "--release", "--quiet", "-p", "winf-engine", "--example", name]
    subprocess.run(command, cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return str(target / "release" / "examples" / name)
