"""Carrying runs out: those of a replay, whose tables are passed on one run at a time, and those of drawn worlds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from winf_analyzer import _core
from winf_analyzer._replay import chance, convergence, intervals
from winf_analyzer._replay.controller_runs import ControllerRun
from winf_analyzer._replay.runs import Runs, companions
from winf_analyzer._replay.storing import Add, tables_of
from winf_analyzer._replay.topologies import World
from winf_analyzer._replay.unknowns import Unknowns
from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer._util.progress import Progress


def run_all(
    engine_runs: Runs, found: pl.DataFrame | None, add: Add, progress: Progress | None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Run everything, pass on the tables, and return all rows of the summary and the flows that have not converged."""
    summaries, parts = [], []
    with _errors():
        for number, run in enumerate(engine_runs, start=1):
            tables = tables_of(run)
            if found is not None:
                columns = tables["replay_summary"].columns
                summary = intervals.with_intervals(tables["replay_summary"], found)
                tables["replay_summary"] = intervals.with_totals(summary, found).select(columns)
            parts.append(convergence.quarters(tables["replay_flows"], tables["replay_summary"]))
            tables["replay_summary"] = convergence.with_converged(tables["replay_summary"], parts[-1])
            add(tables)
            summaries.append(tables["replay_summary"])
            if progress:
                progress(f"{run.controller} ({run.mode}), seed {run.seed}", number, len(engine_runs))
    return pl.concat(summaries), convergence.unconverged(pl.concat(parts))


def run_draws(
    name: str,
    world: World,
    unknowns: Unknowns,
    runs: list[ControllerRun],
    number: int,
    threads: int,
    progress: Progress | None,
) -> pl.DataFrame:
    """Rows of ``replay_summary`` of runs in drawn worlds, the number of the draw as seed."""
    summaries = []
    with _errors():
        for draw in range(1, number + 1):
            drawn = json.dumps(unknowns.draw(world, draw))
            engine_runs = _core.replay(name, drawn, runs, [draw], threads=threads, **companions(world))
            # Only that of their tables: the others are longer, and nobody asks for them.
            summaries += [pl.DataFrame(run.summary) for run in engine_runs]
            if progress:
                progress("worlds that the recording allows", draw, number)
    return pl.concat(summaries)


def scatter(
    name: str,
    world: World,
    runs: list[ControllerRun],
    summary: pl.DataFrame,
    drawn: pl.DataFrame,
    threads: int,
) -> pl.DataFrame:
    """Flows that chance decides, see :func:`.chance.scattered`; more seeds are run where there are too few to tell.

    Args:
        name: of the replay.
        world: the one that was replayed.
        runs: what ran in it.
        summary: rows of ``replay_summary`` of these runs.
        drawn: those of :func:`run_draws`.
        threads: parallel runs.
    """
    suspects = chance.suspects(drawn)
    rows = [summary.join(suspects, on=suspects.columns, how="semi", maintain_order="left")]
    more = chance.further(summary["seed"].unique(maintain_order=True).to_list())
    again = [run for run in runs if run[:2] in suspects.rows()]
    if more and again:
        with _errors():
            engine_runs = _core.replay(name, json.dumps(world), again, more, threads=threads, **companions(world))
            rows += [pl.DataFrame(run.summary) for run in engine_runs]
    return chance.scattered(pl.concat(rows, how="diagonal"))


@contextmanager
def _errors() -> Iterator[None]:
    """What the engine raises, as users see it."""
    try:
        yield
    except RuntimeError as error:
        raise WinfError(str(error)) from error.__cause__
    except ValueError as error:  # the world and a controller written in Python do not go together
        raise UsageError(str(error)) from None
