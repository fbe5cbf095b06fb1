"""Who decodes whose frames, from what each node recorded; what no recording tells is presumed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

MIN_DELIVERY = 0.1
"""Who receives less of a neighbour than this does not hear it."""

CAPTURE_DB = 10.0
"""A frame survives another that is so much weaker, where received powers are known (ns-2's CPThresh_)."""

CLAIMED = 0.5
"""Confidence from which two stations count as hidden from one another."""


def hearing(
    nodes: Sequence[str],
    links: Iterable[tuple[str, str]],
    paths: Iterable[Sequence[str]],
    neighbours: pl.DataFrame,
    silent: set[str],
    hidden: set[tuple[str, str]],
) -> tuple[dict[str, Any], list[str]]:
    """The graph of who decodes whom, as the engine declares it, and what was presumed.

    A node's own recording says whom it hears, and whom it does not. Who exchanges packets hears one another. What one
    of two nodes heard holds the other way too, where that one did not record. Of two nodes neither of which recorded,
    those that are further than a hop apart on a path are presumed not to hear one another, since somebody forwards
    between them, and so are those that ``hidden`` claims; all others are presumed to hear one another.

    Args:
        nodes: names of the nodes.
        links: directed links that carried acknowledged packets.
        paths: the flows' paths.
        neighbours: the ``neighbours`` table, and who is known by answers only (:func:`.answers.heard_answering`).
        silent: nodes whose own frames their hearers' recordings need not show (ns-2 traces receptions only where a
            frame was meant for the node, so silence is no evidence about those that sent nothing to everybody).
        hidden: pairs claimed to be hidden from one another, sender first.
    """
    heard = {
        (neighbour, node)
        for node, neighbour, frames, ratio in neighbours.select(
            "node", "neighbour", "heard", "delivery_ratio"
        ).iter_rows()
        if frames and (ratio is None or ratio >= MIN_DELIVERY)
    }
    recorders = {node for node in neighbours["node"].unique() if node in set(nodes)}
    joined = {pair for a, b in links for pair in ((a, b), (b, a))}
    apart = {pair for path in paths for pair in _apart(path)}
    decodes, presumed = set(), 0
    for a in nodes:
        for b in nodes:
            if a == b:
                continue
            if (a, b) in joined or (a, b) in heard:
                decodes.add((a, b))
            elif b in recorders and a not in silent:
                pass
            elif a in recorders and b not in silent:
                if (b, a) in heard:
                    decodes.add((a, b))
            else:
                presumed += 1
                if not ({(a, b), (b, a)} & (apart | hidden)):
                    decodes.add((a, b))
    notes = []
    if presumed:
        notes.append(
            f"of {presumed} directed pairs of nodes no recording tells whether they hear one another: "
            "presumed yes, but for nodes that are more than a hop apart on a path"
        )
    notes.append("carrier sense and interference presumed to reach as far as decoding")
    graph: dict[str, Any] = {"decodes": [list(pair) for pair in sorted(decodes)]}
    powers, mirrored = _powers(neighbours, decodes)
    if powers:
        graph |= {"powers": powers, "capture_db": CAPTURE_DB}
    if mirrored:
        notes.append(f"received powers of {mirrored} directed pairs of nodes presumed as those the other way")
    return {"graph": graph}, notes


def heard_by_whom(graph: dict[str, Any]) -> dict[str, set[str]]:
    """For each node of a graph those whose frames it decodes."""
    heard: dict[str, set[str]] = {}
    for sender, node in graph["decodes"]:
        heard.setdefault(node, set()).add(sender)
    return heard


def _apart(path: Sequence[str]) -> Iterable[tuple[str, str]]:
    return ((a, b) for i, a in enumerate(path) for j, b in enumerate(path) if abs(i - j) > 1)


def _powers(neighbours: pl.DataFrame, decodes: set[tuple[str, str]]) -> tuple[list[dict[str, Any]], int]:
    """What each receives of whom, and how often that was taken from the other direction."""
    known = neighbours.filter(pl.col("signal_dbm").is_not_null()).select("neighbour", "node", "signal_dbm")
    told = {(a, b): dbm for a, b, dbm in known.iter_rows() if (a, b) in decodes}
    mirrored = {(a, b): told[b, a] for a, b in decodes if (a, b) not in told and (b, a) in told}
    rows = [{"from": a, "to": b, "dbm": round(dbm, 1)} for (a, b), dbm in sorted((told | mirrored).items())]
    return rows, len(mirrored)
