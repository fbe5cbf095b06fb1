"""Table 2 of S004: deviation, packets and collisions in the mesh access network."""

from __future__ import annotations

from collections.abc import Mapping

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._common import TCP
from winf_analyzer._papers.reproductions._studies.s004_mesh import NO_LOSS, NOTE, XCP_B
from winf_analyzer._papers.reproductions._study import Figure, Statement, Study, X

DEVIATION, ONE_HOP = "deviation, %", "deviation over one hop, %"
PACKETS, COLLISIONS = "data packets", "collisions per attempt"
COLUMNS: Mapping[X, str] = {
    DEVIATION: "deviation_together",
    ONE_HOP: "deviation_together",
    PACKETS: "data_packets",
    COLLISIONS: "collided_share",
}
PRINTED: Mapping[str, tuple[str, tuple[float, float, float, float]]] = {
    "XCP-b": ("S004-table2-xcp_b", (22.3, 4.0, 20113, 0.4285)),
    "XCP-b-nl": ("S004-table2-xcp_b_nl", (18.0, 4.0, 20620, 0.44)),
    "TCP": ("S004-table2-new_reno", (54.0, 43.0, 21063, 0.436)),
}


def _near(label: str, printed: Mapping[X, float]) -> Statement:
    return Statement(
        "all four numbers are those printed (25 %)",
        lambda m, xs: all(abs(m[label, x] / printed[x] - 1) < 0.25 for x in xs),
    )


def _row(label: str, item: str, values: tuple[float, ...]) -> Figure:
    printed = dict(zip(COLUMNS, values, strict=True))
    return Figure(item, "value", (_near(label, printed),), {label: printed}, arms=(label,))


TABLE_2 = Study(
    "s004-table-2",
    "27 flows into a mesh access network",
    "column",
    tuple(COLUMNS),
    lambda x, _, seconds: worlds.mesh_access(seconds, hops=1 if x == ONE_HOP else 3),
    (XCP_B, NO_LOSS, TCP),
    tuple(_row(label, item, values) for label, (item, values) in PRINTED.items()),
    seeds=5,
    seconds=70,
    quick_places=tuple(COLUMNS),
    quick_seeds=2,
    quick_seconds=70,
    bin_s=1.0,
    columns=COLUMNS,
    notes=f"{NOTE} Deviations: while all flows run. The paper counts collisions per packet of the MAC.",
)

STUDIES = (TABLE_2,)
"""In the order of the paper."""
