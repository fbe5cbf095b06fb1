"""The studies of S002: meshes with mobiles, and a base station with fixed nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies import s002_routing, s002_steadiness
from winf_analyzer._papers.reproductions._studies._common import CAPACITY_NOTE, RCP, TCP, XCP
from winf_analyzer._papers.reproductions._study import Figure, Statement, Study, X, above, below
from winf_analyzer._replay.topologies.world import World

FEWER = (below("TCP", "XCP", "TCP below XCP"), below("TCP", "RCP", "TCP below RCP"))
MORE = (above("TCP", "XCP", "TCP above XCP"), above("TCP", "RCP", "TCP above RCP"))


LEVEL = Statement(
    "no clear winner (all within 20 %)",
    lambda m, xs: all(
        max(m[label, x] for label in ("TCP", "XCP", "RCP")) < 1.2 * min(m[label, x] for label in ("TCP", "XCP", "RCP"))
        for x in xs
    ),
)


def _mesh(
    name: str, scene: str, varied: str, places: Sequence[X], sizes: Callable[[int], tuple[int, int]], first_figure: int
) -> Study:
    """Mesh nodes and mobiles; `sizes` gives how many of both at a place."""
    quick = places if len(places) < 5 else places[::2]

    def world(x: X, seed: int, seconds: float) -> World:
        fixed, mobiles = sizes(int(x))
        return worlds.mesh(fixed, mobiles, seed, seconds, side_m=800, payload=1400, mac=worlds.NS2_MAC)

    return Study(
        name,
        f"{scene}, FTP of 1440-byte packets, no RTS/CTS",
        varied,
        places,
        world,
        (TCP, XCP, RCP),
        (
            Figure(f"S002-fig{first_figure}", "throughput", (LEVEL,)),
            Figure(f"S002-fig{first_figure + 1}", "delay", FEWER),
            Figure(f"S002-fig{first_figure + 2}", "received", MORE),
        ),
        seeds=10,
        seconds=300,
        quick_places=quick,
        quick_seeds=5,
        quick_seconds=20,
        notes=f"{CAPACITY_NOTE} The number of repetitions is not printed; ten are taken.",
    )


S002_MOBILES = _mesh("s002-mobiles", "16 mesh nodes and mobiles", "mobile nodes", (3, 4, 5, 6, 7), lambda x: (16, x), 7)
S002_MESHES = _mesh(
    "s002-meshes", "7 mobiles in meshes of several sizes", "mesh nodes", (5, 9, 12, 16), lambda x: (x, 7), 10
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
        Figure(
            "S002-claim-6",
            "received",
            (
                below("RCP", "TCP", "RCP receives fewer packets than TCP"),
                above("RCP", "TCP", "and carries more", "throughput"),
            ),
        ),
    ),
    seeds=10,
    seconds=300,
    quick_places=(4,),
    quick_seeds=5,
    quick_seconds=20,
    notes="How many fixed nodes there are is in a figure only; four are taken.",
)

STUDIES = (S002_CHAIN, S002_MOBILES, S002_MESHES, *s002_steadiness.STUDIES, *s002_routing.STUDIES)
"""In the order of the paper."""
