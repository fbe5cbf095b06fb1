"""Findings in words: one place for the terminal, the report and notebooks."""

from __future__ import annotations

import re
from string import Formatter
from typing import TYPE_CHECKING, Any

from winf_analyzer._names.codes import reason_text
from winf_analyzer._report.findings import CLAIMED, may_be_nothing
from winf_analyzer._util.format import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from winf_analyzer._names import Names


def sentence(template: str, row: Mapping[str, Any]) -> str:
    """A text of the registry with the values of a row.

    ``{name}`` is a text, ``{name:count}``, ``percent``, ``rate`` (Mb/s), ``times``, ``ms`` and ``dbm`` are numbers,
    ``reason`` is a reason code. Behind a count of 1 a word is in the singular. Characters that a terminal would
    obey are escaped.
    """
    return _Words().vformat(template, (), row)


def effect_sentence(row: Mapping[str, Any], without: str) -> str:
    """What would be gained without the cause, if the model can say it; otherwise the airtime."""
    gained, share = row["effect_bps"], row["airtime_share"]
    if not without:
        return ""
    if gained is not None:
        link = f"{row['sender']} > {row['receiver']}"
        now, then, low, high = (
            _rate(row[name] / 1e6) for name in ("available_bps", "without_bps", "without_low_bps", "without_high_bps")
        )
        said = f"Without {without}, {link} would have {then} available (90 % interval {low} to {high}), now {now}."
        if may_be_nothing(row):
            said += " The gain may be nothing: its own 90 % interval includes 0."
        return printable(said)
    if share is not None and share > 0:
        return printable(f"Without {without}, {_percent(share)} more of the time would be free.")
    return ""


def summary(row: Mapping[str, Any], name: Names) -> str:
    """A finding in one line: rank, title, subject, with the names of stations."""
    doubt = "" if row["confidence"] >= CLAIMED else " (doubtful)"
    return f"{row['rank']}. {row['title']}: {printable(name.in_text(row['subject']))}{doubt}"


def paragraph(row: Mapping[str, Any], name: Names) -> list[str]:
    """A finding in full, line by line: what, what it costs, what to do, how sure, where to look.

    One that is doubtful is not acted upon: of it the first two.
    """
    text = printable(name.in_text(row["text"]))
    if row["confidence"] < CLAIMED:
        return [summary(row, name), text]
    frames = ", ".join(map(str, row["frames"] or []))
    lines = [summary(row, name), text, name.in_text(row.get("also", "")), row["remedy"]]
    lines.append(f"Confidence {row['confidence']:.2f}.")
    if row["display_filter"]:
        shown = f", frames {frames}" if frames else ""
        lines.append(f"Wireshark: {row['display_filter']}{shown}")
    return [line for line in lines if line]


UNKNOWN = {"rate": "an unknown rate"}
"""What stands in a sentence for a value that is not known."""


PLURAL = re.compile(r"^ ([A-Za-z]+)s\b")
"""The word behind a count, as templates have it."""

ALSO = 5
"""Further subjects of a kind of finding that are named."""


def kinds(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Of findings in several recordings one for each kind that is claimed: the first, told with its recording.

    Further subjects are in `also`, the first few by name.
    """
    alike: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["confidence"] >= CLAIMED:
            alike.setdefault(row["name"], []).append(row)
    return [_of_kind(rank, *of_kind) for rank, of_kind in enumerate(alike.values(), 1)]


def _of_kind(rank: int, first: Mapping[str, Any], *others: Mapping[str, Any]) -> dict[str, Any]:
    sources = {first["source"], *(other["source"] for other in others)}
    where = printable(first["source"])
    found_in = f"In {len(sources)} recordings, first of all in {where}" if len(sources) > 1 else f"In {where}"
    named = [
        other["source"]
        if other["subject"] in (other["source"], first["subject"])
        else f"{other['subject']} in {other['source']}"
        for other in others[:ALSO]
    ]
    rest = len(others) - len(named)
    also = f"Also: {'; '.join(named)}{f'; and {rest} more' if rest else ''}." if named else ""
    return {**first, "rank": rank, "text": f"{found_in}: {first['text']}", "also": printable(also)}


class _Words(Formatter):
    def vformat(self, format_string: str, args: Any, kwargs: Any) -> str:
        text, one = "", False
        for literal, name, spec, _ in self.parse(format_string):
            text += PLURAL.sub(r" \1", literal) if one else literal
            if name is not None:
                value = self.get_value(name, args, kwargs)
                text += self.format_field(value, spec or "")
                one = spec == "count" and value is not None and round(value) == 1
        return text

    def get_value(self, key: int | str, args: Any, kwargs: Mapping[str, Any]) -> Any:
        return kwargs[str(key)]

    def format_field(self, value: Any, format_spec: str) -> str:
        if value is None:
            return UNKNOWN.get(format_spec, "unknown")
        return _FORMATS[format_spec](value)


def _percent(value: float) -> str:
    percent = 100 * value
    if 0 < percent < 0.1:
        return "less than 0.1 %"
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


def _rate(value: float) -> str:
    return f"{value:.3g} Mb/s" if value < 100 else f"{value:.0f} Mb/s"


_FORMATS: dict[str, Callable[[Any], str]] = {
    "": lambda value: printable(str(value)),
    "count": lambda value: f"{value:.0f}",
    "percent": _percent,
    "rate": _rate,
    "times": lambda value: f"{value:.2g} times",
    "ms": lambda value: f"{value:.3g} ms" if value < 1000 else f"{value:.0f} ms",
    "reason": lambda value: reason_text(int(value)),
    "dbm": lambda value: f"{value:.0f} dBm",
}
