"""Saturation: what a sender would get on top of what it sends, if its queue never ran empty."""

import polars as pl

from winf_analyzer.estimators import states, windows
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.saturation import fixed_point
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
    per_second = 1e9 / pl.col("covered_ns")
    senders = costs(links.group_by(*WINDOW, "sender", "covered_ns").agg(pl.col(SUMS).sum()))
    subjects = costs(links.filter(pl.col("carried") > 0, pl.col("receiver").is_not_null()))
    subjects = subjects.join(_losses(links), on=["medium", *windows.LINK], how="left").with_row_index("case")
    others = subjects.select("case", *WINDOW, subject_sender="sender").join(senders, on=WINDOW)
    others = others.filter(pl.col("sender").ne_missing(pl.col("subject_sender")))
    stations = pl.concat(
        [
            subjects.with_columns(subject=pl.lit(True), packets_per_s=pl.lit(0.0)),
            others.with_columns(subject=pl.lit(False), packets_per_s=pl.col("packets") * per_second, loss=pl.lit(0.0)),
        ],
        how="diagonal_relaxed",
    ).with_columns(
        loss=pl.when("aggregates").then(0.0).otherwise("loss"),
        collision_s=pl.col("first_s") + pl.col("answer_s"),
        window_max=pl.lit(1024.0),
    )
    stations = stations.select(pl.col(name).cast(dtype) for name, dtype in fixed_point.STATIONS.items())
    solved = fixed_point.solve(stations).filter("subject").select("case", "delivered_per_s", "collision")
    own = senders.select(*WINDOW, "sender", own_per_s=pl.col("packets") * per_second)
    alone_s = (pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s")) + (pl.col("window") - 1) / 2 * pl.col("slot_s")
    whole = pl.when("aggregates").then(1 - pl.col("loss")).otherwise(1.0)
    return (
        subjects.with_columns(pl.col("case").cast(pl.Int64))
        .join(solved, on="case")
        .join(own, on=[*WINDOW, "sender"])
        .with_columns(capacity=pl.col("packets_max") / alone_s * pl.col("packet_bits"))
        .with_columns(
            available=((pl.col("delivered_per_s") * whole - pl.col("own_per_s")) * pl.col("packet_bits")).clip(
                0, pl.col("capacity")
            )
        )
        .select(*LINK, "attempts", "failed", "capacity", "available", samples=pl.col("carried").cast(pl.Int64))
    )


def _losses(links: pl.DataFrame) -> pl.DataFrame:
    """Chance that the channel loses the data of a link, over the whole recording."""
    return links.group_by("medium", *windows.LINK).agg(loss=pl.col("lost").sum() / pl.col("answered").sum().clip(1))


def _sides(solved: pl.DataFrame) -> pl.DataFrame:
    quantities = ("samples", "capacity", "available")
    return solved.with_columns(pl.col(name).alias(f"{side}_{name}") for side in states.SIDES for name in quantities)
