"""What the estimators say about each run, beside the truth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from benchmarks.accuracy.runs import Run
from benchmarks.accuracy.scenarios import PHYS
from winf_analyzer import read_exchanges
from winf_analyzer.estimators import ESTIMATORS, MODES, Settings, estimate
from winf_analyzer.estimators.mac import PRESETS, Mac

SENDER = "00:00:00:00:00:01"
RECEIVER = "00:00:00:00:00:02"
"""The link under study: ns-3 numbers addresses in the order of the nodes."""

CONTEXTS = ("inferred", "known")
"""Where slot, AIFS and CWmin come from: the recording alone, or the simulator."""


def score(run: Run, development: bool) -> pl.DataFrame:
    """One row per estimator, mode, context and window: identification, `truth_bps`, `available_bps` and its bounds."""
    exchanges = pl.DataFrame(read_exchanges(run.capture)).lazy()
    tables = []
    for context in CONTEXTS:
        settings = Settings(mac=known_mac(run)) if context == "known" else Settings()
        rows = estimate(exchanges, ESTIMATORS, MODES, settings)
        tables.append(_of_the_link(rows).with_columns(context=pl.lit(context)))
    scenario = run.scenario
    return (
        pl.concat(tables)
        .join(run.truth, on="window_start_ns")
        .with_columns(
            scenario=pl.lit(scenario.name),
            group=pl.lit(scenario.group),
            half=pl.lit("development" if development else "test"),
        )
    )


def score_all(runs: Iterable[Run], development: set[str]) -> pl.DataFrame:
    """All runs in one table."""
    return pl.concat([score(run, run.scenario.name in development) for run in runs])


def known_mac(run: Run) -> Mac:
    """The preset of the scenario's PHY with what the simulator knows."""
    standard = PHYS[run.scenario.phy].standard
    phy = {"802.11b": "hr_dsss", "802.11g": "erp", "802.11n": "ht", "802.11ac": "vht"}
    preset = phy[standard] + ("_2ghz" if standard == "802.11n" and run.mac["sifs_us"] == 10 else "")
    return replace(PRESETS[preset], **{name: run.mac[name] for name in ("slot_us", "sifs_us", "cw_min")})


def _of_the_link(rows: pl.DataFrame) -> pl.DataFrame:
    link = (pl.col("state") == "sender") & (pl.col("node") == SENDER) & (pl.col("peer") == RECEIVER)
    return rows.filter(link).select(
        "estimator",
        "mode",
        "window_start_ns",
        "capacity_bps",
        "available_bps",
        "available_low_bps",
        "available_high_bps",
        "exchanges",
    )
