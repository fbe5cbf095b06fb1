"""Tables and checks of the studies, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev

DOCS = Path(__file__).parent.parent.parent / "docs" / "replay"
# Student's t at 97.5 % for 1 to 30 degrees of freedom; beyond, the normal quantile is close enough.
# fmt: off
T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)
# fmt: on


@dataclass(frozen=True)
class Check:
    """A statement of a paper or of the goal, what was found, and whether it holds."""

    statement: str
    found: str
    holds: bool


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def checks(found: Iterable[Check]) -> str:
    """Statements beside what was found."""
    rows = [(check.statement, check.found, "yes" if check.holds else "**no**") for check in found]
    return "\n".join(f"| {' | '.join(row)} |" for row in [("statement", "found", "holds"), ("---",) * 3, *rows]) + "\n"


def interval(values: Sequence[float], digits: int = 1) -> str:
    """Mean and half the width of its 95 % confidence interval."""
    if len(values) < 2:
        return f"{fmean(values):.{digits}f}"
    t = T_975[len(values) - 2] if len(values) - 2 < len(T_975) else 1.96
    return f"{fmean(values):.{digits}f} ± {t * stdev(values) / sqrt(len(values)):.{digits}f}"


def write(name: str, title: str, parts: Iterable[str]) -> None:
    """Write ``docs/replay/NAME.md`` and show it."""
    text = f"# {title}\n\n" + "\n".join(part.strip() + "\n" for part in parts)
    DOCS.mkdir(parents=True, exist_ok=True)
    (DOCS / f"{name}.md").write_text(text, encoding="utf-8")
    print(text)
