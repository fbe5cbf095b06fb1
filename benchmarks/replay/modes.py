"""What `corrected` does otherwise than `paper`, why, and what each difference changes.

    python -m benchmarks.replay.modes

Writes ``docs/replay/modes.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import polars as pl

from benchmarks.replay.tables import interval, write
from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._recorded import estimates
from winf_analyzer._papers.reproductions._run import point
from winf_analyzer._papers.reproductions._study import Arm, Figure, Study
from winf_analyzer._replay.topologies.world import World

SEEDS = range(1, 11)
METRICS = {"throughput": 1e3, "delay": 1.0, "queue": 1.0}
"""With the unit that they are shown in."""
CORRECTED, PAPER = "corrected", "paper"


class Difference(NamedTuple):
    """One difference of a controller's modes."""

    corrected: str
    paper: str
    why: str
    settings: Mapping[str, Any] | None = None
    """What makes `corrected` differ from itself in this alone."""
    formula: str = ""
    """What it changes in a formula, where no setting changes it alone."""


Runs = dict[tuple[str, str], list[float]]
"""Values of every seed by arm and metric."""


class Scene(NamedTuple):
    """Where the differences of a controller are measured."""

    text: str
    seconds: float


MESH = Scene("16 mesh nodes and 5 mobiles with FTP, 30 s", 30.0)
ACCESS = Scene("27 flows in a mesh access network, 70 s", 70.0)
STRING = Scene("a string of three hops with cross traffic, 45 s", 45.0)
STACK = Scene("the Stack of S003, 60 s", 60.0)
SCENES = {"xcp": MESH, "rcp": MESH, "xcp_winf": MESH, "rcp_winf": MESH}
SCENES |= {"xcp_b": ACCESS, "xcp_b_nl": ACCESS, "wcp": STACK, "c3tcp": STRING}

POOLS = Difference(
    "allotments stop at what is left in the pools",
    "they do not (Katabi sec. 3.5; S000 alg. 4)",
    "a burst would get what was given away already; ns-2 and the draft limit it",
    {"router": {"limit_to_pools": False}},
)
QUEUE_LAW = (
    Difference(
        "kappa in data packets of 1300 bytes",
        "in mean packets of 650 bytes (S004 sec. 5.1 reckons the queue limit so)",
        "the queue holds data packets, and kappa is to be three of them",
        {"queue": {"kappa_packet_bytes": 650.0}},
    ),
    Difference(
        "persistent queue over 2 ms or more",
        "over the control interval (S004 sec. 3.1)",
        "with it the windows of S004's table 1 come out, and over the interval they do not",
        {"queue": {"least_over": "interval"}},
    ),
)
METER = Difference(
    "rt-Winf over the whole access cycle, idle time from airtime of the last second",
    "printed denominators, Durations summed from the start (S000 sec. 3)",
    "they leave out RTS, CTS, DIFS and backoff, and never forget",
    formula="4.52 instead of 7.47 Mbit/s at 1500 bytes; 73 instead of 84 % idle at 100 exchanges a second",
)
COLLISIONS = Difference(
    "1 - p, the share of attempts that failed",
    "1 - K of equations 7 and 8",
    "K counts DIFS and backoff, which the capacity holds already, and no collision",
    formula="1 instead of 0.85 where nothing collides, 1500 bytes and 310 us of backoff",
)

DIFFERENCES: Mapping[str, Sequence[Difference]] = {
    "xcp": (
        POOLS,
        Difference(
            "the queue is sampled when packets leave",
            "when they arrive (Katabi sec. 3.5)",
            "an arrival never sees the queue that drained since; ns-2 and the draft sample departures",
            {"router": {"sample_at_departures": False}},
        ),
    ),
    "rcp": (
        Difference(
            "a link gives out 95 % of its capacity",
            "all of it (S002 eq. 3)",
            "a queue could not drain; ns-2's default is 0.95",
            {"eta": 1.0},
        ),
        Difference(
            "rates are made anew every 10 ms or less",
            "every mean round-trip time (S002 eq. 3)",
            "ns-2 has slots of 10 ms: a round-trip time is too late for what comes and goes",
            {"slot_s": 1e9},
        ),
    ),
    "xcp_b": QUEUE_LAW,
    "xcp_b_nl": QUEUE_LAW,
    "xcp_winf": (
        METER,
        COLLISIONS,
        POOLS,
        Difference(
            "control intervals of 1 ms or more",
            "of 5 ms or more (S000 alg. 3)",
            "ns-2 has 1 ms; the text says 5 to 10 ms",
            {"router": {"min_interval_s": 0.005}},
        ),
        Difference(
            "a source asks for its throughput plus what is spare, at most the capacity",
            "equation 4, in which the capacity of the link stands for the throughput of the flow",
            "as printed a source asks to slow down wherever AB < C, which is always",
            formula="a packet asks for +15 instead of -6.25 kB/s at C = 800, AB = 300 and a throughput of 200 kB/s",
        ),
    ),
    "rcp_winf": (
        METER,
        COLLISIONS,
        Difference(
            "traffic is capacity less AB; the change is divided by eta C",
            "AB stands for the traffic, and the change is in bytes/ms undivided (S000 alg. 7)",
            "a rate would fall where bandwidth is spare; without the division its size depends on the unit",
            formula="a rate grows by 0.02 instead of 31 % at C = 1.375, traffic of 1.2 MB/s and a queue of 20 kB",
        ),
        Difference(
            "sources pace packets with their headers",
            "payload alone",
            "the rate is one on the link",
            formula="packets of 1460 bytes are 2.7 % further apart",
        ),
    ),
    "wcp": (
        Difference(
            "packets tell of every link around",
            "of one congested link of the node, one of its neighbours, and the largest RTTs (S003 sec. III-A)",
            "what a silent node said expires everywhere at once; it takes more than the octets counted",
            {"signals": "one_link"},
        ),
        Difference(
            "sources send at r / (1 - p)",
            "at r / p (S003 sec. III-A)",
            "the prose wants more of flows that lose more, and r / p is less for those",
            {"goodput_correction": "loss_rate"},
        ),
    ),
    "c3tcp": (
        Difference(
            "no DIFS in the transmission",
            "DIFS + DATA + SIFS + ACK (eq. 3)",
            "the delay of access holds one already",
            {"counts_difs": True},
        ),
        Difference(
            "the ACK's own rate",
            "the rate of the data (eq. 5)",
            "ACKs are sent at a basic rate",
            {"ack_at_data_rate": True},
        ),
        Difference(
            "measurements are smoothed over eight packets",
            "the last one counts (S001 sec. 4)",
            "the backoff of one packet would set the window",
            {"gain": 1.0},
        ),
    ),
}
"""By controller; what has one mode has none."""


class Estimated(NamedTuple):
    """What differs in an estimator."""

    corrected: str
    paper: str
    why: str


ESTIMATORS: Mapping[str, Estimated] = {
    "rt_winf": Estimated(
        "the whole access cycle; busy time from airtime",
        "the printed stamps; busy time from Durations by state",
        "the printed denominators leave out RTS, CTS, DIFS and backoff; Durations the idle time that an access needs",
    ),
    "idle_gap": Estimated(
        "busy time from the airtime of everything", "from Durations, by state", "Durations of own frames miss the rest"
    ),
    "collision": Estimated(
        "attempts that fail, at their share p", "1 - K", "K is access time, which the capacity holds already"
    ),
    "adhoc_probe": Estimated(
        "expected backoff between the packets of a pair",
        "the backoff that the least delayed pair drew",
        "the least delayed pair is the one with the shortest backoff",
    ),
    "c3tcp": Estimated(
        "no second DIFS, the ACK's own airtime, B smoothed by 1/8",
        "equations 3 and 5, mean of the packets",
        "the access delay holds a DIFS; ACKs are sent at a basic rate; the mean hangs on the slowest packets",
    ),
    "theoretical_maximum": Estimated(
        "airtimes, control frames and backoff as measured",
        "from size and rate, expected backoff",
        "rates of control frames and contention windows differ from the defaults",
    ),
    "busy_share": Estimated(
        "DIFS and backoff count as busy",
        "carrier sense in 255ths (IEEE 802.11-2020, 9.4.2.27)",
        "time that an access needs is not left for others",
    ),
}
RECORDINGS = {"one flow of 64 kbit/s": "two-nodes-1.ns2.tr.xz", "four greedy flows": "flows-4.ns2.tr.xz"}


def main() -> None:
    """Measure every difference and write the page."""
    parts = [HEAD]
    for controller, differences in DIFFERENCES.items():
        parts += [f"## {controller}\n\nMeasured with {SCENES[controller].text}.\n", _table(controller, differences)]
    write(
        "modes", "What `corrected` does otherwise than `paper`", [*parts, "## Estimators\n", ESTIMATED, _estimators()]
    )


def _table(controller: str, differences: Sequence[Difference]) -> str:
    arms = {difference.corrected: difference.settings for difference in differences if difference.settings}
    found = measured(controller, arms)
    scaled = [[value / scale for value in found[CORRECTED, metric]] for metric, scale in METRICS.items()]
    rows = [["as `corrected`", "", "", *map(interval, scaled)]]
    for one in differences:
        changes = [_change(found, one.corrected, metric) if one.settings else "" for metric in METRICS]
        why = f"{one.why}: {one.formula}" if one.formula else one.why
        rows.append([one.corrected, one.paper, why, *changes])
    rows.append(["all of them", "as `paper`", "", *(_change(found, PAPER, metric) for metric in METRICS)])
    header = ["`corrected`", "`paper`", "why", "throughput, kbit/s", "delay, ms", "queues of a path, packets"]
    return _text_table(header, rows)


def measured(controller: str, arms: Mapping[str, Mapping[str, Any]], seeds: Sequence[int] = SEEDS) -> Runs:
    """Of `corrected`, of it with each of these settings, and of `paper`: the metrics of every seed."""
    scene = SCENES[controller]
    study = Study(
        name="modes",
        title="",
        axis="",
        places=(1,),
        world=lambda _, seed, seconds: _world(scene, seed, seconds),
        arms=(
            Arm(CORRECTED, controller),
            *(Arm(name, controller, settings=settings) for name, settings in arms.items()),
            Arm(PAPER, controller, PAPER),
        ),
        figures=tuple(Figure("", metric) for metric in METRICS),
        seeds=len(seeds),
        seconds=scene.seconds,
        quick_places=(1,),
        quick_seeds=1,
        quick_seconds=scene.seconds,
    )
    found: Runs = {}
    for seed in seeds:
        for run in point(study, 1, seed, scene.seconds):
            for metric in METRICS:
                found.setdefault((run["arm"], metric), []).append(run["metrics"][metric])
    return found


def _world(scene: Scene, seed: int, seconds: float) -> World:
    if scene is MESH:
        return worlds.mesh(16, 5, seed, seconds, side_m=1000, payload=1460, mac=worlds.RTS)
    if scene is STACK:
        return worlds.neighbourhood("stack", seconds)
    return worlds.mesh_access(seconds) if scene is ACCESS else worlds.string(seconds, 0)


def _change(found: Runs, arm: str, metric: str) -> str:
    """Of the same seeds; of throughputs per cent, of the others in their unit."""
    pairs = list(zip(found[arm, metric], found[CORRECTED, metric], strict=True))
    if metric == "throughput":
        return interval([100 * (value / base - 1) for value, base in pairs]) + " %"
    return interval([value - base for value, base in pairs])


def _estimators() -> str:
    tables = {name: estimates(file, "1s", tuple(ESTIMATORS)) for name, file in RECORDINGS.items()}
    header = ["estimator", "`corrected`", "`paper`", "why"]
    header += [f"{name}: {bandwidth}" for name in RECORDINGS for bandwidth in ("capacity", "available")]
    rows = [
        [name, *differs, *(cell for table in tables.values() for cell in _cells(table, name))]
        for name, differs in ESTIMATORS.items()
    ]
    return _text_table(header, rows)


def _cells(table: pl.DataFrame, name: str) -> Iterator[str]:
    """Both modes of both bandwidths, kbit/s."""
    for column in ("capacity_bps", "available_bps"):
        means = [
            table.filter(pl.col("estimator") == name, pl.col("mode") == mode)[column].drop_nulls()
            for mode in (CORRECTED, PAPER)
        ]
        yield " / ".join(f"{fmean(values) / 1e3:.0f}" for values in means if values.len())


def _text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, ["---"] * len(header), *rows]) + "\n"


HEAD = f"""
Controllers and estimators of the papers have two modes: `paper` is the text to the letter, `corrected` what we believe
is right. One row a difference: what each mode does, why, and what the difference alone changes. Where it is a setting,
`corrected` runs once more with it as printed; changes are of the same seeds, with 95 % confidence intervals of
{len(SEEDS)} seeds, of throughputs in per cent. Where it is not, the row says what changes in the formula, and "all of
them" what `paper` as a whole does. Capacities that controllers are told are 11 Mbit/s.
"""

ESTIMATED = """
Means over the seconds of two recordings of ns-2 at 11 Mbit/s with RTS/CTS, of the first hop by its sender, kbit/s:
`corrected` / `paper`. What an estimator does not measure is left empty.
"""

FOUND = """
What was found. Three things matter much. rt-Winf as printed has almost twice the capacity, and more than three times
the available bandwidth where four greedy flows leave little. RCP-Winf as printed carries a third less. WCP loses half
of its throughput with r / p as printed, and nothing where its packets tell of one link, as the paper says. Of XCP-b the
two differences are 3 % of the throughput each, in opposite directions, so that `paper` as a whole is where `corrected`
is. C3TCP's formulas change nothing and its smoothing 1 %. What XCP, RCP and XCP-Winf do otherwise stays within the
intervals of ten seeds in this scene.
"""


if __name__ == "__main__":
    main()
