"""The recommended answers in the terminal, with the reasons for their grades."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from winf_analyzer._util.format import printable
from winf_analyzer.cli.console import print_words
from winf_analyzer.cli.output import Format, in_mbps, write_table

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._dataset.dataset import Dataset

TITLE = "Recommended, for the whole recording, Mb/s: MSDU bits a saturating flow would add, and goodput of a TCP flow"


UNANSWERED = 8
"""Links without an answer up to which each has its row; more are summed up in a line."""


def print_recommended(dataset: Dataset, limit: int | None = None) -> None:
    """Print one row per link, what the reasons mean, and why there is no estimate.

    Args:
        dataset: one with the `recommended` table.
        limit: links that are printed; default: all that have an answer.
    """
    import polars as pl

    from winf_analyzer._recommended.reasons import BY_CODE, WITHHELD
    from winf_analyzer._recommended.summary import best_answers, why_no_answer

    best = best_answers(dataset.scan("recommended"))
    unanswered = best.filter(pl.col("available_bps").is_null())
    told = best.filter(pl.col("available_bps").is_not_null()) if unanswered.height > UNANSWERED else best
    rows = told if limit is None else told.head(limit)
    if not rows.is_empty():
        _print_rows(rows)
    if told.height < best.height:
        print_words(_summed_up(unanswered))
    codes = _codes(pl.concat([rows, unanswered]) if told.height < best.height else rows)
    for code, reason in BY_CODE.items():
        if code in codes:
            none = "bounds, and no estimate between them. " if code == WITHHELD else "no estimate. "
            verdict = none if reason.grade == "unknown" else ""
            print_words(f"{code}: {verdict}{reason.sentence}")
    if why := why_no_answer(dataset):
        print(printable(f"No estimate: {why}"))
    if hidden := told.height - rows.height:
        print(f"{hidden} more links are in the table `recommended`.")


def _print_rows(rows: pl.DataFrame) -> None:
    import polars as pl

    shown = in_mbps(
        rows.select(
            "sender",
            "receiver",
            "capacity_bps",
            "available_bps",
            "available_low_bps",
            "available_high_bps",
            "available_tcp_bps",
            "available_tcp_low_bps",
            "available_tcp_high_bps",
            "samples",
            "grade",
            "reasons",
        )
    )
    link = pl.format("{} > {}", "sender", "receiver").alias("link")
    table = shown.select(link, pl.exclude("sender", "receiver"))
    least = ("available_tcp_low", "available_tcp_high", "samples", "capacity", "available_tcp")
    write_table(table, Format.table, title=TITLE, least=least)


def _codes(rows: pl.DataFrame) -> list[str]:
    """The codes of all reasons, as often as they occur."""
    return [code for codes in rows["reasons"] for code in codes.split(", ") if code]


def _summed_up(unanswered: pl.DataFrame) -> str:
    """How many links have no answer, and how many of them for which reason; a link may have several."""
    from winf_analyzer._recommended.reasons import BY_CODE

    known = (code for code in _codes(unanswered) if code in BY_CODE)  # a newer winf may have given others, too
    refusing = Counter(code for code in known if BY_CODE[code].grade == "unknown")
    reasons = ", ".join(f"{code} {count}" for code, count in refusing.most_common())
    count = f"{unanswered.height} links have no estimate"
    return f"{count} ({reasons}); `winf estimate --recommended --to csv` prints them."
