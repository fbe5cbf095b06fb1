"""The recommended answers in the terminal, with the reasons for their grades."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winf_analyzer.cli.output import Format, in_mbps, write_table

if TYPE_CHECKING:
    from winf_analyzer._dataset.dataset import Dataset

TITLE = "Recommended, for the whole recording, Mb/s: MSDU bits a saturating flow would add, and goodput of a TCP flow"


def print_recommended(dataset: Dataset, limit: int | None = None) -> None:
    """Print one row per link, what the reasons mean, and why there is no estimate.

    Args:
        dataset: one with the `recommended` table.
        limit: links that are printed; default: all.
    """
    import polars as pl

    from winf_analyzer._recommended.reasons import BY_CODE
    from winf_analyzer._recommended.summary import best_answers, why_no_answer

    best = best_answers(dataset.scan("recommended"))
    rows = best if limit is None else best.head(limit)
    if not rows.is_empty():
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
        codes = {code for codes in rows["reasons"] for code in codes.split(", ") if code}
        for code, reason in BY_CODE.items():
            if code in codes:
                verdict = "no estimate. " if reason.grade == "unknown" else ""
                print(f"{code}: {verdict}{reason.sentence}")
    if why := why_no_answer(dataset):
        print(f"No estimate: {why}")
    if hidden := best.height - rows.height:
        print(f"{hidden} more links are in the table `recommended`.")
