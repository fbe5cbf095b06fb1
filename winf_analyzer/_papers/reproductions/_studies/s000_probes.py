"""What S000's probes cost a flow: octets of probes over octets of the flow, section 3.2."""

from __future__ import annotations

from collections.abc import Mapping

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._common import WINF
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Statement, Study, X
from winf_analyzer._replay.topologies.world import SECOND

KBPS = (64, 128, 256, 512, 1000, 2000)
CALL, FAST = 64, 1000
PROBES = {
    "1000 bytes every 6.2 s": (1000, 6.2),
    "250 bytes every 1.7 s": (250, 1.7),
    "250 bytes a second": (250, 1.0),
    "1000 bytes a minute": (1000, 60.0),
}
"""Payload of a probe, and seconds between two: neither is printed."""
PRINTED: Mapping[X, float] = {CALL: 1.66, FAST: 0.15}


def _fitting(means: Means) -> list[str]:
    """The readings that cost a call what is printed, to a tenth of it."""
    return [name for name in PROBES if abs(means[name, CALL] / PRINTED[CALL] - 1) < 0.1]


OVERHEAD = Study(
    "s000-probe-overhead",
    "what probes cost a flow",
    "rate of the flow, kbit/s; 64 is a call",
    KBPS,
    lambda x, _, seconds: worlds.probed(1e3 * float(x), tuple(PROBES.values()), seconds),
    tuple(Arm(name, "new_reno", flows=("flow", f"probes-{number};")) for number, name in enumerate(PROBES)),
    (
        Figure(
            "S000-metric-probe-overhead-voip",
            "probe_overhead",
            (Statement("some size and rate of probes cost a call 1.66 % (a tenth)", lambda m, _: bool(_fitting(m))),),
            printed={"1000 bytes every 6.2 s": PRINTED},
        ),
        Figure(
            "S000-metric-probe-overhead-1mbps",
            "probe_overhead",
            (
                Statement(
                    "each that costs a call 1.66 % costs a flow of 1 Mbit/s at most 0.15 %",
                    lambda m, _: bool(_fitting(m)) and all(m[name, FAST] <= PRINTED[FAST] for name in _fitting(m)),
                ),
                Statement("not every one does", lambda m, _: any(m[name, FAST] > PRINTED[FAST] for name in PROBES)),
            ),
            printed={"1000 bytes every 6.2 s": PRINTED},
        ),
    ),
    seeds=30,
    seconds=600,
    quick_places=KBPS,
    quick_seeds=1,
    quick_seconds=300,
    notes=(
        "A call is G.711 with 160 bytes every 20 ms and headers of RTP, UDP and IP, the other flows are datagrams of "
        "1000 bytes. Size and rate of the probes are not printed: two sizes at the rate that costs a call 1.66 %, one "
        "probe a second, and one a minute."
    ),
)

NONE, A_SECOND = "none", "where nothing was measured for a second"

PROBING = Study(
    "s000-probing",
    "16 mesh nodes and 5 mobiles with FTP, whose nodes probe the links of the flows",
    "probes",
    (NONE, A_SECOND),
    lambda x, seed, seconds: {
        **worlds.mesh(16, 5, seed, seconds, side_m=1000, payload=1460, mac=worlds.RTS),
        **({"probing": {"bytes": 1000, "interval_ns": SECOND}} if x == A_SECOND else {}),
    },
    WINF,
    (Figure("S000-proc-probe", "throughput"),),
    seeds=30,
    seconds=60,
    quick_places=(NONE, A_SECOND),
    quick_seeds=3,
    quick_seconds=20,
    notes="Every hop of every flow is probed while it carries nothing, as S000 says; where flows are is not said.",
)

STUDIES = (PROBING, OVERHEAD)
