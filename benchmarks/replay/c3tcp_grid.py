"""C3TCP beside Vegas, Westwood and NewReno in the grid of S001 (Kliazovich and Granelli, sec. 5.2).

    python -m benchmarks.replay.c3tcp_grid

Writes ``docs/replay/c3tcp_grid.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import pstdev

from benchmarks.replay.c3tcp_string import CONTROLS, REPAIRS_MS, SEEDS, TRANSPORT
from benchmarks.replay.engine import Outcome, max_min, mean, run
from benchmarks.replay.tables import Check, checks, interval, table, write
from benchmarks.replay.worlds import ms
from winf_analyzer._replay.topologies import build
from winf_analyzer._replay.topologies.world import World

CROSS_KBPS = (400, 800, 1500)
ALONE_S = (*range(5, 30), *range(72, 100))
CROSS_S = range(32, 70)
EQUAL, STARVED = 0.1, 0.1
"""Largest lead of a flow that counts as equal; share of its rate alone below which a flow counts as starved."""


@dataclass(frozen=True)
class Figures:
    """One run; goodputs of the flow over four hops and of that over two, kbit/s."""

    long_alone: float
    short_alone: float
    long_crossed: float
    short_crossed: float
    variation: float
    """Standard deviation of a flow's seconds alone over their mean, mean of both flows, per cent."""


Results = dict[str, list[Figures]]


def main() -> None:
    """Run every controller with both kinds of routes at every rate of the cross traffic, and write the tables."""
    parts = [INTRODUCTION]
    found: list[Check] = []
    for routes, repair_ms in REPAIRS_MS.items():
        parts.append(f"## {routes.capitalize()} routes\n")
        for rate in CROSS_KBPS:
            results = _results(rate, repair_ms)
            parts += [f"Cross traffic of {rate} kbit/s.\n", _table(results)]
            found += _crossed(f"{routes}, {rate} kbit/s", results)
        found += _alone(routes, results)
    parts += ["## The paper's statements\n", checks(found), FOUND, _shares()]
    write("c3tcp_grid", "C3TCP in a grid of twenty nodes", parts)


def _shares() -> str:
    """What max-min fairness allows the two TCP flows, kbit/s."""
    world = _world(CROSS_KBPS[0], None)
    rates = max_min({**world, "flows": world["flows"][:2]})
    return f"Max-min allocation alone: long {rates[0] / 1e3:.0f}, short {rates[1] / 1e3:.0f} kbit/s.\n"


def _results(cross_kbps: int, repair_ms: int | None) -> Results:
    world = _world(cross_kbps, repair_ms)
    outcomes = run([(world, control, seed) for control in CONTROLS.values() for seed in SEEDS], _figures)
    return {name: [next(outcomes) for _ in SEEDS] for name in CONTROLS}


def _world(cross_kbps: int, repair_ms: int | None) -> World:
    world = build(f"grid_cross:cross_kbps={cross_kbps}")
    *tcp, cross = world["flows"]
    repair = {"route_repair_ns": ms(repair_ms)} if repair_ms else {}
    return {**world, **repair, "flows": [*({**flow, "transport": TRANSPORT} for flow in tcp), cross]}


def _figures(outcome: Outcome) -> Figures:
    rates = [outcome.per_second(outcome.flow_series(flow, "throughput_bps")) for flow in (0, 1)]
    alone = [[rate[second] / 1e3 for second in ALONE_S] for rate in rates]
    crossed = [mean(rate[second] / 1e3 for second in CROSS_S) for rate in rates]
    return Figures(
        long_alone=mean(alone[0]),
        short_alone=mean(alone[1]),
        long_crossed=crossed[0],
        short_crossed=crossed[1],
        variation=100 * mean(pstdev(seconds) / max(mean(seconds), 1.0) for seconds in alone),
    )


def _table(results: Results) -> str:
    columns = (
        ("alone: long, kbit/s", "long_alone"),
        ("short", "short_alone"),
        ("with cross traffic: long", "long_crossed"),
        ("short", "short_crossed"),
        ("variation alone, %", "variation"),
    )
    rows = [
        [name, *(interval([getattr(run, field) for run in runs], 0) for _, field in columns)]
        for name, runs in results.items()
    ]
    return table(["controller", *(title for title, _ in columns)], rows)


def _alone(routes: str, results: Results) -> Iterator[Check]:
    found = {name: _means(runs) for name, runs in results.items()}
    reno, westwood, vegas = found["NewReno"], found["Westwood+"], found["Vegas"]
    yield _leads(f"{routes}, alone: NewReno's short flow above its long one (paper: 400 to 330 kbit/s)", reno)
    yield _equal(f"{routes}, alone: Westwood+'s flows equal within 10 % (paper: 400 kbit/s each)", westwood)
    yield _leads(f"{routes}, alone: Vegas's short flow above its long one", vegas)
    for name in ("C3TCP, paper", "C3TCP"):
        yield _equal(f"{routes}, alone: {name}'s flows equal within 10 % (paper: 450 kbit/s each)", found[name])
    best = found["C3TCP, paper"]
    for name in ("NewReno", "Westwood+"):
        ahead = _total(best) / _total(found[name]) - 1
        printed = {"NewReno": 23, "Westwood+": 12}[name]
        yield Check(
            f"{routes}, alone: both flows of C3TCP, paper carry more than {name}'s (paper: {printed} %)",
            f"{100 * ahead:+.1f} %",
            ahead > 0,
        )
    for steadier, other in (("Westwood+", "NewReno"), ("Vegas", "Westwood+")):
        pair = found[steadier].variation, found[other].variation
        yield Check(
            f"{routes}, alone: {steadier} steadier than {other}", f"{pair[0]:.0f} to {pair[1]:.0f} %", pair[0] < pair[1]
        )


def _crossed(world: str, results: Results) -> Iterator[Check]:
    vegas = _means(results["Vegas"])
    share = vegas.long_crossed / vegas.long_alone
    yield Check(
        f"{world}: the cross traffic starves Vegas's long flow (paper: down to 0)",
        f"{100 * share:.0f} % of its rate alone",
        share <= STARVED,
    )
    for name in ("C3TCP, paper", "C3TCP"):
        runs = _means(results[name])
        loss, gain = runs.long_crossed - runs.long_alone, runs.short_crossed - runs.short_alone
        yield Check(
            f"{world}: {name}'s short flow gains what the long one loses",
            f"long {loss:+.0f}, short {gain:+.0f} kbit/s",
            loss < 0 < gain,
        )


def _means(runs: list[Figures]) -> Figures:
    return Figures(*(mean(getattr(run, field) for run in runs) for field in Figures.__dataclass_fields__))


def _leads(statement: str, flows: Figures) -> Check:
    return Check(statement, f"{flows.short_alone:.0f} to {flows.long_alone:.0f}", flows.short_alone > flows.long_alone)


def _equal(statement: str, flows: Figures) -> Check:
    lead = max(flows.short_alone, flows.long_alone) / max(min(flows.short_alone, flows.long_alone), 1.0) - 1
    return Check(statement, f"{flows.short_alone:.0f} to {flows.long_alone:.0f}", lead <= EQUAL)


def _total(flows: Figures) -> float:
    return flows.long_alone + flows.short_alone


INTRODUCTION = f"""
Twenty nodes in four rows of five. A long TCP flow over four hops, 10 to 14, and a short one over two, 5 to 17, that
share node 11, for 100 s; datagrams of 1000 bytes from 8 to 4 from 30 to 70 s, which the long flow's last hops hear and
the short flow does not. Two hops from 5 to 17 and one from 8 to 4 only exist if neighbours across a corner hear each
other: the cell's 20 m are taken as its diagonal. MAC, queues, transport, controllers and kinds of routes are those of
the string (`c3tcp.md`). The rate of the datagrams is not in the paper. Alone: seconds 5 to 30 and 72 to 100; with cross
traffic: 32 to 70. Goodputs in kbit/s; variation is the standard deviation of a flow's seconds over their mean. Means
over {len(SEEDS)} seeds with 95 % confidence intervals. The paper's percentages are those of the sums of the rates it
prints: 900, 800 and 730 kbit/s.
"""

FOUND = """
What was found. Of the rates alone NewReno's come closest to the paper's with static routes. C3TCP carries most in
sum, as in the paper, but not in equal parts: its window says how much fits a path, and nothing in it says how two
paths share a node. The paper's 450 kbit/s for each are above the max-min share that the model of the medium allows,
given below. Vegas favours the short flow, as in the paper, but at no rate of the datagrams tried does its long flow
fall below 39 % of what it carries alone. In the paper Westwood is steadier than NewReno; here both vary alike.
Breaking routes starve the long flow under every controller, which the paper excludes. Why the rates differ from the
paper's was not traced further: neither its routing nor the rate of its datagrams is known.
"""


if __name__ == "__main__":
    main()
