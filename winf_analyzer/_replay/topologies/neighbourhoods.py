"""The four topologies of S003 (Rangwala et al., Neighborhood-Centric Congestion Control, sec. IV-A).

802.11b at 11 Mbit/s, RTS/CTS, 512-byte packets, queues of 64 packets, interference range equal to transmission range.
Stack is printed in the paper's text. The edges of the others are in figures only; they are rebuilt here from what the
text says about which links share the medium:

- Diamond: `L(1->2)` are the links of nodes 1 to 6, `L(7->8)` those of nodes 4 to 9: 2 and 8 hear 4 and 6.
- Half-Diamond: `L(7->8)` lies within `L(4->5)`, and holds `4->8` and `6->8`: the upper half is Stack's, the lower
  Diamond's.
- Chain-Cross: a chain 1 to 7 whose first link shares the medium with 8->9 and 10->11 beside it, as Stack's middle row
  does; `6->7` is in `L(4->5)`, not in `L(1->2)`.
"""

from __future__ import annotations

from itertools import pairwise

from winf_analyzer._replay.topologies import world as w

DURATION_S = 200.0
PAYLOAD_BYTES = 512
QUEUE_PACKETS = 64
ROWS = (("1", "2", "3"), ("4", "5", "6"), ("7", "8", "9"))
TRANSPORT = {"sack": True, "ecn": True, "receive_window_bytes": 65_535}


def stack(loss: float = 0.0) -> w.World:
    """Three parallel flows of two hops; the middle row hears both others, which do not hear each other."""
    beside = [("1", "4"), ("2", "5"), ("3", "6"), ("4", "7"), ("5", "8"), ("6", "9")]
    return _rows("stack", beside, loss)


def diamond(loss: float = 0.0) -> w.World:
    """Three flows; the middle one crosses two congested neighbourhoods, the others one each."""
    return _rows("diamond", [("2", "4"), ("2", "6"), ("8", "4"), ("8", "6")], loss)


def half_diamond(loss: float = 0.0) -> w.World:
    """Stack above, Diamond below: two congested neighbourhoods, one inside the other."""
    return _rows("half_diamond", [("1", "4"), ("2", "5"), ("3", "6"), ("8", "4"), ("8", "6")], loss)


def chain_cross(loss: float = 0.0) -> w.World:
    """A chain of six hops that crosses two congested neighbourhoods, and four flows of one hop inside them."""
    chain = [str(node) for node in range(1, 8)]
    paths = [("1", "2"), tuple(chain), ("6", "7"), ("8", "9"), ("10", "11")]
    links = [*pairwise(chain), ("8", "9"), ("10", "11")]
    beside = [("1", "8"), ("2", "9"), ("1", "10"), ("2", "11")]
    return _world("chain_cross", [*chain, "8", "9", "10", "11"], links, beside, paths, loss)


def _rows(name: str, beside: list[tuple[str, str]], loss: float) -> w.World:
    names = [node for row in ROWS for node in row]
    return _world(name, names, [link for row in ROWS for link in pairwise(row)], beside, list(ROWS), loss)


def _world(
    name: str,
    names: list[str],
    links: list[tuple[str, str]],
    beside: list[tuple[str, str]],
    paths: list[tuple[str, ...]],
    loss: float,
) -> w.World:
    return w.world(
        name,
        DURATION_S,
        nodes=w.nodes(names),
        links=[w.wireless(a, b, queue=QUEUE_PACKETS, loss=loss) for a, b in links],
        flows=[
            w.flow(f"{path[0]}-{path[-1]}", path, payload_bytes=PAYLOAD_BYTES, transport=TRANSPORT) for path in paths
        ],
        hearing=w.heard_by([*links, *beside]),
        mac=w.DOT11B_RTS,
    )
