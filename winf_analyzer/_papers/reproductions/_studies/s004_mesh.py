"""The mesh access network of S004: over time, and against one constant at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._common import TCP, mean_over
from winf_analyzer._papers.reproductions._study import Along, Arm, Curve, Figure, Means, Statement, Study, X
from winf_analyzer._replay.topologies.world import World

QUEUE = {"least_over": "shortest"}
XCP_B, NO_LOSS = (
    Arm(label, name, "paper", {"queue": QUEUE}) for label, name in (("XCP-b", "xcp_b"), ("XCP-b-nl", "xcp_b_nl"))
)
CORRECTED = Arm("XCP-b, corrected", "xcp_b")
SECONDS = tuple(range(0, 70, 2))
NOTE = (
    "XCP-b as printed but for its least queues: over 2 ms, with which windows are those of table 1. The places of the "
    "mesh are a reconstruction."
)


def mesh_study(
    name: str,
    title: str,
    axis: str,
    places: Sequence[X],
    arms: Sequence[Arm],
    figures: Sequence[Figure],
    quick: tuple[int, float],
    *,
    quick_places: Sequence[X] | None = None,
    world: Callable[[X, float], World] = lambda _, seconds: worlds.mesh_access(seconds),
    along: Along = "worlds",
    bin_s: float = 1.0,
    notes: str = NOTE,
) -> Study:
    """A study of the mesh access network, 70 s with 5 seeds; `quick` are seeds and seconds."""
    return Study(
        name,
        title,
        axis,
        places,
        lambda x, _, seconds: world(x, seconds),
        arms,
        figures,
        seeds=5,
        seconds=70,
        quick_places=places if quick_places is None else quick_places,
        quick_seeds=quick[0],
        quick_seconds=quick[1],
        along=along,
        bin_s=bin_s,
        notes=notes,
    )


def _disturbed(means: Means, places: Sequence[X]) -> bool:
    """The index falls when flows come, and is back at 0.95 ten seconds later."""
    return all(
        min(means["XCP-b", x] for x in places if at <= float(x) < at + 6)
        < 0.95 * mean_over(means, "XCP-b", places, at - 6, at)
        and mean_over(means, "XCP-b", places, at + 10, at + 20) > 0.95
        for at in (20, 40)
    )


OVER_TIME = mesh_study(
    "s004-mesh-series",
    "27 flows into a mesh access network; groups start at 0, 20 and 40 s",
    "s",
    SECONDS,
    (XCP_B, NO_LOSS, TCP, CORRECTED),
    (
        Figure(
            "S004-fig6",
            "jain_of_bins",
            (
                Statement("XCP-b near 1 once all flows run (0.95)", lambda m, xs: mean_over(m, "XCP-b", xs, 50) > 0.95),
                Statement("NewReno between 0.4 and 0.8", lambda m, xs: 0.4 <= mean_over(m, "TCP", xs, 40) <= 0.8),
            ),
        ),
        Figure(
            "S004-claim-18",
            "jain_of_bins",
            (Statement("the index falls at 20 and 40 s and comes back above 0.95", _disturbed),),
            arms="XCP-b",
        ),
        Figure(
            "S004-claim-31",
            "empty",
            (
                Statement("XCP-b's queue is empty at times", lambda m, xs: mean_over(m, "XCP-b", xs, 40) > 1),
                Statement(
                    "TCP's longest queue is half full or more (25 of 50)",
                    lambda m, xs: mean_over(m, "TCP", xs, 40) >= 25,
                    "longest_queue",
                ),
            ),
            arms=("XCP-b", "TCP"),
        ),
    ),
    quick=(2, 70),
    along="seconds",
)

RTT_MS = tuple(range(100, 600, 10))


def _median(means: Means, label: str, places: Sequence[X]) -> float:
    """The round-trip time up to which half of the samples lie."""
    below = 0.0
    for x in places:
        below += means.get((label, x), 0.0)
        if below >= 50:
            return float(x)
    return float(places[-1])


DENSITY = mesh_study(
    "s004-mesh-rtt",
    "round-trip times of the sources of a mesh access network",
    "round-trip time, ms, in bins of 10 ms",
    RTT_MS,
    (XCP_B, TCP, CORRECTED),
    (
        Figure(
            "S004-fig7",
            "share",
            (
                Statement("XCP-b's median is less", lambda m, xs: _median(m, "XCP-b", xs) < _median(m, "TCP", xs)),
                Statement(
                    "XCP-b adds less than 70 ms to 102 ms, TCP more than 100",
                    lambda m, xs: _median(m, "XCP-b", xs) < 170 and _median(m, "TCP", xs) >= 200,
                ),
            ),
        ),
    ),
    quick=(2, 70),
    along="rtt_ms",
    bin_s=0.2,
)

RATES_MBPS = (1, 2, 11, 22, 54)


def _windows_of_one(means: Means, rate: int) -> bool:
    return means["XCP-b", rate] < 1.5


RATES = mesh_study(
    "s004-mesh-rates",
    "the mesh access network at other rates",
    "Mbit/s",
    RATES_MBPS,
    (XCP_B, TCP),
    (
        Figure(
            "S004-claim-15",
            "window",
            (
                Statement("at 1 Mbit/s XCP-b's windows are one packet (below 1.5)", lambda m, _: _windows_of_one(m, 1)),
                Statement("and at 11 Mbit/s", lambda m, _: _windows_of_one(m, 11)),
                Statement("and not at 22 Mbit/s", lambda m, _: not _windows_of_one(m, 22)),
            ),
        ),
        Figure(
            "S004-claim-42",
            "throughput",
            (
                Statement("XCP-b within 5 % of TCP at 54 Mbit/s", lambda m, _: m["XCP-b", 54] > 0.95 * m["TCP", 54]),
                Statement("and with less delay", lambda m, _: m["XCP-b", 54] < m["TCP", 54], "rtt"),
            ),
        ),
        Figure(
            "S004-claim-7",
            "rtt_most",
            (Statement("TCP's round-trip times reach a second at 1 Mbit/s", lambda m, _: m["TCP", 1] > 1000),),
        ),
    ),
    world=lambda x, seconds: worlds.mesh_access(seconds, rate_mbps=int(x)),
    quick=(1, 50),
)

STALLS = mesh_study(
    "s004-mesh-stalls",
    "flows of the mesh access network that stand still for three seconds",
    "hops of the farthest group",
    (3,),
    (XCP_B, NO_LOSS, TCP),
    (
        Figure(
            "S004-claim-20",
            "stalled",
            (Statement("several flows stall without reaction to losses", lambda m, _: m["XCP-b-nl", 3] >= 2),),
        ),
        Figure(
            "S004-claim-30",
            "acks",
            (
                Statement(
                    "fewer acknowledgements of a data packet arrive under TCP than under XCP-b (2 points)",
                    lambda m, _: m["TCP", 3] < m["XCP-b", 3] - 2,
                ),
            ),
        ),
    ),
    quick=(2, 70),
)


def _with(key: str) -> Arm:
    """XCP-b whose constant is the place."""
    return Arm("XCP-b", "xcp_b", "paper", {}, lambda x: {"queue": {**QUEUE, key: x}})


OF_FIGURES = ("beyond_102_ms", "data_packets", "collided")
DRAWN = tuple(
    Curve(name, "XCP-b", metric)
    for name, metric in zip(("delay in the wireless part", "data packets", "collisions"), OF_FIGURES, strict=True)
)
"""The three curves of figures 10 to 12."""
KAPPA, CHI = (0.1, 1.0, 2.0, 3.0, 6.0, 9.0, 15.0), (0.057, 0.114, 0.228, 0.456, 0.912)

KAPPAS = mesh_study(
    "s004-mesh-kappa",
    "the queue of the mesh access network against kappa",
    "kappa, packets",
    KAPPA,
    (_with("kappa_packets"),),
    (
        Figure(
            "S004-fig10",
            "received",
            (
                Statement("delay grows with kappa", lambda m, xs: m["XCP-b", xs[-1]] > m["XCP-b", xs[0]], "rtt"),
                Statement("packets grow with kappa", lambda m, xs: m["XCP-b", xs[-1]] > m["XCP-b", xs[0]]),
                Statement(
                    "attempts collide more with kappa", lambda m, xs: m["XCP-b", xs[-1]] > m["XCP-b", xs[0]], "collided"
                ),
            ),
            curves=DRAWN,
            normalised=True,
        ),
        Figure(
            "S004-claim-36",
            "queue_deviation",
            (
                Statement(
                    "the longest queue varies less with larger kappa",
                    lambda m, xs: m["XCP-b", xs[-1]] < m["XCP-b", xs[0]],
                ),
            ),
        ),
    ),
    quick=(1, 60),
    quick_places=(1.0, 3.0, 9.0),
    bin_s=0.2,
)

CHIS = mesh_study(
    "s004-mesh-chi",
    "the mesh access network against chi",
    "chi",
    CHI,
    (_with("chi"),),
    (
        Figure(
            "S004-fig11",
            "received",
            (
                Statement("packets grow up to chi = 0.228", lambda m, _: m["XCP-b", 0.228] > m["XCP-b", 0.057]),
                Statement("and delay beyond", lambda m, _: m["XCP-b", 0.912] > m["XCP-b", 0.228], "rtt"),
            ),
            curves=DRAWN,
            normalised=True,
        ),
        Figure(
            "S004-claim-38",
            "dropped",
            (
                Statement("above 0.228 queues overflow", lambda m, _: m["XCP-b", 0.912] > m["XCP-b", 0.228] + 10),
                Statement(
                    "below it the first 20 s carry less",
                    lambda m, _: m["XCP-b", 0.057] < 0.97 * m["XCP-b", 0.228],
                    "early_throughput",
                ),
            ),
        ),
    ),
    quick=(2, 60),
    quick_places=(0.057, 0.228, 0.912),
)

TAU = (0.013, 0.056, 0.075, 0.1001, 0.133, 0.178, 0.237, 0.316, 0.421, 0.563, 0.75)

TAUS = mesh_study(
    "s004-mesh-tau",
    "the mesh access network against tau",
    "tau",
    TAU,
    (_with("tau"),),
    (
        Figure(
            "S004-fig12",
            "received",
            (
                Statement("fewer packets below tau = 0.178", lambda m, _: m["XCP-b", 0.056] < m["XCP-b", 0.178]),
                Statement("less delay there", lambda m, _: m["XCP-b", 0.056] < m["XCP-b", 0.178], "rtt"),
                Statement("and fewer collisions", lambda m, _: m["XCP-b", 0.056] < m["XCP-b", 0.178], "collided"),
            ),
            curves=DRAWN,
            normalised=True,
        ),
        Figure(
            "S004-claim-39",
            "reversals",
            (
                Statement(
                    "with lower tau queues are empty for longer",
                    lambda m, _: m["XCP-b", 0.056] > m["XCP-b", 0.178],
                    "empty",
                ),
            ),
        ),
    ),
    quick=(2, 60),
    quick_places=(0.056, 0.178, 0.563),
    bin_s=0.2,
    notes=f"{NOTE} How often windows turn is drawn; how often the kinds of feedback change, a test counts.",
)

STUDIES = (OVER_TIME, DENSITY, RATES, STALLS, KAPPAS, CHIS, TAUS)
"""In the order of the paper."""
