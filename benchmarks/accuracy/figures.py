"""The study's figures, as small SVG files without scripts or fonts of their own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from benchmarks.accuracy.summary import GROUPS

WIDTH, HEIGHT, EDGE = 640, 360, 52
GROUP_WIDTH, LABELS = 44, 90
"""Of the bars: width of a group, and height of the slanted names below."""

COLOURS = {"recommended": "#0b6e4f", "rt_winf": "#c8553d", "rt_winf paper": "#8d99ae", "idle_gap": "#e9c46a"}
MBPS = 1e6


def write(runs: pl.DataFrame, errors: pl.DataFrame, folder: Path) -> None:
    """Both figures, of what was held out, MAC parameters from the recording."""
    folder.mkdir(parents=True, exist_ok=True)
    judged = (pl.col("part") == "held_out") & (pl.col("context") == "inferred")
    (folder / "accuracy_truth.svg").write_text(_scatter(runs.filter(judged)), encoding="utf-8")
    (folder / "accuracy_error.svg").write_text(_bars(errors.filter(judged)), encoding="utf-8")


def _scatter(runs: pl.DataFrame) -> str:
    """Estimate over truth, both logarithmic: one dot per scenario."""
    shown = {"recommended": "corrected", "rt_winf": "corrected"}
    rows = [row for row in runs.iter_rows(named=True) if shown.get(row["estimator"]) == row["mode"]]
    low, high = 0.2, 400.0

    def place(bps: float, span: float) -> float:
        share = (math.log10(min(max(bps / MBPS, low), high)) - math.log10(low)) / math.log10(high / low)
        return span * share

    def dots() -> Iterator[str]:
        for row in rows:
            x = EDGE + place(row["truth_bps"], WIDTH - 2 * EDGE)
            y = HEIGHT - EDGE - place(row["available_bps"], HEIGHT - 2 * EDGE)
            colour = COLOURS[row["estimator"]]
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}" fill-opacity="0.75">{_title(row)}</circle>'

    ticks = [
        f'<text x="{EDGE + place(mbps * MBPS, WIDTH - 2 * EDGE):.1f}" y="{HEIGHT - EDGE + 18}" '
        f'text-anchor="middle">{mbps:g}</text>'
        f'<text x="{EDGE - 8}" y="{HEIGHT - EDGE - place(mbps * MBPS, HEIGHT - 2 * EDGE) + 4:.1f}" '
        f'text-anchor="end">{mbps:g}</text>'
        for mbps in (0.5, 2, 10, 50, 200)
    ]
    diagonal = f'<path d="M{EDGE} {HEIGHT - EDGE}L{WIDTH - EDGE} {EDGE}" stroke="#555" stroke-dasharray="4 4"/>'
    labels = [
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">truth, Mb/s</text>',
        f'<text x="14" y="{HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 {HEIGHT / 2})">'
        "estimate, Mb/s</text>",
    ]
    legend = _legend({"recommended": COLOURS["recommended"], "rt_winf corrected": COLOURS["rt_winf"]})
    return _svg([_frame(), diagonal, *ticks, *labels, *dots(), *legend])


def _bars(errors: pl.DataFrame) -> str:
    """Median absolute error per group of scenarios, logarithmic, with the 90th percentile as a tick above."""
    kinds = {
        "recommended": ("recommended", "corrected"),
        "rt_winf": ("rt_winf", "corrected"),
        "rt_winf paper": ("rt_winf", "paper"),
        "idle_gap": ("idle_gap", "corrected"),
    }
    wide = 2 * EDGE + GROUP_WIDTH * len(GROUPS)
    low, high = 0.002, 20.0
    span = HEIGHT - 2 * EDGE

    def height(error: float) -> float:
        return span * math.log(min(max(error, low), high) / low) / math.log(high / low)

    def bars() -> Iterator[str]:
        width = GROUP_WIDTH
        bar = width / (len(kinds) + 1)
        for place, group in enumerate(GROUPS):
            left = EDGE + place * width
            x, y = left + width / 2, HEIGHT - EDGE + 14
            yield (f'<text x="{x:.1f}" y="{y}" text-anchor="end" transform="rotate(-40 {x:.1f} {y})">{group}</text>')
            for number, (name, (estimator, mode)) in enumerate(kinds.items()):
                found = errors.filter(
                    pl.col("group") == group, pl.col("estimator") == estimator, pl.col("mode") == mode
                ).to_dicts()
                for row in found:
                    x, tall, top = left + (number + 0.5) * bar, height(row["median"]), height(row["p90"])
                    yield (
                        f'<rect x="{x:.1f}" y="{HEIGHT - EDGE - tall:.1f}" width="{bar * 0.85:.1f}" '
                        f'height="{tall:.1f}" fill="{COLOURS[name]}"><title>{group}, {name}: '
                        f"median {row['median']:.1%}, "
                        f"90th percentile {row['p90']:.1%}</title></rect>"
                        f'<path d="M{x:.1f} {HEIGHT - EDGE - top:.1f}h{bar * 0.85:.1f}" stroke="{COLOURS[name]}" '
                        f'stroke-width="2"/>'
                    )

    ticks = [
        f'<text x="{EDGE - 8}" y="{HEIGHT - EDGE - height(error) + 4:.1f}" text-anchor="end">{error:.0%}</text>'
        f'<path d="M{EDGE} {HEIGHT - EDGE - height(error):.1f}H{wide - EDGE}" stroke="#ddd"/>'
        for error in (0.01, 0.05, 0.2, 1, 5)
    ]
    return _svg([*ticks, _frame(wide), *bars(), *_legend(COLOURS)], wide, HEIGHT + LABELS)


def _title(row: dict[str, object]) -> str:
    return f"<title>{row['scenario']}</title>"


def _frame(wide: int = WIDTH) -> str:
    width, height = wide - 2 * EDGE, HEIGHT - 2 * EDGE
    return f'<rect x="{EDGE}" y="{EDGE}" width="{width}" height="{height}" fill="none" stroke="#888"/>'


def _legend(colours: dict[str, str]) -> Iterator[str]:
    for place, (name, colour) in enumerate(colours.items()):
        x = EDGE + place * 140
        yield f'<rect x="{x}" y="20" width="12" height="12" fill="{colour}"/><text x="{x + 18}" y="31">{name}</text>'


def _svg(parts: Iterable[str], wide: int = WIDTH, high: int = HEIGHT) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        'font-family="sans-serif" font-size="12">'
    )
    return "\n".join([head, f'<rect width="{wide}" height="{high}" fill="#fff"/>', *parts, "</svg>\n"])
