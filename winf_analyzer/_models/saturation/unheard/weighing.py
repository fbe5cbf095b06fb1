"""What the signs of one medium tell together: the load that was not heard, and who does not wait for it.

Three things tell of it: first attempts that start off the grid of the slots (:mod:`.idle_times`), repetitions that
come later than their backoff allows (:mod:`.late_repetitions`), and whose slots QoS stations keep (:mod:`.slot_grids`).
The first tells more than the second, and is asked first. It shows exchanges of one length alone: aggregates that nobody
answered (:mod:`.unanswered`) are believed where they tell of more, and to a third station the second where it tells of
clearly more. The third tells of each sender apart: who keeps the slots of what was heard does not wait for the load,
and it is left out of what surrounds that sender. Where neither can tell, because a recording holds one pair of stations
and nothing else, the load is unknown (:mod:`.lone_pairs`).
"""

from collections.abc import Callable
from math import hypot
from statistics import fmean
from typing import NamedTuple

import polars as pl

from winf_analyzer._models.saturation.unheard import lone_pairs, unanswered
from winf_analyzer._models.saturation.waits import idle_times, late_repetitions, slot_grids
from winf_analyzer._models.saturation.waits.one_more import Load

MIN_LOAD = 0.03
"""Airtime share that must have been unheard: less changes no answer by more than its interval allows for."""

THIRD_DOUBT = 0.5
"""Standard deviation of a load that idle times show where a third station recorded, as a share of it: what that does
not hear are several stations, whose exchanges are not all as long, and only those that are alike show."""

AGGREGATES_DOUBT = 1.0
"""The same where stations aggregate: few of their exchanges are alike."""

SURELY_MORE = 2.0
"""Standard deviations by which late repetitions must tell of more than idle times do, to be believed instead."""


class Signs(NamedTuple):
    """What was counted on one medium, null where it says nothing, and what is known to be missing."""

    senders: Callable[[], pl.DataFrame]
    """The rows of :func:`.contention_domain.per_sender`; to be asked for only where a sign needs them."""
    observer: str | None
    """Who recorded; null of a third station."""
    covered_ns: int
    missed: float
    """Frames that are missing of senders that are heard, and are put back for these."""
    collided: float
    """Attempts of others than the recorder that should have collided: they are not recorded either."""
    times: pl.DataFrame | None
    """Of :func:`.idle_times.enough`."""
    failing: unanswered.Unanswered | None
    late: late_repetitions.Told | None
    starts: pl.DataFrame | None
    """Of :func:`.slot_grids.counted`."""
    is_lone: bool
    """Nothing but one pair of stations was recorded."""

    @property
    def missed_per_s(self) -> float:
        """Frames that are missing of senders that are heard."""
        return self.missed / self.covered_ns * 1e9

    @property
    def known_per_s(self) -> float:
        """All frames that are known to be missing: stations wait for those that collide as well."""
        return self.missed_per_s + self.collided / self.covered_ns * 1e9

    @property
    def known(self) -> late_repetitions.KnownMissing:
        """The same as a share of all attempts, besides."""
        attempts = max(self.late.of_all, 1.0) if self.late else 1.0
        return late_repetitions.KnownMissing(self.known_per_s, self.known_per_s * self.covered_ns / 1e9 / attempts)


def weighed(signs: Signs) -> tuple[Load | None, list[str]]:
    """The load that was not heard, if there is any, and the senders that do not wait for it."""
    load = _by_idle_times(signs)
    load = _or_by_unanswered(load, signs)
    load = _or_by_repetitions(load, signs)
    load, deaf = _with_slots(load, signs)
    load = load if load and load.share > MIN_LOAD else None
    return _of_a_lone_pair(load, signs), deaf


def _by_idle_times(signs: Signs) -> Load | None:
    load = None if signs.times is None else idle_times.unheard(signs.senders(), signs.times)
    if not load or load.per_s <= 2 * signs.known_per_s:
        return None
    load = beyond(load, signs.missed_per_s)
    if signs.observer:
        return load
    apart = AGGREGATES_DOUBT if signs.senders()["aggregates"].any() else THIRD_DOUBT
    return load._replace(doubt=hypot(load.doubt, apart * load.share))


def _or_by_unanswered(load: Load | None, signs: Signs) -> Load | None:
    """The larger of both: idle times show only exchanges of one length."""
    if signs.failing is None:
        return load
    other = unanswered.unheard(signs.senders(), signs.failing)
    return max(filter(None, (load, other)), key=lambda told: told.share, default=None)


def _or_by_repetitions(load: Load | None, signs: Signs) -> Load | None:
    """What late repetitions tell, where nothing else does, or clearly more of them to a third station."""
    if load and (signs.observer or not (signs.late and signs.late.late)):
        return load
    other = late_repetitions.unheard(signs.late, signs.senders, signs.observer, signs.known)
    if load and not (other and other.share - SURELY_MORE * other.doubt > load.share):
        return load
    return other


def _with_slots(load: Load | None, signs: Signs) -> tuple[Load | None, list[str]]:
    """The mean of the load and of what slots tell, where these are shifted; and who keeps the slots beside it."""
    if signs.starts is None:
        return load, []
    beside = slot_grids.heard(signs.senders(), signs.known_per_s, signs.observer)
    shifted = slot_grids.is_asked(signs.starts, beside)
    if not (load or shifted):
        return None, []
    waits = slot_grids.told(signs.starts, beside)
    other = slot_grids.load(waits, signs.senders(), beside) if shifted else None
    load = _both(load, other) if load and other else load or other
    return load, slot_grids.deaf(waits, load.share) if load else []


def _of_a_lone_pair(load: Load | None, signs: Signs) -> Load | None:
    if not signs.is_lone:
        return load
    if signs.late:
        return lone_pairs.unknown(load, signs.late, signs.senders(), signs.observer, signs.known)
    return load or lone_pairs.mostly_missing(signs.senders())


def beyond(load: Load, missed_per_s: float) -> Load:
    """A load of which frames of senders that are heard are a part: as many as are missing, give or take half."""
    known_share = missed_per_s * load.access_s
    return load._replace(per_s=load.per_s - missed_per_s, doubt=hypot(load.doubt, known_share / 2))


def _both(one: Load, other: Load) -> Load:
    """A load of which two signs tell, which differ by what each presumes."""
    share, doubt = fmean((one.share, other.share)), fmean((one.doubt, other.doubt))
    return one._replace(per_s=share / one.access_s, doubt=hypot(doubt, (one.share - other.share) / 2))
