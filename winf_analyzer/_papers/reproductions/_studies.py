"""The studies: which scene of which paper, under which controllers, shows which figures."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Statement, Study, X, above, below

XCP, RCP = Arm("XCP", "xcp"), Arm("RCP", "rcp")
WINF = (
    Arm("XCP-Winf", "xcp_winf"),
    Arm("XCP-Winf, paper", "xcp_winf", "paper"),
    Arm("RCP-Winf", "rcp_winf"),
    Arm("RCP-Winf, paper", "rcp_winf", "paper"),
)
TCP = Arm("TCP", "new_reno")
BETTER = (above("XCP-Winf", "XCP", "XCP-Winf above XCP"), above("RCP-Winf", "RCP", "RCP-Winf above RCP"))
FASTER = (below("XCP-Winf", "XCP", "XCP-Winf below XCP"), below("RCP-Winf", "RCP", "RCP-Winf below RCP"))
CAPACITY_NOTE = (
    "XCP and RCP are told 11 Mbit/s as capacity, as ns-2's scripts do. Routes follow positions every second."
)


def _catches_up(means: Means, places: Sequence[X]) -> bool:
    """RCP's share of XCP's throughput grows from the first place to the last."""
    first, last = places[0], places[-1]
    return means["RCP", last] / means["XCP", last] > means["RCP", first] / means["XCP", first]


def _gain(means: Means, upper: str, lower: str, places: Sequence[X]) -> float:
    """Mean ratio of two curves."""
    return fmean(means[upper, x] / means[lower, x] for x in places)


S000_MESH = Study(
    "s000-mesh",
    "16 mesh nodes and mobiles, FTP of 1500-byte packets",
    "mobile nodes",
    (3, 4, 5, 6, 7),
    lambda x, seed, seconds: worlds.mesh(16, int(x), seed, seconds, side_m=1000, payload=1460, mac=worlds.RTS),
    (XCP, RCP, *WINF),
    (
        Figure("S000-fig10a", "throughput", BETTER),
        Figure("S000-fig10b", "delay", FASTER),
        Figure("S000-fig10c", "received", BETTER),
    ),
    seeds=30,
    seconds=300,
    quick_places=(3, 7),
    quick_seeds=3,
    quick_seconds=20,
    notes=f"{CAPACITY_NOTE} The paper prints no repetitions and no length for the mesh: those of its table 1 and S002.",
)

S000_VOICE = Study(
    "s000-voice",
    "16 mesh nodes and mobiles, a voice call from each",
    "mobile nodes",
    (3, 4, 5, 6, 7),
    lambda x, seed, seconds: worlds.voice_mesh(int(x), seed, seconds),
    (XCP, RCP, *WINF),
    (
        Figure(
            "S000-fig11",
            "throughput",
            (
                Statement("XCP above RCP with the fewest mobiles", lambda m, xs: m["XCP", xs[0]] > m["RCP", xs[0]]),
                Statement("RCP gains on XCP with more mobiles", _catches_up),
                *BETTER,
            ),
        ),
    ),
    seeds=30,
    seconds=300,
    quick_places=(3, 7),
    quick_seeds=3,
    quick_seconds=20,
    notes=f"{CAPACITY_NOTE} The codec is assumed: G.711, 160 bytes every 20 ms.",
)


def _building(heavy: bool) -> Study:
    load, figure = ("heavy", "15") if heavy else ("light", "14")
    return Study(
        f"s000-building-{load}",
        f"public building, {load} traffic",
        "mobile nodes",
        (10, 20, 30),
        lambda x, seed, seconds: worlds.building(int(x), heavy, 30, seed, seconds),
        (XCP, RCP, *WINF),
        (
            Figure(f"S000-fig{figure}a", "throughput", BETTER),
            Figure(f"S000-fig{figure}b", "delay", FASTER),
            Figure(f"S000-fig{figure}c", "received", BETTER),
        ),
        seeds=30,
        seconds=600,
        quick_places=(10, 30),
        quick_seeds=2,
        quick_seconds=30,
        notes=f"{CAPACITY_NOTE} Four flows per mobile; the period that the table gives besides the rate is ignored.",
    )


WITHOUT = {"collisions": "off"}


def _gains(upper: str, lower: str, share: float, text: str) -> Statement:
    """At the fastest place one curve lies above another by at least half of what is printed."""
    return Statement(text, lambda m, xs: m[upper, xs[-1]] / m[lower, xs[-1]] >= 1 + share / 2)


S000_COLLISIONS = Study(
    "s000-collisions",
    "public building with 20 mobiles and heavy traffic, with and without P_c",
    "greatest speed, m/s",
    (0, 100),
    lambda x, seed, seconds: worlds.building(20, True, int(x), seed, seconds),
    (
        Arm("XCP-Winf", "xcp_winf"),
        Arm("XCP-Winf without P_c", "xcp_winf", settings=WITHOUT),
        Arm("XCP-Winf, paper, greedy", "xcp_winf", "paper_greedy"),
        Arm("XCP-Winf, paper, greedy, without P_c", "xcp_winf", "paper_greedy", WITHOUT),
        Arm("RCP-Winf", "rcp_winf"),
        Arm("RCP-Winf without P_c", "rcp_winf", settings=WITHOUT),
        Arm("RCP-Winf, paper", "rcp_winf", "paper"),
        Arm("RCP-Winf, paper, without P_c", "rcp_winf", "paper", WITHOUT),
    ),
    (
        Figure(
            "S000-fig17",
            "throughput",
            (
                _gains(
                    "XCP-Winf", "XCP-Winf without P_c", 0.085, "corrected: P_c gains 8.5 % at 100 m/s (half counts)"
                ),
                _gains(
                    "XCP-Winf, paper, greedy",
                    "XCP-Winf, paper, greedy, without P_c",
                    0.085,
                    "paper: P_c gains 8.5 % at 100 m/s (half counts)",
                ),
            ),
            arms="XCP-Winf",
        ),
        Figure(
            "S000-fig18",
            "throughput",
            (
                _gains(
                    "RCP-Winf", "RCP-Winf without P_c", 0.065, "corrected: P_c gains 6.5 % at 100 m/s (half counts)"
                ),
                _gains(
                    "RCP-Winf, paper",
                    "RCP-Winf, paper, without P_c",
                    0.065,
                    "paper: P_c gains 6.5 % at 100 m/s (half counts)",
                ),
            ),
            arms="RCP-Winf",
        ),
    ),
    seeds=30,
    seconds=600,
    quick_places=(0, 100),
    quick_seeds=3,
    quick_seconds=30,
    notes=f"{CAPACITY_NOTE} The XCP-Winf of the paper asks for nothing, so its greedy source is drawn.",
)

S002_MOBILES = Study(
    "s002-mobiles",
    "16 mesh nodes and mobiles, FTP of 1440-byte packets, no RTS/CTS",
    "mobile nodes",
    (3, 4, 5, 6, 7),
    lambda x, seed, seconds: worlds.mesh(16, int(x), seed, seconds, side_m=800, payload=1400, mac=worlds.NS2_MAC),
    (TCP, XCP, RCP),
    (
        Figure("S002-fig7", "throughput"),
        Figure("S002-fig8", "delay", (below("TCP", "XCP", "TCP below XCP"), below("TCP", "RCP", "TCP below RCP"))),
        Figure("S002-fig9", "received", (above("TCP", "XCP", "TCP above XCP"), above("TCP", "RCP", "TCP above RCP"))),
    ),
    seeds=10,
    seconds=300,
    quick_places=(3, 5, 7),
    quick_seeds=5,
    quick_seconds=20,
    notes=f"{CAPACITY_NOTE} The number of repetitions is not printed; ten are taken.",
)

S002_MESHES = Study(
    "s002-meshes",
    "7 mobiles in meshes of several sizes, FTP of 1440-byte packets, no RTS/CTS",
    "mesh nodes",
    (5, 9, 12, 16),
    lambda x, seed, seconds: worlds.mesh(int(x), 7, seed, seconds, side_m=800, payload=1400, mac=worlds.NS2_MAC),
    (TCP, XCP, RCP),
    (
        Figure("S002-fig10", "throughput"),
        Figure("S002-fig11", "delay", (below("TCP", "XCP", "TCP below XCP"), below("TCP", "RCP", "TCP below RCP"))),
        Figure("S002-fig12", "received", (above("TCP", "XCP", "TCP above XCP"), above("TCP", "RCP", "TCP above RCP"))),
    ),
    seeds=10,
    seconds=300,
    quick_places=(5, 9, 12, 16),
    quick_seeds=5,
    quick_seconds=20,
    notes=f"{CAPACITY_NOTE} The number of repetitions is not printed; ten are taken.",
)

S002_CHAIN = Study(
    "s002-chain",
    "a base station and fixed nodes in a line, all of which talk to each other",
    "fixed nodes",
    (4,),
    lambda x, seed, seconds: worlds.base_station_chain(seed, seconds, int(x)),
    (TCP, XCP, RCP),
    (
        Figure(
            "S002-claim-5",
            "throughput",
            (
                Statement("RCP best", lambda m, xs: all(m["RCP", x] > max(m["TCP", x], m["XCP", x]) for x in xs)),
                Statement("XCP worst", lambda m, xs: all(m["XCP", x] < min(m["TCP", x], m["RCP", x]) for x in xs)),
            ),
        ),
        Figure("S002-claim-6", "received", (below("RCP", "TCP", "RCP receives fewer packets than TCP"),)),
    ),
    seeds=10,
    seconds=300,
    quick_places=(4,),
    quick_seeds=5,
    quick_seconds=20,
    notes="How many fixed nodes there are is in a figure only; four are taken.",
)


def _neighbourhood(name: str, figure: str, optimum: dict[X, float], says: Sequence[Statement]) -> Study:
    """Goodputs of the flows of a topology of S003; `optimum` in kbit/s."""
    return Study(
        f"s003-{name.replace('_', '-')}",
        f"goodput of each flow in {name.replace('_', '-')}",
        "flow",
        tuple(optimum),
        lambda _, __, seconds: worlds.neighbourhood(name, seconds),
        (TCP, Arm("WCP", "wcp"), Arm("WCPCap", "wcp_cap")),
        (
            Figure(
                figure,
                "throughput",
                says,
                printed={"WCPCap": {flow: 1e3 * kbps for flow, kbps in optimum.items()}},
            ),
        ),
        seeds=10,
        seconds=200,
        quick_places=tuple(optimum),
        quick_seeds=2,
        quick_seconds=40,
        by_flow=True,
        notes="Printed: the optimum of the paper, which WCPCap is to come near.",
    )


def _starves(flow: str, text: str) -> Statement:
    """TCP gives a flow less than a quarter of the mean of all."""
    return Statement(text, lambda m, xs: 4 * m["TCP", flow] < fmean(m["TCP", x] for x in xs))


def _alike(label: str, share: float, text: str) -> Statement:
    """The flows of an arm differ by at most this share of the largest."""

    def holds(means: Means, places: Sequence[X]) -> bool:
        rates = [means[label, x] for x in places]
        return min(rates) >= (1 - share) * max(rates)

    return Statement(text, holds)


def _more(upper: str, lower: str, text: str) -> Statement:
    """An arm carries more in sum."""
    return Statement(text, lambda m, xs: sum(m[upper, x] for x in xs) > sum(m[lower, x] for x in xs))


S003_ALONE = Study(
    "s003-without-sharing",
    "goodput of each flow in stack, without sharing",
    "flow",
    ("1-3", "4-6", "7-9"),
    lambda _, __, seconds: worlds.neighbourhood("stack", seconds),
    (
        TCP,
        Arm("WCP", "wcp"),
        Arm("WCP without sharing", "wcp", settings={"share_congestion": False, "share_rtt": False}),
        Arm("WCP with its own round-trip times", "wcp", settings={"share_rtt": False}),
    ),
    (
        Figure(
            "S003-fig8",
            "throughput",
            (
                _starves("4-6", "TCP starves 4-6"),
                Statement(
                    "without sharing 4-6 has less than half of 1-3",
                    lambda m, _: 2 * m["WCP without sharing", "4-6"] < m["WCP without sharing", "1-3"],
                ),
                Statement("and more than with TCP", lambda m, _: m["WCP without sharing", "4-6"] > m["TCP", "4-6"]),
            ),
        ),
        Figure(
            "S003-claim-8",
            "throughput",
            (
                Statement(
                    "with its own round-trip times the rates differ by more than 15 %",
                    lambda m, _: (
                        m["WCP with its own round-trip times", "4-6"]
                        < 0.85 * m["WCP with its own round-trip times", "1-3"]
                    ),
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=200,
    quick_places=("1-3", "4-6", "7-9"),
    quick_seeds=2,
    quick_seconds=40,
    by_flow=True,
)

S003 = (
    _neighbourhood(
        "stack",
        "S003-fig9",
        {"1-3": 300, "4-6": 300, "7-9": 300},
        (
            _starves("4-6", "TCP starves 4-6"),
            _alike("WCP", 0.15, "WCP's flows alike"),
            _alike("WCPCap", 0.15, "WCPCap's flows alike"),
            _more("WCPCap", "WCP", "WCPCap above WCP"),
        ),
    ),
    _neighbourhood(
        "diamond",
        "S003-fig10",
        {"1-3": 325, "4-6": 325, "7-9": 325},
        (
            _starves("4-6", "TCP starves 4-6"),
            Statement("WCP gives 4-6 half of the others", lambda m, _: m["WCP", "4-6"] < 0.65 * m["WCP", "1-3"]),
            _alike("WCPCap", 0.15, "WCPCap's flows alike"),
        ),
    ),
    _neighbourhood(
        "half_diamond",
        "S003-fig11",
        {"1-3": 335, "4-6": 315, "7-9": 315},
        (
            Statement(
                "WCP gives 1-3 more than 4-6, less than twice", lambda m, _: 1 < m["WCP", "1-3"] / m["WCP", "4-6"] < 2
            ),
        ),
    ),
    _neighbourhood(
        "chain_cross",
        "S003-fig12",
        {"1-2": 255, "1-7": 255, "6-7": 420, "8-9": 255, "10-11": 255},
        (
            _starves("1-2", "TCP starves 1-2"),
            Statement("WCP gives 1-7 least", lambda m, xs: min(xs, key=lambda x: m["WCP", x]) == "1-7"),
            Statement("WCP gives 6-7 most", lambda m, xs: max(xs, key=lambda x: m["WCP", x]) == "6-7"),
        ),
    ),
)

TABLE_1: dict[str, dict[X, float]] = {
    "XCP-b, paper": dict(enumerate((6.39, 6.57, 7.30, 6.57, 6.81, 7.56, 7.58, 8.16, 8.71, 9.37), start=1)),
    "TCP": dict(enumerate((24.24, 20.78, 33.45, 19.85, 21.14, 20.48, 20.34, 20.71, 20.02, 22.79), start=1)),
}

S004_TABLE_1_SAYS = (
    Statement("XCP-b below 10 packets", lambda m, xs: all(m["XCP-b, 2 ms", x] < 10 for x in xs)),
    Statement("XCP-b below half of TCP", lambda m, xs: all(2 * m["XCP-b, 2 ms", x] < m["TCP", x] for x in xs)),
)

S004_CHAINS = Study(
    "s004-chains",
    "one flow over a chain",
    "hops",
    tuple(range(1, 11)),
    lambda x, seed, seconds: worlds.chain(int(x), seconds),
    (
        TCP,
        Arm("XCP-b, paper", "xcp_b", "paper"),
        Arm("XCP-b, 2 ms", "xcp_b", "paper", {"queue": {"least_over": "shortest"}}),
        Arm("XCP-b, half a round trip", "xcp_b", "paper", {"queue": {"least_over": "half_round_trip"}}),
        Arm("XCP-b", "xcp_b"),
    ),
    (
        Figure("S004-fig3", "rtt", (below("XCP-b, paper", "TCP", "XCP-b below TCP"),)),
        Figure(
            "S004-fig4",
            "throughput",
            (
                Statement(
                    "XCP-b gains nothing over TCP (5 %)", lambda m, xs: _gain(m, "XCP-b, paper", "TCP", xs) < 1.05
                ),
            ),
        ),
        Figure("S004-claim-12", "window", S004_TABLE_1_SAYS, printed=TABLE_1),
    ),
    seeds=5,
    seconds=60,
    quick_places=(1, 2, 3, 4, 6, 8, 10),
    quick_seeds=2,
    quick_seconds=20,
    notes=(
        "`paper` takes the least queue of the control interval, as printed. With the least queue of 2 ms, which ns-2's "
        "formula gives without a capacity, windows are those of table 1."
    ),
)

STUDIES: tuple[Study, ...] = (
    S000_MESH,
    S000_VOICE,
    _building(heavy=False),
    _building(heavy=True),
    S000_COLLISIONS,
    S002_CHAIN,
    S002_MOBILES,
    S002_MESHES,
    *S003,
    S003_ALONE,
    S004_CHAINS,
)
"""Every study, in the order of the papers."""
