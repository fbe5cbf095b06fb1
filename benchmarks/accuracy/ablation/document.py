"""docs/rules.md: the words of document.md.j2 around a table of rules and one of terms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import polars as pl

from benchmarks.accuracy.ablation.captures import Spoken
from benchmarks.accuracy.ablation.measured import MODEL, TERM, WHOLE
from benchmarks.accuracy.ablation.rules import RULES
from benchmarks.accuracy.scoring import COLUMNS

TEMPLATE = Path(__file__).with_name("document.md.j2")

CHANGED = 0.01
"""Share of the truth by which value or bounds must differ to count as changed."""

WORST = 1.0
"""Larger errors count as this: one recording that nobody can predict would hide all others."""

NONE = "–"


def write(found: pl.DataFrame, spoken: Spoken | None, path: Path) -> None:
    """Fill in the template.

    Args:
        found: what :func:`.measured.measure_all` returns.
        spoken: what :func:`.captures.count` returns; None: real recordings are not counted.
        path: of the page.
    """
    worth = effects(found)
    of_terms = pl.col("without").str.starts_with(TERM)
    terms = worth.filter(of_terms).sort(pl.col("narrower").round(4), "without", descending=[True, False])
    model = found.filter(without=MODEL)
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    rows = {row["without"]: row for row in worth.iter_rows(named=True)}
    text = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        recordings=model["recording"].n_unique(),
        windows=model.filter(pl.col("window_start_ns") != WHOLE).height,
        real=spoken and spoken.recordings,
        rules=[
            [
                f"`{rule.name}`",
                rule.says,
                *_rule(rows.get(rule.name)),
                str(spoken.rules.get(rule.name, 0)) if spoken and rule.shows else NONE,
            ]
            for rule in RULES
        ],
        terms=[[f"`{row['without'].removeprefix(TERM)}`", *_term(row)] for row in terms.iter_rows(named=True)],
    )
    path.write_text(text, encoding="utf-8")


def effects(found: pl.DataFrame) -> pl.DataFrame:
    """A row for each rule or term that was left out: what its recordings are without it, and with it.

    `without`; `acts`, `changes`: recordings of which the answer is another without it, and those of which it changes
    by more than :data:`CHANGED`; `error_without error_with`: mean errors of the latter; `hold_without hold_with`: share
    of the whole recordings' intervals, of the former, that hold the truth, and `windows_without windows_with` of their
    windows; `narrower`: median share by which these intervals are narrower without it.
    """
    model = found.filter(without=MODEL).drop("group", "without", "truth_bps")
    rows = found.filter(pl.col("without") != MODEL).join(model, on=["recording", "window_start_ns"], suffix="_with")
    truth, value, low, high = (pl.col(name) for name in ("truth_bps", *COLUMNS))
    with_all = [pl.col(f"{name}_with") for name in COLUMNS]
    differs = pl.any_horizontal(one.ne_missing(other) for one, other in zip((value, low, high), with_all, strict=True))
    rows = rows.filter(differs.any().over("without", "recording"))
    changed = pl.any_horizontal(
        ((one - other).abs() > CHANGED * truth) | (one.is_null() != other.is_null())
        for one, other in zip((value, low, high), with_all, strict=True)
    )
    rows = rows.with_columns(
        whole=pl.col("window_start_ns") == WHOLE,
        changed=changed.fill_null(value=False),
        error_without=(value / truth - 1).abs().clip(upper_bound=WORST),
        error_with=(with_all[0] / truth - 1).abs().clip(upper_bound=WORST),
        hold_without=(low <= truth) & (truth <= high),
        hold_with=(with_all[1] <= truth) & (truth <= with_all[2]),
        narrower=1 - (high - low) / (with_all[2] - with_all[1]),
    )
    whole, moved = pl.col("whole"), pl.col("whole") & pl.col("changed")
    both = pl.col("error_without").is_finite() & pl.col("error_with").is_finite()
    means = {}
    for side in ("without", "with"):
        means[f"error_{side}"] = pl.col(f"error_{side}").filter(moved, both).mean()
        means[f"hold_{side}"] = pl.col(f"hold_{side}").filter(whole).mean()
        means[f"windows_{side}"] = pl.col(f"hold_{side}").filter(~whole).mean()
    return rows.group_by("without").agg(
        acts=pl.col("recording").n_unique(),
        changes=pl.col("recording").filter("changed").n_unique(),
        narrower=pl.col("narrower").filter(whole & pl.col("narrower").is_finite()).median(),
        **means,
    )


def _rule(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return ["0", "0", NONE, NONE, NONE]
    return [str(found["acts"]), str(found["changes"]), *(_both(found, name) for name in ("error", "hold", "windows"))]


def _term(found: dict[str, Any]) -> list[str]:
    return [str(found["acts"]), _percent(found["narrower"]), *(_both(found, name) for name in ("hold", "windows"))]


def _both(found: dict[str, Any], name: str) -> str:
    """Without and with, as percentages."""
    sides = [found[f"{name}_{side}"] for side in ("without", "with")]
    return NONE if None in sides else " → ".join(map(_percent, sides))


def _percent(share: float | None) -> str:
    if share is None:
        return NONE
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"
