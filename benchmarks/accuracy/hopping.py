"""Recordings of several channels: what the recommended answer says beside the truth, and of the channel recorded alone.

    python -m benchmarks.accuracy.hopping [--part development] [--only NAME]

The runs are those of `lists/hopping_*.toml`. For each length of window: how many answers there are, the share of them
whose interval holds the truth, the median error of their values and the median half width of their intervals, as shares
of what the link carries; each also of the recording of the one channel, whose radio did not hop.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

import polars as pl

import winf_analyzer as winf
from benchmarks.accuracy.parts import PARTS
from benchmarks.accuracy.runs import Run, cache_folder, run_all
from benchmarks.accuracy.scenario_list import ListedRun, runs_of_several_channels
from benchmarks.accuracy.scoring import WINDOWS, recommended


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=[part for part in PARTS if part != "test"], default="development")
    parser.add_argument("--only", default="", help="runs with this in their names")
    arguments = parser.parse_args()
    chosen = [run for run in runs_of_several_channels(arguments.part) if arguments.only in run.name]
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=160, float_precision=3, fmt_str_lengths=40):
        print(pl.concat(measured(run) for run in chosen))


def measured(run: ListedRun) -> pl.DataFrame:
    """The rows of a run, by window."""
    alone = replace(run, name=f"{run.name}-alone", channels=1, stay_ms=0, silent=False)
    several, one = run_all([run, alone], cache_folder(), 1)
    rows = _summary(several).join(_summary(one), on="window", suffix="_alone", maintain_order="left")
    return rows.select(pl.lit(run.name).alias("run"), pl.all())


def _summary(run: Run) -> pl.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        scores = recommended(winf.ingest([run.capture], Path(folder) / "run.winf"), run)
    truth, total = pl.col("truth_bps"), pl.max_horizontal("capacity_bps", "truth_bps")
    bounded = pl.col("available_high_bps").is_not_null()
    inside = truth.is_between("available_low_bps", "available_high_bps")
    return (
        scores.group_by("window")
        .agg(
            windows=pl.len(),
            answers=bounded.sum(),
            inside=inside.filter(bounded).mean(),
            error=((pl.col("available_bps") - truth) / total).filter(bounded).median(),
            half_width=((pl.col("available_high_bps") - pl.col("available_low_bps")) / 2 / total).median(),
        )
        .sort(pl.col("window").replace_strict(list(WINDOWS), list(range(len(WINDOWS)))))
    )


if __name__ == "__main__":
    main()
