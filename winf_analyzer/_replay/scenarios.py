"""What a replay changes about its world: a flow less or more, another rate, another queue.

A change is a key and a value:

- ``queue``: packets that every queue holds at most.
- ``queue_lifetime``: how long packets wait in any queue at most (``500ms``), or ``none``.
- ``link.rate``, ``link.loss``, ``link.control_rate``, ``link.ack_rate``: of every wireless link. A rate is in bit/s
  (``54000000``, ``54M``) or a multiple of the present one (``2x``); ``loss`` is a probability per attempt.
- ``link.A>B.rate`` and so on: of the link from A to B.
- ``mac.NAME``: a field of the world's MAC, such as ``mac.cw_min`` or ``mac.aggregation.max_ampdu_ns``.
"""

from __future__ import annotations

import copy
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from winf_analyzer._replay.topologies import World
from winf_analyzer._util.durations import parse_ns
from winf_analyzer._util.errors import UsageError

WORLD_KEYS = ("queue", "queue_lifetime", "link", "mac")
"""First parts of the keys of changes."""

Changes = Mapping[str, Any]

_LINK_FIELDS = {
    "rate": "rate_bps",
    "control_rate": "control_rate_bps",
    "ack_rate": "ack_rate_bps",
    "loss": "loss",
    "control_loss": "control_loss",
}
_PREFIXES = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}
_RATE = re.compile(r"(\d+(?:\.\d+)?(?:e\d+)?)([kmg]?)", re.IGNORECASE)


SHORTEST_CUT_NS = 5_000_000_000
"""Least length of a world that is cut: slow start is over then, and a sample of the steady state remains."""


def shortened(world: World, flow_seconds: float) -> tuple[World, str]:
    """The beginning of a world in which its flows under study run at most so long in all, and what is cut.

    The time that a run takes grows with its length and its flows. Flows that begin after the cut are left out.

    Args:
        world: any world.
        flow_seconds: number of flows under study times seconds.
    """
    studied = [flow for flow in world.get("flows", []) if not flow.get("background")]
    if not studied:
        return world, ""
    first_ns = min(flow.get("start_ns", 0) for flow in studied)
    end_ns = first_ns + max(SHORTEST_CUT_NS, int(flow_seconds / len(studied) * 1e9))
    whole_ns = world["duration_ns"]
    if end_ns >= whole_ns:
        return world, ""
    begun = [flow for flow in world["flows"] if flow.get("start_ns", 0) < end_ns]
    text = f"the first {end_ns / 1e9:.3g} s of {whole_ns / 1e9:.4g} s are replayed"
    if later := sum(flow.get("start_ns", 0) >= end_ns for flow in studied):
        text += f", without {later} flows that begin later"
    return world | {"duration_ns": end_ns, "flows": begun}, text


def changed(
    world: World, *, without: Sequence[str] = (), add_flows: Sequence[str] = (), changes: Changes | None = None
) -> World:
    """The world after flows were taken out, values changed and flows added, in this order; the given one stays.

    Args:
        world: any world.
        without: names of flows that do not run.
        add_flows: flows to add, see :func:`parse_flow`.
        changes: values by key, see the module.

    Raises:
        UsageError: no such flow, node, link or key, or a malformed value.
    """
    world = copy.deepcopy(world)
    flows = world.get("flows", [])
    known = [flow["name"] for flow in flows]
    if unknown := [name for name in without if name not in known]:
        studied = [flow["name"] for flow in flows if not flow.get("background")]
        raise UsageError(f"no flow {unknown[0]!r} to leave out; there are {', '.join(map(repr, studied)) or 'none'}.")
    kept = [flow for flow in flows if flow["name"] not in without]
    for key, value in (changes or {}).items():
        _change(world, key, value)
    added = [parse_flow(spec, world) for spec in add_flows]
    names = [flow["name"] for flow in [*kept, *added]]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"two flows would be called {twice[0]!r}; give one a name: {twice[0]},name=NAME.")
    # The engine wants cross traffic last.
    kept += added
    world["flows"] = [flow for flow in kept if not flow.get("background")]
    world["flows"] += [flow for flow in kept if flow.get("background")]
    return world


def parse_rate(text: str | float, present: float | None = None) -> int:
    """Bits per second of ``54M``, ``11000000`` or a number; ``2x`` is twice the ``present`` rate.

    Raises:
        UsageError: the text has another form, or the rate is not positive.
    """
    word = str(text).strip()
    if word.endswith("x") and present is not None and (factor := _RATE.fullmatch(word[:-1])) and not factor[2]:
        rate = float(factor[1]) * present
    elif found := _RATE.fullmatch(word):
        rate = float(found[1]) * _PREFIXES[found[2].lower()]
    else:
        raise UsageError(
            f"{word!r} is no rate; write 54M, 5.5M, 500k, bits per second, or 2x for twice the present one."
        )
    if not 1 <= rate <= 1e12:
        raise UsageError(f"{word!r} is no rate between 1 bit/s and 1 Tbit/s.")
    return round(rate)


def parse_flow(spec: str, world: World) -> dict[str, Any]:
    """A flow of ``FROM>TO[,KEY=VALUE...]``, as the engine declares it: a bulk TCP flow, or UDP with ``rate``.

    ``FROM>VIA>TO`` fixes the path; two nodes that are no neighbours are joined by a shortest path over the links.
    Keys: ``rate`` (UDP at that payload rate), ``size`` (payload bytes of a packet), ``bytes`` (of a transfer),
    ``start``, ``stop`` (durations since the start of the replay), ``name``.

    Raises:
        UsageError: the text has another form, or the world lacks such nodes or a path.
    """
    route, *assignments = (part.strip() for part in spec.split(","))
    stops = [stop.strip() for stop in route.split(">")]
    options = dict(assignment.partition("=")[::2] for assignment in assignments)
    if len(stops) < 2 or not all(stops) or (unknown := set(options) - _FLOW_KEYS):
        wrong = f" ({', '.join(sorted(unknown))}?)" if len(stops) >= 2 and all(stops) else ""
        raise UsageError(
            f"--add-flow {spec}{wrong}: write FROM>TO[,rate=1M][,size=1000][,bytes=N][,start=1s][,stop=9s]."
        )
    path = _path(stops, world)
    like = _a_tcp_flow(world)
    flow: dict[str, Any] = {"name": options.get("name") or f"added {stops[0]} > {stops[-1]}", "path": path}
    flow["payload_bytes"] = _whole(options.get("size", like.get("payload_bytes", 1460)), "size", spec)
    if "rate" in options:
        flow |= {"ack_bytes": 0, "source": {"cbr": {"rate_bps": parse_rate(options["rate"])}}}
        flow["header_bytes"] = max(28, like.get("header_bytes", 40) - 12)
    else:
        flow |= {key: like[key] for key in ("header_bytes", "ack_bytes", "transport") if key in like}
        if "bytes" in options:
            flow["source"] = {"bytes": _whole(options["bytes"], "bytes", spec)}
    for key in ("start", "stop"):
        if key in options:
            try:
                flow[f"{key}_ns"] = parse_ns(options[key])
            except ValueError as error:
                raise UsageError(f"--add-flow {spec}: {error}") from None
    if "rate" in options:
        flow.setdefault("stop_ns", world["duration_ns"])
    return flow


_FLOW_KEYS = {"rate", "size", "bytes", "start", "stop", "name"}


def _a_tcp_flow(world: World) -> dict[str, Any]:
    """A TCP flow whose sizes and constants an added one shares."""
    return next((flow for flow in world.get("flows", []) if flow.get("ack_bytes", 1)), {})


def _whole(value: Any, key: str, spec: str) -> int:
    try:
        number = int(value)
    except ValueError:
        number = 0
    if number < 1:
        raise UsageError(f"--add-flow {spec}: {key} must be a positive whole number.")
    return number


def _path(stops: list[str], world: World) -> list[str]:
    names = [node["name"] for node in world["nodes"]]
    if unknown := [stop for stop in stops if stop not in names]:
        raise UsageError(f"no node {unknown[0]!r}; the world has {', '.join(names)}.")
    path = stops[:1]
    for stop in stops[1:]:
        path += _shortest(path[-1], stop, _directed(world))[1:]
    if len(set(path)) < len(path):
        raise UsageError(f"the path {' > '.join(path)} visits a node twice.")
    return path


def _directed(world: World) -> dict[str, list[str]]:
    after: dict[str, list[str]] = {}
    for link in world["links"]:
        after.setdefault(link["from"], []).append(link["to"])
        if link.get("duplex"):
            after.setdefault(link["to"], []).append(link["from"])
    return after


def _shortest(start: str, end: str, after: Mapping[str, Iterable[str]]) -> list[str]:
    before: dict[str, str | None] = {start: None}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for following in after.get(node, ()):
            if following not in before:
                before[following] = node
                waiting.append(following)
    if end not in before:
        raise UsageError(f"no links lead from {start!r} to {end!r}.")
    path: list[str] = [end]
    while (earlier := before[path[-1]]) is not None:
        path.append(earlier)
    return path[::-1]


def _change(world: World, key: str, value: Any) -> None:
    first, _, rest = key.partition(".")
    if key == "queue":
        return _set_queues(world, packets=_queue_packets(value))
    if key == "queue_lifetime":
        return _set_queues(world, lifetime_ns=_lifetime_ns(value))
    if first == "mac" and rest:
        mac = world.get("mac", {})
        table, _, field = rest.rpartition(".")
        world["mac"] = {**mac, table: {**(mac.get(table) or {}), field: value}} if table else {**mac, rest: value}
        return None
    if first == "link" and rest:
        where, _, field = rest.rpartition(".")
        if field in _LINK_FIELDS:
            return _set_links(world, where, field, value)
    raise UsageError(
        f"--set {key}: the world has queue, queue_lifetime, mac.NAME, and link.NAME or link.A>B.NAME with "
        f"{', '.join(_LINK_FIELDS)}."
    )


def _queue_packets(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"--set queue={value}: write a positive whole number of packets.")
    return value


def _lifetime_ns(value: Any) -> int | None:
    if value == "none":
        return None
    try:
        return parse_ns(value if isinstance(value, str) else int(not isinstance(value, bool) and value))
    except (TypeError, ValueError):
        raise UsageError(f"--set queue_lifetime={value}: write a duration such as 500ms, or none.") from None


_DEFAULT_QUEUE = {"packets": 50}
"""The engine's, of links that declare none."""


def _set_queues(world: World, **limit: int | None) -> None:
    for link in world["links"]:
        link["queue"] = {**link.get("queue", _DEFAULT_QUEUE), **limit}
    for node in world["nodes"]:
        if "interface_queue" in node:
            node["interface_queue"] = {**node["interface_queue"], **limit}
        if "packets" in limit:
            # What a discipline holds above a queue would make its limit mean nothing.
            node.pop("fq_codel", None)


def _set_links(world: World, where: str, field: str, value: Any) -> None:
    ends = tuple(end.strip() for end in where.split(">")) if where else None
    links = [link for link in world["links"] if "wireless" in link.get("medium", {"wireless": {}})]
    if ends is not None:
        links = [link for link in links if (link["from"], link["to"]) == ends or (_both_ways(link, ends))]
    if not links:
        raise UsageError(f"--set link.{where}: the world has no such wireless link.")
    for link in links:
        wireless = link.setdefault("medium", {}).setdefault("wireless", {})
        if field in ("loss", "control_loss"):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
                raise UsageError(f"--set link.{field}={value}: write a probability from 0 to below 1.")
            wireless[_LINK_FIELDS[field]] = float(value)
            continue
        wireless[_LINK_FIELDS[field]] = parse_rate(value, wireless.get(_LINK_FIELDS[field], _DEFAULT_RATE_BPS))
        if field == "rate":
            # Airtimes measured at the old rate do not apply; the engine computes them from the new one.
            wireless.pop("airtimes", None)
            _forget_airtimes(world, (link["from"], link["to"]))


def _forget_airtimes(world: World, ends: tuple[str, str]) -> None:
    """Later airtimes of a link do not apply either."""
    changes = world.get("changes", [])
    found = [change.get("change", {}).get("link") or {} for change in changes]
    kept = [
        change
        for change, link in zip(changes, found, strict=True)
        if not (link.get("airtimes") and (link.get("from"), link.get("to")) == ends)
    ]
    if len(kept) < len(changes):
        world["changes"] = kept


_DEFAULT_RATE_BPS = 11_000_000
"""The engine's, of links that declare none."""


def _both_ways(link: Mapping[str, Any], ends: tuple[str, ...]) -> bool:
    return bool(link.get("duplex")) and (link["to"], link["from"]) == ends
