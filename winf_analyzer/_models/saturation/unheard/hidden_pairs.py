"""Which pairs of senders do not hear each other, by how many attempts of each were missed.

Any two groups may not hear each other, or all may not hear any, and some may hear all, as stations between the others
do: of all these readings that one counts beside which as many frames of each sender should have overlapped as were
missed. Where none does, or surely fits worse, the pairs count that make what was missed of all senders likeliest. They
are found one by one, the one first that explains most, until no further one explains enough. Of each sender a normal
distribution is taken around what should have collided and overlapped, with the variance of a count and that of a model.
"""

import math
from collections.abc import Sequence
from itertools import combinations, product
from typing import NamedTuple

MIN_DIFFERENCE = 10.0
"""Failures by which readings of groups must differ, and of which nothing follows if a sender has no more."""

AS_MANY = 2.0
"""Factor within which frames must have overlapped as were missed, of each group, where some hear all: such readings are
many."""

MODEL_ERROR = 0.3
"""Relative standard deviation of what should have overlapped: of the frames of stations that repeat, and wait."""

SURELY = 5.0
"""By how much a pair must raise the logarithm of the likelihood: of ten pairs one is hidden, and of six senders 15
pairs are asked of."""

FEW = 3.0
"""Attempts by which as many more than were missed may be expected to overlap, besides as many as were missed."""

Pair = tuple[int, int]
"""Places of two senders."""


class Sender(NamedTuple):
    """One of the senders of a medium, over the recording."""

    sent: float
    """Attempts."""
    exchange_ns: float
    missed: float
    """Attempts that failed and were not heard."""
    beside: float
    """Attempts that should have collided if it hears all."""
    piled_up: float
    """Packets in a contention window of another's."""
    window: float
    """Slots of its contention window."""
    may: bool
    """What failed of it was not heard, and the rest was: it may be beside a hidden station."""
    hardly_fails: bool


def overlapped(one: Sender, others: Sequence[Sender], hidden: Sequence[Sender], covered_ns: float) -> float:
    """Attempts of `one` that should have failed if it does not hear those that are `hidden`, of all the `others`."""
    sent = math.fsum(each.sent for each in hidden)
    other_ns = math.fsum(each.sent * each.exchange_ns for each in hidden) / max(sent, 1.0)
    meets = 1 - math.exp(-sent / covered_ns * (one.exchange_ns + other_ns))
    alike = 1 - sent / max(math.fsum(each.sent for each in others), 1.0)
    # Of packets that pile up one in a window meets another in range; out of range all overlap.
    found = one.sent * meets + one.piled_up * one.window * (1 - alike)
    return min(one.sent, found) + one.beside * alike


def found(senders: Sequence[Sender], covered_ns: float) -> list[Pair]:
    """The pairs of `senders`, by their places, that do not hear each other; none where nothing tells.

    Those of different groups, if these explain what was missed and other pairs do so not surely better.
    """
    groups, pairs = _of_groups(senders, covered_ns), _one_by_one(senders, covered_ns)
    better = _total(senders, pairs, covered_ns) - _total(senders, groups, covered_ns)
    return groups if groups and better < SURELY else pairs


def _of_groups(senders: Sequence[Sender], covered_ns: float) -> list[Pair]:
    """The pairs of the reading that explains best what was missed of all; none where that is not sure."""
    if not all(sender.may or sender.hardly_fails for sender in senders):
        return []

    def misfit(pairs: list[Pair]) -> float:
        return math.fsum(_ratio(sender, each) ** 2 for sender, each in _beside(senders, pairs, covered_ns))

    best = min(_readings(len(senders)), key=misfit)
    apart = {place for pair in best for place in pair}
    nobody_hears_all = len(apart) == len(senders)
    for place, (sender, expected) in enumerate(_beside(senders, best, covered_ns)):
        enough = expected - sender.beside >= MIN_DIFFERENCE
        nearer = (sender.missed + 1) ** 2 > (sender.beside + 1) * (expected + 1)
        as_many = nobody_hears_all or abs(_ratio(sender, expected)) < math.log(AS_MANY)
        if not (enough and nearer and as_many if place in apart else sender.hardly_fails):
            return []
    return best


def _readings(count: int) -> list[list[Pair]]:
    """The pairs of every reading: of two groups, or of all that are in any; and some in none, who hear all.

    Those in which nobody hears all come first.
    """
    two = [groups for groups in product(range(3), repeat=count) if next(filter(None, groups), 0) == 1 and 2 in groups]
    each = [
        tuple(sum(chosen[: place + 1]) if is_in else 0 for place, is_in in enumerate(chosen))
        for chosen in product((1, 0), repeat=count)
        if sum(chosen) > 2
    ]
    ordered = sorted(two + each, key=lambda groups: groups.count(0))
    return [
        [
            (one, other)
            for (one, first), (other, second) in combinations(enumerate(groups), 2)
            if 0 < first != second > 0
        ]
        for groups in ordered
    ]


def _ratio(sender: Sender, expected: float) -> float:
    """The logarithm of how many times as many were missed as expected."""
    return math.log((sender.missed + 1) / (expected + 1))


def _one_by_one(senders: Sequence[Sender], covered_ns: float) -> list[Pair]:
    places = [place for place, sender in enumerate(senders) if sender.may]
    left = list(combinations(places, 2))
    pairs: list[Pair] = []
    while left:
        gains = [_gain(senders, pairs, pair, covered_ns) for pair in left]
        best = max(range(len(left)), key=gains.__getitem__)
        if gains[best] < SURELY:
            break
        pairs.append(left.pop(best))
    return pairs


def _total(senders: Sequence[Sender], pairs: list[Pair], covered_ns: float) -> float:
    return math.fsum(_likelihood(sender.missed, each) for sender, each in _beside(senders, pairs, covered_ns))


def _beside(senders: Sequence[Sender], pairs: list[Pair], covered_ns: float) -> list[tuple[Sender, float]]:
    """Each sender with the attempts of it that should have failed if these pairs do not hear each other."""
    return [(sender, _expected(senders, pairs, place, covered_ns)) for place, sender in enumerate(senders)]


def _gain(senders: Sequence[Sender], pairs: list[Pair], pair: Pair, covered_ns: float) -> float:
    """By how much the logarithm of the likelihood rises with one pair more; minus infinity beyond what was missed."""
    gain = 0.0
    for place in pair:
        before, after = (_expected(senders, some, place, covered_ns) for some in (pairs, [*pairs, pair]))
        if after > 2 * senders[place].missed + FEW:
            return -math.inf
        gain += _likelihood(senders[place].missed, after) - _likelihood(senders[place].missed, before)
    return gain


def _expected(senders: Sequence[Sender], pairs: list[Pair], place: int, covered_ns: float) -> float:
    hidden = [senders[sum(pair) - place] for pair in pairs if place in pair]
    others = [sender for other, sender in enumerate(senders) if other != place]
    return overlapped(senders[place], others, hidden, covered_ns)


def _likelihood(missed: float, expected: float) -> float:
    variance = expected + 1 + (MODEL_ERROR * expected) ** 2
    return -((missed - expected) ** 2) / (2 * variance) - math.log(variance) / 2
