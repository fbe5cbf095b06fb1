"""What C3TCP measures on S001's string, beside what is so, and what several flows of one source make of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from winf_analyzer._mac.constants import LOW_BAND, constant
from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._common import mean_over
from winf_analyzer._papers.reproductions._study import Arm, Curve, Figure, Means, Statement, Study, X

LABELS = ("C3TCP, paper", "C3TCP")
ARMS = (Arm("C3TCP, paper", "c3tcp", "paper", flows=("tcp",)), Arm("C3TCP", "c3tcp", flows=("tcp",)))
ALONE, CROSSED = range(5, 15), range(16, 30)


_OverTime = partial(
    Study, seeds=10, seconds=45, quick_places=tuple(range(4, 45)), quick_seeds=3, quick_seconds=45, along="seconds"
)
"""A study along the 45 s of a run, as long and as often in its quick form but for the seeds."""


def _both(text: str, within: tuple[float, float], metric: str = "") -> Statement:
    """A mean lies within limits alone and with cross traffic."""
    least, most = within

    def holds(means: Means, _: Sequence[X]) -> bool:
        return all(least < mean_over(means, "C3TCP, paper", span) < most for span in (ALONE, CROSSED))

    return Statement(text, holds, metric)


def _falls(text: str, metric: str, factor: float) -> Statement:
    """With cross traffic a mean is below so many times what it is alone."""
    return Statement(
        text,
        lambda m, _: mean_over(m, "C3TCP, paper", CROSSED) < factor * mean_over(m, "C3TCP, paper", ALONE),
        metric,
    )


def _rises(text: str, metric: str, factor: float) -> Statement:
    return Statement(
        text,
        lambda m, _: mean_over(m, "C3TCP, paper", CROSSED) > factor * mean_over(m, "C3TCP, paper", ALONE),
        metric,
    )


CLOSE = _both("within 25 % of the throughput alone and with cross traffic", (0.75, 1.25), "bandwidth_over_throughput")

PAYLOAD_BYTES, HEADERS_BYTES, RATE_MBPS = 1000, 40 + 8 + 28, 11
"""Of the string: payload; TCP, IPv4, LLC and SNAP, MAC header and FCS; data rate."""


def _without_backoff_bps() -> float:
    """What the link gives with RTS/CTS, without backoff and collisions."""
    names = ("DIFS", "rts_airtime", "cts_airtime", "preamble", "ack_airtime")
    waits_us = sum(constant(name, "dsss", LOW_BAND) for name in names) + 3 * constant("aSIFSTime", "dsss", LOW_BAND)
    return 8e6 * PAYLOAD_BYTES / (waits_us + 8 * (PAYLOAD_BYTES + HEADERS_BYTES) / RATE_MBPS)


def _curves(measured: str, other: str, said: str, gets: str) -> tuple[Curve, ...]:
    """What C3TCP measures in both modes, and what another layer sees."""
    return tuple(
        Curve(f"{text}, {label}", label, metric)
        for text, metric in ((said, measured), (gets, other))
        for label in LABELS
    )


MEASURED = _OverTime(
    "s001-measured",
    "what C3TCP measures over three hops, cross traffic from 15 to 30 s",
    "s",
    tuple(range(4, 45)),
    lambda _, __, seconds: worlds.string(seconds, 0),
    ARMS,
    (
        Figure(
            "S001-fig11",
            "path_bandwidth",
            (CLOSE,),
            curves=_curves("path_bandwidth", "throughput", "measured", "throughput of the flow"),
            levels={"one link without backoff and collisions": _without_backoff_bps()},
        ),
        Figure("S001-claim-10", "bandwidth_over_throughput", (CLOSE,)),
        Figure(
            "S001-fig12",
            "path_delay",
            (
                _both("TCP's round-trip time is the larger one", (1.0, 100.0), "rtt_over_path_delay"),
                _rises("the delay that the hops measure grows with cross traffic", "path_delay", 1.0),
            ),
            curves=_curves("path_delay", "rtt", "measured by the hops", "TCP's time stamps"),
        ),
        Figure(
            "S001-claim-6",
            "path_bandwidth",
            (
                _falls("cross traffic lowers the bandwidth (10 %)", "path_bandwidth", 0.9),
                _falls("and leaves the delay that the hops measure (25 %)", "path_delay", 1.25),
                _rises("TCP's round-trip time grows (10 %)", "rtt", 1.1),
            ),
        ),
    ),
    bin_s=1.0,
    notes="Static routes. B holds the wait in the queue, so it is compared with what the flow gets of the link.",
)

ONE_QUEUE, APART = "one queue", "told apart"
PLACES = ("F1 alone", f"F1 and F2, {ONE_QUEUE}", f"F1 and F2, {APART}", f"F1, F2 and F3, {ONE_QUEUE}", "F3 alone")


def _alone_and(other: str, factor: float, text: str, flow: str) -> Statement:
    label = f"C3TCP, {flow}"
    return Statement(text, lambda m, _: m[label, other] < factor * m[label, f"{flow} alone"], "path_bandwidth_of_bins")


SEVERAL = Study(
    "s001-flows",
    "two flows of one source and a third beside them",
    "flows",
    PLACES,
    lambda x, _, seconds: worlds.several_flows(str(x), seconds),
    tuple(Arm(f"C3TCP, {flow}", "c3tcp", flows=(flow,)) for flow in ("F1", "F2", "F3")),
    (
        Figure(
            "S001-claim-7",
            "path_bandwidth_of_bins",
            (
                _alone_and(
                    f"F1, F2 and F3, {ONE_QUEUE}",
                    0.95,
                    "what F3 measures beside the others is less than alone (95 %)",
                    "F3",
                ),
            ),
        ),
        Figure(
            "S001-claim-8",
            "path_bandwidth_of_bins",
            (
                _alone_and(
                    f"F1 and F2, {ONE_QUEUE}", 0.8, "what F1 measures beside F2 is less than alone (80 %)", "F1"
                ),
                Statement(
                    "in one queue both flows measure the same (10 %)",
                    lambda m, _: (
                        abs(m["C3TCP, F1", f"F1 and F2, {ONE_QUEUE}"] / m["C3TCP, F2", f"F1 and F2, {ONE_QUEUE}"] - 1)
                        < 0.1
                    ),
                ),
            ),
        ),
        Figure(
            "S001-fig9",
            "flow_throughput",
            (
                Statement(
                    "told apart, no flow takes more than 55 %",
                    lambda m, _: (
                        0.82 < m["C3TCP, F1", f"F1 and F2, {APART}"] / m["C3TCP, F2", f"F1 and F2, {APART}"] < 1.22
                    ),
                ),
            ),
        ),
    ),
    seeds=10,
    seconds=60,
    quick_places=PLACES,
    quick_seeds=3,
    quick_seconds=30,
    notes=(
        "The edges of fig. 8 are not in the text: F1 is N1 N2 N3 N4, F2 is N1 N2 N3 N5, F3 is N7 N6, and N6 is in "
        "range of N2, N3 and N4."
    ),
)

QUEUES = _OverTime(
    "s001-queue",
    "most packets at N2, cross traffic from 15 to 30 s",
    "s",
    tuple(range(4, 45)),
    lambda _, __, seconds: worlds.string(seconds, 0),
    (Arm("TCP", "new_reno", flows=("tcp",)), *ARMS),
    (
        Figure(
            "S001-fig14",
            "queue_at_n2",
            (
                Statement("TCP alone keeps fewer than 5 packets", lambda m, _: mean_over(m, "TCP", ALONE) < 5),
                Statement(
                    "with cross traffic up to 20 (more than 18)",
                    lambda m, _: max(m["TCP", x] for x in CROSSED if ("TCP", x) in m) > 18,
                ),
            ),
            arms="TCP",
        ),
        Figure(
            "S001-fig15",
            "queue_at_n2",
            (
                Statement("C3TCP alone keeps at most 3 packets", lambda m, _: mean_over(m, "C3TCP, paper", ALONE) <= 3),
                Statement(
                    "at most 10 with cross traffic",
                    lambda m, _: max(m["C3TCP, paper", x] for x in CROSSED if ("C3TCP, paper", x) in m) <= 10,
                ),
            ),
            arms="C3TCP",
        ),
    ),
    bin_s=0.05,
    notes="Static routes; the most of the 50 ms bins of a second.",
)

STUDIES = (MEASURED, SEVERAL, QUEUES)
"""In the order of the paper."""
