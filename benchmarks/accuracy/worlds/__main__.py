"""Simulates kinds of world that the study has not, and prints the recommended answers beside the truth.

    python -m benchmarks.accuracy.worlds [NAME...] [--seeds 901,902] [--jobs 2] [--docs docs]

Each world is recorded by the sender's own radio and by a third party's beside it; ns-2 traces all, from the start, when
stations ask for addresses, and from when traffic is measured. Needs what the study needs, and keeps simulations where
it does. With `--docs` the tables of docs/other-conditions.md are made again, of all worlds and one seed; what they show
belongs into the model or its refusals.
"""

from __future__ import annotations

import argparse
import functools
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl

from benchmarks.accuracy.runs import cache_folder
from benchmarks.accuracy.worlds import document
from benchmarks.accuracy.worlds.answers import of_all
from benchmarks.accuracy.worlds.listed import worlds
from benchmarks.accuracy.worlds.simulation import build, failure


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="worlds; default: all")
    parser.add_argument("--seeds", default="901,902", help="comma-separated")
    parser.add_argument("--jobs", type=int, default=2, help="simulations, and answers, at a time")
    parser.add_argument("--docs", type=Path, help="folder whose page is made again: all worlds, one seed")
    arguments = parser.parse_args()
    seeds = [int(seed) for seed in arguments.seeds.split(",")]
    if arguments.docs and (arguments.names or len(seeds) != 1):
        parser.error("--docs: of all worlds and one seed")
    cache = cache_folder()
    asked = [
        (world, seed) for world in worlds() for seed in seeds if world["name"] in (arguments.names or [world["name"]])
    ]
    build(cache)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        failures = list(pool.map(functools.partial(failure, cache), asked))
    for (world, seed), why in zip(asked, failures, strict=True):
        if why:
            print(f"{world['name']}, seed {seed}: {why}", file=sys.stderr)
    ended = [one for one, why in zip(asked, failures, strict=True) if why is None]
    found = of_all(ended, cache, arguments.jobs)
    if arguments.docs:
        failed = [world["name"] for (world, _), why in zip(asked, failures, strict=True) if why]
        document.write(found, failed, seeds[0], arguments.docs / "other-conditions.md")
        return
    table = pl.DataFrame([answer._asdict() | {"missed": answer.missed} for answer in found], infer_schema_length=None)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, fmt_str_lengths=80, float_precision=2):
        print(table)


if __name__ == "__main__":
    main()
