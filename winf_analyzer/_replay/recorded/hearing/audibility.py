"""The graph of which node decodes which node's frames, from their recordings, else from assumptions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import polars as pl

MIN_DELIVERY = 0.1
"""Delivery ratio below which a node does not hear a neighbour."""

CAPTURE_DB = 10.0
"""Capture threshold: a frame survives interference that is weaker by this much (ns-2's CPThresh_)."""


def audibility_graph(
    nodes: Sequence[str],
    links: Iterable[tuple[str, str]],
    paths: Iterable[Sequence[str]],
    neighbours: pl.DataFrame,
    silent: set[str],
    hidden: set[tuple[str, str]],
) -> tuple[dict[str, Any], list[str], list[tuple[str, str]]]:
    """The engine's ``hearing`` graph, notes on assumptions, and the pairs that are assumed to hear each other.

    A node's own recording shows which nodes it hears. Nodes that exchange packets hear each other. If only one of two
    nodes recorded, its result applies in both directions. If neither recorded, they are assumed to hear each other,
    unless they are more than one hop apart on a path (since a node between them forwards), or the pair is in
    ``hidden``.

    Args:
        nodes: names of the nodes.
        links: directed links with acknowledged packets.
        paths: the flows' paths.
        neighbours: the ``neighbours`` table, and the rows of :func:`.ack_only_stations.overheard_responders`.
        silent: nodes whose frames may be missing in recordings of nodes that hear them (ns-2 traces receptions only at
            the addressed node, so a node without broadcasts may be heard although its frames are not recorded).
        hidden: pairs of nodes that are hidden from each other, sender first.
    """
    heard = {
        (neighbour, node)
        for node, neighbour, frames, ratio in neighbours.select(
            "node", "neighbour", "heard", "delivery_ratio"
        ).iter_rows()
        if frames and (ratio is None or ratio >= MIN_DELIVERY)
    }
    recorders = {node for node in neighbours["node"].unique() if node in set(nodes)}
    linked = {pair for a, b in links for pair in ((a, b), (b, a))}
    beyond_one_hop = {pair for path in paths for pair in _beyond_one_hop(path)}
    decodes, assumed, presumed = set(), 0, []
    for a in nodes:
        for b in nodes:
            if a == b:
                continue
            if (a, b) in linked or (a, b) in heard:
                decodes.add((a, b))
            elif b in recorders and a not in silent:
                pass
            elif a in recorders and b not in silent:
                if (b, a) in heard:
                    decodes.add((a, b))
            else:
                assumed += 1
                if not ({(a, b), (b, a)} & (beyond_one_hop | hidden)):
                    decodes.add((a, b))
                    presumed.append((a, b))
    notes = []
    if assumed:
        notes.append(
            f"no recording shows whether {assumed} directed pairs of nodes hear each other: "
            "assumed yes, except for nodes that are more than one hop apart on a path"
        )
    notes.append("carrier sense and interference range assumed equal to the decoding range")
    graph: dict[str, Any] = {"decodes": [list(pair) for pair in sorted(decodes)]}
    powers, mirrored = _powers(neighbours, decodes)
    if powers:
        graph |= {"powers": powers, "capture_db": CAPTURE_DB}
    if mirrored:
        notes.append(f"received powers of {mirrored} directed pairs of nodes assumed equal to the opposite direction")
    return {"graph": graph}, notes, presumed


def heard_beside(
    neighbours: pl.DataFrame, nodes: Collection[str], senders: Collection[str]
) -> dict[str, dict[str, bool]]:
    """Of each station that recorded and is none of the nodes, of which of them it heard frames.

    Who only answers may be heard without being known.

    Args:
        neighbours: the ``neighbours`` table.
        nodes: names of the nodes.
        senders: those of them that sent packets.
    """
    rows = neighbours.filter(~pl.col("node").is_in(list(nodes)), pl.col("heard") > 0)
    found: dict[str, dict[str, bool]] = {node: dict.fromkeys(sorted(senders), False) for node in rows["node"].unique()}
    for node, neighbour in rows.select("node", "neighbour").sort("node", "neighbour").iter_rows():
        if neighbour in nodes:
            found[node][neighbour] = True
    return {node: found[node] for node in sorted(found)}


def audible_senders(graph: dict[str, Any]) -> dict[str, set[str]]:
    """For each node of a graph the nodes whose frames it decodes."""
    heard: dict[str, set[str]] = {}
    for sender, node in graph["decodes"]:
        heard.setdefault(node, set()).add(sender)
    return heard


def _beyond_one_hop(path: Sequence[str]) -> Iterable[tuple[str, str]]:
    return ((a, b) for i, a in enumerate(path) for j, b in enumerate(path) if abs(i - j) > 1)


def _powers(neighbours: pl.DataFrame, decodes: set[tuple[str, str]]) -> tuple[list[dict[str, Any]], int]:
    """Received powers between nodes, and how many of them were taken from the opposite direction."""
    rows_with_signal = neighbours.filter(pl.col("signal_dbm").is_not_null()).select("neighbour", "node", "signal_dbm")
    known = {(a, b): dbm for a, b, dbm in rows_with_signal.iter_rows() if (a, b) in decodes}
    mirrored = {(a, b): known[b, a] for a, b in decodes if (a, b) not in known and (b, a) in known}
    rows = [{"from": a, "to": b, "dbm": round(dbm, 1)} for (a, b), dbm in sorted((known | mirrored).items())]
    return rows, len(mirrored)
