"""Scenarios that nothing was developed, tuned or scored on before the model was final.

Their parameters lie between those of the grid: other rates, payloads, loads, numbers of links, chances of loss, and,
since a seed follows from the name, other draws. They were fixed before any of them was scored, and are scored once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from benchmarks.accuracy.scenarios import Scenario

HIDDEN_SECONDS = 24
"""As in the grid: next to hidden terminals, seconds differ most."""


def held_out() -> list[Scenario]:
    """A dozen of each group."""
    return [*_pair(), *_contention(), *_hidden(), *_loss(), *_rates(), *_aggregating("n"), *_aggregating("ac")]


def _pair() -> Iterator[Scenario]:
    cells = ((1200, 0.15, False), (384, 0.45, True), (1472, 0.65, False))
    for phy, rts, (payload, load, constant) in product(("b5", "g36"), (False, True), cells):
        topology = "bss" if phy == "g36" and payload == 1200 else "adhoc"
        yield Scenario(
            group="pair",
            phy=phy,
            topology=topology,
            rts=rts,
            links=2,
            load=load,
            payload=payload,
            constant=constant,
        )


def _contention() -> Iterator[Scenario]:
    cells = ((4, 0.35, 1200), (5, 0.7, 768), (7, 0.55, 1472))
    for phy, rts, (links, load, payload) in product(("b11", "g36"), (False, True), cells):
        topology = "bss" if phy == "g36" and links != 5 else "adhoc"
        yield Scenario(group="contention", phy=phy, topology=topology, rts=rts, links=links, load=load, payload=payload)


def _hidden() -> Iterator[Scenario]:
    for phy, rts, (links, load) in product(("b11", "g24"), (False, True), ((2, 0.2), (2, 0.6), (3, 0.3))):
        yield Scenario(
            group="hidden", phy=phy, topology="hidden", rts=rts, links=links, load=load, seconds=HIDDEN_SECONDS
        )


def _loss() -> Iterator[Scenario]:
    for phy, rts, (loss, links, load) in product(("b11", "g36", "n52"), (False, True), ((0.1, 1, 0), (0.15, 4, 0.35))):
        topology = "bss" if phy == "n52" else "adhoc"
        yield Scenario(group="loss", phy=phy, topology=topology, rts=rts, links=links, load=load, loss=loss)


def _rates() -> Iterator[Scenario]:
    cells = (
        ("b11", "b2", 2, 0.45),
        ("b5", "b11", 3, 0.5),
        ("b2", "b5", 4, 0.4),
        ("g54", "g12", 3, 0.5),
        ("g24", "g54", 2, 0.45),
        ("g36", "g6", 4, 0.4),
    )
    for rts, (phy, other, links, load) in product((False, True), cells):
        yield Scenario(group="rates", phy=phy, topology="adhoc", rts=rts, links=links, load=load, background_phy=other)


def _aggregating(group: str) -> Iterator[Scenario]:
    cells = {
        "n": (
            ("n52", 2, 0.2, 1000),
            ("n65", 3, 0.45, 1472),
            ("n135", 4, 0.6, 1200),
            ("n26", 2, 0.7, 768),
            ("n52", 6, 0.55, 1472),
            ("n65_2ghz", 3, 0.3, 1472),
        ),
        "ac": (
            ("ac78", 2, 0.2, 1000),
            ("ac263", 3, 0.45, 1472),
            ("ac351", 4, 0.6, 1200),
            ("ac175", 2, 0.75, 1472),
            ("ac263", 6, 0.5, 1472),
            ("ac78", 3, 0.35, 700),
        ),
    }
    for rts, (phy, links, load, payload) in product((False, True), cells[group]):
        yield Scenario(group=group, phy=phy, topology="bss", rts=rts, links=links, load=load, payload=payload)
