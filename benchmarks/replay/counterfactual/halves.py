"""The sets of held-out worlds that are judged: those that chance does not decide, and beside them all others.

Fixed before the scores (docs/decisions/0137). Every prediction of a held-out world is in a set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmarks.replay.counterfactual.precision import GOALS
from benchmarks.replay.counterfactual.predictions import Prediction
from benchmarks.replay.counterfactual.scores import ranked, summary
from benchmarks.replay.counterfactual.worlds import FIRST_WORLDS
from benchmarks.replay.tables import table

COVERAGE = (0.85, 0.97)
RANKED = 0.95
_FIRST = {world.name for world in FIRST_WORLDS}

Cell = Callable[[tuple[float, float, float | None]], str]
"""Says how good predictions are, from their summary."""


class Judged(NamedTuple):
    """A statement of the goal about a set."""

    statement: str
    found: str
    holds: bool


def sets(held_out: Sequence[Prediction], by_chance: Collection[str]) -> dict[str, list[Prediction]]:
    """Predictions by the name of their set; the first set is the one that is judged.

    Args:
        held_out: all of the held-out worlds.
        by_chance: worlds that chance decides.
    """

    def those(is_in: Callable[[str], bool]) -> list[Prediction]:
        return [each for each in held_out if is_in(each.world)]

    return {
        "judged": those(lambda world: world not in by_chance),
        "judged, of before": those(lambda world: world not in by_chance and world in _FIRST),
        "judged, new": those(lambda world: world not in by_chance and world not in _FIRST),
        "chance decides": those(lambda world: world in by_chance),
        "all of before": those(lambda world: world in _FIRST),
        "all new": those(lambda world: world not in _FIRST),
    }


def section(found: Mapping[str, Sequence[Prediction]], observers: Mapping[str, str], cell: Cell) -> str:
    """Markdown: which worlds are in which set, the figures of each, and the goals of three of them."""
    rows = []
    for name, ours in found.items():
        row = [name, len({each.world for each in ours})]
        for figure in GOALS:
            for observer in observers:
                known = summary([each for each in ours if (each.figure, each.observer) == (figure, observer)])
                row.append(cell(known) if known else "–")
        rows.append([*row, *(_order(ours, observer) for observer in observers)])
    names = observers.values()
    header = ["set", "worlds", *(f"{figure}, {name}" for figure in GOALS for name in names)]
    header += [f"order, {name}" for name in names]
    listed = "\n".join(
        f"- {name}: {_worlds(found[name])}." for name in ("judged, of before", "judged, new", "chance decides")
    )
    return INTRODUCTION + listed + "\n\n" + table(header, rows) + "\n" + _goals(found, observers, cell)


def _worlds(predictions: Iterable[Prediction]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(each.world for each in predictions)) or "none"


def _goals(found: Mapping[str, Sequence[Prediction]], observers: Mapping[str, str], cell: Cell) -> str:
    """The goals: of the judged worlds, and beside them of all of before and of all new ones."""
    names = ("judged", "all of before", "all new")
    by_set = [list(statements(found[name], observers, cell)) for name in names]
    return table(["goal", *names], goal_rows(by_set))


def goal_rows(by_set: Sequence[Sequence[Judged]]) -> list[list[str]]:
    """A row per goal: what was found in each set, and whether it is met; a dash where nothing can be said."""
    return [[same[0].statement, *map(_found, same)] for same in zip(*by_set, strict=True)]


def _found(judged: Judged) -> str:
    return judged.found if judged.found == NOTHING else f"{judged.found}, {'yes' if judged.holds else '**no**'}"


def statements(predictions: Sequence[Prediction], observers: Mapping[str, str], cell: Cell) -> Iterator[Judged]:
    """Each goal, what was found, and whether it is met."""
    for observer, name in observers.items():
        ours = [each for each in predictions if each.observer == observer]
        for figure, (middle, high) in GOALS.items():
            found = summary([each for each in ours if each.figure == figure])
            yield Judged(
                f"{name}, {figure}: median at most {100 * middle:.0f} %, 90th percentile at most {100 * high:.0f} %",
                cell((*found[:2], None)) if found else NOTHING,
                bool(found and found[0] <= middle and found[1] <= high),
            )
            share = found[2] if found else None
            yield Judged(
                f"{name}, {figure}: intervals hold 85 to 97 %",
                NOTHING if share is None else f"{100 * share:.0f} %",
                share is not None and COVERAGE[0] <= share <= COVERAGE[1],
            )
        right, pairs = ranked(ours)
        yield Judged(
            f"{name}: the better of two controllers in 95 % of the pairs that differ by more than 5 %",
            f"{right} of {pairs}" if pairs else NOTHING,
            bool(pairs) and right >= RANKED * pairs,
        )


NOTHING = "–"
"""Of a set without what a goal is about."""


def _order(predictions: Sequence[Prediction], observer: str) -> str:
    right, pairs = ranked([each for each in predictions if each.observer == observer])
    return f"{right} of {pairs}"


INTRODUCTION = """## Held-out worlds

Chance decides a world if more than half of its truths are not known to a third of the goal with the seeds that were
run; that follows from the scatter of the simulator's seeds alone, and was fixed before these scores, and before
anything of the new worlds was predicted ([0137](../decisions/0137-worlds-that-chance-decides.md)). The goals are
judged on the other worlds, of before and new. Beside them stand all worlds of before, as they were judged in earlier
scores, and all new ones: nothing is left out.

"""
