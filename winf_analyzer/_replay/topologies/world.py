"""The parts of a declared world, as the replay engine reads them: plain dictionaries, SI units in the names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

World = dict[str, Any]
"""A world: `name`, `duration_ns`, `mac`, `nodes`, `links`, `flows`, `hearing`; also `background` and `changes`."""

SECOND = 1_000_000_000

MAX_NODES = 10_000
"""Nodes of a world: who hears whom is a matter of pairs of them."""

MAX_FLOWS = 10_000
MAX_LINKS = 100_000

KEPT_CONTROLLER, KEPT_CONTROLLER_NAME = 1, "new_reno"
"""Index and name of the controller of flows that keep theirs whatever controller runs (`controller = 1`)."""


def nodes(names: Iterable[str], **common: Any) -> list[dict[str, Any]]:
    """Nodes without positions."""
    return [{"name": name, **common} for name in names]


def wireless(a: str, b: str, rate_bps: int = 11_000_000, *, queue: int = 50, loss: float = 0.0) -> dict[str, Any]:
    """A bidirectional wireless link; `queue` in packets, `loss` per attempt."""
    medium = {"wireless": {"rate_bps": rate_bps, "loss": loss}}
    return {"from": a, "to": b, "duplex": True, "medium": medium, "queue": {"packets": queue}}


def wired(a: str, b: str, rate_bps: int, delay_ns: int, *, queue: int = 1000) -> dict[str, Any]:
    """A bidirectional wired link."""
    medium = {"wired": {"rate_bps": rate_bps, "delay_ns": delay_ns}}
    return {"from": a, "to": b, "duplex": True, "medium": medium, "queue": {"packets": queue}}


def flow(
    name: str,
    path: Sequence[str],
    *,
    payload_bytes: int = 1000,
    start_s: float = 0.0,
    stop_s: float | None = None,
    transport: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A bulk flow with acknowledgements."""
    declared: dict[str, Any] = {"name": name, "path": list(path), "payload_bytes": payload_bytes}
    declared["start_ns"] = round(start_s * SECOND)
    if stop_s is not None:
        declared["stop_ns"] = round(stop_s * SECOND)
    if transport:
        declared["transport"] = transport
    return declared


def cbr(
    name: str, path: Sequence[str], rate_bps: int, *, payload_bytes: int = 1000, start_s: float = 0.0, stop_s: float
) -> dict[str, Any]:
    """A UDP flow with a constant payload rate."""
    declared = flow(name, path, payload_bytes=payload_bytes, start_s=start_s, stop_s=stop_s)
    return declared | {"source": {"cbr": {"rate_bps": rate_bps}}, "ack_bytes": 0, "header_bytes": 28}


def hearing_graph(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Pairs of nodes that decode each other; interference range equals transmission range."""
    return {"graph": {"decodes": [list(pair) for pair in pairs], "symmetric": True}}


def world(
    name: str,
    duration_s: float,
    *,
    nodes: list[dict[str, Any]],
    links: list[dict[str, Any]],
    flows: list[dict[str, Any]],
    hearing: Any,
    mac: dict[str, Any],
) -> World:
    """A world of these parts."""
    return {
        "name": name,
        "duration_ns": round(duration_s * SECOND),
        "mac": mac,
        "nodes": nodes,
        "links": links,
        "flows": flows,
        "hearing": hearing,
    }


def require_at_least(**values: tuple[int, int]) -> None:
    """Raise ValueError if a parameter is below its minimum: `name=(value, minimum)`."""
    for name, (value, minimum) in values.items():
        if value < minimum:
            raise ValueError(f"{name} must be at least {minimum}, not {value}")


def require_size(*, nodes: int = 0, links: int = 0, flows: int = 0) -> None:
    """Raise ValueError if a world has more parts than a replay can hold in memory; called before they are made."""
    for name, number, most in (("nodes", nodes, MAX_NODES), ("links", links, MAX_LINKS), ("flows", flows, MAX_FLOWS)):
        if number > most:
            raise ValueError(f"{number} {name} are too many, at most {most} can be replayed")


DOT11B: dict[str, Any] = {"preset": "802.11b"}
"""11 and 1 Mbit/s, long preamble, no RTS/CTS."""

DOT11B_RTS: dict[str, Any] = {"preset": "802.11b", "rts_threshold_bytes": 0}
"""The same with RTS/CTS before every packet."""
