"""rt-Winf beside AdHoc Probe, IdleGap, iperf and the theoretical maximum in ns-2, as S000 sec. 3.3 has it.

    python -m benchmarks.replay.rt_winf

Writes ``docs/replay/rt_winf.md`` from the recording of ``benchmarks.replay.reference.record_rt_winf_ns2``.
"""

from __future__ import annotations

from statistics import fmean, pstdev

import polars as pl

from benchmarks.replay.reference.record_rt_winf_ns2 import FLOWS, SEGMENTS, TARGET
from benchmarks.replay.tables import Check, checks, table, write

LABELS = {
    ("rt_winf", "paper"): "rt-Winf, paper",
    ("rt_winf", "corrected"): "rt-Winf",
    ("adhoc_probe", "paper"): "AdHoc Probe, paper",
    ("adhoc_probe", "corrected"): "AdHoc Probe",
    ("idle_gap", "paper"): "IdleGap, paper",
    ("idle_gap", "corrected"): "IdleGap",
    ("theoretical_maximum", "paper"): "maximum",
}
DATA_RATE_KBPS = 11_000


class Recording:
    """What the estimators found in ns-2's runs."""

    def __init__(self) -> None:
        """Of the file."""
        self.rows = pl.read_csv(TARGET)

    def series(
        self, scene: str, label: str, column: str, flows: int | None = None, segment: int | None = None
    ) -> list[list[float]]:
        """The values of every second, a list per seed."""
        estimator, mode = next(key for key, shown in LABELS.items() if shown == label)
        rows = self.rows.filter(pl.col("scene") == scene, pl.col("estimator") == estimator, pl.col("mode") == mode)
        if flows is not None:
            rows = rows.filter(pl.col("flows") == flows)
        if segment is not None:
            rows = rows.filter(pl.col("segment") == segment)
        known = rows.filter(pl.col(column).is_not_null())
        return [seed[column].to_list() for _, seed in known.group_by("seed", maintain_order=True)]

    def mean(
        self, scene: str, label: str, column: str, flows: int | None = None, segment: int | None = None
    ) -> float | None:
        """Over all seconds and seeds, kbit/s; None without any."""
        values = [value for seed in self.series(scene, label, column, flows, segment) for value in seed]
        return fmean(values) if values else None

    def variation(self, scene: str, label: str, column: str) -> float:
        """Standard deviation over mean of the seconds of a run, mean of the seeds."""
        return fmean(pstdev(seed) / fmean(seed) for seed in self.series(scene, label, column))

    def iperf_kbps(self) -> float:
        """Goodput of datagrams that saturate the mesh."""
        return fmean(self.rows.filter(pl.col("scene") == "iperf")["available_kbps"])


def main() -> None:
    """Write the page."""
    recording = Recording()
    parts = [INTRODUCTION]
    for scene, title in (("two nodes", "Two nodes (fig. 3)"), ("mesh", "Two mobiles over two mesh nodes (fig. 5, 6)")):
        parts += [f"## {title}\n", _scene(recording, scene)]
    parts += [f"Datagrams that saturate the mesh (iperf): {recording.iperf_kbps():.0f} kbit/s over the three hops.\n"]
    parts += ["## Greedy flows (fig. 7)\n", FLOWS_TEXT, _flows(recording)]
    write(
        "rt_winf",
        "rt-Winf in the scenes of S000, section 3.3",
        [*parts, "## Checks\n", checks(_checks(recording)), FOUND],
    )


def _scene(recording: Recording, scene: str) -> str:
    rows = []
    for label in LABELS.values():
        cells = [label]
        for column in ("capacity_kbps", "available_kbps"):
            mean = recording.mean(scene, label, column)
            if mean is None:
                cells += ["", ""]
            else:
                cells += [f"{mean:.0f}", f"{100 * recording.variation(scene, label, column):.1f}"]
        rows.append(cells)
    return table(["kbit/s", "capacity", "variation, %", "available", "variation, %"], rows)


def _flows(recording: Recording) -> str:
    header = ["kbit/s", *(f"{flows} flow{'s' if flows > 1 else ''}" for flows in FLOWS)]
    rows = [
        [label, *(_shown(recording.mean("flows", label, column, flows)) for flows in FLOWS)]
        for label, column in (
            ("maximum", "capacity_kbps"),
            ("IdleGap, paper", "available_kbps"),
            ("rt-Winf, paper", "capacity_kbps"),
            ("rt-Winf", "capacity_kbps"),
        )
    ]
    rows += [
        [
            f"{label}, probes of {segment} bytes",
            *(_shown(recording.mean("probes", label, "capacity_kbps", flows, segment)) for flows in FLOWS),
        ]
        for label in ("rt-Winf, paper", "rt-Winf")
        for segment in SEGMENTS
    ]
    return table(header, rows)


def _shown(mean: float | None) -> str:
    return "" if mean is None else f"{mean:.0f}"


def _checks(recording: Recording) -> list[Check]:
    def of(scene: str, label: str, column: str) -> float:
        return recording.mean(scene, label, column) or 0.0

    found = []
    for scene in ("two nodes", "mesh"):
        for mode in (", paper", ""):
            winf, most = of(scene, f"rt-Winf{mode}", "capacity_kbps"), of(scene, "maximum", "capacity_kbps")
            statement = f"{scene}: rt-Winf{mode}: capacity at or just below the maximum (0.9 to 1)"
            found.append(Check(statement, f"{winf:.0f} and {most:.0f} kbit/s", 0.9 <= winf / most <= 1.0005))
            varies = [
                recording.variation(scene, f"{name}{mode}", "capacity_kbps") for name in ("rt-Winf", "AdHoc Probe")
            ]
            statement = f"{scene}: rt-Winf{mode} varies less than AdHoc Probe{mode}"
            shown = f"{100 * varies[0]:.1f} and {100 * varies[1]:.1f} %"
            found.append(Check(statement, shown, varies[0] < varies[1]))
    iperf, most = recording.iperf_kbps(), of("mesh", "maximum", "capacity_kbps")
    for mode in (", paper", ""):
        available = of("mesh", f"rt-Winf{mode}", "available_kbps")
        statement = f"mesh: rt-Winf{mode}: available between iperf and the maximum"
        found.append(Check(statement, f"{iperf:.0f} < {available:.0f} < {most:.0f}", iperf < available < most))
    gap = of("mesh", "IdleGap, paper", "available_kbps")
    statement = "mesh: IdleGap near the data rate and above the maximum"
    found.append(Check(statement, f"{gap:.0f} kbit/s", gap > most and gap > 0.9 * DATA_RATE_KBPS))
    gap, most = of("flows", "IdleGap, paper", "available_kbps"), of("flows", "maximum", "capacity_kbps")
    statement = "greedy flows: IdleGap almost equals the maximum (10 %)"
    found.append(Check(statement, f"{gap:.0f} and {most:.0f} kbit/s", abs(gap / most - 1) < 0.1))
    for mode in (", paper", ""):
        rts = of("flows", f"rt-Winf{mode}", "capacity_kbps")
        probes = [
            recording.mean("probes", f"rt-Winf{mode}", "capacity_kbps", None, segment) or 0.0 for segment in SEGMENTS
        ]
        statement = f"greedy flows: rt-Winf{mode} with probes of every size within 10 % of it with RTS/CTS"
        shown = f"{', '.join(f'{probe:.0f}' for probe in probes)} and {rts:.0f} kbit/s"
        found.append(Check(statement, shown, all(abs(probe / rts - 1) < 0.1 for probe in probes)))
    return found


INTRODUCTION = """
ns-2.35, 802.11b at 11 Mbit/s, control frames at 1 Mbit/s, nodes 200 m apart in a line, AODV. Estimates of the first hop
by its sender in windows of a second; means over seconds and two seeds, and the standard deviation over the mean of a
run's seconds. The first two scenes have RTS/CTS, datagrams of 1000 bytes at 64 kbit/s, and a packet pair of 1000 bytes
four times a second, which AdHoc Probe needs and S000 does not describe.
"""

FLOWS_TEXT = """
TCP flows over three hops: with RTS/CTS and segments of 1000 bytes, and without RTS/CTS with segments of several sizes,
whose exchanges serve as the probes.
"""

FOUND = """
What was found. As printed, rt-Winf divides the packet by the time from CTS to ACK and leaves out what comes before, so
it lies above the maximum that RTS/CTS allows and depends on the size of the packet; `corrected` counts the whole access
cycle and meets the maximum. AdHoc Probe as printed scatters with the backoff between the packets of a pair; corrected,
it takes the pair that was delayed least, which in these scenes is always the same. IdleGap is the data rate times the
idle share, above anything a sender can reach; with greedy flows it falls and is still twice the maximum. Probes give
the capacity of RTS/CTS in `paper` if they have its packet size, since both formulas leave out the access, and never in
`corrected`, since RTS and CTS cost time.
"""


if __name__ == "__main__":
    main()
