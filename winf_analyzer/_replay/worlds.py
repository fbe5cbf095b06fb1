"""The world of a replay: a named topology, a TOML file, a dictionary, or that of a recording."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from winf_analyzer import _core
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._replay.fitness import Doubt, doubted
from winf_analyzer._replay.outcomes import beside_recorded
from winf_analyzer._replay.reproduction import reproduced
from winf_analyzer._replay.scenarios import Changes, changed
from winf_analyzer._replay.topologies import World, build
from winf_analyzer._replay.topologies.world import require_size
from winf_analyzer._replay.unknowns import Link, Unknowns
from winf_analyzer._util.durations import parse_ns
from winf_analyzer._util.errors import UsageError

if TYPE_CHECKING:
    from winf_analyzer._replay.recorded import RecordedWorld

MAX_FILE_BYTES = 16 * 2**20
"""Of a world's TOML file."""

Topology = str | os.PathLike[str] | Mapping[str, Any]
"""A name of the registry, a TOML file, or a world as a dictionary."""


class ReplayWorld(NamedTuple):
    """A world to replay in, and what is known about it."""

    world: World

    origin_ns: int | None
    """Its start on the recording's clock."""

    doubts: list[Doubt]
    """What speaks against its recordings."""

    notes: list[str]
    """Assumptions, after a sentence for each doubt."""

    unknowns: Unknowns
    """What a recording leaves open; nothing in a declared world."""


def world_for(
    dataset: Dataset | None,
    topology: Topology | None,
    *,
    flows: Sequence[str] | None = None,
    transfers: bool = False,
    without: Sequence[str] = (),
    add_flows: Sequence[str] = (),
    changes: Changes | None = None,
    duration: str | int | None = None,
    bin_width: str | int | None = None,
) -> ReplayWorld:
    """The world to replay in.

    A topology takes precedence over the dataset's recording; only the named flows of a topology run. ``without``,
    ``add_flows`` and ``changes`` are those of :func:`.scenarios.changed`.

    Raises:
        UsageError: neither dataset nor topology; no such topology, file or flow; a malformed duration or change.
        UnusableInput: the recording lacks data that a world needs.
    """
    origin_ns: int | None = None
    doubts: list[Doubt] = []
    notes: list[str] = []
    unknowns = Unknowns()
    recorded: RecordedWorld | None = None
    duration_ns, bin_ns = _parse_duration(duration), _parse_duration(bin_width)
    if topology is not None:
        world = load_topology(topology, duration_ns=duration_ns, bin_ns=bin_ns)
        if flows is not None:
            world = world | {"flows": _named_flows(world, flows)}
    elif dataset is not None:
        from winf_analyzer._replay.recorded import world_of  # slow to import, and not needed in declared worlds

        recorded = beside_recorded(world_of(dataset, flows, transfers=transfers, lifted=without))
        world, unknowns, more_notes = reproduced(recorded.world, recorded.unknowns)
        world, unknowns, full = recorded.with_full_queues(world, unknowns, recorded.filled)
        unknowns, doubts = doubted(dataset, unknowns)
        origin_ns = recorded.origin_ns
        notes = [*(doubt.sentence for doubt in doubts), *recorded.notes, *full, *more_notes]
        if duration_ns is not None and duration_ns > world["duration_ns"]:
            known = f"{world['duration_ns'] / 1e9:g} s"
            if _has_cross_traffic(world):
                notes = [*notes, f"cross traffic is known for {known} only, and absent after them"]
            world, lasting = _going_on(world)
            notes = [*notes, *(f"{name}: was sending until the end, {known}; goes on" for name in lasting)]
    else:
        raise UsageError("name a dataset, or a world with --topology (`winf list topologies`).")
    try:
        require_size(**{part: len(world.get(part, ())) for part in ("nodes", "links", "flows")})
    except ValueError as error:
        raise UsageError(f"{world.get('name') or 'the world'}: {error}.") from None
    if duration_ns is not None:
        world = world | {"duration_ns": duration_ns}
    if without or add_flows or changes:
        kept = {flow["name"] for flow in world.get("flows", ())} - set(without)
        world = changed(world, without=without, add_flows=add_flows, changes=changes)
        if recorded is not None and add_flows:
            links = {pair for flow in world["flows"] if flow["name"] not in kept for pair in _links(flow)}
            world, unknowns, more_notes = recorded.with_full_queues(world, unknowns, links)
            notes = [*notes, *more_notes]
    if bin_ns is not None:
        world = world | {"record": {**world.get("record", {}), "bin_ns": bin_ns}}
    return ReplayWorld(world, origin_ns, doubts, notes, unknowns.without(changes or ()))


def _links(flow: Mapping[str, Any]) -> set[Link]:
    """The links of an added flow; acknowledgements take them the other way."""
    ways = [flow["path"], flow["path"][::-1]] if flow.get("ack_bytes", 1) else [flow["path"]]
    return {pair for way in ways for pair in pairwise(way)}


def _going_on(world: World) -> tuple[World, list[str]]:
    """The same where flows that were still sending at its end have none, for a longer run, and their names.

    A flow was, unless it was silent before the end for as long as it had sent, or for :data:`.MIN_QUIET_NS`.
    """
    from winf_analyzer._replay.recorded.flows.studied import MIN_QUIET_NS  # slow to import

    flows, lasting = [], []
    for flow in world["flows"]:
        stop_ns = flow.get("stop_ns")
        if stop_ns is not None and world["duration_ns"] - stop_ns < min(MIN_QUIET_NS, stop_ns - flow["start_ns"]):
            lasting.append(flow["name"])
            flow = {key: value for key, value in flow.items() if key != "stop_ns"}
        flows.append(flow)
    return world | {"flows": flows}, lasting


def _has_cross_traffic(world: World) -> bool:
    return bool(world.get("background")) or any(flow.get("background") for flow in world["flows"])


def load_topology(topology: Topology, *, duration_ns: int | None = None, bin_ns: int | None = None) -> World:
    """A world by name, from a TOML file, or from a mapping.

    Args:
        topology: the name, the path or the mapping.
        duration_ns: overrides the duration when a file is validated.
        bin_ns: overrides the bin width, likewise.

    Raises:
        UsageError: no such topology or file, or the file is not a valid world; the message names the line.
    """
    if isinstance(topology, Mapping):
        return dict(topology)
    if (path := file_of(topology)) is not None:
        return _read(path, duration_ns, bin_ns)
    try:
        return build(str(topology))
    except ValueError as error:
        raise UsageError(f"{error}; or name a file that ends in .toml") from None


def file_of(topology: Topology) -> Path | None:
    """The TOML file that a world is read from; None for a name or a dictionary."""
    if isinstance(topology, os.PathLike) or (isinstance(topology, str) and topology.endswith(".toml")):
        return Path(topology)
    return None


def _read(path: Path, duration_ns: int | None, bin_ns: int | None) -> World:
    try:
        with path.open("rb") as file:
            octets = file.read(MAX_FILE_BYTES + 1)  # of a device or a pipe there may be no end
        text = octets.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as a topology: {error}") from None
    if len(octets) > MAX_FILE_BYTES:
        raise UsageError(f"{path}: larger than {MAX_FILE_BYTES >> 20} MiB, which no topology is.")
    try:
        world: World = json.loads(_core.world_from_toml(text, duration_ns=duration_ns, bin_ns=bin_ns))
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{path}: {error}") from None
    return world | {"name": world["name"] or path.stem}


def _parse_duration(span: str | int | None) -> int | None:
    try:
        return None if span is None else parse_ns(span)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _named_flows(world: World, names: Sequence[str]) -> list[dict[str, Any]]:
    flows = {flow["name"]: flow for flow in world.get("flows", [])}
    if unknown := [name for name in names if name not in flows]:
        raise UsageError(f"no flow {unknown[0]!r}; the topology has {', '.join(flows) or 'none'}")
    return [flows[name] for name in flows if name in names]
