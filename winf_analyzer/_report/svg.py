"""Figures as SVG files, for papers and slides: the same data as in the page, in black on white."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from winf_analyzer._report.labels import format_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDTH = 900
_DASHES = {"dash": "7 4", "dot": "2 3", "dashdot": "8 3 2 3"}
_STYLE = (
    "text{font:12px sans-serif;fill:#222}.axis{stroke:#888;fill:none}.grid{stroke:#ddd;fill:none}"
    ".line{fill:none}.band{fill-opacity:.18}.area{fill-opacity:.8}"
)


def svg(title: str, figure: dict[str, Any]) -> str:
    """A figure, with its title as the text alternative and its legend below."""
    traces = figure["data"]
    draw = _bars if any(trace["type"] == "bar" for trace in traces) else _plane
    body, height = draw(traces, figure["layout"])
    legend, below = _legend(traces, height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{below}" viewBox="0 0 {WIDTH} {below}" '
        f'role="img" aria-label={quoteattr(title)}>\n<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join([*body, *legend]) + "\n</svg>\n"
    )


def ticks(low: float, high: float, most: int) -> list[float]:
    """At most about `most` round values between two ends."""
    if not high > low:
        return [low]
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(factor * power for factor in (1, 2, 5, 10, 20) if (high - low) / (factor * power) <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]


def _text(x: float, y: float, text: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def _plane(traces: Sequence[dict[str, Any]], layout: dict[str, Any]) -> tuple[list[str], float]:
    height, left, right = float(layout["height"]), 70.0, WIDTH - 12.0
    top, bottom = 10.0, height - 46
    categories = list(dict.fromkeys(x for trace in traces for x in trace["x"] if isinstance(x, str)))
    xs = [float(x) for trace in traces for x in trace["x"] if isinstance(x, int | float)]
    low, high = (-0.5, len(categories) - 0.5) if categories else (min(xs, default=0.0), max(xs, default=1.0))
    span = (high - low) or 1.0

    def x_at(x: Any) -> float:
        place = categories.index(x) if isinstance(x, str) else float(x)
        return left + (place - low) / span * (right - left)

    parts = []
    for name in sorted(key for key in layout if key.startswith("yaxis")):
        own = [trace for trace in traces if trace.get("yaxis", "y") == name.replace("axis", "")]
        first, last = layout[name].get("domain", (0.0, 1.0))
        ends = (bottom - first * (bottom - top), bottom - last * (bottom - top))
        parts += _one_plane(own, layout[name], x_at, ends, (left, right))
    marks = [(x_at(name), name) for name in categories]
    marks = marks or [(x_at(tick), format_number(tick)) for tick in ticks(low, high, 9)]
    parts.append(f'<path class="axis" d="M{left} {bottom}H{right}"/>')
    parts += [_text(x, bottom + 16, text) for x, text in marks]
    parts.append(_text((left + right) / 2, height - 8, layout["xaxis"].get("title", {}).get("text", "")))
    return parts, height


def _one_plane(
    traces: Sequence[dict[str, Any]],
    axis: dict[str, Any],
    x_at: Any,
    ends: tuple[float, float],
    sides: tuple[float, float],
) -> list[str]:
    """One pair of axes of a figure, with the series in it."""
    tops = [
        [None if y is None else y + b for y, b in zip(t["y"], t.get("base") or [0] * len(t["y"]), strict=True)]
        for t in traces
    ]
    values = [
        v
        for top, t in zip(tops, traces, strict=True)
        for v in (*top, *t.get("low", ()), *t.get("high", ()))
        if v is not None
    ]
    low, high = axis.get("range") or (min(values, default=0.0), max(values, default=1.0))
    if axis.get("rangemode") == "tozero":
        low = min(low, 0.0)
    span = (high - low) or 1.0

    def y_at(y: float) -> float:
        return ends[0] + (y - low) / span * (ends[1] - ends[0])

    parts = []
    for tick in ticks(low, high, 5):
        parts.append(f'<path class="grid" d="M{sides[0]} {y_at(tick):.1f}H{sides[1]}"/>')
        parts.append(_text(sides[0] - 6, y_at(tick) + 4, format_number(tick), "end"))
    middle = (ends[0] + ends[1]) / 2
    title = axis.get("title", {}).get("text", "")
    parts.append(_text(14, middle, title, more=f' transform="rotate(-90 14 {middle:.1f})"'))
    for trace, top in zip(traces, tops, strict=True):
        parts += _series(trace, top, x_at, y_at)
    return parts


def _series(trace: dict[str, Any], top: Sequence[float | None], x_at: Any, y_at: Any) -> list[str]:
    colour = quoteattr(_colour(trace))
    parts = []
    if "low" in trace:
        parts.append(
            f'<path class="band" fill={colour} d="{_area(trace["x"], trace["low"], trace["high"], x_at, y_at)}"/>'
        )
    if "base" in trace:
        parts.append(f'<path class="area" fill={colour} d="{_area(trace["x"], trace["base"], top, x_at, y_at)}"/>')
        return parts
    mode = trace.get("mode", "lines")
    if "lines" in mode:
        path = "".join(
            f"{'L' if place and top[place - 1] is not None else 'M'}{x_at(x):.1f} {y_at(y):.1f}"
            for place, (x, y) in enumerate(zip(trace["x"], top, strict=True))
            if y is not None
        )
        dash = _DASHES.get(trace.get("line", {}).get("dash", ""), "")
        parts.append(f'<path class="line" stroke={colour} stroke-width="1.6" stroke-dasharray="{dash}" d="{path}"/>')
    error = trace.get("error_y")
    for place, (x, y) in enumerate(zip(trace["x"], top, strict=True)):
        if y is not None and error:
            up, down = error["array"][place] or 0.0, (error.get("arrayminus") or error["array"])[place] or 0.0
            parts.append(f'<path stroke={colour} d="M{x_at(x):.1f} {y_at(y - down):.1f}V{y_at(y + up):.1f}"/>')
        if y is not None and "markers" in mode:
            radius = trace["marker"].get("size", 5) / 2
            parts.append(f'<circle cx="{x_at(x):.1f}" cy="{y_at(y):.1f}" r="{radius}" fill={colour}/>')
    return parts


ALONE = 3.2
"""Half the width of the band about a point that has no neighbour, pixels."""


def _area(xs: Iterable[Any], lows: Iterable[float | None], highs: Iterable[float | None], x_at: Any, y_at: Any) -> str:
    """The area between two lines, interrupted where one of them is unknown."""
    path, spell = "", list[tuple[float, float, float]]()
    for x, low, high in chain(zip(xs, lows, highs, strict=True), [(None, None, None)]):
        if low is not None and high is not None:
            spell.append((x_at(x), y_at(low), y_at(high)))
        elif spell:
            path += _spell(spell)
            spell = []
    return path


def _spell(points: list[tuple[float, float, float]]) -> str:
    if len(points) == 1:
        ((x, low, high),) = points
        points = [(x - ALONE, low, high), (x + ALONE, low, high)]
    upper = "L".join(f"{x:.1f} {high:.1f}" for x, _, high in points)
    lower = "L".join(f"{x:.1f} {low:.1f}" for x, low, _ in reversed(points))
    return f"M{upper}L{lower}z"


def _bars(traces: Sequence[dict[str, Any]], layout: dict[str, Any]) -> tuple[list[str], float]:
    names = layout.get("order") or list(dict.fromkeys(name for trace in traces for name in trace["y"]))
    totals = dict.fromkeys(names, 0.0)
    for trace in traces:
        for name, length in zip(trace["y"], trace["x"], strict=True):
            totals[name] += length or 0.0
    left, right, step = 270.0, WIDTH - 20.0, 24.0
    high, bottom = max(totals.values(), default=0.0) or 1.0, 10 + step * len(names)
    parts = []
    for tick in ticks(0, high, 8):
        x = left + tick / high * (right - left)
        parts += [f'<path class="grid" d="M{x:.1f} 6V{bottom}"/>', _text(x, bottom + 16, format_number(tick))]
    ends = dict.fromkeys(names, left)
    for trace in traces:
        for name, length in zip(trace["y"], trace["x"], strict=True):
            width = (length or 0.0) / high * (right - left)
            y = 12 + step * names.index(name)
            place = f'x="{ends[name]:.1f}" y="{y}" width="{width:.2f}" height="{step - 6}"'
            parts.append(f"<rect {place} fill={quoteattr(_colour(trace))}/>")
            ends[name] += width
    parts += [
        _text(left - 6, 26 + step * place, name.replace("\n", " ")[:42], "end") for place, name in enumerate(names)
    ]
    parts.append(_text((left + right) / 2, bottom + 36, layout["xaxis"].get("title", {}).get("text", "")))
    return parts, bottom + 46


def _legend(traces: Sequence[dict[str, Any]], top: float) -> tuple[list[str], float]:
    """Names with their colours below the figure, in rows."""
    parts, x, y = [], 14.0, top + 16
    for name, trace in {trace["name"]: trace for trace in reversed(traces)}.items():
        width = 34 + 7.2 * len(name)
        if x > 14 and x + width > WIDTH:
            x, y = 14.0, y + 20
        parts.append(f'<rect x="{x:.0f}" y="{y - 9:.0f}" width="14" height="10" fill={quoteattr(_colour(trace))}/>')
        parts.append(_text(x + 20, y, name, "start"))
        x += width
    return parts, y + 12


def _colour(trace: dict[str, Any]) -> str:
    return str(trace.get("line", {}).get("color") or trace.get("marker", {}).get("color") or "#222")
