"""Saturation: what a sender would get on top of what it sends, if its queue never ran empty."""

import polars as pl

from winf_analyzer.estimators import states, windows
from winf_analyzer.estimators.medium import WINDOW, Recording
from winf_analyzer.estimators.saturation import around, fixed_point, losses
from winf_analyzer.estimators.saturation.correction import corrections
from winf_analyzer.estimators.saturation.stations import link_sums
from winf_analyzer.estimators.schema import ESTIMATES_SCHEMA
from winf_analyzer.estimators.settings import Mode, Settings

QUANTITIES = ("samples", "capacity", "available")


def saturation(recording: Recording, mode: Mode, settings: Settings) -> pl.DataFrame:
    """Capacity and available bandwidth per node, link, state and window; the module's text has the model."""
    if mode == "paper" or settings.per_exchange:
        return pl.DataFrame(schema=ESTIMATES_SCHEMA)
    solved = _solve(link_sums(recording, settings), recording.media)
    sides = solved.with_columns(pl.col(name).alias(f"{side}_{name}") for side in states.SIDES for name in QUANTITIES)
    rows = states.by_state(sides, recording.media, QUANTITIES, bystanders=False)
    return rows.join(recording.media, on="medium").rename(
        {"samples": "exchanges", "capacity": "capacity_bps", "available": "available_bps"}
    )


def _solve(links: pl.DataFrame, media: pl.DataFrame) -> pl.DataFrame:
    """`capacity`, `available` (bit/s) and `samples` of every link that carried something."""
    fate = losses.fate(links, around.per_sender(links, WINDOW), media)
    found = around.cases(links, fate, WINDOW)
    solved = fixed_point.solve(found.stations).filter("subject").select("case", "delivered_per_s")
    exchange_s = pl.col("access_s") + pl.col("packets_max") * pl.col("packet_s")
    alone_s = exchange_s + (pl.col("window") - 1) / 2 * pl.col("slot_s")
    whole = pl.when("aggregates").then(1 - pl.col("loss")).otherwise(1.0)
    delivered = pl.col("delivered_per_s") * pl.col("correction").fill_null(1.0) * whole
    available = (delivered - pl.col("packets_per_s")) * pl.col("packet_bits")
    return (
        found.links.join(solved, on="case")
        .join(corrections(links, fate, media), on=["medium", *windows.LINK], how="left")
        .with_columns(capacity=pl.col("packets_max") / alone_s * pl.col("packet_bits"))
        .with_columns(available=available.clip(0, pl.col("capacity")))
        .select(
            *WINDOW, *windows.LINK, "attempts", "failed", "capacity", "available", samples=pl.col("carried").cast(pl.Int64)
        )
    )
