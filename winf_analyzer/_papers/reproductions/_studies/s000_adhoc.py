"""Ad hoc networks of S000: mobiles alone, with CBR flows between random pairs."""

from __future__ import annotations

from collections.abc import Sequence

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._common import BETTER, CAPACITY_NOTE, FASTER, RCP, WINF, XCP
from winf_analyzer._papers.reproductions._study import Figure, Means, Statement, Study, X

FLOWS = (4, 8, 16, 32, 64, 128)


def _near(means: Means, places: Sequence[X]) -> bool:
    return all(abs(means["XCP", x] / means["RCP", x] - 1) < 0.1 for x in places)


PLAIN_ALIKE = Statement("XCP and RCP alike (10 %)", _near)
OTHERS_DIFFER = Statement(
    "XCP-Winf and RCP-Winf differ from them (10 %)",
    lambda m, xs: all(abs(m[f"{name}-Winf", x] / m[name, x] - 1) > 0.1 for name in ("XCP", "RCP") for x in xs),
)

AD_HOC = Study(
    "s000-ad-hoc",
    "mobiles alone, twice as many as CBR flows of 64 kbit/s between random pairs",
    "flows",
    FLOWS,
    lambda x, seed, seconds: worlds.ad_hoc(2 * int(x), int(x), seed, seconds),
    (XCP, RCP, *WINF),
    (
        Figure("S000-fig12a", "throughput", (PLAIN_ALIKE, OTHERS_DIFFER)),
        Figure("S000-fig12b", "delay", FASTER),
        Figure("S000-fig12c", "received", BETTER),
        Figure("S000-claim-23", "delay", (PLAIN_ALIKE, OTHERS_DIFFER)),
    ),
    seeds=30,
    seconds=300,
    quick_places=(4, 8, 16),
    quick_seeds=3,
    quick_seconds=20,
    bin_s=1.0,
    notes=(
        f"{CAPACITY_NOTE} Density is not printed: a mobile has eight neighbours in the mean; speeds are those of "
        "the mesh. Numbers of nodes and flows are paired in their order."
    ),
)

ROUTED = Study(
    "s000-ad-hoc-dsdv",
    "the same with DSDV",
    "flows",
    FLOWS,
    lambda x, seed, seconds: worlds.ad_hoc(2 * int(x), int(x), seed, seconds, dsdv=True),
    (XCP, RCP, *WINF[::2]),
    (
        Figure(
            "S000-claim-24",
            "received",
            (
                *BETTER,
                Statement(
                    "delay and collisions grow with the flows",
                    lambda m, xs: all(m[label, xs[-1]] > m[label, xs[0]] for label in ("XCP", "RCP")),
                    "delay",
                ),
            ),
        ),
    ),
    seeds=30,
    seconds=300,
    quick_places=(4, 8, 16),
    quick_seeds=3,
    quick_seconds=40,
    bin_s=1.0,
    notes="As without DSDV. Messages grow with the nodes, of which there are twice as many as flows.",
)

STUDIES = (AD_HOC, ROUTED)
"""In the order of the paper."""
