"""The grid of scenarios, and which half of it an estimator may be improved on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from benchmarks.accuracy.phys import PHYS

SECONDS = 8
"""Measured time of a run, in windows of one second."""

LIGHT_SHARE = 0.05
"""Load of the link under study itself, as a share of what it could carry alone: something to measure."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One cell of the grid."""

    group: str
    """What makes it hard: pair, contention, hidden, loss, rates, n, ac."""
    phy: str
    topology: str
    rts: bool
    links: int
    load: float
    """What the background offers, as a share of what one saturated link carries."""
    payload: int = 1472
    loss: float = 0
    background_phy: str = ""
    constant: bool = False
    seconds: int = SECONDS

    @property
    def name(self) -> str:
        """Short and unique."""
        parts = [self.group, self.phy, self.topology, "rts" if self.rts else "basic", f"{self.links}x{self.load:g}"]
        parts += [str(self.payload)] * (self.payload != 1472) + [f"loss{self.loss:g}"] * (self.loss > 0)
        parts += [f"with_{self.background_phy}"] * bool(self.background_phy) + ["cbr"] * self.constant
        return "-".join(parts)

    def arguments(self) -> list[str]:
        """The options of scenario.cc, --directory and --saturate excepted."""
        phy, background = PHYS[self.phy], PHYS[self.background_phy or self.phy]
        values = {
            "standard": phy.standard,
            "channel": phy.channel,
            "topology": self.topology,
            "dataMode": phy.data_mode,
            "backgroundMode": background.data_mode,
            "controlMode": phy.control_mode,
            "rts": int(self.rts),
            "arrivals": "constant" if self.constant else "poisson",
            "links": self.links,
            "payload": self.payload,
            "backgroundPayload": self.payload,
            "light": round(LIGHT_SHARE * phy.packets_per_second(self.payload, self.rts), 3),
            "background": round(self.load * background.packets_per_second(self.payload, self.rts), 3),
            "loss": self.loss,
            "seconds": self.seconds,
            "seed": 1 + int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:2]),
        }
        return [f"--{name}={value}" for name, value in values.items()]


def scenarios() -> list[Scenario]:
    """The whole grid, by group."""
    return [*_pair(), *_contention(), *_hidden(), *_loss(), *_rates(), *_n(), *_ac()]


def development(grid: list[Scenario]) -> set[str]:
    """Names of the half that estimators may be improved on; the others are only ever scored.

    The rule is fixed: within each group, the first half in the order of the SHA-256 of the names.
    """
    chosen: set[str] = set()
    for group in {scenario.group for scenario in grid}:
        names = [scenario.name for scenario in grid if scenario.group == group]
        names.sort(key=lambda name: hashlib.sha256(name.encode()).digest())
        chosen.update(names[: len(names) // 2])
    return chosen


def _pair() -> Iterator[Scenario]:
    """The link alone, or beside one other."""
    loads = ((1472, 0), (1472, 0.3), (1000, 0.6), (512, 0.1), (256, 0.3), (1472, 0.9), (700, 0.75))
    for phy, rts, (payload, load) in product(("b11", "g54"), (False, True), loads):
        bss = phy == "g54" and payload in (1000, 256, 700)
        yield Scenario(
            group="pair",
            phy=phy,
            topology="bss" if bss else "adhoc",
            rts=rts,
            links=1 if load == 0 else 2,
            load=load,
            payload=payload,
            constant=payload == 1000,
        )


def _contention() -> Iterator[Scenario]:
    """Three to eight links in range of one another."""
    cells = (
        (3, 0.3, 1472),
        (4, 0.6, 1472),
        (5, 0.9, 1000),
        (6, 0.45, 512),
        (8, 0.75, 1472),
        (3, 0.9, 256),
        (8, 0.2, 1472),
    )
    for phy, rts, (links, load, payload) in product(("b11", "g54"), (False, True), cells):
        bss = phy == "g54" and links in (4, 6, 8)
        yield Scenario(
            group="contention",
            phy=phy,
            topology="bss" if bss else "adhoc",
            rts=rts,
            links=links,
            load=load,
            payload=payload,
        )


def _hidden() -> Iterator[Scenario]:
    """The background's senders are out of the sender's range, their receiver is its own."""
    cells = ((2, 0.1), (2, 0.3), (2, 0.5), (2, 0.7), (3, 0.4))
    for phy, rts, (links, load) in product(("b11", "g24"), (False, True), cells):
        yield Scenario(group="hidden", phy=phy, topology="hidden", rts=rts, links=links, load=load, seconds=24)


def _loss() -> Iterator[Scenario]:
    """Data frames of the link under study get lost."""
    for phy, rts, loss, load in product(("b11", "g54", "n65"), (False, True), (0.05, 0.2), (0, 0.5)):
        yield Scenario(
            group="loss",
            phy=phy,
            topology="bss" if phy == "n65" else "adhoc",
            rts=rts,
            links=1 if load == 0 else 3,
            load=load,
            loss=loss,
        )


def _rates() -> Iterator[Scenario]:
    """Fast beside slow."""
    mixes = (("b11", "b1"), ("b2", "b11"), ("g54", "g6"), ("g12", "g54"))
    for (phy, other), rts, (links, load) in product(mixes, (False, True), ((2, 0.3), (4, 0.6))):
        yield Scenario(group="rates", phy=phy, topology="adhoc", rts=rts, links=links, load=load, background_phy=other)


def _n() -> Iterator[Scenario]:
    cells = (
        ("n65", 1, 0, 1472),
        ("n135", 2, 0.3, 1472),
        ("n65", 2, 0.6, 512),
        ("n26", 4, 0.5, 1472),
        ("n65", 8, 0.7, 1472),
        ("n135", 3, 0.9, 1000),
        ("n65_2ghz", 2, 0.15, 1472),
        ("n65_2ghz", 5, 0.4, 1472),
    )
    for rts, (phy, links, load, payload) in product((False, True), cells):
        yield Scenario(group="n", phy=phy, topology="bss", rts=rts, links=links, load=load, payload=payload)


def _ac() -> Iterator[Scenario]:
    cells = (
        ("ac78", 1, 0, 1472),
        ("ac351", 2, 0.3, 1472),
        ("ac175", 2, 0.6, 700),
        ("ac78", 4, 0.5, 1472),
        ("ac351", 8, 0.6, 1472),
        ("ac175", 3, 0.9, 1472),
        ("ac351", 1, 0, 256),
    )
    for rts, (phy, links, load, payload) in product((False, True), cells):
        yield Scenario(group="ac", phy=phy, topology="bss", rts=rts, links=links, load=load, payload=payload)
