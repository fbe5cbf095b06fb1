"""Chart kind ``controllers``: points with intervals, and which controller did best and how sure that is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from winf_analyzer._report.charts.points import points
from winf_analyzer._report.labels import format_number

if TYPE_CHECKING:
    from winf_analyzer._report.figure import Drawing, ReportContext
    from winf_analyzer._report.panels import Panel


UNKNOWN = 3
"""How many times an end of the best interval is off its value where the recording does not determine the value."""


def controllers(panel: Panel, rows: pl.DataFrame, context: ReportContext) -> Drawing:
    """One point per flow and controller; the sentences are notes."""
    drawing = points(panel, rows, context)
    return replace(drawing, notes=[*ranking(rows), *drawing.notes]) if drawing.figures else drawing


def ranking(rows: pl.DataFrame) -> list[str]:
    """Sentences per replay and mode: which controller delivered most to all flows together, and which still changed.

    Flows that run at different times count with what they delivered over the whole run. Where the interval of the sum
    is not known it is taken as the sum of the intervals, which is too wide rather than too narrow.

    Args:
        rows: replay_id, mode, controller, flow, throughput_mbps, low_mbps and high_mbps (null: not drawn) while the
            flow runs, of_run_mbps over the whole run, run_s, how long it is, all_low_mbps and all_high_mbps (null: not
            known) of all flows of the controller, whether the flow has converged (null: unknown), and of how many seeds
            that is known, known_seeds.
    """
    of_run = pl.col("of_run_mbps") / pl.col("throughput_mbps")
    ran = rows.filter((pl.col("controller") != "max_min") & (pl.col("throughput_mbps") > 0)).with_columns(
        pl.col("throughput_mbps", "low_mbps", "high_mbps") * of_run
    )
    sums = ran.group_by("replay_id", "mode", "controller", maintain_order=True).agg(
        pl.col("throughput_mbps").sum(),
        pl.col("run_s").max(),
        *(
            pl.coalesce(
                pl.col(f"all_{end}").first(), pl.when(pl.col(end).is_not_null().all()).then(pl.col(end).sum())
            ).alias(end)
            for end in ("low_mbps", "high_mbps")
        ),
    )
    several = rows["replay_id"].n_unique() > 1
    said = [
        _sentence(str(replay), group.sort("throughput_mbps", "controller", descending=[True, False]), several=several)
        for (replay, _), group in sums.group_by(["replay_id", "mode"], maintain_order=True)
        if group.height > 1
    ]
    return said + _convergence(rows, several=several)


def _convergence(rows: pl.DataFrame, *, several: bool) -> list[str]:
    """Up to two sentences per replay: which controllers had not converged when flows ended, and of which no run tells.

    The reference allocation ``max_min`` has nothing to converge.
    """
    by_controller = rows.group_by("replay_id", "controller").agg(
        changes=(~pl.col("converged")).any(),
        unknown=(pl.col("known_seeds").sum() == 0) & (pl.col("controller").first() != "max_min"),
    )
    said = []
    for (replay,), group in by_controller.sort("replay_id", "controller").group_by(["replay_id"], maintain_order=True):
        head = f"Replay {replay}: " if several else ""
        if changing := ", ".join(group.filter("changes")["controller"]):
            said.append(
                f"{head}{changing} had not converged when flows ended: throughput or pacing rate still changed. `winf"
                " replay --duration` runs those longer that last to the end."
            )
        if unknown := ", ".join(group.filter("unknown")["controller"]):
            said.append(
                f"{head}Whether {unknown} had converged when flows ended is not known: the flows are short, begin or"
                " end while others run, or delivered next to nothing."
            )
    return said


def _sentence(replay: str, group: pl.DataFrame, *, several: bool) -> str:
    best, *others = group.iter_rows(named=True)
    head = f"Replay {replay}: " if several else ""
    run = f"the whole run of {format_number(best['run_s'], 3)} s, also while no flow runs"
    rate = format_number(best["throughput_mbps"], 3)
    text = f"{head}{best['controller']} delivered most to all flows together, {rate} Mb/s on average of {run}"
    if best["low_mbps"] is None or any(other["high_mbps"] is None for other in others):
        return f"{text}; how sure that is, is unknown, because no intervals were drawn."
    if best["low_mbps"] * UNKNOWN < best["throughput_mbps"] or best["high_mbps"] > UNKNOWN * best["throughput_mbps"]:
        between = f"{format_number(best['low_mbps'], 3)} to {format_number(best['high_mbps'], 3)} Mb/s"
        return f"{text}; the recording does not determine it: the 90 % interval is {between}."
    text += f" (90 % interval {format_number(best['low_mbps'], 3)} to {format_number(best['high_mbps'], 3)} Mb/s)"
    near = [other["controller"] for other in others if other["high_mbps"] >= best["low_mbps"]]
    if not near:
        return f"{text}, more than every other: no interval of another overlaps it."
    return f"{text}; the intervals of {', '.join(near)} overlap it, so that they may be as good."
