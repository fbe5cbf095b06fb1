"""The study's figure: every prediction of a held-out world beside its truth, as an SVG without scripts or fonts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import log

from benchmarks.replay.counterfactual.precision import GOALS
from benchmarks.replay.counterfactual.predictions import Prediction

COLOURS = {"every_node": "#0b6e4f", "sniffer": "#c8553d"}
NAMES = {"every_node": "every node", "sniffer": "one sniffer"}
LABELS, PANEL, GAP, TOP, ROW = 150, 330, 24, 56, 15
"""Widths of the worlds' names, of a panel, and between panels; height of the head, and of a world's row."""

MAX_RATIO = 4.0
"""Largest ratio that is shown in its place; what is further off stands at the edge."""

TICKS = (0.25, 0.5, 0.8, 1.0, 1.25, 2.0, 4.0)


def figure(held_out: Sequence[Prediction], by_chance: Collection[str]) -> str:
    """Predicted by true, a row per world, a panel per figure; worlds that chance decides are below and shaded."""
    shown = [each for each in held_out if each.figure in GOALS and not each.starved and each.error is not None]
    worlds = sorted(dict.fromkeys(each.world for each in shown), key=lambda world: world in by_chance)
    place = {world: number for number, world in enumerate(worlds)}
    wide, high = LABELS + len(GOALS) * (PANEL + GAP), TOP + ROW * len(worlds) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{wide}" height="{high}" fill="#fff"/>',
        *_rows(worlds, by_chance, wide),
        *(part for number, name in enumerate(GOALS) for part in _axis(number, name, len(worlds))),
        *(_dot(each, list(GOALS).index(each.figure), place[each.world]) for each in shown),
        *_legend(),
        "</svg>\n",
    ]
    return "\n".join(parts)


def across(panel: int, ratio: float) -> float:
    """Where a ratio of predicted by true stands, in pixels."""
    share = 0.5 + 0.5 * log(min(max(ratio, 1 / MAX_RATIO), MAX_RATIO)) / log(MAX_RATIO)
    return LABELS + panel * (PANEL + GAP) + PANEL * share


def _rows(worlds: Sequence[str], by_chance: Collection[str], wide: int) -> Iterator[str]:
    for number, world in enumerate(worlds):
        y = TOP + ROW * number
        if world in by_chance:
            yield f'<rect x="0" y="{y}" width="{wide}" height="{ROW}" fill="#f0ead6"/>'
        yield f'<text x="{LABELS - 8}" y="{y + 11}" text-anchor="end">{world}</text>'


def _axis(panel: int, name: str, rows: int) -> Iterator[str]:
    bottom = TOP + ROW * rows
    _, goal = GOALS[name]
    left, right = across(panel, 1 / (1 + goal)), across(panel, 1 + goal)
    yield (
        f'<rect x="{left:.1f}" y="{TOP}" width="{right - left:.1f}" height="{ROW * rows}" fill="#8ecae6" '
        'fill-opacity="0.35"/>'
    )
    for ratio in TICKS:
        x = across(panel, ratio)
        yield f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="#ccc"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{ratio:g}</text>'
    x = across(panel, 1)
    yield f'<text x="{x:.1f}" y="{bottom + 32}" text-anchor="middle">{name}: predicted / true</text>'


def _dot(each: Prediction, panel: int, row: int) -> str:
    ratio = 1 + (each.error or 0.0)
    y = TOP + ROW * row + (5 if each.observer == "every_node" else 10)
    return (
        f'<circle cx="{across(panel, ratio):.1f}" cy="{y}" r="2.2" fill="{COLOURS[each.observer]}" '
        f'fill-opacity="0.6"><title>{each.world}, {each.question}, {each.flow}: {ratio:.2f}</title></circle>'
    )


def _legend() -> Iterator[str]:
    for number, (observer, colour) in enumerate(COLOURS.items()):
        x = LABELS + 110 * number
        yield f'<circle cx="{x}" cy="22" r="5" fill="{colour}"/><text x="{x + 10}" y="26">{NAMES[observer]}</text>'
    x = LABELS + 230
    yield f'<rect x="{x}" y="16" width="14" height="12" fill="#8ecae6" fill-opacity="0.35"/>'
    yield f'<text x="{x + 20}" y="26">goal for nine of ten</text>'
    yield f'<rect x="{x + 150}" y="16" width="14" height="12" fill="#f0ead6"/>'
    yield f'<text x="{x + 170}" y="26">chance decides the world</text>'
