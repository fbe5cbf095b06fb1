"""What congestion headers and what rt-Winf tells cost on the air: S000's claim 30 and S002's claim 18."""

from __future__ import annotations

from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._common import RCP, TCP, WINF, XCP
from winf_analyzer._papers.reproductions._study import Figure, Means, Statement, Study

FREE, COUNTED = "free", "counted"


def _kept(means: Means, label: str) -> float:
    """What is left of the throughput where headers take their octets."""
    return means[label, COUNTED] / means[label, FREE]


def _costs(label: str) -> Statement:
    return Statement(f"{label} loses throughput to its header (0.5 %)", lambda m, _: _kept(m, label) < 0.995)


HEADERS = Study(
    "headers",
    "one flow over two hops, with congestion headers that take octets, and that do not",
    "headers",
    (FREE, COUNTED),
    lambda x, _, seconds: worlds.with_headers({**worlds.chain(2, seconds), "mac": worlds.RTS}, x == COUNTED),
    (TCP, XCP, RCP, *WINF),
    (
        Figure(
            "S000-claim-30",
            "throughput",
            (
                Statement("TCP loses nothing (0.5 %)", lambda m, _: _kept(m, "TCP") > 0.995),
                _costs("XCP"),
                _costs("RCP"),
                Statement(
                    "the Winf variants lose no more than a header of 20 octets takes (1.5 %)",
                    lambda m, _: min(_kept(m, "XCP-Winf"), _kept(m, "RCP-Winf")) > 0.985,
                ),
            ),
        ),
        Figure(
            "S002-claim-18",
            "packet",
            (
                Statement(
                    "packets of XCP and RCP are longer than TCP's by their headers",
                    lambda m, _: (
                        abs(m["XCP", COUNTED] - m["TCP", COUNTED] - 20) < 0.5
                        and abs(m["RCP", COUNTED] - m["TCP", COUNTED] - 12) < 0.5
                    ),
                ),
            ),
            arms=("TCP", "XCP", "RCP"),
        ),
    ),
    seeds=10,
    seconds=60,
    quick_places=(FREE, COUNTED),
    quick_seeds=5,
    quick_seconds=30,
    notes=(
        "Headers of 20 and 12 octets in data and acknowledgements, 8 octets in every ACK of the MAC under a Winf "
        "variant, which the ACK of 802.11 has no room for."
    ),
)

STUDIES = (HEADERS,)
"""In the order of the papers."""
