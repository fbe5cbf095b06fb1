"""What S003 measured on its testbed (sec. V), in the replay engine."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from winf_analyzer._papers.reproductions import _testbed as testbed
from winf_analyzer._papers.reproductions._studies._common import TCP
from winf_analyzer._papers.reproductions._studies._s003 import ROWS, WCP, alike
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Statement, Study, X

NOTES = "The testbed stands here in the replay engine: no RTS/CTS, links that lose 5 % of the attempts."

STACK = Study(
    "s003-testbed",
    "goodput of each flow in the Stack of the testbed",
    "flow",
    ROWS,
    lambda _, __, seconds: testbed.stack_without_rts(seconds),
    (TCP, WCP),
    (
        Figure(
            "S003-fig22",
            "throughput",
            (
                Statement(
                    "TCP starves 4-6 (a quarter of the mean)",
                    lambda m, xs: 4 * m["TCP", "4-6"] < fmean(m["TCP", x] for x in xs),
                ),
                alike("WCP", 0.85, "WCP's flows alike (the least has 85 % of the most)"),
            ),
        ),
    ),
    seeds=5,
    seconds=500,
    quick_places=ROWS,
    quick_seeds=2,
    quick_seconds=60,
    along="flows",
    notes=NOTES,
)

KBPS = tuple(range(140, 520, 20))
DATAGRAMS, ACKNOWLEDGED = "datagrams at this rate", "acknowledged packets at this rate"


def _near(label: str, text: str) -> Statement:
    """WCP, which the sources of the last place do not hold back, has 80 % of the greatest rate that all flows get."""

    def holds(means: Means, places: Sequence[X]) -> bool:
        return means["WCP", places[-1]] >= 0.8 * max(means[label, x] for x in places)

    return Statement(text, holds)


MAXIMUM = Study(
    "s003-testbed-maximum",
    "rising rates in the Stack of the testbed",
    "rate of each source, kbit/s",
    KBPS,
    lambda x, _, seconds: testbed.stack_at_rate(float(x), seconds),
    (WCP, Arm(ACKNOWLEDGED, "new_reno"), Arm(DATAGRAMS, "cbr", settings_at=lambda x: {"rate_bps": 1e3 * float(x)})),
    (
        Figure(
            "S003-claim-49",
            "least_throughput",
            (
                _near(ACKNOWLEDGED, "WCP within 20 % of the greatest rate that all flows get with acknowledgements"),
                _near(DATAGRAMS, "and without any"),
            ),
        ),
    ),
    seeds=5,
    seconds=500,
    quick_places=KBPS,
    quick_seeds=1,
    quick_seconds=60,
    notes=f"{NOTES} Whether the paper's CBR flows were acknowledged is not said: both are drawn.",
)

RUNS = (1, 2, 3, 4, 5)

FOURTEEN = Study(
    "s003-fourteen-nodes",
    "five flows between 14 nodes at random places, another map in each run",
    "run",
    RUNS,
    lambda x, _, seconds: testbed.fourteen_nodes(int(x), seconds),
    (TCP, WCP),
    (
        Figure(
            "S003-fig24",
            "least_share",
            (
                Statement(
                    "WCP starves no flow (a quarter of the mean)",
                    lambda m, xs: all(m["WCP", x] >= 25 for x in xs),
                ),
                Statement("WCP fairer than TCP in every run", lambda m, xs: all(m["WCP", x] > m["TCP", x] for x in xs)),
            ),
        ),
        Figure(
            "S003-claim-50",
            "starved",
            (
                Statement("TCP starves one or two flows in every run", lambda m, xs: all(m["TCP", x] >= 1 for x in xs)),
                Statement("WCP none", lambda m, xs: all(m["WCP", x] == 0 for x in xs)),
            ),
        ),
    ),
    seeds=5,
    seconds=500,
    quick_places=RUNS,
    quick_seeds=2,
    quick_seconds=60,
    notes=f"{NOTES} The map is in the paper's figure only; here it is another one in each run.",
)

STUDIES = (STACK, MAXIMUM, FOURTEEN)
"""In the order of the paper."""
