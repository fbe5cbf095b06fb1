"""Replays: what each congestion controller does in the same world.

::

    worlds      the world: a named topology, a TOML file, or what a dataset recorded
    recorded    the world of a recording
    conditions  the table of what a replay of a recording runs against
    contenders  the controllers that take part, and their modes
    interface   what a controller written in Python is; plugins finds those of other packages
    storing     the replay tables in a dataset
    overview    means over the seeds, with confidence intervals
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer import _core
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.overwriting import check_output
from winf_analyzer._replay.controller_runs import Settings, contenders
from winf_analyzer._replay.overview import overview
from winf_analyzer._replay.storing import TABLES, Add, Tables, into_dataset, into_new_dataset, parts_of, tables_of
from winf_analyzer._replay.topologies import World
from winf_analyzer._replay.worlds import Topology, file_of, world_for
from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer.controllers import Controller

__all__ = ["Replayed", "replay"]

Progress = Callable[[str, int, int], None]
"""Called after every run with its name, its number and how many there are."""

MOST_SEEDS = 10_000
"""Most seeds of one replay."""


@dataclass(frozen=True)
class Replayed:
    """A finished replay: its tables, in memory or in a dataset."""

    replay_id: str
    """Its name in the tables."""

    summary: pl.DataFrame
    """Its rows of ``replay_summary``: one per controller, mode, seed and flow."""

    notes: list[str]
    """What is not as it was asked for (modes that a controller does not have), and what was presumed of a recording."""

    dataset: Dataset | None
    """Where its tables were written; None: they are in memory."""

    _tables: dict[str, pl.DataFrame] = field(repr=False)

    @property
    def overview(self) -> pl.DataFrame:
        """Means over the seeds with 95 % confidence intervals, see :func:`.overview.overview`."""
        return overview(self.summary)

    @property
    def flows(self) -> pl.LazyFrame:
        """Its rows of ``replay_flows``: one per controller, mode, seed, flow and bin."""
        return self._scan("replay_flows")

    @property
    def links(self) -> pl.LazyFrame:
        """Its rows of ``replay_links``: one per controller, mode, seed, link and bin."""
        return self._scan("replay_links")

    def _scan(self, table: str) -> pl.LazyFrame:
        if self.dataset is None:
            return self._tables[table].lazy()
        return self.dataset.scan(table).filter(pl.col("replay_id") == self.replay_id)


def replay(
    dataset: Dataset | str | os.PathLike[str] | None = None,
    *,
    topology: Topology | None = None,
    controllers: Sequence[str | Controller] | None = None,
    mode: str = "corrected",
    flows: Sequence[str] | None = None,
    transfers: bool = False,
    seeds: int | Sequence[int] = 1,
    duration: str | int | None = None,
    bin_width: str | int | None = None,
    settings: Settings | None = None,
    replay_id: str | None = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Replayed:
    """Run congestion controllers in one world, each in every mode asked for, with every seed.

    With a dataset the world is that of its recording, unless a topology is given; its ``conditions`` table is made anew
    then. The tables ``replay_flows``,
    ``replay_links`` and ``replay_summary`` are written into it: a replay takes the place of the one of the same name,
    others stay. Without a dataset they are written to a new one, ``output``, or stay in memory.

    Args:
        dataset: a dataset or its path.
        topology: a named topology (``winf list topologies``), such as ``stack`` or ``chain:6``, a TOML file, or a
            world as a dictionary.
        controllers: names of the registry (``winf list controllers``), and controllers written in Python
            (:mod:`winf_analyzer.controllers`); all of the registry by default.
        mode: ``paper``, ``corrected``, ``both`` or ``paper_greedy``; a controller that has none of the modes asked
            for runs in the one that it has.
        flows: names of the flows under study: those lifted out of the recording, or of the topology the only ones
            that run; all by default.
        transfers: replace lifted flows that are not TCP with transfers that always have data to send. Datagrams are
            sent at their recorded rate otherwise, whatever the controller.
        seeds: how many seeds, from 1 on, or the seeds themselves.
        duration: length of a run: a duration such as ``30s``, or nanoseconds; the world's own by default.
        bin_width: width of the bins of the tables, likewise.
        settings: constants that replace defaults, by controller: ``{"cbr": {"rate_bps": 1e6}}``.
        replay_id: name of the replay in the tables; the world's name by default.
        output: the dataset to make, where none is given.
        force: replace an existing ``output``.
        threads: how many runs run at once; 0: one per core. It changes no result.
        progress: told about every finished run.

    Raises:
        UsageError: the request makes no sense, or the world cannot be run; the message says what is wrong and where.
        UnusableInput: the recording does not hold what a world needs.
        DatasetError: no dataset there, or it cannot be written.
        WinfError: a run ended before its time.
    """
    if dataset is not None and output is not None:
        raise UsageError("the tables are written into the dataset: give no output besides it.")
    if dataset is not None and not isinstance(dataset, Dataset):
        dataset = Dataset.open(dataset)
    if dataset is not None:
        dataset.check_tables(*(["conditions"] if topology is None else []))
    file = None if topology is None else file_of(topology)
    declared_in = [file] if file else []
    if output is not None:
        check_output(Path(output), force=force, inputs=declared_in)
    numbers = _seeds(seeds)
    world, origin_ns, presumed = world_for(
        dataset, topology, flows=flows, transfers=transfers, duration=duration, bin_width=bin_width
    )
    if not world.get("flows"):
        raise UsageError("the world has no flows; declare some under [[flows]].")
    declared, name = json.dumps(world), replay_id or world.get("name") or "replay"
    if dataset is not None:
        dataset.check_parts(parts_of(dataset, name))
    if dataset is not None and topology is None:
        from winf_analyzer._replay.conditions import conditions  # declared worlds need none of it

        conditions(dataset, flows=flows)
    try:
        taking_part, notes = contenders(controllers, mode, settings or {}, declared)
        runs = _core.replay(name, declared, taking_part, numbers, origin_ns=origin_ns, threads=threads)
    except ValueError as error:
        raise UsageError(f"{world.get('name') or 'the world'}: {error}") from None
    notes = [*notes, *presumed, *_without_a_say(world, len(taking_part), recorded=topology is None)]
    facts = {
        "world": world.get("name"),
        "duration_ns": world.get("duration_ns"),
        "seeds": numbers,
        "controllers": [{"name": name, "mode": mode, "settings": _said(what)} for name, mode, what in taking_part],
    }
    if dataset is not None:
        with into_dataset(dataset, name, facts) as add:
            summary = _run(runs, add, progress)
        return Replayed(name, summary, notes, dataset, {})
    if output is not None:
        with into_new_dataset(output, name, facts, force=force, inputs=declared_in) as add:
            summary = _run(runs, add, progress)
        return Replayed(name, summary, notes, Dataset.open(output), {})
    kept: list[Tables] = []
    summary = _run(runs, kept.append, progress)
    return Replayed(name, summary, notes, None, {table: pl.concat(run[table] for run in kept) for table in TABLES})


def _run(runs: _core.Replay, add: Add, progress: Progress | None) -> pl.DataFrame:
    """Run everything, hand on the tables, and return all rows of the summary."""
    summaries = []
    try:
        for number, run in enumerate(runs, start=1):
            tables = tables_of(run)
            add(tables)
            summaries.append(tables["replay_summary"])
            if progress:
                progress(f"{run.controller} ({run.mode}), seed {run.seed}", number, len(runs))
    except RuntimeError as error:
        raise WinfError(str(error)) from error.__cause__
    return pl.concat(summaries)


def _without_a_say(world: World, controllers: int, *, recorded: bool) -> list[str]:
    """That all controllers come out alike, where every flow under study is datagrams."""
    studied = [flow for flow in world["flows"] if not flow.get("background")]
    if controllers < 2 or any(flow.get("ack_bytes", 1) for flow in studied):
        return []
    remedy = "; --transfers puts transfers in their place" if recorded else ""
    return [f"datagrams follow no controller, so all controllers come out alike{remedy}"]


def _said(what: str | Controller) -> Any:
    """What ``dataset.json`` keeps of a controller: its constants, or what the object is."""
    return json.loads(what) if isinstance(what, str) else repr(what)


def _seeds(seeds: int | Sequence[int]) -> list[int]:
    numbers = list(range(1, seeds + 1)) if isinstance(seeds, int) else list(dict.fromkeys(seeds))
    if not numbers or len(numbers) > MOST_SEEDS or not all(0 <= seed < 2**63 for seed in numbers):
        raise UsageError(f"seeds: between 1 and {MOST_SEEDS} numbers that are not negative.")
    return numbers
