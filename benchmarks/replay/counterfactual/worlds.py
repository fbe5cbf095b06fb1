"""The worlds of the counterfactual study, and which of them nothing is tuned on.

Each world is recorded under NewReno. What is predicted from the recording is then run by the same simulator in the same
world with other seeds. The halves were fixed by name before any prediction of a held-out world was looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
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
}
"""``mixed``: the second station of a star is slow; ``minstrel``: rate control of ns-3."""


@dataclass(frozen=True)
class StudyWorld:
    """One world. Nodes stand 200 m apart and hear 250 m, unless the shape says otherwise."""

    name: str
    shape: str
    """``chainN``, ``starN`` (N stations, one access point), ``gridRxC``, ``hidden`` (two senders that do not hear each
    other), ``crossing`` (two chains of two hops through one node), ``stack`` (S003)."""

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


DEVELOPMENT, HELD_OUT = False, True
"""The halves."""

WORLDS = (
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
