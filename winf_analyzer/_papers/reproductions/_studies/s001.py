"""The studies of S001: throughput over time on the string and in the grid, and what single flows do over hops."""

from __future__ import annotations

from collections.abc import Sequence

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies import s001_measured
from winf_analyzer._papers.reproductions._studies._common import TCP, mean_over
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Statement, Study, X

STRING_ARMS = tuple(
    Arm(label, controller, mode, flows=("tcp",))
    for label, controller, mode in (
        ("C3TCP", "c3tcp", "paper"),
        ("C3TCP, corrected", "c3tcp", "corrected"),
        ("TCP", "new_reno", "corrected"),
        ("Vegas", "vegas", "corrected"),
        ("Westwood+", "westwood", "corrected"),
    )
)
REPAIR_NS = 200_000_000
STRING_NOTE = (
    "The rate of the cross traffic and the routing are not printed: 800 kbit/s; routes break for 200 ms when the MAC "
    "gives up a packet. With static routes all controllers carry nearly the same (docs/replay/c3tcp.md)."
)
CROSSED = range(16, 30)


def _crossed(better: str, worse: str) -> Statement:
    """While there is cross traffic one carries more."""
    text = f"with cross traffic {better} carries more than {worse}"
    return Statement(text, lambda m, _: mean_over(m, better, CROSSED) > mean_over(m, worse, CROSSED))


STRING_SERIES = Study(
    "s001-string-series",
    "throughput of a TCP flow over three hops, cross traffic from 15 to 30 s",
    "s",
    tuple(range(3, 45)),
    lambda _, __, seconds: worlds.string(seconds, REPAIR_NS),
    STRING_ARMS,
    (
        Figure("S001-fig13", "throughput", (_crossed("C3TCP", "TCP"),), arms=("C3TCP", "TCP")),
        Figure("S001-fig16", "throughput", (_crossed("C3TCP", "Vegas"),), arms=("C3TCP", "Vegas")),
        Figure("S001-fig17", "throughput", (_crossed("C3TCP", "Westwood+"),), arms=("C3TCP", "West")),
        Figure("S001-fig18", "throughput", (_crossed("C3TCP", "Vegas"),), arms=("C3TCP", "Vegas"), within=(15, 30)),
        Figure("S001-fig19", "throughput", (_crossed("C3TCP", "Westwood+"),), arms=("C3TCP", "West"), within=(15, 30)),
    ),
    seeds=10,
    seconds=45,
    quick_places=tuple(range(3, 45)),
    quick_seeds=3,
    quick_seconds=45,
    along="seconds",
    bin_s=1.0,
    notes=STRING_NOTE,
)

ALONE, WITH_CROSS = 3, 15


def _silent(label: str) -> Statement:
    text = f"{label} falls to zero with cross traffic, twice as often as alone"
    return Statement(text, lambda m, _: m[label, WITH_CROSS] > max(1.0, 2 * m[label, ALONE]))


STRING_PHASES = Study(
    "s001-string-phases",
    "half seconds without payload over three hops; cross traffic from 15 to 30 s",
    "from, s",
    (ALONE, WITH_CROSS, 30),
    lambda _, __, seconds: worlds.string(seconds, REPAIR_NS),
    STRING_ARMS,
    (
        Figure(
            "S001-claim-12",
            "silent",
            (
                _silent("TCP"),
                Statement("C3TCP less often than TCP", lambda m, _: m["C3TCP", WITH_CROSS] < m["TCP", WITH_CROSS]),
                Statement(
                    "C3TCP varies less than TCP with cross traffic",
                    lambda m, _: m["C3TCP", WITH_CROSS] < m["TCP", WITH_CROSS],
                    "bin_deviation",
                ),
            ),
            arms=("C3TCP", "TCP"),
        ),
        Figure("S001-claim-19", "silent", (_silent("Vegas"), _silent("Westwood+")), arms=("C3TCP", "Vegas", "West")),
    ),
    seeds=10,
    seconds=45,
    quick_places=(ALONE, WITH_CROSS, 30),
    quick_seeds=5,
    quick_seconds=45,
    along="seconds",
    bin_s=0.5,
    notes=STRING_NOTE,
)


def _grid_arms(label: str, controller: str, mode: str = "corrected") -> tuple[Arm, Arm]:
    return tuple(Arm(f"{label}, {flow}", controller, mode, flows=(flow,)) for flow in ("short", "long"))  # type: ignore[return-value]


def _without_udp(places: Sequence[X]) -> list[X]:
    return [x for x in places if isinstance(x, int) and (x < 30 or x >= 72)]


def _with_udp(places: Sequence[X]) -> list[X]:
    return [x for x in places if isinstance(x, int) and 32 <= x < 70]


def _ratio(label: str, places: Sequence[X], means: Means) -> float:
    """Short flow over long."""
    return mean_over(means, f"{label}, short", places) / mean_over(means, f"{label}, long", places)


def _share(label: str, least: float, most: float, text: str) -> Statement:
    return Statement(text, lambda m, xs: least <= _ratio(label, _without_udp(xs), m) <= most)


GRID_SERIES = Study(
    "s001-grid-series",
    "throughput of a short and a long TCP flow in the grid, UDP from 30 to 70 s",
    "s",
    tuple(range(0, 100, 4)),
    lambda _, __, seconds: worlds.grid(seconds),
    (
        *_grid_arms("TCP", "new_reno"),
        *_grid_arms("Westwood+", "westwood"),
        *_grid_arms("Vegas", "vegas"),
        *_grid_arms("C3TCP", "c3tcp", "paper"),
        *_grid_arms("C3TCP, corrected", "c3tcp"),
    ),
    (
        Figure(
            "S001-fig21a",
            "throughput",
            (_share("TCP", 1.0, 2.0, "the short flow has more than the long one, less than twice"),),
            arms="TCP",
        ),
        Figure("S001-fig21b", "throughput", (_share("Westwood+", 0.85, 1.15, "both flows alike"),), arms="Westwood+"),
        Figure(
            "S001-fig21c",
            "throughput",
            (
                Statement(
                    "the short flow always has more than the long one",
                    lambda m, xs: all(m["Vegas, short", x] > m["Vegas, long", x] for x in xs),
                ),
                Statement(
                    "the long flow falls to zero with UDP (a tenth)",
                    lambda m, xs: (
                        mean_over(m, "Vegas, long", _with_udp(xs)) < 0.1 * mean_over(m, "Vegas, long", _without_udp(xs))
                    ),
                ),
            ),
            arms="Vegas",
        ),
        Figure(
            "S001-fig21d",
            "throughput",
            (
                _share("C3TCP", 0.85, 1.15, "both flows alike without UDP"),
                Statement(
                    "with UDP the long flow has less and the short one more",
                    lambda m, xs: (
                        mean_over(m, "C3TCP, long", _with_udp(xs)) < mean_over(m, "C3TCP, long", _without_udp(xs))
                        and mean_over(m, "C3TCP, short", _with_udp(xs)) > mean_over(m, "C3TCP, short", _without_udp(xs))
                    ),
                ),
            ),
            arms="C3TCP",
        ),
    ),
    seeds=10,
    seconds=100,
    quick_places=tuple(range(0, 100, 4)),
    quick_seeds=2,
    quick_seconds=100,
    along="seconds",
    bin_s=1.0,
    notes="The rate of the cross traffic is not printed: 800 kbit/s. Routes are static.",
)

WINDOWS = (1, 2, 3, 4, 6, 8, 12, 20)

FIXED_WINDOWS = Study(
    "s001-fixed-windows",
    "one flow under a fixed window over the string, alone",
    "window, packets",
    WINDOWS,
    lambda x, _, seconds: worlds.fixed_window_string(int(x), seconds),
    (TCP,),
    (
        Figure(
            "S001-claim-2",
            "throughput",
            (
                Statement(
                    "beyond some window throughput grows by less than 5 %",
                    lambda m, xs: m["TCP", xs[-1]] < 1.05 * m["TCP", 4],
                ),
                Statement(
                    "and round-trip times go on growing", lambda m, xs: m["TCP", xs[-1]] > 2 * m["TCP", 4], "rtt"
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=30,
    quick_places=WINDOWS,
    quick_seeds=2,
    quick_seconds=20,
    notes="The receiver's window holds the flow; three hops take a window of a few packets.",
)

HOPS = (1, 2, 3, 4, 6, 8)

ONE_FLOW = Study(
    "s001-one-flow",
    "how much the seconds of one flow over a chain differ",
    "hops",
    HOPS,
    lambda x, _, seconds: worlds.chain(int(x), seconds),
    (TCP,),
    (
        Figure(
            "S001-claim-3",
            "deviation",
            (
                Statement("over one hop less than 10 %", lambda m, _: m["TCP", 1] < 10),
                Statement(
                    "over three hops and more twice as much",
                    lambda m, xs: all(m["TCP", x] > 2 * m["TCP", 1] for x in xs if int(x) > 2),
                ),
                Statement(
                    "with timeouts there", lambda m, xs: all(m["TCP", x] >= 1 for x in xs if int(x) > 2), "timeouts"
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=60,
    quick_places=HOPS,
    quick_seeds=3,
    quick_seconds=30,
)

SECOND_AT = 10

TWO_FLOWS = Study(
    "s001-two-flows",
    "two TCP flows over the same four hops, the second from 10 s on",
    "s",
    tuple(range(0, 60, 2)),
    lambda _, __, seconds: worlds.two_flows(4, SECOND_AT, seconds),
    tuple(Arm(f"TCP, {flow}", "new_reno", flows=(flow,)) for flow in ("first", "second")),
    (
        Figure(
            "S001-claim-4",
            "throughput",
            (
                Statement(
                    "the later flow takes more than nine tenths",
                    lambda m, xs: (
                        mean_over(m, "TCP, second", [x for x in xs if int(x) >= SECOND_AT])
                        > 9 * mean_over(m, "TCP, first", [x for x in xs if int(x) >= SECOND_AT])
                    ),
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=60,
    quick_places=tuple(range(0, 60, 2)),
    quick_seeds=3,
    quick_seconds=60,
    along="seconds",
    bin_s=1.0,
    notes="Neither hops nor times are printed.",
)

STUDIES = (FIXED_WINDOWS, ONE_FLOW, TWO_FLOWS, *s001_measured.STUDIES, STRING_SERIES, STRING_PHASES, GRID_SERIES)
"""In the order of the paper."""
