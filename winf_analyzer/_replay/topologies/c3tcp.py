"""The two scenarios of S001 (Kliazovich, Granelli: Cross-layer congestion control, sec. 5).

802.11b, RTS/CTS, nodes 20 m apart that hear 22.5 m, segments of 1000 bytes, queues of 20 packets. Signals do not
disturb beyond the transmission range.
"""

from __future__ import annotations

from itertools import pairwise

from winf_analyzer._replay.topologies import world as w

QUEUE_PACKETS = 20
COLUMNS = 5
HEARING = {"range": {"decode_m": 22.5}}


def string_cross(cross_kbps: int = 1500) -> w.World:
    """A TCP flow N1 to N4 from 3 s on; from 15 to 30 s a UDP flow N5 to N6 shares the medium with its last link.

    N3 hears N5, N2 does not. The rate of the cross traffic is not in the paper.
    """
    places = {"N1": (0, 0), "N2": (20, 0), "N3": (40, 0), "N4": (60, 0), "N5": (40, 20), "N6": (60, 20)}
    line = ["N1", "N2", "N3", "N4"]
    return w.world(
        "string_cross",
        45.0,
        nodes=[{"name": name, "position_m": [float(x), float(y)]} for name, (x, y) in places.items()],
        links=[w.wireless(a, b, queue=QUEUE_PACKETS) for a, b in [*pairwise(line), ("N5", "N6")]],
        flows=[
            w.flow("tcp", line, start_s=3.0),
            w.cbr("cross", ["N5", "N6"], cross_kbps * 1000, start_s=15.0, stop_s=30.0),
        ],
        hearing=HEARING,
        mac=w.DOT11B_RTS,
    )


def grid_cross(cross_kbps: int = 800) -> w.World:
    """Twenty nodes in four rows of five: TCP 10 to 14 (four hops) and 5 to 17 (two hops), UDP 8 to 4 from 30 to 70 s.

    Two hops from 5 to 17 and one from 8 to 4 are diagonals: the 20 m of the paper are taken as those of a cell. The
    rate of the cross traffic is not in the paper.
    """
    side_m = 20.0 / 2**0.5
    numbers = range(20)
    near = [
        (a, b)
        for a in numbers
        for b in numbers
        if a < b and max(abs(a // COLUMNS - b // COLUMNS), abs(a % COLUMNS - b % COLUMNS)) == 1
    ]
    return w.world(
        "grid_cross",
        100.0,
        nodes=[
            {"name": str(node), "position_m": [side_m * (node % COLUMNS), side_m * (node // COLUMNS)]}
            for node in numbers
        ],
        links=[w.wireless(str(a), str(b), queue=QUEUE_PACKETS) for a, b in near],
        flows=[
            w.flow("long", ["10", "11", "12", "13", "14"]),
            w.flow("short", ["5", "11", "17"]),
            w.cbr("udp", ["8", "4"], cross_kbps * 1000, start_s=30.0, stop_s=70.0),
        ],
        hearing=HEARING,
        mac=w.DOT11B_RTS,
    )
