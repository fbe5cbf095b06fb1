"""docs/findings.md: what is looked for, and how often that is right."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
from jinja2 import Environment

from benchmarks.findings.captures import Counts
from benchmarks.findings.runs import SECONDS
from winf_analyzer._findings.effects import CHANGED, CORRELATION
from winf_analyzer._findings.registry import findings_registry

TEMPLATE = Path(__file__).with_name("document.md.j2")


def by_cause(scores: pl.DataFrame) -> pl.DataFrame:
    """Per part and finding: pairs with the cause, those in which it is found, and wrong claims of it."""
    caused = scores.filter(pl.col("finding") == pl.col("cause"), "caused")
    found = caused.group_by("part", "finding").agg(
        pairs=pl.len(), found=(pl.col("verdict") == "right").sum(), missed=(pl.col("verdict") == "missed").sum()
    )
    wrong = scores.filter(verdict="wrong").group_by("part", "finding").agg(wrong=pl.len())
    both = found.join(wrong, on=["part", "finding"], how="full", coalesce=True)
    return both.with_columns(pl.col("pairs", "found", "missed", "wrong").fill_null(0)).sort("part", "finding")


def totals(scores: pl.DataFrame) -> pl.DataFrame:
    """Per part: recall, precision, and the claims that they are of."""
    sums = by_cause(scores).group_by("part").agg(pl.col("pairs", "found", "wrong").sum())
    return sums.with_columns(
        recall=pl.col("found") / pl.col("pairs"), precision=pl.col("found") / (pl.col("found") + pl.col("wrong"))
    ).sort("part")


def effects(scores: pl.DataFrame) -> pl.DataFrame:
    """Per pair with an effect: what was promised, what is regained, the error, and whether the interval holds it.

    `then_holds`: the interval of what the link has without the cause holds what it got.
    """
    rows = scores.filter(pl.col("verdict") == "right", pl.col("effect_bps").is_not_null())
    return rows.select(
        "part",
        "pair",
        "finding",
        *((pl.col(name) / 1e6).alias(name.removesuffix("_bps")) for name in _IN_MBPS),
        error=(pl.col("effect_bps") - pl.col("regained_bps")) / pl.col("saturated_without_bps"),
        holds=pl.col("regained_bps").is_between("effect_low_bps", "effect_high_bps"),
        then_holds=pl.col("saturated_without_bps").is_between("without_low_bps", "without_high_bps"),
    )


_IN_MBPS = (
    "saturated_bps",
    "saturated_without_bps",
    "regained_bps",
    "effect_bps",
    "effect_low_bps",
    "effect_high_bps",
)


def coverage(effects: pl.DataFrame) -> pl.DataFrame:
    """Per part: pairs with an effect, median of the error, share of the intervals that hold."""
    return (
        effects.group_by("part")
        .agg(
            pairs=pl.len(),
            error=pl.col("error").abs().median(),
            holding=pl.col("holds").sum(),
            then_holding=pl.col("then_holds").sum(),
        )
        .sort("part")
    )


def worse(scores: pl.DataFrame, page: str) -> list[str]:
    """What the scores fall behind a page in: causes found less often, and claims wrong more often, a line each."""
    rows = re.findall(r"^\| (\w+) \| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    written = {(part, finding): (int(pairs), int(found), int(wrong)) for part, finding, pairs, found, wrong in rows}
    lines = []
    for row in by_cause(scores).iter_rows(named=True):
        pairs, found, wrong = written.get((row["part"], row["finding"]), (0, 0, 0))
        if pairs - found < row["missed"] or wrong < row["wrong"]:
            now = f"{row['missed']} missed, {row['wrong']} wrong; on the page {pairs - found} and {wrong}"
            lines.append(f"{row['part']}, {row['finding']}: {now}")
    return lines


def write(scores: pl.DataFrame, counts: Counts | None, path: Path) -> None:
    """Write the document."""
    template = Environment(
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False
    ).from_string(TEMPLATE.read_text(encoding="utf-8"))
    found = effects(scores)
    text = template.render(
        findings=list(findings_registry().values()),
        seconds=SECONDS,
        correlation=CORRELATION,
        changed=CHANGED,
        totals=totals(scores).rows(named=True),
        causes=by_cause(scores).rows(named=True),
        effects=found.rows(named=True),
        coverage=coverage(found).rows(named=True),
        wrong=scores.filter(verdict="wrong").rows(named=True),
        counts=counts,
    )
    path.write_text(text, encoding="utf-8")
