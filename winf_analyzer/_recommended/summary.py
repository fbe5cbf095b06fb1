"""The answers of a dataset in a few rows: one per link, and why there are none."""

from collections.abc import Iterable
from typing import Any

import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._recommended.reasons import BY_CODE, GRADES, sentences
from winf_analyzer._recommended.sources import trace_has_no_mac_lines
from winf_analyzer._util.format import format_value


def best_answers(recommended: pl.LazyFrame) -> pl.DataFrame:
    """One row per link for its whole recording: links with an answer first, of these those with most samples.

    Where several recordings have the link: the sender's own before others, then the better grade, then more samples.

    Args:
        recommended: the `recommended` table.
    """
    rows = recommended.filter("whole").collect()
    own = pl.col("observer").eq_missing(pl.col("sender"))
    known = pl.col("available_bps").is_not_null()
    grade = pl.col("grade").replace_strict(list(GRADES), list(range(len(GRADES))), default=len(GRADES))
    ranked = rows.sort(known, own, grade, "samples", "source", descending=[True, True, False, True, False])
    best = ranked.unique(["sender", "receiver"], keep="first", maintain_order=True)
    return best.sort(known, "samples", "sender", "receiver", descending=[True, True, False, False])


def as_estimates(recommended: pl.LazyFrame) -> pl.LazyFrame:
    """The answers of the windows as rows of `estimates`, of an estimator `recommended`, from the sender's view.

    Of a simulator's trace, whose answers have no observer, they are the sender's own.
    """
    simulated = pl.col("sender").str.starts_with("node-")
    return recommended.filter(~pl.col("whole")).select(
        pl.lit("recommended").alias("estimator"),
        pl.lit("corrected").alias("mode"),
        "source",
        pl.when(simulated).then("sender").otherwise("observer").alias("observer"),
        pl.col("sender").alias("node"),
        pl.lit("sender").alias("state"),
        *("sender", "receiver", "window_start_ns", "window_ns"),
        *("capacity_bps", "available_bps", "available_low_bps", "available_high_bps"),
        pl.col("samples").alias("exchanges"),
    )


def link_notes(dataset: Dataset, links: Iterable[tuple[str, str]]) -> list[str]:
    """A sentence per link: what the recording says of it, and why that is doubtful; none without the table."""
    if not dataset.parts("recommended"):
        return []
    best = best_answers(dataset.scan("recommended"))
    rows = {(row["sender"], row["receiver"]): row for row in best.iter_rows(named=True)}
    return [_note(rows[link]) for link in dict.fromkeys(links) if link in rows]


def _note(row: dict[str, Any]) -> str:
    link, why = f"{row['sender']} > {row['receiver']}", " ".join(sentences(row["reasons"]))
    if row["available_high_bps"] is None:
        return f"recorded link {link}: no estimate of available bandwidth. {why}"
    low, high = (format_value(round(row[f"available_{side}_bps"] / 1e6, 3)) for side in ("low", "high"))
    if row["available_bps"] is None:
        return f"recorded link {link}: available {low} to {high} Mb/s, no estimate within that. {why}"
    value = format_value(round(row["available_bps"] / 1e6, 3))
    return f"recorded link {link}: available {value} Mb/s ({low} to {high}), grade {row['grade']}. {why}".rstrip()


def why_no_answer(dataset: Dataset) -> str:
    """Why no link of the dataset has an estimate, in a sentence; empty if one has, or its bounds."""
    rows = best_answers(dataset.scan("recommended"))
    if rows["available_high_bps"].is_not_null().any():
        return ""
    if trace_has_no_mac_lines(dataset):
        return BY_CODE["mac_trace_off"].sentence + " Run it again with `-macTrace ON` in node-config."
    if rows.is_empty():
        return _no_link(dataset)
    codes = rows["reasons"].str.split(", ").list.first().value_counts(sort=True, name="links")
    code, links = codes.row(0)
    sentence = BY_CODE[code].sentence if code in BY_CODE else "See the column `reasons`."
    return sentence if links == rows.height else f"{sentence} So it is for {links} of {rows.height} links."


def _no_link(dataset: Dataset) -> str:
    exchanges = dataset.scan("exchanges").select("kind", "data_kind", "sender", "receiver").collect(engine="streaming")
    if exchanges.is_empty():
        return f"{BY_CODE['no_link'].sentence} The recording has no frame on the air."
    lone = exchanges.filter(pl.col("data_kind").is_null(), pl.col("receiver").is_null()).height
    if lone * 2 > exchanges.height:
        return f"{BY_CODE['no_link'].sentence} Most of what was heard are CTS and ACK without the frames they answer."
    return f"{BY_CODE['no_link'].sentence} Beacons, other management and group-addressed frames show no capacity."
