"""Saturation: what a sender would get on top of what it sends, if its queue never ran empty."""

import polars as pl

from winf_analyzer.estimators import states, windows
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.saturation import fixed_point, losses
from winf_analyzer.estimators.saturation.stations import SUMS, costs, link_sums
from winf_analyzer.estimators.settings import Mode, Settings

LINK = (*WINDOW, *windows.LINK)


def saturation(recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame:
    """Capacity and available bandwidth per node, link, state and window; the module's text has the model."""
    links = link_sums(recording, settings)
    solved = _solve(links)
    rows = states.by_state(_sides(solved), recording.media, ("samples", "capacity", "available"), bystanders=False)
    return rows.join(recording.media, on="medium").rename(
        {"samples": "exchanges", "capacity": "capacity_bps", "available": "available_bps"}
    )


def _solve(links: pl.DataFrame) -> pl.DataFrame:
    """`capacity`, `available` (bit/s) and `samples` of every link that carried something."""
    senders = costs(links.group_by(*WINDOW, "sender", "covered_ns").agg(pl.col(SUMS).sum()))
    senders = senders.with_columns(packets_per_s=pl.col("packets") * 1e9 / pl.col("covered_ns"))
    fate = losses.fate(links, senders)
    subjects = costs(links.filter(pl.col("carried") > 0, pl.col("receiver").is_not_null()))
    subjects = subjects.join(fate.links, on=["medium", *windows.LINK], how="left").with_row_index("case")
    others = subjects.select("case", *WINDOW, subject_sender="sender").join(senders, on=WINDOW)
    others = others.filter(pl.col("sender").ne_missing(pl.col("subject_sender")))
    stations = pl.concat(
        [
            subjects.with_columns(subject=pl.lit(True), packets_per_s=pl.lit(0.0)),
            others.with_columns(subject=pl.lit(False), loss=pl.lit(0.0)),
        ],
        how="diagonal_relaxed",
    ).join(fate.media, on="medium")
    stations = stations.with_columns(loss=pl.when("aggregates").then(0.0).otherwise("loss"))
    solved = fixed_point.solve(_typed(stations)).filter("subject").select("case", "delivered_per_s")
    own = senders.select(*WINDOW, "sender", own_per_s="packets_per_s")
    exchange_s = pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s")
    alone_s = exchange_s + (pl.col("window") - 1) / 2 * pl.col("slot_s")
    whole = pl.when("aggregates").then(1 - pl.col("loss")).otherwise(1.0)
    available = (pl.col("delivered_per_s") * whole - pl.col("own_per_s")) * pl.col("packet_bits")
    return (
        subjects.with_columns(pl.col("case").cast(pl.Int64))
        .join(solved, on="case")
        .join(own, on=[*WINDOW, "sender"])
        .with_columns(capacity=pl.col("packets_max") / alone_s * pl.col("packet_bits"))
        .with_columns(available=available.clip(0, pl.col("capacity")))
        .select(*LINK, "attempts", "failed", "capacity", "available", samples=pl.col("carried").cast(pl.Int64))
    )


def _typed(stations: pl.DataFrame) -> pl.DataFrame:
    constants = {"window_max": pl.lit(1024.0)}
    return stations.with_columns(**constants).select(
        pl.col(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items()
    )


def _sides(solved: pl.DataFrame) -> pl.DataFrame:
    quantities = ("samples", "capacity", "available")
    return solved.with_columns(pl.col(name).alias(f"{side}_{name}") for side in states.SIDES for name in quantities)
