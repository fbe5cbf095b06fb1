"""Draws runs at random from all that the simulation and the recorders can vary.

The other groups hold what somebody thought of. These hold what nobody chose: each run varies several things, in
combinations and with values that no one had in mind. `python -m benchmarks.accuracy.drawn development` prints the
lines of `lists/drawn_development.toml`; runs that ns-3 cannot simulate, or whose link delivers nothing, were left out.
`again_development` was drawn when the others had been worked on for a while, to see what is general; most stations of
each of its runs are heard.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from benchmarks.accuracy.runs import cache_folder, run
from benchmarks.accuracy.scenario_list import ListedRun

GROUP = "drawn"
SECONDS = 5
FIRST_SEED = {"development": 50_000, "held_out": 60_000, "again_development": 70_100}
DRAWS = {"development": 72, "held_out": 64, "again_development": 36}
SAMPLED = frozenset(FIRST_SEED[part] + draw for part in ("development", "held_out") for draw in (0, 4))
"""Seeds of the fixed sample."""

PHYS = (
    *("b11", "b5", "g54", "g36", "g24", "g12", "a54", "n65", "n52", "n65_2ghz", "ac78", "ac175", "ax29", "ax73"),
    "ax184",
)
AGGREGATING = ("n", "ac", "ax")
CATEGORIES = ("BE", "VI", "VO", "BK")


def drawn(seed: int) -> ListedRun:
    """The run that a seed gives."""
    chance = random.Random(seed)
    phy = chance.choice(PHYS)
    topology = chance.choice(("bss", "bss", "bss", "adhoc", "hidden"))
    links = chance.choice((2, 3)) if topology == "hidden" else chance.choice((1, 2, 2, 3, 3, 4, 5, 6, 8, 12, 20))
    load = 0 if links == 1 else round(chance.uniform(0.05, 0.7), 2)
    values: dict[str, Any] = {
        "rts": chance.random() < 0.25,
        "payload": chance.choice((1472, 1472, 1472, 1000, 512, 200)),
    }
    if links > 1:
        values["arrivals"] = chance.choice(("poisson", "poisson", "bursty", "tcp", "mixed"))
    if chance.random() < 0.2:
        values["probe"] = "tcp"
    if chance.random() < 0.2:
        values["loss"] = round(chance.uniform(0.03, 0.3), 2)
    if chance.random() < 0.25 and not phy.startswith("b"):
        values["rate_control"] = "MinstrelHt" if phy.startswith(AGGREGATING) else "Minstrel"
        values["attenuation_db"] = round(chance.uniform(10, 28), 1)
        values["fading_db"] = round(chance.uniform(1, 5), 1)
    if chance.random() < 0.25 and not phy.startswith("b"):
        values["category"] = chance.choice(CATEGORIES)
        values["background_categories"] = tuple(chance.sample(CATEGORIES, chance.choice((1, 2))))
    # ns-3's bulk TCP flow sets no type of service: it is best effort, and no truth of a link of another category.
    if values.get("category", "BE") != "BE":
        values.pop("probe", None)
    if topology == "bss" and chance.random() < 0.4:
        values["direction"] = chance.choice(("up", "down"))
        values["background_direction"] = chance.choice(("up", "down", "both"))
    values |= _recorder(chance, links, topology)
    name = f"{GROUP}-{seed}-{phy}-{topology}-{links}x{load:g}"
    common = {"group": GROUP, "name": name, "seed": seed, "phy": phy, "topology": topology}
    return ListedRun(**common, sample=seed in SAMPLED, links=links, load=load, seconds=SECONDS, **values)


def _recorder(chance: random.Random, links: int, topology: str) -> dict[str, Any]:
    """Who records, by which clock, and what is missing."""
    values: dict[str, Any] = {}
    if chance.random() < 0.35:
        values["sniffer"] = chance.choice(("near", "far", "edge"))
        if values["sniffer"] == "far":
            values["sniffer_db"] = round(chance.uniform(5, 20), 1)
    if chance.random() < 0.2:
        values["clock"] = chance.choice(("none", "1ms", "jitter50us", "jitter300us", "batch5ms"))
    if chance.random() < 0.25:
        values["missed"] = round(chance.uniform(0.03, 0.35), 2)
        values["missed_burst"] = chance.choice((1, 1, 8, 20))
    if links > 2 and topology != "hidden" and chance.random() < 0.2:
        values["unheard"] = (chance.randrange(1, links),)
    if chance.random() < 0.15:
        values["recorded_ms"] = chance.choice((500, 800, 1500, 2500))
    return values


def line(listed: ListedRun) -> str:
    """A run as a line of a list: what differs from the defaults."""
    shown = {field.name: getattr(listed, field.name) for field in fields(listed)}
    shown = {field.name: shown[field.name] for field in fields(listed) if shown[field.name] != field.default}
    return "  { " + ", ".join(f"{name} = {json.dumps(value)}" for name, value in shown.items()) + " },"


def main(part: str, cache: Path) -> None:
    """Prints the lines of a part of which the simulation runs and delivers something."""
    for seed in range(FIRST_SEED[part], FIRST_SEED[part] + DRAWS[part]):
        listed = drawn(seed)
        if part == "again_development" and listed.sniffer == "edge":
            continue
        try:
            truth_bps = run(listed, cache).truth["truth_bps"].mean()
        except SystemExit as error:
            print(f"{listed.name} is left out: {error}", file=sys.stderr)
            continue
        if truth_bps:
            print(line(listed))
        else:
            print(f"{listed.name} is left out: nothing is delivered", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], cache_folder())
