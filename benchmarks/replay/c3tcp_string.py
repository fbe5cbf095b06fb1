"""C3TCP beside Vegas, Westwood and NewReno on the string with cross traffic of S001 (Kliazovich and Granelli).

    python -m benchmarks.replay.c3tcp_string

Writes ``docs/replay/c3tcp.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.replay.engine import Control, Outcome, mean, run
from benchmarks.replay.tables import Check, checks, interval, table, write
from benchmarks.replay.worlds import ms
from winf_analyzer.topologies import build
from winf_analyzer.topologies.world import World

SEEDS = range(1, 11)
CROSS_KBPS = (400, 800, 1200, 1500, 2000)
CHECKED_KBPS = 1500
"""The rate that the topology has by default."""
CROSS_S = range(16, 30)
ALONE_S = (*range(5, 15), *range(33, 45))
CONTROLS = {
    "C3TCP": Control("c3tcp"),
    "C3TCP, paper": Control("c3tcp", "paper"),
    "Vegas": Control("vegas"),
    "Westwood+": Control("westwood"),
    "NewReno": Control("new_reno"),
}
ORDER = ("C3TCP", "Vegas", "Westwood+", "NewReno")
PRINTED = {"NewReno": 27, "Westwood+": 18, "Vegas": 7}
"""By how much C3TCP is ahead of each, per cent (S001 sec. 5.1)."""


@dataclass(frozen=True)
class Figures:
    """One run."""

    alone_kbps: float
    cross_kbps: float
    queue_alone: float
    queue_cross: float
    dropped: float


Results = dict[str, list[Figures]]


def main() -> None:
    """Run every controller at every rate of the cross traffic, and write the table."""
    results = {rate: _results(rate) for rate in CROSS_KBPS}
    checked = results[CHECKED_KBPS]
    parts = [INTRODUCTION]
    for rate, found in results.items():
        parts += [f"Cross traffic of {rate} kbit/s.\n", _table(found)]
    parts += [f"## Checks\n\nAt {CHECKED_KBPS} kbit/s.\n", checks(_checks(checked)), FOUND]
    write("c3tcp", "C3TCP on a string with cross traffic", parts)


def _results(cross_kbps: int) -> Results:
    jobs = [(_world(cross_kbps), control, seed) for control in CONTROLS.values() for seed in SEEDS]
    outcomes = run(jobs, _figures)
    return {name: [next(outcomes) for _ in SEEDS] for name in CONTROLS}


def _world(cross_kbps: int) -> World:
    world = build(f"string_cross:cross_kbps={cross_kbps}")
    tcp, cross = world["flows"]
    tcp = {**tcp, "transport": {"minimum_timeout_ns": ms(200), "sack": False, "receive_window_bytes": 64_000}}
    return {**world, "flows": [tcp, cross]}


def _figures(outcome: Outcome) -> Figures:
    goodput = outcome.per_second(outcome.flow_series(0, "throughput_bps"))
    bottleneck = outcome.link("N2", "N3")
    # Peaks of each second: what S001's figures of the buffer show.
    peaks = _peaks(outcome.link_series(bottleneck, "queue_packets_max"), outcome.bin_ns)
    dropped = outcome.link_series(bottleneck, "dropped_queue")
    return Figures(
        alone_kbps=mean(goodput[second] for second in ALONE_S) / 1e3,
        cross_kbps=mean(goodput[second] for second in CROSS_S) / 1e3,
        queue_alone=max(peaks[second] for second in ALONE_S),
        queue_cross=max(peaks[second] for second in CROSS_S),
        dropped=sum(dropped),
    )


def _peaks(series: list[int], bin_ns: int) -> list[int]:
    width = round(1e9 / bin_ns)
    return [max(series[start : start + width]) for start in range(0, len(series), width)]


def _table(results: Results) -> str:
    columns: tuple[tuple[str, str, int], ...] = (
        ("alone, kbit/s", "alone_kbps", 0),
        ("with cross traffic, kbit/s", "cross_kbps", 0),
        ("most packets at N2, alone", "queue_alone", 1),
        ("with cross traffic", "queue_cross", 1),
        ("dropped there", "dropped", 1),
    )
    rows = [
        (name, *(interval([getattr(run, field) for run in runs], digits) for _, field, digits in columns))
        for name, runs in results.items()
    ]
    return table(["controller", *(title for title, _, _ in columns)], rows)


def _checks(results: Results) -> list[Check]:
    alone, cross, queue = (
        {name: mean(getattr(run, field) for run in results[name]) for name in ORDER}
        for field in ("alone_kbps", "cross_kbps", "queue_cross")
    )
    rates = " ".join(f"{cross[name]:.0f}" for name in ORDER)
    spread = max(alone.values()) / min(alone.values()) - 1
    ordered = [
        Check(
            f"cross traffic on: {better} above {worse}",
            f"{100 * (cross[better] / cross[worse] - 1):+.1f} %",
            cross[better] > cross[worse],
        )
        for better, worse in zip(ORDER, ORDER[1:], strict=False)
    ]
    ahead = [
        Check(
            f"cross traffic on: C3TCP {percent} % ahead of {name}",
            f"{100 * (cross['C3TCP'] / cross[name] - 1):+.1f} %",
            cross["C3TCP"] > cross[name],
        )
        for name, percent in PRINTED.items()
    ]
    return [
        *ordered,
        *ahead,
        Check("cross traffic off: all equal within 3 %", f"{100 * spread:.1f} %", spread <= 0.03),
        Check("C3TCP's buffer at N2 stays under 10 packets", f"{queue['C3TCP']:.1f}, of all {rates}", queue["C3TCP"] < 10),
    ]


INTRODUCTION = ""
FOUND = ""


if __name__ == "__main__":
    main()
