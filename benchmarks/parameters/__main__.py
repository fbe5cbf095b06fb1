"""How often MAC parameters are found right in simulations, where they are known.

    python -m benchmarks.parameters [--seeds 2] [-o docs/parameters.md]

Needs ns-3 (3.37 or later) and g++. Every scene is simulated with every seed, what its sender and its receiver record
is read, and the values that count for each sending station are compared with the truth.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from benchmarks.parameters.scenes import SCENES, Scene
from winf_analyzer import _core
from winf_analyzer._mac import infer
from winf_analyzer._mac.advertised import advertised_parameters

HERE = Path(__file__).parent
LIBRARIES = ("core", "network", "internet", "applications", "mobility", "propagation", "wifi", "traffic-control")
PARAMETERS = ("slot_us", "aifs_us", "cw_min")
NETWORK = "00:00:00:00:00:01"
"""The node that all stations send to."""

Tally = Counter[tuple[str, str, bool]]
"""Stations by parameter, origin, and whether the value is true."""


def main() -> None:
    """Simulate, compare, and write the table."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--seeds", type=int, default=2, help="simulations of each scene")
    options.add_argument("-o", "--output", type=Path, default=HERE.parent.parent / "docs" / "parameters.md")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = compile_scene(Path(folder))
        tallies = {scene.name: Counter[tuple[str, str, bool]]() for scene in SCENES}
        for scene in SCENES:
            for seed in range(1, chosen.seeds + 1):
                for capture in simulate(program, scene, seed, Path(folder)):
                    tallies[scene.name] += compare(capture, scene)
            print(table_row(scene.name, tallies[scene.name]), flush=True)
    write(chosen.output, tallies, chosen.seeds)


def compile_scene(folder: Path) -> Path:
    """The program that simulates a scene."""
    program = folder / "scene"
    wanted = ["pkg-config", "--libs", *(f"ns3-{name}" for name in LIBRARIES)]
    libraries = subprocess.run(wanted, check=True, capture_output=True, text=True).stdout.split()
    subprocess.run(["g++", "-std=c++17", "-O1", "-Wall", HERE / "scene.cc", "-o", program, *libraries], check=True)
    return program


def simulate(program: Path, scene: Scene, seed: int, folder: Path) -> Iterator[Path]:
    """What the first sender and the receiver recorded."""
    options = [f"--{option}" for option in scene.options.split()]
    subprocess.run([program, *options, f"--seed={seed}", f"--out={folder / 'run'}"], check=True)
    yield from (folder / f"run-{side}.pcap" for side in ("sender", "receiver"))


def compare(capture: Path, scene: Scene) -> Tally:
    """The values that count for the sending stations, against the truth."""
    _, exchanges, capabilities = _core.survey(capture, capture.name)
    declared = advertised_parameters(pl.DataFrame(capabilities).to_dicts())
    stations = infer(pl.DataFrame(exchanges).lazy(), declared).filter("used", pl.col("station") != NETWORK)
    category = scene.truth.access_category
    tally: Tally = Counter()
    for parameter in PARAMETERS:
        of_all = parameter == "slot_us"
        rows = stations.filter(
            pl.col("parameter") == parameter,
            pl.col("access_category").is_null() if of_all else pl.col("access_category") == category,
        )
        for value, origin in rows.select("value", "origin").iter_rows():
            tally[parameter, origin, abs(value - getattr(scene.truth, parameter)) < 0.5] += 1
    return tally


def table_row(name: str, tally: Tally) -> str:
    """A row of the table: per parameter the true and the wrong values by origin."""
    cells = []
    for parameter in PARAMETERS:
        parts = [
            f"{tally[parameter, origin, True]}/{count} {origin}"
            for origin in ("measured", "declared", "presumed")
            if (count := tally[parameter, origin, True] + tally[parameter, origin, False])
        ]
        cells.append(", ".join(parts) or "-")
    return f"| {name} | {' | '.join(cells)} |"


def write(path: Path, tallies: dict[str, Tally], seeds: int) -> None:
    """The page that says what was found."""
    total: Tally = sum(tallies.values(), Counter())
    said = []
    for parameter in PARAMETERS:
        right, wrong = total[parameter, "measured", True], total[parameter, "measured", False]
        every = sum(count for (name, _, _), count in total.items() if name == parameter)
        good = sum(count for (name, _, true), count in total.items() if name == parameter and true)
        said.append(
            f"- `{parameter}`: measured for {right + wrong} of {every} stations, correct for {right} of those"
            f" ({100 * right / max(1, right + wrong):.1f} %); with declared and presumed values, correct for"
            f" {good} of {every} ({100 * good / max(1, every):.1f} %)."
        )
    rows = [table_row(name, tally) for name, tally in tallies.items()]
    template = (HERE / "page.md").read_text(encoding="utf-8")
    text = template.format(seeds=seeds, scenes=len(tallies), summary="\n".join(said), rows="\n".join(rows))
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
