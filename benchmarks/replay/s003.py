"""WCP and WCPCap beside TCP in the topologies of S003 (Rangwala et al., Neighborhood-Centric Congestion Control).

    python -m benchmarks.replay.s003 [--seeds 10] [--seconds 200]

Writes ``docs/replay/s003.md``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from statistics import median

from benchmarks.replay import s003_texts
from benchmarks.replay.engine import Control, Json, Outcome, max_min, mean, run
from benchmarks.replay.tables import Check, checks, interval, table, write
from benchmarks.replay.worlds import line, neighbourhoods, short_control, without_mac_repair, without_rts

TCP = Control("new_reno")
WCP = Control("wcp")
WCP_CAP = Control("wcp_cap")
ALONE = Control("wcp", settings={"share_congestion": False, "share_rtt": False})
OWN_CONGESTION = Control("wcp", settings={"share_congestion": False})
UNCORRECTED = Control("wcp", settings={"goodput_correction": "off"})
THREE = {"TCP": TCP, "WCP": WCP, "WCPCap": WCP_CAP}
LOSS = 0.1
LATE, GONE = 25, 100
"""When flow 1-7 comes and goes in the study of dynamics, seconds (S003 Fig. 20 and 21)."""

MIN_SECONDS = GONE + 25
"""Shortest run that shows what follows it."""
EPOCH_PACKETS, EPOCH_RTTS, PACKET_KBIT = 30, 10, 512 * 8 / 1e3
# What the text of S003 sec. IV prints, kbit/s; its other results are in figures without numbers.
PRINTED = {
    "stack": {"max-min": "300 each", "TCP": "4-6 starves", "WCP": "about 250 each", "WCPCap": "at least 255"},
    "diamond": {"max-min": "325 each", "TCP": "starves", "WCP": "4-6 about half of the others", "WCPCap": "300 each"},
    "half_diamond": {
        "max-min": "335, 315, 315",
        "TCP": "fairly well",
        "WCP": "4-6 = 7-9 < 1-3 < twice that",
        "WCPCap": "within 14 % of max-min",
    },
    "chain_cross": {
        "max-min": "255, 255, 420, 255, 255",
        "TCP": "starves flows over 1-2",
        "WCP": "1-7 < 1-2 = 8-9 = 10-11 < 6-7",
        "WCPCap": "within 15 % of max-min",
    },
}


MAX_MIN_PRINTED = {
    "stack": (300, 300, 300),
    "diamond": (325, 325, 325),
    "half_diamond": (335, 315, 315),
    "chain_cross": (255, 255, 420, 255, 255),
}


@dataclass(frozen=True)
class Figures:
    """One run, per flow."""

    goodput_kbps: list[float]
    delay_ms: list[float]
    rtt_ms: list[float]
    rate_kbps: list[list[float]]
    """Rates that sources send at, second by second; 0 for windows."""


Runs = list[Figures]


class Study:
    """Runs worlds over all seeds, each of them once."""

    def __init__(self, seeds: int, seconds: int) -> None:
        """So many seeds, each for so many seconds."""
        self.seeds = range(1, seeds + 1)
        self.seconds = seconds
        self._known: dict[str, Runs] = {}

    def compare(self, world: Json, controls: dict[str, Control]) -> dict[str, Runs]:
        """Every controller with every seed."""
        keys = {name: json.dumps([world, asdict(control)]) for name, control in controls.items()}
        new = {key: controls[name] for name, key in keys.items() if key not in self._known}
        jobs = [(world, control, seed) for control in new.values() for seed in self.seeds]
        figures = run(jobs, _figures)
        self._known |= {key: [next(figures) for _ in self.seeds] for key in new}
        return {name: self._known[key] for name, key in keys.items()}


def main() -> None:
    """Run everything and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=200)
    options = parser.parse_args()
    if options.seconds < MIN_SECONDS:
        parser.error(f"--seconds must be at least {MIN_SECONDS}: flow 1-7 is gone from {GONE} s on")
    study = Study(options.seeds, options.seconds)
    parts, found = [s003_texts.INTRODUCTION.format(seeds=options.seeds, seconds=options.seconds)], []
    for part in (_topologies, _absolute_rates, _without_sharing, _lossy, _without_rts, _dynamics, _chain):
        texts, verdicts = part(study)
        parts += texts
        found += verdicts
    write("s003", "WCP and WCPCap in the topologies of S003", [*parts, "## Checks\n", checks(found), s003_texts.FOUND])


def _topologies(study: Study) -> tuple[list[str], list[Check]]:
    parts, found = ["## Goodput, delay, convergence\n", s003_texts.TOPOLOGIES], []
    starved: dict[str, float] = {}
    for name in PRINTED:
        world = neighbourhoods(name, study.seconds)
        optimum = [rate / 1e3 for rate in max_min(world)]
        results = study.compare(world, THREE)
        printed = PRINTED[name]
        rows = [("max-min", *(f"{rate:.0f}" for rate in optimum), "", "", printed["max-min"])]
        for control, runs in results.items():
            delay = interval([mean(figures.delay_ms) for figures in runs], 0)
            settled = interval([_settled_s(figures) for figures in runs]) if control != "TCP" else ""
            rows.append((control, *_goodputs(runs), delay, settled, printed[control]))
        parts += [f"### {_title(name)}\n", _table(world, rows, ["delay, ms", "90 % after, s", "S003"])]
        found += [*_ORDERINGS[name](results), *_common(name, results, optimum)]
        # Of each run, since it is not always the same flow that starves.
        starved[name] = median(min(run.goodput_kbps) / max(run.goodput_kbps) for run in results["TCP"])
    found.append(
        Check(
            "TCP does best in Half-Diamond (least flow beside the largest, median run)",
            ", ".join(f"{_title(name)} {100 * ratio:.1f} %" for name, ratio in starved.items()),
            max(starved, key=starved.__getitem__) == "half_diamond",
        )
    )
    return parts, found


def _common(name: str, results: dict[str, Runs], optimum: list[float]) -> Iterator[Check]:
    title = _title(name)
    wcp, cap = _means(results["WCP"]), _means(results["WCPCap"])
    least = min(rate / best for rate, best in zip(cap, optimum, strict=True))
    yield Check(f"{title}: WCPCap within 15 % of the max-min optimum", f"{100 * least:.0f} % at least", least >= 0.85)
    if name == "stack":
        yield Check("Stack: WCPCap at or above WCP", f"{_list(cap)} and {_list(wcp)}", _all_at_least(cap, wcp))
    if not name.startswith("chain_cross"):
        delays = [mean(mean(figures.delay_ms) for figures in results[control]) for control in ("WCPCap", "WCP")]
        found = f"{delays[0]:.0f} and {delays[1]:.0f} ms"
        yield Check(f"{title}: WCPCap has less delay than WCP", found, delays[0] < delays[1])
    updates = max(map(_updates, results["WCPCap"]))
    seconds = max(_settled_s(figures) for figures in results["WCPCap"])
    found = f"{updates:.2f} updates and {seconds:.0f} s at most"
    yield Check(f"{title}: WCPCap at 90 % within 7 epochs and 10 s", found, updates <= 7 and seconds <= 10)


def _stack(results: dict[str, Runs]) -> Iterator[Check]:
    tcp, wcp = _means(results["TCP"]), _means(results["WCP"])
    starved = tcp[1] / min(tcp[0], tcp[2])
    yield Check("Stack: TCP's middle flow below 25 % of the outer ones", f"{100 * starved:.1f} %", starved < 0.25)
    spread = 1 - min(wcp) / max(wcp)
    yield Check("Stack: WCP's flows within 15 % of each other", f"{100 * spread:.1f} %", spread < 0.15)


def _diamond(results: dict[str, Runs]) -> Iterator[Check]:
    tcp, wcp = _means(results["TCP"]), _means(results["WCP"])
    yield Check("Diamond: TCP starves a flow", _list(tcp), min(tcp) < 0.25 * max(tcp))
    ratio = 2 * wcp[1] / (wcp[0] + wcp[2])
    yield Check("Diamond: WCP gives 4-6 about half of the others", f"{100 * ratio:.0f} %", 0.35 < ratio < 0.65)


def _half_diamond(results: dict[str, Runs]) -> Iterator[Check]:
    wcp = _means(results["WCP"])
    yield Check("Half-Diamond: WCP's 4-6 and 7-9 alike", _list(wcp), abs(wcp[1] / wcp[2] - 1) < 0.15)
    ratio = wcp[0] / mean(wcp[1:])
    yield Check("Half-Diamond: WCP's 1-3 above the others, below twice", f"{ratio:.2f} times", 1 < ratio < 2)


def _chain_cross(results: dict[str, Runs]) -> Iterator[Check]:
    tcp, wcp = _means(results["TCP"]), _means(results["WCP"])
    yield Check("Chain-Cross: TCP starves 1-2 and 1-7", _list(tcp), max(tcp[:2]) < 0.25 * max(tcp))
    near = [wcp[0], wcp[3], wcp[4]]
    yield Check("Chain-Cross: WCP's 1-7 lowest", _list(wcp), wcp[1] == min(wcp))
    spread = 1 - min(near) / max(near)
    yield Check("Chain-Cross: WCP's 1-2, 8-9, 10-11 equal", f"within {100 * spread:.0f} %", spread < 0.15)
    yield Check("Chain-Cross: WCP's 6-7 above them", _list(wcp), wcp[2] > max(near))


_ORDERINGS: dict[str, Callable[[dict[str, Runs]], Iterable[Check]]] = {
    "stack": _stack,
    "diamond": _diamond,
    "half_diamond": _half_diamond,
    "chain_cross": _chain_cross,
}


def _absolute_rates(study: Study) -> tuple[list[str], list[Check]]:
    parts, found = ["## With the MAC that fits the absolute rates\n", s003_texts.ABSOLUTE_RATES], []
    for name, best in MAX_MIN_PRINTED.items():
        world = short_control(neighbourhoods(name, study.seconds))
        optimum = [rate / 1e3 for rate in max_min(world)]
        results = study.compare(world, THREE)
        rows = [("max-min", *(f"{rate:.0f}" for rate in optimum), PRINTED[name]["max-min"])]
        rows += [(control, *_goodputs(runs), PRINTED[name][control]) for control, runs in results.items()]
        parts += [f"### {_title(name)}, short control frames\n", _table(world, rows, ["S003"])]
        worst = max((abs(ours / theirs - 1) for ours, theirs in zip(optimum, best, strict=True)))
        statement = f"{_title(name)}, short control frames: max-min within 12 % of the printed one"
        found.append(Check(statement, f"{_list(optimum)}: {100 * worst:.0f} % at most", worst <= 0.12))
        found += _common(f"{name}, short control frames", results, optimum)
    return parts, found


def _without_sharing(study: Study) -> tuple[list[str], list[Check]]:
    world = neighbourhoods("stack", study.seconds)
    results = study.compare(world, {"WCP without sharing": ALONE, "WCP without congestion sharing": OWN_CONGESTION})
    rows = [(name, *_goodputs(runs)) for name, runs in results.items()]
    rates = _means(results["WCP without sharing"])
    ratio = rates[1] / min(rates[0], rates[2])
    statement = "Stack: WCP without sharing starves the middle flow, less than TCP does: below half of the others"
    found = Check(statement, f"{100 * ratio:.0f} % of the outer ones", ratio < 0.5)
    return ["## Without congestion and RTT sharing\n", "Stack.\n", _table(world, rows, [])], [found]


def _lossy(study: Study) -> tuple[list[str], list[Check]]:
    parts, found = ["## Lossy links\n", s003_texts.LOSSY], []
    controls = {"WCP": WCP, "WCPCap": WCP_CAP, "WCP, no goodput correction": UNCORRECTED}
    clean = _means(study.compare(neighbourhoods("stack", study.seconds), {"WCP": WCP})["WCP"])
    lossy = neighbourhoods("stack", study.seconds, loss=LOSS)
    for title, world in (("per attempt", lossy), ("per packet", without_mac_repair(lossy))):
        results = study.compare(world, controls)
        optimum = [f"{rate / 1e3:.0f}" for rate in max_min(world)]
        rows = [("max-min", *optimum, "")]
        rows += [(name, *_goodputs(runs), interval(_spreads(runs), 0)) for name, runs in results.items()]
        parts += [f"10 % {title}.\n", _table(world, rows, ["spread in a run, %"])]
        fair, unfair = (mean(_spreads(results[name])) for name in ("WCP", UNFAIR))
        words = f"Stack, 10 % {title}:"
        found.append(Check(f"{words} WCP's flows within 15 % of each other", f"{fair:.0f} %", fair < 15))
        found.append(Check(f"{words} not so without goodput correction", f"{unfair:.0f} %", unfair > 15))
        if world is lossy:
            drop = 1 - mean(_means(results["WCP"])) / mean(clean)
            found.append(Check(f"{words} WCP loses about 10 %", f"{100 * drop:.0f} %", 0.05 < drop < 0.15))
    return parts, found


UNFAIR = "WCP, no goodput correction"


def _without_rts(study: Study) -> tuple[list[str], list[Check]]:
    parts, found = ["## Without RTS/CTS\n"], []
    for name in ("stack", "half_diamond"):
        plain = neighbourhoods(name, study.seconds)
        world = without_rts(plain)
        results = study.compare(world, {"WCP": WCP, "WCPCap": WCP_CAP})
        optimum = [f"{rate / 1e3:.0f}" for rate in max_min(world)]
        rows = [("max-min", *optimum), *((control, *_goodputs(runs)) for control, runs in results.items())]
        title = _title(name)
        parts += [f"{title}.\n", _table(world, rows, [])]
        with_rts = study.compare(plain, {"WCP": WCP, "WCPCap": WCP_CAP})
        for control in results:
            after, before = (sum(_means(runs[control])) for runs in (results, with_rts))
            statement = f"{title} without RTS/CTS: {control} gets more than with"
            found.append(Check(statement, f"{after:.0f} and {before:.0f} kbit/s in all", after > before))
        if name == "half_diamond":
            wcp = _means(results["WCP"])
            statement = "Half-Diamond without RTS/CTS: WCP's 7-9 below 1-3"
            found.append(Check(statement, _list(wcp), wcp[2] < wcp[0]))
    return parts, found


def _dynamics(study: Study) -> tuple[list[str], list[Check]]:
    world = neighbourhoods("chain_cross", study.seconds)
    late = {"start_ns": LATE * 10**9, "stop_ns": GONE * 10**9}
    flows = [{**flow, **late} if flow["name"] == "1-7" else flow for flow in world["flows"]]
    world = {**world, "flows": flows}
    spans = {"before": (10, LATE), "during": (LATE + 15, GONE), "after": (GONE + 15, study.seconds)}
    results = study.compare(world, {"WCP": WCP, "WCPCap": WCP_CAP})
    rows, found = [], []
    for control, runs in results.items():
        means: dict[str, list[float]] = {}
        for span, (start, stop) in spans.items():
            series = [[mean(rate[start:stop]) for rate in figures.rate_kbps] for figures in runs]
            means[span] = [mean(flow) for flow in zip(*series, strict=True)]
            rows.append((f"{control}, {span}", *(interval(list(flow), 0) for flow in zip(*series, strict=True))))
        for span, rates in means.items():
            near = [rates[0], rates[3], rates[4]]
            spread = 1 - min(near) / max(near)
            statement = f"Dynamics: {control} is fair {span} 1-7's time to 1-2, 8-9, 10-11"
            found.append(Check(statement, f"within {100 * spread:.0f} %", spread < 0.15))
        gain = mean(means["after"][k] for k in (0, 3, 4)) / mean(means["during"][k] for k in (0, 3, 4))
        found.append(Check(f"Dynamics: {control}'s others take what 1-7 leaves", f"{gain:.2f} times", gain > 1.1))
    said = s003_texts.DYNAMICS.format(late=LATE, late_settled=LATE + 15, gone=GONE, gone_settled=GONE + 15)
    return ["## Dynamics\n", said, _table(world, rows, [])], found


def _chain(study: Study) -> tuple[list[str], list[Check]]:
    world = line(15, study.seconds)
    results = study.compare(world, {"TCP": TCP, "WCP": WCP})
    rows = [(name, *_goodputs(runs)) for name, runs in results.items()]
    ratio = mean(_means(results["WCP"])) / mean(_means(results["TCP"]))
    found = Check("Chain of 15: WCP about 20 % below TCP", f"{100 * (ratio - 1):+.0f} %", 0.65 < ratio < 0.95)
    return ["## Chain of 15 nodes\n", _table(world, rows, [])], [found]


def _figures(outcome: Outcome) -> Figures:
    flows = range(len(outcome.flows["name"]))
    payload = 512 / 552
    return Figures(
        goodput_kbps=[rate / 1e3 for rate in outcome.flows["throughput_bps"]],
        delay_ms=[(delay or 0) / 1e6 for delay in outcome.flows["delay_mean_ns"]],
        rtt_ms=[(rtt or 0) / 1e6 for rtt in outcome.flows["rtt_mean_ns"]],
        rate_kbps=[[(rate or 0) * payload / 1e3 for rate in outcome.flow_series(k, "pacing_bps")] for k in flows],
    )


def _settled_s(figures: Figures) -> float:
    """Seconds until every flow's rate has reached 90 % of its mean over the second half."""
    return max(map(_settles, figures.rate_kbps))


def _settles(rate: list[float]) -> float:
    goal = 0.9 * mean(rate[len(rate) // 2 :])
    return next((second + 1.0 for second, value in enumerate(rate) if value >= goal), float(len(rate)))


def _updates(figures: Figures) -> float:
    """Updates of WCPCap's rates until then.

    An epoch takes ten round-trip times, and until 30 packets passed or a second; the first only measures.
    """
    slowest = [min(rates) for rates in zip(*figures.rate_kbps, strict=True)][: int(_settled_s(figures))]
    least = EPOCH_RTTS * max(figures.rtt_ms) / 1e3
    return sum(1 / min(1.0, max(least, EPOCH_PACKETS * PACKET_KBIT / rate)) for rate in slowest) - 1


def _spreads(runs: Runs) -> list[float]:
    """By how much the slowest flow of each run is below the fastest, per cent."""
    return [100 * (1 - min(figures.goodput_kbps) / max(figures.goodput_kbps)) for figures in runs]


def _title(name: str) -> str:
    """Of a topology, with its setting behind a comma, if any."""
    topology, *setting = name.split(", ")
    return ", ".join([topology.replace("_", "-").title(), *setting])


def _table(world: Json, rows: Iterable[tuple[str, ...]], more: list[str]) -> str:
    return table(["kbit/s", *(flow["name"] for flow in world["flows"]), *more], rows)


def _goodputs(runs: Runs) -> list[str]:
    return [interval(list(flow), 0) for flow in zip(*(figures.goodput_kbps for figures in runs), strict=True)]


def _means(runs: Runs) -> list[float]:
    return [mean(flow) for flow in zip(*(figures.goodput_kbps for figures in runs), strict=True)]


def _list(rates: list[float]) -> str:
    return ", ".join(f"{rate:.0f}" for rate in rates)


def _all_at_least(rates: list[float], others: list[float]) -> bool:
    return all(rate >= other for rate, other in zip(rates, others, strict=True))


if __name__ == "__main__":
    main()
