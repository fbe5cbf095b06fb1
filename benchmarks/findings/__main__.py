"""Runs the study of findings and writes docs/findings.md.

    python -m benchmarks.findings [--part development] [--jobs 2] [--captures FOLDER] [--docs docs]

Needs ns-3 3.37 and a C++ compiler. Simulations are kept outside the repository (WINF_ACCURACY_CACHE, by default
`winf-accuracy` in the user's cache folder) until the program or a pair changes.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import polars as pl

from benchmarks.accuracy.runs import cache_folder
from benchmarks.findings import document
from benchmarks.findings.captures import count
from benchmarks.findings.runs import PARTS, pairs, run_all
from benchmarks.findings.scoring import score


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2, help="simulations at a time")
    parser.add_argument("--part", choices=PARTS, help="one part of the study; prints, writes no document")
    parser.add_argument("--only", default="", help="pairs, comma-separated")
    parser.add_argument("--captures", type=Path, help="folder of real recordings, of which findings are counted")
    parser.add_argument("--docs", type=Path, default=Path(__file__).parents[2] / "docs", help="folder to write into")
    parser.add_argument("--check", action="store_true", help="exit with 1 if the page says better; writes nothing")
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    scores = []
    for part in [arguments.part] if arguments.part else PARTS:
        asked = [pair for pair in pairs(part) if not only or pair.name in only]
        started = time.perf_counter()
        scores.append(score(part, run_all(asked, arguments.jobs)))
        print(f"{part}: {len(asked)} pairs in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    table = pl.concat(scores)
    table.write_parquet(cache_folder() / "findings.parquet")
    page = arguments.docs / "findings.md"
    if arguments.check:
        lines = document.worse(table, page.read_text(encoding="utf-8"))
        print(*lines, sep="\n")
        sys.exit(bool(lines))
    if arguments.part:
        with pl.Config(tbl_rows=-1, tbl_cols=-1):
            print(document.by_cause(table), document.effects(table), table.filter(verdict="wrong"))
        return
    document.write(table, count(arguments.captures) if arguments.captures else None, page)


if __name__ == "__main__":
    main()
