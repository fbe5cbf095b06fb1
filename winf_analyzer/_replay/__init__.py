"""Replays: runs of congestion controllers in the same world.

::

    worlds              the world: a named topology, a TOML file, or that of a recording
    scenarios           what a replay changes about it: flows, rates, queues
    world_files         worlds as TOML files
    recorded            the world of a recording
    reproduction        whether that world delivers what was recorded
    topologies          the named topologies
    conditions          the table of link conditions of a recording
    controller_runs     the controllers of a replay and their modes
    controller_plugins  controllers of other packages
    runs                the runs of a world, or a share of them
    execution           carrying them out, and those of drawn worlds
    target              where the tables go: a dataset, a new one, or memory
    storing             the replay tables in a dataset
    overview            means over the seeds, with confidence intervals
    unknowns            what a recording leaves open, and worlds drawn over it
    fitness             what the audit says against a recording
    intervals           intervals of predictions over such draws, and how sure rankings are
    chance              whether runs that differ in their seed alone differ
    convergence         whether predictions have settled within the replayed time
    sentences           what the sentences about flows have in common
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.making import fingerprint, made
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._recommended.summary import link_notes
from winf_analyzer._replay import chance, convergence, intervals
from winf_analyzer._replay.controller_runs import ControllerSettings, controller_runs
from winf_analyzer._replay.execution import run_all, run_draws, scatter
from winf_analyzer._replay.overview import TOTAL, overview
from winf_analyzer._replay.runs import Runs, companions
from winf_analyzer._replay.scenarios import Changes, shortened
from winf_analyzer._replay.target import Target
from winf_analyzer._replay.world_files import save_world as write_world
from winf_analyzer._replay.worlds import Topology, file_of, world_for
from winf_analyzer._util.arguments import check_threads
from winf_analyzer._util.errors import UsageError
from winf_analyzer._util.progress import Progress, enter
from winf_analyzer._util.shards import parse_shard
from winf_analyzer.controllers import Controller

__all__ = ["Replayed", "replay"]


READ = ("frames", "exchanges", "neighbours", "capabilities")
"""Tables that the world of a recording is made of."""

MAX_SEEDS = 10_000
"""Maximum number of seeds of a replay."""

DRAWS, MIN_DRAWS = 10, 5
"""Default number of draws for a recording, and the least from which an interval is told."""


@dataclass(frozen=True)
class Replayed:
    """A finished replay: its tables, in memory or in a dataset."""

    replay_id: str
    """Its name in the tables."""

    summary: pl.DataFrame
    """Its rows of ``replay_summary``: one per controller, mode, seed and flow."""

    notes: list[str]
    """Deviations from the request (modes that a controller lacks), assumptions about a recording, and predictions that
    have not converged or that chance decides."""

    unconverged: pl.DataFrame
    """Flows whose throughput still changes at the end of the run: ``controller mode flow third_bps fourth_bps``, the
    throughput in the third and in the fourth quarter."""

    draws: pl.DataFrame | None
    """Rows like those of ``summary`` of runs in worlds that the recording allows too, a seed per world; None without
    draws."""

    dataset: Dataset | None
    """The dataset with its tables; None if they are in memory."""

    _tables: dict[str, pl.DataFrame] = field(repr=False)

    model_errors: Mapping[str, float] = field(default_factory=dict)
    """Share by which each figure may be off besides what was drawn, see :mod:`.unknowns`."""

    cut: str = ""
    """What of the world was not replayed, for it has more than ``flow_seconds``; empty: nothing."""

    biases: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By flow and figure what was recorded over what a replay of the recorded flows gives, where that is off; intervals
    reach so far."""

    fastest_bps: float | None = None
    """Rate of the fastest wireless link of the world, bit/s, beyond which no interval of throughput reaches."""

    by_chance: pl.DataFrame | None = None
    """Flows that deliver something else in runs with another seed: ``controller mode flow runs low_bps high_bps``, the
    least and the most throughput of a run. None without draws."""

    at_once: int | None = None
    """How many wireless links may deliver data at the same time, see :func:`.intervals.radios_at_once`."""

    def __repr__(self) -> str:
        controllers = ", ".join(self.summary["controller"].unique(maintain_order=True))
        return f"Replayed({self.replay_id!r}: {controllers}; {self.summary['flow'].n_unique()} flows)"

    @property
    def overview(self) -> pl.DataFrame:
        """Means over the seeds with 95 % confidence intervals, see :func:`.overview.overview`.

        With draws also the 90 % intervals of throughput, delay and round-trip time.
        """
        means = overview(self.summary)
        if self.draws is None:
            return means
        found = intervals.intervals(self.draws, self.model_errors, self.fastest_bps, self.biases, self.at_once)
        return intervals.with_intervals(means, found)

    @property
    def ranking(self) -> pl.DataFrame:
        """How sure it is that one controller has more throughput than another, over the draws; empty without draws.

        See :func:`.intervals.ranking`.
        """
        return intervals.ranking(self.summary.clear() if self.draws is None else self.draws, self.model_errors)

    @property
    def totals(self) -> pl.DataFrame:
        """The rows of :attr:`overview` over all flows; with a single flow, its own."""
        return self.overview.filter((pl.col("flow") == TOTAL) == (self.summary["flow"].n_unique() > 1))

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


@reads_dataset
def replay(
    dataset: Dataset | str | os.PathLike[str] | None = None,
    *,
    topology: Topology | None = None,
    controllers: str | Sequence[str | Controller] | None = None,
    mode: str = "corrected",
    flows: Sequence[str] | None = None,
    transfers: bool = False,
    without: Sequence[str] = (),
    add_flows: Sequence[str] = (),
    changes: Changes | None = None,
    seeds: int | Sequence[int] = 1,
    draws: int | None = None,
    duration: str | int | None = None,
    bin_width: str | int | None = None,
    settings: ControllerSettings | None = None,
    flow_seconds: float | None = None,
    save_world: str | os.PathLike[str] | None = None,
    replay_id: str | None = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    threads: int = 0,
    again: bool = False,
    shard: str | None = None,
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
        controllers: names of the registry (``winf list controllers``), or one name, and controllers written in Python
            (:mod:`winf_analyzer.controllers`); by default all of the registry.
        mode: ``paper``, ``corrected``, ``both`` or ``paper_greedy``; a controller without any requested mode runs in
            its last one.
        flows: names of the flows under study: of a recording those that run under the controller, of a topology the
            only ones that run; by default all.
        transfers: replace recorded UDP flows to one station, and what applications wrote to TCP flows, with bulk
            transfers. Other UDP is sent at its recorded rate with every controller, and without it TCP sources wait for
            their applications.
        without: names of flows that do not run.
        add_flows: flows to add, as ``FROM>TO[,rate=1M][,size=1000][,bytes=N][,start=1s][,stop=9s][,name=NAME]``: a bulk
            TCP transfer, or UDP with ``rate``.
        changes: values of the world that differ, by key: ``{"link.rate": "2x", "queue": 20, "mac.cw_min": 31}``, see
            :mod:`winf_analyzer._replay.scenarios`.
        seeds: number of seeds, starting at 1, or a list of seeds.
        draws: number of worlds drawn over what the recording leaves open (queue limits, loss rates, airtimes, delayed
            acknowledgements), each with a seed of its own; the columns ``*_low`` and ``*_high`` are 90 % intervals over
            them. By default :data:`DRAWS` for a recording, and none for a declared world; at least :data:`MIN_DRAWS`.
        duration: length of a run: a duration such as ``30s``, or nanoseconds; by default that of the world.
        bin_width: bin width of the tables, likewise.
        settings: constants that override defaults, by controller: ``{"cbr": {"rate_bps": 1e6}}``.
        flow_seconds: the most that the flows under study run in all; a longer world is cut, see
            :func:`.scenarios.shortened`.
        save_world: a new TOML file for the world; as ``topology`` it replays to the same bits.
        replay_id: name of the replay in the tables; by default that of the world.
        output: the dataset to create if no dataset is given.
        force: replace an existing ``output``.
        threads: number of parallel runs, at most 1024; 0: one per core. It does not affect results.
        again: run also what the dataset holds already, of the same world with the same arguments and code.
        shard: of the runs only this share, ``i/n``, of a declared world into an ``output``; `collect` makes one dataset
            of all shares.
        progress: called after every run.

    Raises:
        UsageError: invalid arguments, or the world cannot be run; the message says what is wrong and where.
        UnusableInput: the recording lacks data that a world needs.
        DatasetError: there is no dataset at this path, or it cannot be written.
        WinfError: a run failed.
    """
    dataset = Dataset.open(dataset) if isinstance(dataset, str | os.PathLike) else dataset
    check_threads(threads)
    file = None if topology is None else file_of(topology)
    share = parse_shard(shard)
    target = Target(dataset, output, share, inputs=[file] if file else [], force=force)
    target.check(declared=topology is not None, drawn=bool(draws))
    seed_list = _seed_list(seeds)
    number_of_draws = _number_of_draws(draws, recorded=topology is None)
    enter("making the world of the recording" if topology is None else "making the world")
    world, origin_ns, assumptions, unknowns = world_for(
        dataset,
        topology,
        flows=flows,
        transfers=transfers,
        without=without,
        add_flows=add_flows,
        changes=changes,
        duration=duration,
        bin_width=bin_width,
    )
    world, cut = (world, "") if flow_seconds is None else shortened(world, flow_seconds)
    studied = [flow for flow in world.get("flows", []) if not flow.get("background")]
    if not studied:
        left = "--without leaves none" if without else "declare some in [[flows]]"
        raise UsageError(f"the world has no flows under study; {left}.")
    if save_world is not None:
        write_world(world, save_world, assumptions)
    world_json, name = json.dumps(world), replay_id or world.get("name") or "replay"
    drawn: pl.DataFrame | None = None
    by_chance: pl.DataFrame | None = None
    try:
        runs, notes = controller_runs(controllers, mode, settings or {}, world_json)
        engine_runs = Runs(
            name, world_json, runs, seed_list, share, origin_ns=origin_ns, threads=threads, **companions(world)
        )
        key = fingerprint(dataset, READ, {"world": world_json, "runs": runs, "seeds": seed_list}) if dataset else ""
        # Draws are not kept, and the code of others may have changed.
        is_repeatable = not number_of_draws and all(isinstance(constants, str) for _, _, constants in runs)
        if dataset is not None and is_repeatable and not again and made(dataset, f"replay {name}", key):
            return _kept(dataset, name, [*notes, *assumptions], world["duration_ns"], cut)
        if number_of_draws:
            drawn = run_draws(name, world, unknowns, runs, number_of_draws, threads, progress)
    except ValueError as error:
        raise UsageError(f"{world.get('name') or 'the world'}: {error}") from None
    notes = [*notes, *assumptions, *_udp_only_note(studied, len(runs), recorded=topology is None)]
    if dataset is not None and topology is None:
        notes += link_notes(dataset, (link for flow in studied for link in pairwise(flow["path"])))
    replay_facts = {
        "world": world.get("name"),
        "duration_ns": world.get("duration_ns"),
        "cut": cut,
        "seeds": seed_list,
        "draws": number_of_draws,
        "controllers": [
            {"name": name, "mode": mode, "settings": _controller_facts(constants_or_controller)}
            for name, mode, constants_or_controller in runs
        ],
    }
    if dataset is not None:
        notes += target.replaced(name, key)
    fastest_bps = intervals.fastest_radio_bps(world)
    found = at_once = None
    if drawn is not None:
        at_once = intervals.radios_at_once(world, unknowns.assumed_pairs)
        found = intervals.intervals(drawn, unknowns.model_errors, fastest_bps, unknowns.biases, at_once)
    with target.opened(name, replay_facts, key) as add:
        if dataset is not None and topology is None:
            from winf_analyzer._replay.conditions import conditions  # slow to import, and not needed otherwise

            conditions(dataset, flows=None if flows is None else [*flows, *without])
        summary, changing = run_all(engine_runs, found, add, progress)
    notes += convergence.notes(changing, world["duration_ns"])
    if drawn is not None:
        by_chance = scatter(name, world, runs, summary, drawn, threads)
        notes += chance.notes(by_chance)
        notes += intervals.notes(intervals.ranking(drawn, unknowns.model_errors))
    return Replayed(
        name,
        summary,
        notes,
        changing,
        drawn,
        target.made(),
        target.in_memory(),
        unknowns.model_errors,
        cut,
        unknowns.biases,
        fastest_bps,
        by_chance,
        at_once,
    )


def _kept(dataset: Dataset, replay_id: str, notes: list[str], duration_ns: int, cut: str) -> Replayed:
    """A replay that the dataset holds."""
    flows, summary = (
        dataset.scan(table).filter(pl.col("replay_id") == replay_id).collect()
        for table in ("replay_flows", "replay_summary")
    )
    changing = convergence.unconverged(convergence.quarters(flows, summary))
    notes = [*notes, *convergence.notes(changing, duration_ns)]
    return Replayed(replay_id, summary, notes, changing, None, dataset, {}, cut=cut)


def _number_of_draws(draws: int | None, *, recorded: bool) -> int:
    number = (DRAWS if recorded else 0) if draws is None else draws
    if number and not MIN_DRAWS <= number <= MAX_SEEDS:
        raise UsageError(f"draws: between {MIN_DRAWS} and {MAX_SEEDS}, or 0 for none.")
    return number


def _udp_only_note(studied: list[dict[str, Any]], controllers: int, *, recorded: bool) -> list[str]:
    """A note that the controllers make no difference, if all flows under study are UDP."""
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
    # One more than allowed is enough to see that there are too many.
    seed_list = list(range(1, min(seeds, MAX_SEEDS + 1) + 1)) if isinstance(seeds, int) else list(dict.fromkeys(seeds))
    if not seed_list or len(seed_list) > MAX_SEEDS or not all(0 <= seed < 2**63 for seed in seed_list):
        raise UsageError(f"seeds: between 1 and {MAX_SEEDS} non-negative numbers.")
    return seed_list
