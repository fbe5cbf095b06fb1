"""rt-Winf beside AdHoc Probe, IdleGap, iperf and the maximum in the scenes of S000, section 3.3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev

import polars as pl

from winf_analyzer._papers.reproductions._recorded import estimates, greedy_flows, iperf_bps
from winf_analyzer._papers.reproductions._studies._common import mean_over
from winf_analyzer._papers.reproductions._study import Arm, Figure, Means, Run, Statement, Study, X
from winf_analyzer._replay.topologies.world import World

SIMULATORS = {"ns-2": "ns2.tr.xz", "ns-3": "ns3.pcap.xz"}
ESTIMATORS: Mapping[str, tuple[str, str]] = {
    "rt-Winf, paper": ("rt_winf", "paper"),
    "rt-Winf": ("rt_winf", "corrected"),
    "AdHoc Probe, paper": ("adhoc_probe", "paper"),
    "AdHoc Probe": ("adhoc_probe", "corrected"),
    "IdleGap, paper": ("idle_gap", "paper"),
    "maximum": ("theoretical_maximum", "paper"),
}
SECONDS = tuple(range(2, 8))
DATA_RATE_BPS = 11e6
IPERF = "iperf"


def _no_world(x: X, seed: int, seconds: float) -> World:
    raise NotImplementedError("these scenes are recorded")


def _arm(name: str, ending: str) -> Arm:
    estimator, mode = ESTIMATORS[name]
    return Arm(f"{name}, {ending}" if ending else name, estimator, mode)


def _found(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    estimator, mode = ESTIMATORS[name]
    return rows.filter(pl.col("estimator") == estimator, pl.col("mode") == mode)


def _metrics(row: Mapping[str, float | None], name: str) -> dict[str, int | None]:
    """Both bandwidths; the maximum bounds both."""
    capacity, available = _whole(row["capacity_bps"]), _whole(row["available_bps"])
    return {"capacity": capacity, "available": capacity if name == "maximum" else available}


def _over_time(scene: str, seed: int) -> list[Run]:
    """Every second of the recordings of both simulators."""
    runs: list[Run] = []
    for simulator, ending in SIMULATORS.items():
        rows = estimates(f"{scene}-{seed}.{ending}", "1s")
        for name in ESTIMATORS:
            for row in _found(rows, name).iter_rows(named=True):
                if (place := int(row["second"])) not in SECONDS:
                    continue
                runs.append(
                    {"arm": f"{name}, {simulator}", "place": place, "seed": seed, "metrics": _metrics(row, name)}
                )
        if scene == "mesh":
            found = {"capacity": None, "available": iperf_bps(simulator.replace("-", ""), seed)}
            runs += [
                {"arm": f"{IPERF}, {simulator}", "place": place, "seed": seed, "metrics": found} for place in SECONDS
            ]
    return runs


def _variation(means: Means, label: str, places: Sequence[X]) -> float:
    values = [means[label, x] for x in places if (label, x) in means]
    return pstdev(values) / fmean(values)


def _at_most_the_maximum(mode: str, simulator: str) -> Statement:
    return Statement(
        f"{simulator}: rt-Winf{mode} at or just below the maximum (0.9 to 1)",
        lambda m, xs: (
            0.9 <= mean_over(m, f"rt-Winf{mode}, {simulator}", xs) / mean_over(m, f"maximum, {simulator}", xs) <= 1.0005
        ),
    )


def _steadier(simulator: str) -> Statement:
    return Statement(
        f"{simulator}: rt-Winf, paper varies less than AdHoc Probe, paper",
        lambda m, xs: (
            _variation(m, f"rt-Winf, paper, {simulator}", xs) < _variation(m, f"AdHoc Probe, paper, {simulator}", xs)
        ),
    )


def _between(mode: str, simulator: str) -> Statement:
    def holds(means: Means, places: Sequence[X]) -> bool:
        found = mean_over(means, f"rt-Winf{mode}, {simulator}", places)
        most = mean_over(means, f"maximum, {simulator}", places)
        return mean_over(means, f"{IPERF}, {simulator}", places) < found < most

    return Statement(f"{simulator}: rt-Winf{mode} between iperf and the maximum", holds)


BOTH = tuple(SIMULATORS)
MODES = (", paper", "")
WITH_PROBES = ("rt-Winf, paper", "rt-Winf", "AdHoc Probe, paper", "AdHoc Probe", "maximum")


def _scene(name: str, title: str, scene: str, figures: Sequence[Figure]) -> Study:
    endings = [_arm(name, simulator) for simulator in BOTH for name in ESTIMATORS]
    iperf = [Arm(f"{IPERF}, {simulator}", "iperf") for simulator in BOTH] if scene == "mesh" else []
    return Study(
        name,
        title,
        "s",
        SECONDS,
        _no_world,
        (*endings, *iperf),
        figures,
        seeds=2,
        seconds=9,
        quick_places=SECONDS,
        quick_seeds=2,
        quick_seconds=9,
        along="seconds",
        recorded=lambda _, seed: _over_time(scene, seed),
        notes=(
            "Recordings of ns-2.35 with AODV and of ns-3.37 with static routes: 802.11b at 11 Mbit/s, RTS/CTS, nodes "
            "200 m apart, datagrams of 1000 bytes at 64 kbit/s, and a packet pair of 1000 bytes four times a second, "
            "which AdHoc Probe needs and S000 does not describe. The first hop by its sender in windows of a second."
        ),
    )


TWO_NODES = _scene(
    "s000-two-nodes",
    "two nodes, 64 kbit/s",
    "two-nodes",
    (
        Figure(
            "S000-fig3",
            "capacity",
            (
                *(_at_most_the_maximum(mode, simulator) for simulator in BOTH for mode in MODES),
                *map(_steadier, BOTH),
            ),
            arms=WITH_PROBES,
        ),
    ),
)
MESH = _scene(
    "s000-capacity-mesh",
    "two mobiles over two mesh nodes, 64 kbit/s",
    "mesh",
    (
        Figure("S000-fig5", "capacity", tuple(map(_steadier, BOTH)), arms=WITH_PROBES),
        Figure(
            "S000-fig6",
            "available",
            (
                *(_between(mode, simulator) for simulator in BOTH for mode in MODES),
                *(
                    Statement(
                        f"{simulator}: IdleGap, paper above the maximum and within 10 % of the data rate",
                        lambda m, xs, simulator=simulator: (  # type: ignore[misc]
                            mean_over(m, f"IdleGap, paper, {simulator}", xs)
                            > max(mean_over(m, f"maximum, {simulator}", xs), 0.9 * DATA_RATE_BPS)
                        ),
                    )
                    for simulator in BOTH
                ),
            ),
            arms=("rt-Winf", "IdleGap", "maximum", IPERF),
        ),
    ),
)

FLOWS, SEGMENTS = (1, 4), (250, 1000, 1460)
WITH_RTS = ("maximum", "IdleGap, paper", "rt-Winf, paper", "rt-Winf")


def _probes(name: str, segment: int) -> str:
    return f"{name}, probes of {segment} bytes"


SOURCES: Sequence[tuple[str, str, str]] = (
    *(("flows", name, name) for name in WITH_RTS),
    *((f"probes-{segment}", name, _probes(name, segment)) for segment in SEGMENTS for name in WITH_RTS[2:]),
)
"""Scene, estimator, and label."""


def _greedy(flows: X, seed: int) -> list[Run]:
    """Means over the windows of a run."""
    scenes = dict.fromkeys(scene for scene, _, _ in SOURCES)
    tables = {scene: estimates(f"{scene}-{flows}.ns2.tr.xz", "500ms").filter(pl.col("second") >= 1) for scene in scenes}
    return [_capacity(tables[scene], name, label, flows, seed) for scene, name, label in SOURCES]


def _greedy_in_full(flows: X, seed: int) -> list[Run]:
    """The same of 300 s."""
    found = greedy_flows().filter(pl.col("flows") == flows, pl.col("seed") == seed)
    return [
        _capacity(found.filter(pl.col("scene") == scene), name, label, flows, seed) for scene, name, label in SOURCES
    ]


def _capacity(rows: pl.DataFrame, name: str, label: str, flows: X, seed: int) -> Run:
    """IdleGap's is what it calls capacity, the data rate times the idle share."""
    column = "available_bps" if name.startswith("IdleGap") else "capacity_bps"
    mean = _found(rows, name)[column].mean()
    return {"arm": label, "place": flows, "seed": seed, "metrics": {"capacity": _whole(mean)}}


def _whole(rate: object) -> int | None:
    return round(rate) if isinstance(rate, (int, float)) else None


def _near(label: str, other: str, text: str) -> Statement:
    return Statement(text, lambda m, xs: all(abs(m[label, x] / m[other, x] - 1) < 0.1 for x in xs))


GREEDY = Study(
    "s000-capacity-flows",
    "greedy flows over two mesh nodes",
    "flows",
    FLOWS,
    _no_world,
    (
        *(_arm(name, "") for name in WITH_RTS),
        *(Arm(_probes(name, segment), *ESTIMATORS[name]) for name in WITH_RTS[2:] for segment in SEGMENTS),
    ),
    (
        Figure(
            "S000-fig7",
            "capacity",
            (
                _near("IdleGap, paper", "maximum", "IdleGap almost equals the maximum (10 %)"),
                *(
                    _near(_probes(name, segment), name, f"{name} with probes of {segment} bytes within 10 % of RTS/CTS")
                    for name in WITH_RTS[2:]
                    for segment in SEGMENTS
                ),
            ),
        ),
    ),
    seeds=20,
    seconds=300,
    quick_places=FLOWS,
    quick_seeds=1,
    quick_seconds=2.5,
    recorded=_greedy,
    kept_in_full=_greedy_in_full,
    notes=(
        "Recordings of ns-2.35: TCP over three hops, with RTS/CTS and segments of 1000 bytes, and without RTS/CTS with "
        "segments of several sizes, whose exchanges serve as the probes. Of the former 20 runs of 300 s are kept, of "
        "the latter four or more, whose means differ by less than a thousandth."
    ),
)

STUDIES = (TWO_NODES, MESH, GREEDY)
"""In the order of the paper."""
