"""Makes the recordings, scores every estimator and the recommended answer, and writes docs/accuracy.md.

    python -m benchmarks.accuracy [--sample] [--jobs 2] [--only pair] [--part development] [--docs docs]

Whoever works on an estimator scores `--part development` alone.

Needs ns-3 3.37, ns-2 and a C++ compiler. Simulations are kept outside the repository (WINF_ACCURACY_CACHE, by default
`winf-accuracy` in the user's cache folder) until the program or a scenario changes, and scores until the package
changes, so that a run that was interrupted goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import polars as pl

from benchmarks.accuracy import document, figures, summary
from benchmarks.accuracy.parts import PARTS, everything, parts, sample
from benchmarks.accuracy.runs import cache_folder, run_all
from benchmarks.accuracy.scoring import score_all


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2, help="simulations, and scorings, at a time")
    parser.add_argument("--sample", action="store_true", help="the fixed sample of each group instead of all runs")
    parser.add_argument("--only", default="", help="groups of scenarios, comma-separated; prints, writes no document")
    parser.add_argument("--part", choices=PARTS, help="one part of the study; prints, writes no document")
    parser.add_argument("--docs", type=Path, default=Path(__file__).parents[2] / "docs", help="folder to write into")
    arguments = parser.parse_args()

    part_of, groups, sampled = parts(), arguments.only.split(","), sample()
    asked = [
        scenario
        for scenario in everything()
        if (not arguments.only or scenario.group in groups)
        and arguments.part in (None, part_of[scenario.name])
        and (not arguments.sample or scenario.name in sampled)
    ]
    cache = cache_folder()
    print(f"{len(asked)} scenarios, recordings in {cache}", file=sys.stderr)
    started = time.perf_counter()
    runs = run_all(asked, cache, arguments.jobs)
    simulated = time.perf_counter()
    scores = score_all(runs, part_of, cache, arguments.jobs)
    print(
        f"simulated in {simulated - started:.0f} s, scored in {time.perf_counter() - simulated:.0f} s", file=sys.stderr
    )
    scores.write_parquet(cache / "scores.parquet")
    if arguments.only or arguments.part:
        found = summary.answers(scores).filter(estimator="recommended").drop("estimator", "mode", "context")
        with pl.Config(tbl_rows=-1, tbl_cols=-1):
            print(found.sort("group", "part", "window"))
            print(summary.errors(summary.runs(scores)).sort("group", "part", "context", "estimator", "mode"))
        return
    document.write(scores, asked, arguments.docs / "accuracy.md")
    figures.write(summary.runs(scores), summary.errors(summary.runs(scores)), arguments.docs)


if __name__ == "__main__":
    main()
