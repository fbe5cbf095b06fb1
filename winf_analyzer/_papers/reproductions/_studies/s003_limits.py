"""What S003 says of other settings: losses, no RTS/CTS, no sharing, wider interference, other rates, rho and beta."""

from __future__ import annotations

from collections.abc import Sequence

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._common import TCP
from winf_analyzer._papers.reproductions._studies._s003 import ROWS, TOPOLOGIES, WCP, WCP_CAP
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Statement, Study, X
from winf_analyzer._replay.topologies.world import World

OTHERS = TOPOLOGIES[1:]
ALONE = Arm("WCP without sharing", "wcp", settings={"share_congestion": False, "share_rtt": False})
LOSS, PLAIN = ", 10 % loss", ", no RTS/CTS"

STRIPPED = Study(
    "s003-stripped",
    "WCP without sharing in all topologies: what the flow with the least gets",
    "topology",
    TOPOLOGIES,
    lambda x, _, seconds: worlds.neighbourhood(str(x), seconds),
    (TCP, WCP, ALONE),
    (
        Figure(
            "S003-claim-16",
            "least_share",
            (
                Statement(
                    "it starves a flow where TCP does (below half of the mean)",
                    lambda m, xs: all(m["WCP without sharing", x] < 50 for x in xs if m["TCP", x] < 50),
                ),
                Statement(
                    "and is less fair than WCP everywhere",
                    lambda m, xs: all(m["WCP without sharing", x] < m["WCP", x] for x in xs),
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=TOPOLOGIES,
    quick_seeds=2,
    quick_seconds=60,
)


def _near(means: Means, label: str, ending: str, within: float) -> bool:
    """Whether the least share of a flow in all other topologies is that of the plain one."""
    return all(abs(means[label, x + ending] - means[label, x]) < 100 * within for x in OTHERS)


def _setting(x: X, seconds: float) -> World:
    name = str(x).split(",", maxsplit=1)[0]
    loss = 0.1 if str(x).endswith(LOSS) else 0.0
    world = worlds.neighbourhood(f"{name}:loss={loss:g}", seconds)
    return {**world, "mac": {"preset": "802.11b"}} if str(x).endswith(PLAIN) else world


SETTINGS = tuple(x + ending for x in OTHERS for ending in ("", LOSS, PLAIN))

ELSEWHERE = Study(
    "s003-elsewhere",
    "Diamond, Half-Diamond and Chain-Cross with losses, and without RTS/CTS",
    "topology",
    SETTINGS,
    lambda x, _, seconds: _setting(x, seconds),
    (WCP, WCP_CAP),
    (
        Figure(
            "S003-claim-35",
            "throughput",
            (
                Statement(
                    "with 10 % loss all goodputs fall, by less than 25 %",
                    lambda m, _: all(
                        0.75 < m[label, x + LOSS] / m[label, x] < 1 for label in ("WCP", "WCPCap") for x in OTHERS
                    ),
                ),
                Statement(
                    "and shares stay (20 points)",
                    lambda m, _: _near(m, "WCP", LOSS, 0.2) and _near(m, "WCPCap", LOSS, 0.2),
                    "least_share",
                ),
            ),
        ),
        Figure(
            "S003-claim-39",
            "throughput",
            (
                Statement(
                    "without RTS/CTS Diamond and Chain-Cross carry more",
                    lambda m, _: all(
                        m[label, x + PLAIN] > m[label, x]
                        for label in ("WCP", "WCPCap")
                        for x in ("diamond", "chain_cross")
                    ),
                ),
                Statement(
                    "and shares stay in Diamond and Chain-Cross (20 points)",
                    lambda m, _: all(
                        abs(m[label, x + PLAIN] - m[label, x]) < 20
                        for label in ("WCP", "WCPCap")
                        for x in ("diamond", "chain_cross")
                    ),
                    "least_share",
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=SETTINGS,
    quick_seeds=1,
    quick_seconds=60,
)

BOTTLENECKS = ("long", "short-1", "short-2")


def _half(label: str, means: Means) -> float:
    """The rate of the flow over both bottlenecks over the mean of those over one."""
    return 2 * means[label, "long"] / (means[label, "short-1"] + means[label, "short-2"])


WIRED = Study(
    "s003-wired",
    "TCP over two wired bottlenecks",
    "flow",
    BOTTLENECKS,
    lambda _, __, seconds: worlds.two_bottlenecks(seconds),
    (TCP,),
    (
        Figure(
            "S003-claim-33",
            "throughput",
            (
                Statement(
                    "the flow over both has half of those over one (0.35 to 0.65)",
                    lambda m, _: 0.35 < _half("TCP", m) < 0.65,
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=BOTTLENECKS,
    quick_seeds=3,
    quick_seconds=60,
    along="flows",
    notes="Radio: TCP starves flows there (S003-fig12), WCP gives 1-7 the least.",
)

RHO, BETA = (0.1, 0.3, 0.6, 1.0, 2.0), (0.05, 0.1, 0.4, 1.6)


def _with_beta(beta: float) -> Arm:
    label = f"beta = {beta:g}"
    return Arm(label, "wcp_cap", "corrected", {"drain_share": beta}, lambda x: {"increase_share": x})


def _stable(means: Means, places: Sequence[X]) -> list[float]:
    """Throughputs of all stable pairs."""
    return [means[f"beta = {beta:g}", x] for beta in BETA[:2] for x in places if float(x) >= 0.3]


STABILITY = Study(
    "s003-stability",
    "how much the rates of WCPCap vary in Stack, over rho and beta",
    "rho",
    RHO,
    lambda _, __, seconds: worlds.neighbourhood("stack", seconds),
    tuple(map(_with_beta, BETA)),
    (
        Figure(
            "S003-fig16",
            "late_deviation",
            (
                Statement("rho = 0.3 and beta = 0.1 are stable (below 10 %)", lambda m, _: m["beta = 0.1", 0.3] < 10),
                Statement("with beta = 1.6 some rho is not", lambda m, xs: max(m["beta = 1.6", x] for x in xs) > 20),
            ),
            grid=True,
        ),
        Figure(
            "S003-claim-36",
            "throughput",
            (
                Statement(
                    "with rho of 0.3 and more and beta to 0.1 throughput is the same (10 %)",
                    lambda m, xs: max(_stable(m, xs)) < 1.1 * min(_stable(m, xs)),
                ),
            ),
        ),
    ),
    seeds=5,
    seconds=200,
    quick_places=RHO,
    quick_seeds=1,
    quick_seconds=40,
    bin_s=0.2,
    notes="Stable: the rates of the second half vary by less than 10 %; the paper does not say how it tells.",
)


FACTORS = {"0.9 times": 0.9, "max-min": 1.0, "1.1 times": 1.1}
OFFERED = tuple(f"{name}, {factor}" for name in TOPOLOGIES for factor in FACTORS)


def _offered(place: str, seed: int, seconds: float) -> World:
    name, factor = place.split(", ")
    return worlds.offered_max_min(name, FACTORS[factor], seed, seconds)


AT_MAX_MIN = Study(
    "s003-offered",
    "datagrams at the max-min rates of the model, and at 1.1 times these",
    "topology",
    OFFERED,
    lambda x, seed, seconds: _offered(str(x), seed, seconds),
    (Arm("datagrams", "new_reno"),),
    (
        Figure(
            "S003-claim-13",
            "delivered",
            (
                Statement(
                    "at 0.9 times the max-min rates every flow gets 98 % through",
                    lambda m, _: all(m["datagrams", f"{x}, 0.9 times"] > 98 for x in TOPOLOGIES),
                ),
                Statement(
                    "at the max-min rates too",
                    lambda m, _: all(m["datagrams", f"{x}, max-min"] > 98 for x in TOPOLOGIES),
                ),
                Statement(
                    "at 1.1 times these one does not",
                    lambda m, _: all(m["datagrams", f"{x}, 1.1 times"] < 98 for x in TOPOLOGIES),
                ),
            ),
        ),
    ),
    seeds=5,
    seconds=200,
    quick_places=OFFERED,
    quick_seeds=2,
    quick_seconds=60,
    notes="Datagrams come at random instants; the model is the reference `max_min`, the paper does not print its own.",
)

CBR_KBPS = tuple(range(360, 640, 20))

EMPIRICAL = Study(
    "s003-empirical",
    "rising mean rates of datagrams in Stack",
    "rate of each flow, kbit/s",
    CBR_KBPS,
    lambda x, seed, seconds: worlds.offered("stack", dict.fromkeys(ROWS, 1e3 * float(x)), seed, seconds),
    (Arm("datagrams", "new_reno"),),
    (
        Figure(
            "S003-proc-empirical-max",
            "least_share",
            (
                Statement(
                    "4-6 keeps 90 % of the others up to some rate and not beyond",
                    lambda m, xs: m["datagrams", xs[0]] >= 90 > m["datagrams", xs[-1]],
                ),
            ),
        ),
    ),
    seeds=5,
    seconds=200,
    quick_places=CBR_KBPS,
    quick_seeds=2,
    quick_seconds=40,
    notes="Without acknowledgements, at random instants.",
)

DECODED, SENSED = "rows decode each other", "rows only sense each other"

INTERFERENCE = Study(
    "s003-interference",
    "Stack, whose rows decode or only sense each other",
    "rows",
    (DECODED, SENSED),
    lambda x, _, seconds: (
        worlds.neighbourhood("stack", seconds) if x == DECODED else worlds.stack_of_interferers(seconds)
    ),
    (WCP, WCP_CAP, TCP),
    (
        Figure(
            "S003-claim-46",
            "least_share",
            (
                Statement("WCP becomes unfair (below 85 % of the mean)", lambda m, _: m["WCP", SENSED] < 85),
                Statement("where it was fair", lambda m, _: m["WCP", DECODED] > 85),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=(DECODED, SENSED),
    quick_seeds=3,
    quick_seconds=60,
)

STUDIES = (STRIPPED, INTERFERENCE, WIRED, AT_MAX_MIN, STABILITY, ELSEWHERE, EMPIRICAL)
"""In the order of the paper."""
