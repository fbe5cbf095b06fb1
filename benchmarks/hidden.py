"""How far the confidence of hidden pairs can be believed: `python -m benchmarks.hidden [--all] [--jobs N]`.

Runs of ns-3 from the lists of `benchmarks/accuracy`, where it is known who hears whom: with hidden terminals the first
sender is out of range of the other senders, and everybody else hears everybody. Each recording is ingested, and the
pairs that are claimed are compared with that. Without `--all` only runs that the cache holds are used.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import polars as pl

import winf_analyzer
from benchmarks.accuracy.held_out import held_out
from benchmarks.accuracy.recorders import read_stations
from benchmarks.accuracy.runs import _folder, cache_folder, run_all
from benchmarks.accuracy.scenario_list import ListedRun, listed_runs
from benchmarks.accuracy.scenarios import Scenario, scenarios

BINS = (0.5, 0.9, 0.99, 0.999)
"""Lower ends of the bins of confidence."""

AnyRun = Scenario | ListedRun


def chosen(*, every: bool) -> list[AnyRun]:
    """The runs of ns-3; those that the cache holds, or all."""
    listed = [run for part in ("development", "held_out") for run in listed_runs(part)]
    runs: list[AnyRun] = [
        run for run in [*scenarios(), *held_out(), *listed] if getattr(run, "simulator", "ns3") == "ns3"
    ]
    return [run for run in runs if every or _folder(run, cache_folder()).exists()]


def truly_hidden(run: AnyRun) -> set[tuple[str, str]]:
    """Senders and who does not hear them."""
    known = read_stations(_folder(run, cache_folder()) / "recorded" / "stations.json")
    if run.topology != "hidden":
        return set()
    senders = [known["addresses"][sender] for sender, _ in known["links"]]
    return {pair for pair in permutations(senders, 2) if senders[0] in pair and pair[0] != pair[1]}


def pairs(runs: list[AnyRun], jobs: int) -> Iterator[pl.DataFrame]:
    """`group`, `confidence` and `is_hidden` of every pair with evidence."""
    with tempfile.TemporaryDirectory(prefix="winf-hidden-") as folder:
        for made in run_all(runs, cache_folder(), jobs):
            dataset = winf_analyzer.ingest([made.capture], Path(folder) / "run.winf", force=True)
            found = winf_analyzer.hidden_pairs(dataset)
            truth = truly_hidden(made.scenario)
            is_hidden = [pair in truth for pair in found.select("sender", "hidden_from").iter_rows()]
            yield found.select(
                pl.lit(made.scenario.topology).alias("topology"),
                "confidence",
                pl.Series("is_hidden", is_hidden, pl.Boolean),
            )


def calibration(found: pl.DataFrame) -> pl.DataFrame:
    """Per topology and lower end of the bin of confidence: pairs, and the share of them that are hidden."""
    lowest = pl.max_horizontal(pl.when(pl.col("confidence") >= low).then(low).otherwise(0.0) for low in BINS)
    binned = found.with_columns(confidence=lowest)
    return (
        binned.group_by("topology", "confidence")
        .agg(pairs=pl.len(), hidden=pl.col("is_hidden").sum(), share=pl.col("is_hidden").mean())
        .sort("topology", "confidence")
    )


def main(arguments: list[str]) -> int:
    """Print the table; 1 if less than 90 % of the pairs with a confidence of 0.9 are hidden."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--all", action="store_true", help="simulate the runs that the cache does not hold")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    given = parser.parse_args(arguments)
    runs = chosen(every=given.all)
    if not runs:
        print(f"{cache_folder()} holds no run; --all simulates them.", file=sys.stderr)
        return 1
    found = pl.concat(pairs(runs, given.jobs))
    with pl.Config(tbl_rows=50, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True):
        print(calibration(found))
    sure = found.filter(pl.col("confidence") >= 0.9)
    precision = sure["is_hidden"].mean()
    print(f"{len(runs)} runs: of {sure.height} pairs with a confidence of 0.9 or more, {precision:.1%} are hidden")
    return 0 if isinstance(precision, float) and precision >= 0.9 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
