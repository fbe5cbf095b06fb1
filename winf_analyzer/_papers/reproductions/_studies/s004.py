"""The studies of S004: one flow over chains. RTS/CTS, fixed windows and the mesh access network have files too."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies import s004_hops, s004_mesh, s004_mesh_flows
from winf_analyzer._papers.reproductions._studies._common import TCP
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Statement, Study, X, below


def _gain(means: Means, upper: str, lower: str, places: Sequence[X]) -> float:
    """Mean ratio of two curves."""
    return fmean(means[upper, x] / means[lower, x] for x in places)


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
        Figure(
            "S004-claim-8",
            "lost",
            (
                Statement("over one hop the MAC loses nothing", lambda m, _: m["TCP", 1] == 0, "lost_at_mac"),
                Statement(
                    "over more than three hops it does, at every length",
                    lambda m, xs: all(m["TCP", x] > 0 for x in xs if int(x) > 3),
                    "lost_at_mac",
                ),
            ),
            arms="TCP",
        ),
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

STUDIES = (S004_CHAINS, *s004_hops.STUDIES, *s004_mesh.STUDIES, *s004_mesh_flows.STUDIES)
"""In the order of the paper."""
