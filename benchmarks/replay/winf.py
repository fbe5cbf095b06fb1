"""XCP-Winf and RCP-Winf against XCP and RCP in the mesh and the building of S000 (Barreto).

    python -m benchmarks.replay.winf

Writes ``docs/replay/winf.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from statistics import pstdev

from benchmarks.replay.engine import Control, Json, Outcome, mean, run
from benchmarks.replay.tables import Check, checks, interval, table, write
from benchmarks.replay.worlds import building, mobile_mesh

SEEDS = (1, 2, 3, 4, 5)
SECONDS = 600
MESH_MOBILES = (3, 7)
BUILDING = ((False, 10), (True, 10), (True, 20))
WITHOUT = {"collisions": "off"}
CONTROLS = {
    "XCP": Control("xcp"),
    "XCP-Winf": Control("xcp_winf"),
    "XCP-Winf, no collision term": Control("xcp_winf", settings=WITHOUT),
    "XCP-Winf, paper": Control("xcp_winf", "paper"),
    "XCP-Winf, paper, greedy": Control("xcp_winf", "paper_greedy"),
    "RCP": Control("rcp"),
    "RCP-Winf": Control("rcp_winf"),
    "RCP-Winf, no collision term": Control("rcp_winf", settings=WITHOUT),
    "RCP-Winf, paper": Control("rcp_winf", "paper"),
}


@dataclass(frozen=True)
class Figures:
    """One run."""

    throughput_kbps: float
    delay_ms: float
    received: float
    lost: float
    queue: float
    queue_deviation: float


Results = dict[str, list[Figures]]


def main() -> None:
    """Run both scenarios and write their tables."""
    parts = [INTRODUCTION, "## Mesh with mobiles\n", MESH]
    found: list[Check] = []
    for mobiles in MESH_MOBILES:
        results = _compare(partial(mobile_mesh, mobiles, SECONDS))
        parts += [f"{mobiles} mobiles.\n", _table(results)]
        found += _checks(f"mesh, {mobiles} mobiles", results)
    parts += ["## Building\n", PLACE]
    for heavy, mobiles in BUILDING:
        results = _compare(partial(building, mobiles, heavy, 30, SECONDS))
        parts += [f"{'Heavy' if heavy else 'Light'} traffic, {mobiles} mobiles.\n", _table(results)]
        found += _checks(f"building, {'heavy' if heavy else 'light'}, {mobiles} mobiles", results)
    write("winf", "XCP-Winf and RCP-Winf", [*parts, "## Checks\n", checks(found), FOUND])


def _compare(made: Callable[[int], Json]) -> Results:
    worlds = [made(seed) for seed in SEEDS]
    jobs = [(world, control, seed) for control in CONTROLS.values() for seed, world in zip(SEEDS, worlds, strict=True)]
    figures = run(jobs, _figures)
    return {name: [next(figures) for _ in SEEDS] for name in CONTROLS}


def _figures(outcome: Outcome) -> Figures:
    flows, links = outcome.flows, outcome.links
    sources = [k for k, start in enumerate(links["from"]) if start.startswith("mobile")]
    series = [outcome.link_series(link, "queue_packets_mean") for link in sources]
    queues = [sum(step) for step in zip(*series, strict=True)]
    delays = [
        (delay, count) for delay, count in zip(flows["delay_mean_ns"], flows["received_packets"], strict=True) if delay
    ]
    received = sum(flows["received_packets"])
    return Figures(
        throughput_kbps=8 * sum(flows["delivered_bytes"]) / outcome.seconds() / 1e3,
        delay_ms=sum(delay * count for delay, count in delays) / max(received, 1) / 1e6,
        received=received,
        lost=sum(sum(flows[cause]) for cause in ("lost_queue", "lost_retry", "lost_channel", "lost_route")),
        queue=mean(queues),
        queue_deviation=pstdev(queues),
    )


def _table(results: Results) -> str:
    columns: tuple[tuple[str, str, int], ...] = (
        ("throughput, kbit/s", "throughput_kbps", 0),
        ("delay, ms", "delay_ms", 0),
        ("arrived packets", "received", 0),
        ("lost packets", "lost", 0),
        ("queue at mobiles", "queue", 1),
        ("its deviation", "queue_deviation", 1),
    )
    rows = [
        (name, *(interval([getattr(figures, field) for figures in runs], digits) for _, field, digits in columns))
        for name, runs in results.items()
    ]
    return table(["controller", *(title for title, _, _ in columns)], rows)


def _checks(scenario: str, results: Results) -> Iterator[Check]:
    for name in ("XCP", "RCP"):
        plain, winf = results[name], results[f"{name}-Winf"]
        for what, field, better in (
            ("throughput", "throughput_kbps", 1),
            ("delay", "delay_ms", -1),
            ("queue", "queue", -1),
            ("arrived packets", "received", 1),
            ("deviation of the queue", "queue_deviation", -1),
        ):
            before, after = (mean(getattr(figures, field) for figures in runs) for runs in (plain, winf))
            word = "more" if better > 0 else "less"
            yield Check(
                f"{scenario}: {name}-Winf has {word} {what} than {name}",
                f"{after:.0f} and {before:.0f}",
                better * after > better * before,
            )


INTRODUCTION = f"""
Throughput is payload delivered by all flows, each byte once; delay is one way from source to destination; arrived and
lost packets are those of all flows, arrived with duplicates, as a trace counts them; queues are those of all mobiles
together. Means over {len(SEEDS)} seeds, each with places and movements of its own, with 95 % confidence intervals;
S000 has 30. It prints no numbers but for the collision term (`collision_term.md`), its figures have none in the text:
what can be checked is who is ahead. XCP and RCP are told the PHY rate of 11 Mbit/s as capacity, as ns-2's scripts do.
"""

MESH = f"""
16 mesh nodes in a grid of 200 m in the middle of 1000 m by 1000 m, mobiles at random waypoints at 10 to 30 m/s, each
source and destination of a greedy flow, packets of 1500 bytes, 11 Mbit/s, RTS/CTS (rt-Winf needs it), ns-2's ranges.
{SECONDS} s; S000 prints no length for the mesh. Paths are shortest paths of every second; S000 ran
DSDV, with which `docs/papers/S000.md` has the same scenes.
"""

PLACE = f"""
400 m by 400 m, six mesh nodes at random places, of which one takes no part for a sixth of the time, mobiles at up to
30 m/s, four flows from each: 64 kbit/s each in light traffic, 128 kbit/s in heavy (S000 gives both a rate and a
period; the rate is taken). {SECONDS} s with flows of 240 s that start at random, as in S000. Sources send no more
than that, whatever they are granted.
"""

FOUND = """
What was found. Plain XCP and RCP take the PHY rate for the capacity. With RTS/CTS a radio link carries 4.5 Mbit/s of
1500-byte packets, less with acknowledgements, and a path of several hops a fraction of that: they always see spare
bandwidth, fill every queue, and most of what they send is dropped or arrives twice. Measured capacity and available
bandwidth end that, in throughput, delay and queues, as S000 says. Where arrived packets are fewer, it is duplicates
that are missing: S000's count of received packets would call that a loss. In light traffic all that is offered
arrives whatever the controller, and only delay and queues differ.

`paper` asks for available bandwidth less capacity, which is seldom positive, so its windows stay near one segment. On
paths of a few radio hops one segment in flight per flow is close to what the path can use, which is why it does not
look bad here; over a wire with a long round trip it starves. `paper, greedy` asks for everything and follows eq. (5),
where feedback falls as spare bandwidth grows: in the mesh it carries most of all, with seven to nine times the delay
of `corrected`; in the loaded building it fills queues as XCP does. RCP-Winf as printed has a rate that falls on an
idle channel and rises when it fills (`collision_term.md`): in the mesh it carries less than RCP, at a quarter or less
of its delay; in the loaded building it behaves as RCP.
"""


if __name__ == "__main__":
    main()
