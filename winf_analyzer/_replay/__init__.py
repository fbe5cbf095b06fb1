"""Replays: runs of congestion controllers in the same world.

::

    worlds              the world: a named topology, a TOML file, or that of a recording
    recorded            the world of a recording
    topologies          the named topologies
    conditions          the table of link conditions of a recording
    controller_runs     the controllers of a replay and their modes
    controller_plugins  controllers of other packages
    storing             the replay tables in a dataset
    overview            means over the seeds, with confidence intervals
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

from winf_analyzer import _core
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.overwriting import check_output
from winf_analyzer._recommended.summary import link_notes
from winf_analyzer._replay.controller_runs import ControllerSettings, controller_runs
from winf_analyzer._replay.overview import TOTAL, overview
from winf_analyzer._replay.storing import TABLES, Add, Tables, into_dataset, into_new_dataset, parts_of, tables_of
from winf_analyzer._replay.topologies import World
from winf_analyzer._replay.worlds import Topology, file_of, world_for
from winf_analyzer._util.errors import UsageError, WinfError
from winf_analyzer._util.progress import Progress
from winf_analyzer.controllers import Controller

__all__ = ["Replayed", "replay"]


MAX_SEEDS = 10_000
"""Maximum number of seeds of a replay."""


@dataclass(frozen=True)
class Replayed:
    """A finished replay: its tables, in memory or in a dataset."""

    replay_id: str
    """Its name in the tables."""

    summary: pl.DataFrame
    """Its rows of ``replay_summary``: one per controller, mode, seed and flow."""

    notes: list[str]
    """Deviations from the request (modes that a controller lacks), and assumptions about a recording."""

    dataset: Dataset | None
    """The dataset with its tables; None if they are in memory."""

    _tables: dict[str, pl.DataFrame] = field(repr=False)

    @property
    def overview(self) -> pl.DataFrame:
        """Means over the seeds with 95 % confidence intervals, see :func:`.overview.overview`."""
        return overview(self.summary)

    @property
    def totals(self) -> pl.DataFrame:
        """The rows of :attr:`overview` over all flows; with a single flow, its rows as well."""
        rows = self.overview
        return rows.filter(pl.col("flow") == TOTAL) if self.summary["flow"].n_unique() > 1 else rows

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
    settings: ControllerSettings | None = None,
    replay_id: str | None = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    threads: int = 0,
    progress: Progress | None = None,
) -> Replayed:
    """Run congestion controllers in one world, each in every requested mode, with every seed.

    With a dataset the world is that of its recording, whose ``conditions`` table is recomputed, unless a topology is
    given. The tables ``replay_flows``, ``replay_links`` and ``replay_summary`` are written into the dataset; a replay
    replaces the one of the same name. Without a dataset they are written to a new one, ``output``, or kept in memory.

    Args:
        dataset: a dataset or its path.
        topology: a named topology (``winf list topologies``), such as ``stack`` or ``chain:6``, a TOML file, or a
            world as a dictionary.
        controllers: names of the registry (``winf list controllers``), and controllers written in Python
            (:mod:`winf_analyzer.controllers`); by default all of the registry.
        mode: ``paper``, ``corrected``, ``both`` or ``paper_greedy``; a controller without any requested mode runs in
            its last one.
        flows: names of the flows under study: of a recording those that run under the controller, of a topology the
            only ones that run; by default all.
        transfers: replace recorded UDP flows with bulk transfers. Otherwise UDP is sent at its recorded rate with every
            controller.
        seeds: number of seeds, starting at 1, or a list of seeds.
        duration: length of a run: a duration such as ``30s``, or nanoseconds; by default that of the world.
        bin_width: bin width of the tables, likewise.
        settings: constants that override defaults, by controller: ``{"cbr": {"rate_bps": 1e6}}``.
        replay_id: name of the replay in the tables; by default that of the world.
        output: the dataset to create if no dataset is given.
        force: replace an existing ``output``.
        threads: number of parallel runs; 0: one per core. It does not affect results.
        progress: called after every run.

    Raises:
        UsageError: invalid arguments, or the world cannot be run; the message says what is wrong and where.
        UnusableInput: the recording lacks data that a world needs.
        DatasetError: there is no dataset at this path, or it cannot be written.
        WinfError: a run failed.
    """
    if dataset is not None and output is not None:
        raise UsageError("give a dataset or an output, not both: the tables are written into the dataset.")
    if dataset is not None and not isinstance(dataset, Dataset):
        dataset = Dataset.open(dataset)
    if dataset is not None:
        dataset.check_tables(*(["conditions"] if topology is None else []))
    file = None if topology is None else file_of(topology)
    declared_in = [file] if file else []
    if output is not None:
        check_output(Path(output), force=force, inputs=declared_in)
    seed_list = _seed_list(seeds)
    world, origin_ns, assumptions = world_for(
        dataset, topology, flows=flows, transfers=transfers, duration=duration, bin_width=bin_width
    )
    if not world.get("flows"):
        raise UsageError("the world has no flows; declare some in [[flows]].")
    world_json, name = json.dumps(world), replay_id or world.get("name") or "replay"
    if dataset is not None:
        dataset.check_parts(parts_of(dataset, name))
    if dataset is not None and topology is None:
        from winf_analyzer._replay.conditions import conditions  # slow to import, and not needed in declared worlds

        conditions(dataset, flows=flows)
    try:
        runs, notes = controller_runs(controllers, mode, settings or {}, world_json)
        engine_runs = _core.replay(name, world_json, runs, seed_list, origin_ns=origin_ns, threads=threads)
    except ValueError as error:
        raise UsageError(f"{world.get('name') or 'the world'}: {error}") from None
    notes = [*notes, *assumptions, *_udp_only_note(world, len(runs), recorded=topology is None)]
    if dataset is not None and topology is None:
        studied = [flow["path"] for flow in world["flows"] if not flow.get("background")]
        notes += link_notes(dataset, (link for path in studied for link in pairwise(path)))
    replay_facts = {
        "world": world.get("name"),
        "duration_ns": world.get("duration_ns"),
        "seeds": seed_list,
        "controllers": [
            {"name": name, "mode": mode, "settings": _controller_facts(constants_or_controller)}
            for name, mode, constants_or_controller in runs
        ],
    }
    if dataset is not None:
        with into_dataset(dataset, name, replay_facts) as add:
            summary = _run(engine_runs, add, progress)
        return Replayed(name, summary, notes, dataset, {})
    if output is not None:
        with into_new_dataset(output, name, replay_facts, force=force, inputs=declared_in) as add:
            summary = _run(engine_runs, add, progress)
        return Replayed(name, summary, notes, Dataset.open(output), {})
    collected: list[Tables] = []
    summary = _run(engine_runs, collected.append, progress)
    return Replayed(name, summary, notes, None, {table: pl.concat(run[table] for run in collected) for table in TABLES})


def _run(engine_runs: _core.Replay, add: Add, progress: Progress | None) -> pl.DataFrame:
    """Run everything, pass on the tables, and return all rows of the summary."""
    summaries = []
    try:
        for number, run in enumerate(engine_runs, start=1):
            tables = tables_of(run)
            add(tables)
            summaries.append(tables["replay_summary"])
            if progress:
                progress(f"{run.controller} ({run.mode}), seed {run.seed}", number, len(engine_runs))
    except RuntimeError as error:
        raise WinfError(str(error)) from error.__cause__
    return pl.concat(summaries)


def _udp_only_note(world: World, controllers: int, *, recorded: bool) -> list[str]:
    """A note that the controllers make no difference, if all flows under study are UDP."""
    studied = [flow for flow in world["flows"] if not flow.get("background")]
    if controllers < 2 or any(flow.get("ack_bytes", 1) for flow in studied):
        return []
    remedy = "; --transfers replaces them with bulk transfers" if recorded else ""
    return [f"the flows are UDP, which congestion control does not affect{remedy}"]


def _controller_facts(constants_or_controller: str | Controller) -> Any:
    """What ``dataset.json`` records of a controller: its constants, or the representation of the object."""
    return (
        json.loads(constants_or_controller)
        if isinstance(constants_or_controller, str)
        else repr(constants_or_controller)
    )


def _seed_list(seeds: int | Sequence[int]) -> list[int]:
    seed_list = list(range(1, seeds + 1)) if isinstance(seeds, int) else list(dict.fromkeys(seeds))
    if not seed_list or len(seed_list) > MAX_SEEDS or not all(0 <= seed < 2**63 for seed in seed_list):
        raise UsageError(f"seeds: between 1 and {MAX_SEEDS} non-negative numbers.")
    return seed_list
