"""Who may hear whom where no recording shows it: stations in a plane, with one range for all.

What is known holds in every placement: who hears whom, who does not, and which stations those hear that recorded
beside them. Where nothing else is known any placement is as good as another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random

Pair = tuple[str, str]

MARGIN = 0.05
"""Stations that hear each other are nearer than the range by this share of it, those that do not are further."""

STEPS = 400
"""Moves of a station, of which those are kept that contradict what is known no more than before."""

TRIES = 4
"""Placements are searched at most so many times as often as are asked for."""


def placements(
    stations: Sequence[str],
    together: Collection[Pair],
    apart: Collection[Pair],
    heard: Mapping[str, Mapping[str, bool]],
    number: int,
) -> Iterator[frozenset[Pair]]:
    """Pairs of which nothing is known and that do not hear each other, once for every placement that differs.

    Args:
        stations: their names.
        together: pairs that hear each other; either order.
        apart: pairs that do not.
        heard: of each station that recorded beside them, which of these it hears; of those left out it is not known.
        number: the most placements.
    """
    nodes = [*stations, *heard]
    place = {name: number for number, name in enumerate(nodes)}
    limits = _limits(place, together, apart, heard)
    known = {frozenset(pair) for pair in (*together, *apart)}
    unknown = [
        (a, b) for number, a in enumerate(stations) for b in stations[number + 1 :] if frozenset((a, b)) not in known
    ]
    found: set[frozenset[Pair]] = set()
    for seed in range(TRIES * number):
        at = _placed(len(nodes), limits, Random(f"placement {seed}"))  # noqa: S311 - draws that repeat
        if at is None:
            continue
        hidden = frozenset((a, b) for a, b in unknown if _squared(at[place[a]], at[place[b]]) > 1)
        if hidden not in found:
            found.add(hidden)
            yield hidden
        if len(found) == number:
            return


Point = tuple[float, float]
_Limits = list[list[tuple[int, float, float]]]


def _limits(
    place: Mapping[str, int],
    together: Collection[Pair],
    apart: Collection[Pair],
    heard: Mapping[str, Mapping[str, bool]],
) -> _Limits:
    """Of each node the others to which its squared distance is limited, and between what."""
    near, far = (0.0, (1 - MARGIN) ** 2), ((1 + MARGIN) ** 2, float("inf"))
    between = {frozenset(pair): near for pair in together} | {
        frozenset(pair): far for pair in apart if pair not in together and pair[::-1] not in together
    }
    for recorder, names in heard.items():
        between |= {frozenset((recorder, name)): near if is_heard else far for name, is_heard in names.items()}
    limits: _Limits = [[] for _ in place]
    for pair, (low, high) in between.items():
        a, b = (place[name] for name in pair)
        limits[a].append((b, low, high))
        limits[b].append((a, low, high))
    return limits


def _placed(nodes: int, limits: _Limits, random: Random) -> list[Point] | None:
    """A placement within the limits, if one is found."""
    side = max(nodes, 4) ** 0.5
    at = [(side * random.random(), side * random.random()) for _ in range(nodes)]
    for _ in range(STEPS):
        for node in range(nodes):
            x, y = at[node]
            # Anywhere, or nearby.
            reach = side if random.random() < 0.2 else 0.3
            new = (x + reach * (random.random() - 0.5), y + reach * (random.random() - 0.5))
            if (
                0 <= new[0] <= side
                and 0 <= new[1] <= side
                and _off(new, limits[node], at) <= _off(at[node], limits[node], at)
            ):
                at[node] = new
    return at if all(_off(at[node], limits[node], at) == 0 for node in range(nodes)) else None


def _off(point: Point, limits: Sequence[tuple[int, float, float]], at: Sequence[Point]) -> float:
    """How far a node at this point is from within its limits."""
    off = 0.0
    for other, low, high in limits:
        squared = _squared(point, at[other])
        if squared < low:
            off += low - squared
        elif squared > high:
            off += squared - high
    return off


def _squared(one: Point, other: Point) -> float:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
