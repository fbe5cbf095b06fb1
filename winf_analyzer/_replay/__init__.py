"""Replays: runs of congestion controllers in the same world.

::

    worlds              the world: a named topology, a TOML file, or that of a recording
    scenarios           what a replay changes about it: flows, rates, queues
    world_files         worlds as TOML files
    recorded            the world of a recording
    reproduction        whether that world delivers what was recorded
    topologies          the named topologies
    conditions          the table of link conditions of a recording
    plan                what a replay runs
    controller_runs     the controllers of a replay and their modes
    controller_plugins  controllers of other packages
    runs                the runs of a world, or a share of them
    execution           carrying them out, and those of drawn worlds
    target              where the tables go: a dataset, a new one, or memory
    storing             the replay tables in a dataset
    replayed            a finished replay
    overview            means over the seeds, with confidence intervals
    unknowns            what a recording leaves open, and worlds drawn over it
    fitness             what the audit says against a recording
    intervals           intervals of predictions over such draws, and how sure rankings are
    chance              whether runs that differ in their seed alone differ
    convergence         whether predictions have settled within the replayed time
    sentences           what the sentences about flows have in common
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.making import fingerprint, made
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._recommended.summary import link_notes
from winf_analyzer._replay import chance, convergence, intervals
from winf_analyzer._replay.controller_runs import ControllerSettings, check_named
from winf_analyzer._replay.execution import run_all, run_draws, scatter
from winf_analyzer._replay.plan import ReplayPlan, naming, number_of_draws, planned, seed_list
from winf_analyzer._replay.replayed import Replayed
from winf_analyzer._replay.scenarios import Changes
from winf_analyzer._replay.target import Target
from winf_analyzer._replay.world_files import save_world as write_world
from winf_analyzer._replay.worlds import Topology, file_of, world_for
from winf_analyzer._util.arguments import check_threads
from winf_analyzer._util.progress import Progress, enter
from winf_analyzer._util.shards import parse_shard
from winf_analyzer.controllers import Controller

__all__ = ["Replayed", "replay"]


READ = ("frames", "exchanges", "neighbours", "capabilities")
"""Tables that the world of a recording is made of."""


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
            them. By default :data:`.plan.DRAWS` for a recording, and none for a declared world; at least
            :data:`.plan.MIN_DRAWS`.
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
    check_named(controllers, mode)
    is_recorded = topology is None
    file = None if topology is None else file_of(topology)
    target = Target(dataset, output, parse_shard(shard), inputs=[file] if file else [], force=force)
    target.check(declared=not is_recorded, drawn=bool(draws))
    checked_seeds, checked_draws = seed_list(seeds), number_of_draws(draws, recorded=is_recorded)
    enter("making the world of the recording" if is_recorded else "making the world")
    found = world_for(
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
    plan = planned(
        found,
        name=replay_id,
        controllers=controllers,
        mode=mode,
        settings=settings or {},
        seeds=checked_seeds,
        draws=checked_draws,
        flow_seconds=flow_seconds,
        hint="--without leaves none" if without else "declare some in [[flows]]",
    )
    if save_world is not None:
        write_world(plan.world, save_world, found.notes)
    with naming(plan.world):
        engine_runs = plan.engine_runs(target.share, threads)
    key = fingerprint(dataset, READ, plan.inputs()) if dataset else ""
    if dataset is not None and plan.is_repeatable and not again and made(dataset, f"replay {plan.name}", key):
        return _kept(dataset, plan)
    drawn = (
        run_draws(plan.name, plan.world, plan.unknowns, plan.runs, plan.draws, threads, progress)
        if plan.draws
        else None
    )
    recording = dataset if is_recorded else None
    unaffected = _unaffected(plan, recording, transfers=transfers)
    notes = [*plan.notes, *([unaffected] if unaffected else []), *_about_links(plan, recording)]
    if dataset is not None:
        notes += target.replaced(plan.name, key)
    within, at_once = _intervals(plan, drawn)
    with target.opened(plan.name, plan.facts(), key) as add:
        if recording is not None:
            from winf_analyzer._replay.conditions import conditions  # slow to import, and not needed otherwise

            conditions(recording, flows=None if flows is None else [*flows, *without])
        summary, changing = run_all(engine_runs, within, add, progress)
    by_chance = None if drawn is None else scatter(plan.name, plan.world, plan.runs, summary, drawn, threads)
    notes += convergence.notes(changing, summary, plan.world["duration_ns"])
    if drawn is not None and by_chance is not None:
        notes += chance.notes(by_chance)
        notes += intervals.notes(intervals.ranking(drawn, plan.unknowns.model_errors))
    return Replayed(
        replay_id=plan.name,
        summary=summary,
        notes=notes,
        unconverged=changing,
        draws=drawn,
        dataset=target.made(),
        _tables=target.in_memory(),
        model_errors=plan.unknowns.model_errors,
        doubts=[doubt.sentence for doubt in plan.doubts],
        cut=plan.cut,
        biases=plan.unknowns.biases,
        fastest_bps=plan.fastest_bps,
        by_chance=by_chance,
        at_once=at_once,
        unaffected=unaffected,
    )


def _kept(dataset: Dataset, plan: ReplayPlan) -> Replayed:
    """A replay that the dataset holds."""
    flows, summary = (
        dataset.scan(table).filter(pl.col("replay_id") == plan.name).collect()
        for table in ("replay_flows", "replay_summary")
    )
    changing = convergence.unconverged(convergence.quarters(flows, summary))
    notes = [*plan.notes, *convergence.notes(changing, summary, plan.world["duration_ns"])]
    doubts = [doubt.sentence for doubt in plan.doubts]
    return Replayed(
        plan.name, summary, notes, changing, draws=None, dataset=dataset, _tables={}, doubts=doubts, cut=plan.cut
    )


def _intervals(plan: ReplayPlan, drawn: pl.DataFrame | None) -> tuple[pl.DataFrame | None, int | None]:
    """The intervals of the summary's figures over the draws, and how many links may deliver at the same time."""
    if drawn is None:
        return None, None
    at_once = intervals.radios_at_once(plan.world, plan.unknowns.assumed_pairs)
    errors, biases = plan.unknowns.model_errors, plan.unknowns.biases
    return intervals.intervals(drawn, errors, plan.fastest_bps, biases, at_once), at_once


def _unaffected(plan: ReplayPlan, recording: Dataset | None, *, transfers: bool) -> str:
    """A sentence where all controllers do the same because no flow has one; else nothing."""
    if not plan.is_unaffected:
        return ""
    remedy = "; --transfers replaces them with bulk transfers" if recording and not transfers else ""
    kind = "datagrams to groups of stations" if transfers else "UDP"
    return f"the flows are {kind}, which congestion control does not affect{remedy}"


def _about_links(plan: ReplayPlan, recording: Dataset | None) -> list[str]:
    """Notes of what is known against the links of a recording."""
    if recording is None:
        return []
    return link_notes(recording, (link for flow in plan.studied for link in pairwise(flow["path"])))
