"""Which links congest in S003's topologies, beside those that it draws with a queue."""

from __future__ import annotations

from collections.abc import Sequence

from winf_analyzer._papers import items
from winf_analyzer._papers.reproductions import _worlds as worlds
from winf_analyzer._papers.reproductions._studies._s003 import OPTIMUM, WCP
from winf_analyzer._papers.reproductions._study import Figure, Means, Statement, Study, X
from winf_analyzer._replay.topologies.world import World


def drawn(item: str) -> frozenset[str]:
    """The links that a figure draws with a queue, as the register has them."""
    (values,) = (one.values for one in items() if one.id == item)
    return frozenset(values["congested"])


def _world(topology: str, seconds: float, plain: bool) -> World:
    world = worlds.neighbourhood(topology, seconds)
    return {**world, "mac": {**world["mac"], "rts_threshold_bytes": None}} if plain else world


def _links(topology: str) -> tuple[str, ...]:
    """Both directions of every link that carries a flow: that of its data first."""
    ends = [(link["from"], link["to"]) for link in worlds.neighbourhood(topology, 1)["links"]]
    return tuple(f"{a} > {b}" for pair in ends for a, b in (pair, pair[::-1]))


def _fully_used(links: frozenset[str]) -> Statement:
    """Of every link the model says whether it is used fully: 0 or 100 % of the time."""
    return Statement(
        "the max-min rates use the drawn links fully, and no other",
        lambda m, xs: {x for x in xs if m[OPTIMUM.label, x] > 50} == links,
    )


def _longest(links: frozenset[str]) -> Statement:
    def holds(means: Means, places: Sequence[X]) -> bool:
        others = (means[WCP.label, x] for x in places if x not in links)
        return min(means[WCP.label, x] for x in links) > max(others)

    return Statement("WCP finds the drawn links congested for longer than any other", holds)


def _study(item: str, topology: str, title: str, *, plain: bool = False) -> Study:
    links = _links(topology)
    says = (_longest(drawn(item)),) if plain else (_fully_used(drawn(item)), _longest(drawn(item)))
    return Study(
        f"s003-links-{'plain-' if plain else ''}{topology.replace('_', '-')}",
        f"{title}: which links congest",
        "link",
        links,
        lambda _, __, seconds: _world(topology, seconds, plain),
        (OPTIMUM, WCP),
        (Figure(item, "congested", says, part="links" if plain else ""),),
        seeds=10,
        seconds=200,
        quick_places=links,
        quick_seeds=5,
        quick_seconds=200,
        along="links",
        notes="WCP: the average queue exceeds four packets; optimum: the sender is used for more than 0.95.",
    )


STUDIES = (
    _study("S003-fig5", "diamond", "Diamond"),
    _study("S003-fig6", "half_diamond", "Half-Diamond"),
    _study("S003-fig7", "chain_cross", "Chain-Cross"),
    _study("S003-fig18", "half_diamond", "Half-Diamond without RTS/CTS", plain=True),
)
"""In the order of the paper."""
