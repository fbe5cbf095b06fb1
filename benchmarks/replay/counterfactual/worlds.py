"""The worlds of the counterfactual study, and which of them nothing is tuned on.

Each world is recorded under NewReno. What is predicted from the recording is then run by the same simulator in the same
world with other seeds. The halves were fixed by name before any prediction of a held-out world was looked at; those
that were added later were fixed before any prediction of theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import NamedTuple


class Phy(NamedTuple):
    """A PHY and its rates, by the names of ns-3."""

    standard: str
    modes: str
    """Of the stations' data frames, from the first on; the last is that of all further stations."""

    control_mode: str
    doubled: str | None
    """Modes of twice the rate; None: not asked."""


_DSSS = "DsssRate1Mbps"
PHYS = {
    "802.11b": Phy("802.11b", "DsssRate5_5Mbps", _DSSS, "DsssRate11Mbps"),
    "802.11g": Phy("802.11g", "ErpOfdmRate24Mbps", "ErpOfdmRate6Mbps", "ErpOfdmRate48Mbps"),
    "802.11a": Phy("802.11a", "OfdmRate24Mbps", "OfdmRate6Mbps", "OfdmRate48Mbps"),
    "802.11n": Phy("802.11n", "HtMcs3", "HtMcs0", "HtMcs5"),
    "mixed": Phy(
        "802.11b",
        "DsssRate5_5Mbps,DsssRate5_5Mbps,DsssRate1Mbps",
        _DSSS,
        "DsssRate11Mbps,DsssRate11Mbps,DsssRate2Mbps",
    ),
    "minstrel": Phy("802.11g", "minstrel", "ErpOfdmRate6Mbps", None),
    "802.11ac": Phy("802.11ac", "VhtMcs3", "VhtMcs0", "VhtMcs5"),
    "802.11ax": Phy("802.11ax", "HeMcs3", "HeMcs0", "HeMcs5"),
    "802.11b, 1 Mbit/s": Phy("802.11b", _DSSS, _DSSS, "DsssRate2Mbps"),
    "802.11g, 6 Mbit/s": Phy("802.11g", "ErpOfdmRate6Mbps", "ErpOfdmRate6Mbps", "ErpOfdmRate12Mbps"),
    "802.11a, 18 Mbit/s": Phy("802.11a", "OfdmRate18Mbps", "OfdmRate6Mbps", "OfdmRate36Mbps"),
    "802.11n, MCS 1": Phy("802.11n", "HtMcs1", "HtMcs0", "HtMcs3"),
    "802.11ac, MCS 1": Phy("802.11ac", "VhtMcs1", "VhtMcs0", "VhtMcs3"),
    "802.11ax, MCS 1": Phy("802.11ax", "HeMcs1", "HeMcs0", "HeMcs3"),
}
"""``mixed``: the second station of a star is slow; ``minstrel``: rate control of ns-3. Channels have 20 MHz."""

AGGREGATES = {"802.11n", "802.11ac", "802.11ax"}
"""Standards whose stations send A-MPDUs."""


LATER = ("spacing_m", "pausing", "segment_bytes", "udp_bytes", "later_s")
"""Fields of a world that runs were made without."""


@dataclass(frozen=True)
class StudyWorld:
    """One world. Nodes hear 250 m."""

    name: str
    shape: str
    """``chainN``, ``starN`` (N stations, one access point), ``duplexN`` (the same, the first flow, the third and so on
    from the access point), ``gridRxC``, ``hidden`` (two senders that do not hear each other), ``crossing`` (two chains
    of two hops through one node), ``stack`` (S003)."""

    held_out: bool
    phy: str = "802.11b"
    """A key of :data:`PHYS`."""

    rts: bool = False
    flows: int = 1
    """TCP flows."""

    udp_kbps: int = 0
    """UDP beside them, from the first to the last node."""

    cross_traffic: bool = False
    """Two more stations near the first two nodes, UDP of 1.5 Mbit/s for three fifths of the time."""

    loss: float = 0.0
    """Probability that the channel loses a data frame."""

    queue_packets: int = 50
    wire_ms: int = 0
    """Delay of a wire of 100 Mbit/s behind the first node, one way."""

    simulator: str = "ns-3"
    defaults: bool = False
    """ns-3's defaults of loss and propagation models, queue disciplines and time stamps."""

    spacing_m: int = 200
    """Between neighbours of chains and grids; stars have a radius of 50 m."""

    pausing: int = 0
    """So many TCP flows, the first ones, are of applications that write for half a second and then pause."""

    segment_bytes: str = "1000"
    """Of the TCP flows, separated by commas; the last is that of all further ones."""

    udp_bytes: int = 1000
    """Payload of the packets of UDP beside them."""

    later_s: int = 0
    """The last TCP flow begins so much later than the others."""

    @property
    def content(self) -> tuple[object, ...]:
        """What a run of it is kept under; fields that came later say something only where they are not as before."""
        values = [(each, getattr(self, each.name)) for each in fields(self)]
        first = tuple(value for each, value in values if each.name not in LATER)
        return first + tuple(
            (each.name, value) for each, value in values if each.name in LATER and value != each.default
        )


DEVELOPMENT, HELD_OUT = False, True
"""The halves."""

FIRST_WORLDS = (
    StudyWorld("chain1", "chain1", DEVELOPMENT),
    StudyWorld("chain2_rts", "chain2", DEVELOPMENT, rts=True),
    StudyWorld("chain4", "chain4", DEVELOPMENT),
    StudyWorld("chain3_loss", "chain3", DEVELOPMENT, loss=0.1),
    StudyWorld("chain1_queue20", "chain1", DEVELOPMENT, queue_packets=20),
    StudyWorld("chain2_queue200", "chain2", DEVELOPMENT, queue_packets=200),
    StudyWorld("chain1_cross", "chain1", DEVELOPMENT, cross_traffic=True),
    StudyWorld("chain1_11g", "chain1", DEVELOPMENT, phy="802.11g"),
    StudyWorld("star3_11a", "star3", DEVELOPMENT, phy="802.11a", flows=3),
    StudyWorld("star2_11n", "star2", DEVELOPMENT, phy="802.11n", flows=2),
    StudyWorld("star4_minstrel", "star4", DEVELOPMENT, phy="minstrel", flows=4),
    StudyWorld("hidden_rts", "hidden", DEVELOPMENT, rts=True, flows=2),
    StudyWorld("crossing", "crossing", DEVELOPMENT, flows=2),
    StudyWorld("chain2_udp", "chain2", DEVELOPMENT, udp_kbps=300),
    StudyWorld("chain1_wire20", "chain1", DEVELOPMENT, wire_ms=20),
    StudyWorld("chain1_defaults", "chain1", DEVELOPMENT, phy="802.11g", defaults=True),
    StudyWorld("ns2_chain2", "chain2", DEVELOPMENT, rts=True, simulator="ns-2"),
    StudyWorld("ns2_star2", "star2", DEVELOPMENT, flows=2, simulator="ns-2"),
    StudyWorld("chain2", "chain2", HELD_OUT),
    StudyWorld("chain3_rts", "chain3", HELD_OUT, rts=True),
    StudyWorld("chain5", "chain5", HELD_OUT),
    StudyWorld("chain2_loss", "chain2", HELD_OUT, loss=0.05),
    StudyWorld("chain2_queue20", "chain2", HELD_OUT, queue_packets=20),
    StudyWorld("chain1_queue200", "chain1", HELD_OUT, queue_packets=200),
    StudyWorld("chain2_cross_rts", "chain2", HELD_OUT, rts=True, cross_traffic=True),
    StudyWorld("chain2_11g", "chain2", HELD_OUT, phy="802.11g"),
    StudyWorld("star4_11a", "star4", HELD_OUT, phy="802.11a", flows=4),
    StudyWorld("star3_11n", "star3", HELD_OUT, phy="802.11n", flows=3),
    StudyWorld("star2_mixed", "star2", HELD_OUT, phy="mixed", flows=2),
    StudyWorld("hidden", "hidden", HELD_OUT, flows=2),
    StudyWorld("grid3x3", "grid3x3", HELD_OUT, flows=3),
    StudyWorld("stack_rts", "stack", HELD_OUT, rts=True, flows=3),
    StudyWorld("star3_udp", "star3", HELD_OUT, flows=2, udp_kbps=500),
    StudyWorld("chain2_wire40", "chain2", HELD_OUT, wire_ms=40),
    StudyWorld("star2_defaults", "star2", HELD_OUT, phy="802.11g", flows=2, defaults=True),
    StudyWorld("ns2_chain3", "chain3", HELD_OUT, rts=True, simulator="ns-2"),
    StudyWorld("ns2_star3", "star3", HELD_OUT, rts=True, flows=3, simulator="ns-2"),
)
"""Those that the study began with. The held-out half of them was scored eight times."""

ADDED_WORLDS = (
    StudyWorld("hidden_rts_11g", "hidden", HELD_OUT, phy="802.11g", rts=True, flows=2),
    StudyWorld("grid3x3_rts", "grid3x3", HELD_OUT, rts=True, flows=2),
    StudyWorld("crossing_150m", "crossing", HELD_OUT, flows=2, spacing_m=150),
    StudyWorld("star3_minstrel_loss", "star3", HELD_OUT, phy="minstrel", flows=3, loss=0.05),
    StudyWorld("star3_pauses", "star3", HELD_OUT, phy="802.11g", flows=3, pausing=2),
    StudyWorld("star10_11a", "star10", HELD_OUT, phy="802.11a", flows=10),
    StudyWorld("star2_11ac", "star2", HELD_OUT, phy="802.11ac", flows=2),
    StudyWorld("chain2_11ax", "chain2", HELD_OUT, phy="802.11ax"),
    StudyWorld("duplex2_wire25", "duplex2", HELD_OUT, phy="802.11a", flows=2, wire_ms=25),
    StudyWorld("duplex3", "duplex3", HELD_OUT, flows=3),
    StudyWorld("star3_udp1500", "star3", HELD_OUT, flows=2, udp_kbps=1500),
    StudyWorld("ns2_star2_rts", "star2", HELD_OUT, rts=True, flows=2, queue_packets=100, simulator="ns-2"),
)
"""Held out too, and fixed before the ninth scores, when nothing of them had been predicted."""

WORLDS = FIRST_WORLDS + ADDED_WORLDS
