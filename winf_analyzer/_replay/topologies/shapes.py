"""Chains and grids, which several papers use."""

from __future__ import annotations

from itertools import pairwise

from winf_analyzer._replay.topologies import world as w
from winf_analyzer._replay.topologies.world import require_at_least, require_size

SPACING_M = 200.0
RANGE = {"range": {"decode_m": 250.0, "sense_m": 550.0, "corrupt_m": 550.0, "capture_db": 10.0}}
"""ns-2's defaults, which S002 and S004 use: transmission range 250 m, carrier sense range 550 m, capture at 10 dB."""


def chain(hops: int = 4, rts: int = 0) -> w.World:
    """One flow over `hops` hops of 200 m; nodes sense two hops away (S004 sec. 5.2: queue of 25, 1300-byte packets)."""
    require_at_least(hops=(hops, 1))
    require_size(nodes=hops + 1)
    names = [str(node) for node in range(1, hops + 2)]
    return w.world(
        f"chain:{hops}",
        60.0,
        nodes=[{"name": name, "position_m": [SPACING_M * index, 0.0]} for index, name in enumerate(names)],
        links=[w.wireless(a, b, queue=25) for a, b in pairwise(names)],
        flows=[w.flow(f"1-{names[-1]}", names, payload_bytes=1260, transport=S004_TRANSPORT)],
        hearing=RANGE,
        mac=w.DOT11B_RTS if rts else w.DOT11B,
    )


def grid(side: int = 4, rts: int = 0) -> w.World:
    """`side` times `side` nodes 200 m apart; one flow along the first row and one down the first column."""
    require_at_least(side=(side, 2))
    require_size(nodes=side * side)
    name = "{}.{}".format
    rows = range(side)
    right = [(name(row, column), name(row, column + 1)) for row in rows for column in range(side - 1)]
    down = [(name(row, column), name(row + 1, column)) for row in range(side - 1) for column in rows]
    paths = [[name(0, column) for column in rows], [name(row, 0) for row in rows]]
    return w.world(
        f"grid:{side}",
        60.0,
        nodes=[
            {"name": name(row, column), "position_m": [SPACING_M * column, SPACING_M * row]}
            for row in rows
            for column in rows
        ],
        links=[w.wireless(a, b) for a, b in [*right, *down]],
        flows=[w.flow(f"{path[0]}-{path[-1]}", path) for path in paths],
        hearing=RANGE,
        mac=w.DOT11B_RTS if rts else w.DOT11B,
    )


S004_TRANSPORT = {"minimum_timeout_ns": 200_000_000, "maximum_timeout_ns": 2_000_000_000, "sack": False}
"""ns-2's NewReno with the longest retransmission timeout of S004."""
