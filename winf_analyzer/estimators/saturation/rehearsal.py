"""A short simulation of the stations on a medium, for what the fixed point leaves out.

The fixed point takes stations to be independent and all in range. A rehearsal does not: packets that arrive while a
long aggregate is on the air contend together, and stations that the sender cannot hear do not wait for it. It plays DCF
with the same parameters (:data:`.fixed_point.STATIONS`), exchange by exchange:

* A counter stands still while its station hears another, and goes on AIFS after. It is drawn from [0, CW] after every
  attempt, and for a packet that finds the medium busy; one that finds it idle is sent at once.
* Attempts that start at the same time collide in their first frame (RTS, or the data); a collision destroys each with
  its own chance. Where they overlap because their stations do not hear one another, the later one is lost, and the
  earlier one with a chance of its own.
* What follows the first frame, CTS or ACK, is heard by everybody, hidden stations too.
* CW doubles with each failure; after seven a packet is given up. An aggregate nobody answered is followed by a
  BlockAckReq.

Time is in seconds. The same stations and seed give the same result.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from winf_analyzer.estimators.saturation.fixed_point import ATTEMPTS, WINDOW_MAX

QUEUE = 200
"""Packets that a station keeps; what comes beyond is lost."""

EVENTS = 6_000
"""Attempts of all stations together after which a rehearsal ends."""

EVENTS_HIDDEN = 24_000
"""The same where stations are hidden: they starve one another for long, and the mean converges slowly."""

_NEVER = math.inf
_TURNAROUND = 0.4
"""Part of a slot in which a start is not yet sensed: stations that begin within it collide."""


@dataclass
class _Station:
    """A row of STATIONS and what it is doing."""

    row: Mapping[str, float]
    hidden: bool
    subject: bool
    backlogged: bool
    random: Random
    stage: int = 0
    tries: int = 0
    counter: int = 0
    free_at: float = 0.0
    queue: int = 0
    arrival: float = _NEVER
    request_due: bool = False
    delivered: int = 0
    attempts: int = 0
    failures: int = 0
    until: float = 0.0
    answered: bool = False
    corrupted: bool = False
    late: bool = False
    began: float = 0.0
    packets: int = 0
    plans: float = field(default=_NEVER)

    def draw(self) -> None:
        width = min(self.row["window"] * 2**self.stage, WINDOW_MAX)
        self.counter = int(self.random.random() * width)

    def arrive(self, now: float) -> None:
        """Takes in the packets that came until now."""
        rate = self.row["packets_per_s"]
        while self.arrival <= now and self.queue < QUEUE:
            self.queue += 1
            self.arrival += self.random.expovariate(rate)
        self.arrival = max(self.arrival, now)

    def plan(self) -> None:
        """When it will send, if it hears nothing before."""
        begin = self.free_at + self.counter * self.row["slot_s"]
        self.plans = begin if self.backlogged or self.queue or self.request_due else max(begin, self.arrival)

    def hear(self, now: float, until: float) -> None:
        """Others occupy the medium until `until`, AIFS included."""
        if now > self.free_at:
            slots = int((now - self.free_at) / self.row["slot_s"] + _TURNAROUND)
            idle = self.counter == 0 or slots >= self.counter
            self.counter = max(0, self.counter - slots)
            self.arrive(now)
            if idle and not (self.backlogged or self.queue or self.request_due) and self.arrival < until:
                self.draw()
        self.free_at = max(self.free_at, until)
        self.plan()


class Outcome(NamedTuple):
    """What became of the subject."""

    delivered_per_s: float
    """Packets."""
    failed_share: float
    """Of its attempts."""


def rehearse(
    stations: Sequence[Mapping[str, float]],
    hidden: Sequence[bool],
    *,
    backlogged: bool = True,
    later_destroys: float = 1.0,
    seed: int = 1,
) -> Outcome:
    """Plays the stations against one another.

    Args:
        stations: rows of :data:`.fixed_point.STATIONS`; exactly one is the subject.
        hidden: whether each is out of the subject's range; hidden stations hear one another.
        backlogged: the subject's queue is filled; otherwise it sends `packets_per_s` like the others.
        later_destroys: chance that a frame being received is destroyed by one that begins later.
        seed: of the random draws.
    """
    random = Random(seed)  # noqa: S311 (no secret)
    actors = [
        _Station(row, out, bool(row["subject"]), backlogged and bool(row["subject"]), random)
        for row, out in zip(stations, hidden, strict=True)
    ]
    subject = next(actor for actor in actors if actor.subject)
    for actor in actors:
        actor.draw()
        if not actor.backlogged and actor.row["packets_per_s"] > 0:
            actor.arrival = random.expovariate(actor.row["packets_per_s"])
        actor.plan()
    on_air: list[_Station] = []
    unsensed = _TURNAROUND * subject.row["slot_s"]
    now = 0.0
    for _ in range(EVENTS_HIDDEN if any(hidden) else EVENTS):
        start = min(actor.plans for actor in actors)
        while on_air and min(actor.until for actor in on_air) <= start:
            ended = min(on_air, key=lambda actor: actor.until)
            on_air.remove(ended)
            _end(ended, actors, on_air)
            start = min(actor.plans for actor in actors)
        if start == _NEVER:
            break
        now = start
        _begin([actor for actor in actors if actor.plans <= now + unsensed], now, actors, on_air, later_destroys)
    return Outcome(subject.delivered / now if now > 0 else 0.0, subject.failures / max(subject.attempts, 1))


def _begin(
    starting: list[_Station], now: float, actors: list[_Station], on_air: list[_Station], later_destroys: float
) -> None:
    """Stations start to send: what overlaps is corrupted, who hears it waits."""
    for actor in on_air:
        actor.late = actor.late or actor.random.random() < later_destroys
    for actor in starting:
        actor.arrive(max(now, actor.plans))
        actor.began = now
        actor.packets = int(min(actor.row["packets_max"], _NEVER if actor.backlogged else max(actor.queue, 1)))
        actor.until = now + _first_s(actor) - actor.row["tail_s"]
        actor.plans = _NEVER
        actor.late = bool(on_air)
        actor.corrupted = len(starting) > 1
        actor.answered = False
    on_air.extend(starting)
    for actor in actors:
        if actor in on_air:
            continue
        until = max((other.until for other in starting if _hears(actor, other)), default=None)
        if until is not None:
            actor.hear(now, until)


def _end(sender: _Station, actors: list[_Station], on_air: list[_Station]) -> None:
    """The first frame is over, and the exchange goes on or failed; or the exchange is over."""
    row = sender.row
    intact = not sender.answered and not sender.late
    if intact and (not sender.corrupted or sender.random.random() >= row["vulnerable"]):
        sender.answered = True
        heard_until, sender.until = sender.until, sender.began + _exchange_s(sender)
        _occupy([actor for actor in actors if actor is not sender and actor not in on_air], heard_until, sender.until)
        on_air.append(sender)
        return
    lost = not sender.request_due and sender.random.random() < row["loss"]
    sender.attempts += not sender.request_due
    if sender.answered and not sender.late and not lost:
        until = sender.until
        _succeed(sender)
    else:
        until = sender.until if sender.answered else sender.began + _first_s(sender)
        hearers = [actor for actor in actors if actor is not sender and actor not in on_air and _hears(actor, sender)]
        _occupy(hearers, sender.until, until)
        sender.failures += not sender.request_due
        _fail(sender)
    others = [actor.until for actor in on_air if _hears(sender, actor)]
    sender.free_at = max(sender.free_at, until, *others)
    sender.draw()
    sender.plan()


def _occupy(hearers: list[_Station], now: float, until: float) -> None:
    """What they heard until now goes on until later."""
    for actor in hearers:
        if actor.free_at >= now:
            actor.free_at = max(actor.free_at, until)
            actor.plan()
        else:
            actor.hear(now, until)


def _succeed(sender: _Station) -> None:
    sender.stage = 0
    if sender.request_due:
        sender.request_due = False
        return
    sender.tries = 0
    sender.delivered += sender.packets
    sender.queue = max(0, sender.queue - sender.packets)


def _fail(sender: _Station) -> None:
    sender.stage += 1
    sender.tries += 1
    sender.request_due = sender.row["request_s"] > 0
    if sender.tries >= ATTEMPTS:
        sender.stage = sender.tries = 0
        sender.queue = max(0, sender.queue - sender.packets)
        sender.request_due = False


def _hears(listener: _Station, sender: _Station) -> bool:
    """Hidden stations and the subject do not hear one another."""
    return not ((listener.subject and sender.hidden) or (listener.hidden and sender.subject))


def _first_s(sender: _Station) -> float:
    row = sender.row
    if sender.request_due:
        return row["request_s"]
    return row["first_s"] + sender.packets * row["first_packet_s"]


def _exchange_s(sender: _Station) -> float:
    row = sender.row
    if sender.request_due:
        return row["request_s"]
    return row["access_s"] + sender.packets * row["packet_s"]
