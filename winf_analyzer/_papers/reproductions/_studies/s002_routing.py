"""What DSDV does to TCP, XCP and RCP in S002's mesh."""

from __future__ import annotations

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._common import RCP, TCP, XCP
from winf_analyzer._papers.reproductions._study import Figure, Means, Statement, Study, X, above, below
from winf_analyzer._replay.topologies.world import World

AT_ONCE, DSDV = "at once, free", "DSDV"
ROUTES = (AT_ONCE, DSDV)


def _mesh(x: X, seed: int, seconds: float) -> World:
    mac = worlds.NS2_MAC
    return worlds.mesh(16, 5, seed, seconds, side_m=800, payload=1400, mac=mac, dsdv=x == DSDV)


def _kept(means: Means, label: str) -> float:
    """What DSDV leaves of the throughput."""
    return means[label, DSDV] / means[label, AT_ONCE]


def _there(says: Statement) -> Statement:
    return Statement(says.text, lambda m, _: says.holds(m, (DSDV,)), says.metric)


ROUTING = Study(
    "s002-routing",
    "16 mesh nodes and 5 mobiles, with routes that follow positions at once and with DSDV's",
    "routes",
    ROUTES,
    _mesh,
    (TCP, XCP, RCP),
    (
        Figure(
            "S002-claim-10",
            "throughput",
            (
                Statement("TCP keeps more of its throughput than XCP", lambda m, _: _kept(m, "TCP") > _kept(m, "XCP")),
                Statement("and than RCP", lambda m, _: _kept(m, "TCP") > _kept(m, "RCP")),
                Statement(
                    "more attempts collide than without messages, under all three",
                    lambda m, _: all(m[label, DSDV] > m[label, AT_ONCE] for label in ("TCP", "XCP", "RCP")),
                    "collided",
                ),
            ),
        ),
        Figure(
            "S002-claim-15",
            "throughput",
            tuple(
                _there(says)
                for says in (
                    above("TCP", "XCP", "TCP carries more than XCP"),
                    above("TCP", "RCP", "TCP carries more than RCP"),
                    above("TCP", "XCP", "TCP fairer than XCP", "jain"),
                    above("TCP", "RCP", "TCP fairer than RCP", "jain"),
                    below("TCP", "XCP", "TCP steadier than XCP", "deviation"),
                    below("TCP", "RCP", "TCP steadier than RCP", "deviation"),
                )
            ),
        ),
    ),
    seeds=10,
    seconds=300,
    quick_places=ROUTES,
    quick_seeds=6,
    quick_seconds=60,
    notes="DSDV's messages take airtime and are never lost; they do not wait in queues.",
)

STUDIES = (ROUTING,)
"""In the order of the paper."""
