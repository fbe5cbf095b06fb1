"""The page of the study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from benchmarks.replay.counterfactual import disagreement, halves, judged, known
from benchmarks.replay.counterfactual.chance import Key, by_chance
from benchmarks.replay.counterfactual.precision import GOALS
from benchmarks.replay.counterfactual.predictions import FIGURES, Prediction
from benchmarks.replay.counterfactual.questions import QUESTIONS
from benchmarks.replay.counterfactual.runs import OBSERVERS
from benchmarks.replay.counterfactual.scatter import scatter, section
from benchmarks.replay.counterfactual.scores import errors, ranked, summary
from benchmarks.replay.counterfactual.texts import BY_WORLD, FOUND, HISTORY, INTRODUCTION
from benchmarks.replay.counterfactual.worlds import AGGREGATES, PHYS, WORLDS
from benchmarks.replay.tables import table

OBSERVER_NAMES = {"every_node": "every node", "sniffer": "one sniffer"}


def overview(predictions: Sequence[Prediction]) -> str:
    """One line: median, 90th percentile and coverage of each figure."""
    return "; ".join(
        f"{figure} {cell(found)}"
        for figure in FIGURES
        if (found := summary([each for each in predictions if each.figure == figure]))
    )


def document(predictions: Sequence[Prediction], *, make: bool = True) -> str:
    """Markdown, all of it from the predictions; see :func:`~.truths.truth_of` for ``make``."""
    held_out = [each for each in predictions if each.held_out]
    truths = known.known(make=make)
    apart = scatter(make=make)
    sets = halves.sets(held_out, known.by_chance(truths))
    parts = [
        INTRODUCTION,
        HISTORY,
        halves.section(sets, OBSERVER_NAMES, cell),
        "### The judged worlds\n\n" + figures_of(sets["judged"]),
        _starved(held_out),
        disagreement.section(sets["chance decides"], held_out, OBSERVER_NAMES),
        judged.section(held_out, GOALS, _summed, OBSERVER_NAMES),
        known.section(truths),
        "### By question\n\nOf the judged worlds.\n\n"
        + by_name(sets["judged"], [each.name for each in QUESTIONS], lambda each: each.question),
        "### By world\n\n" + BY_WORLD + _by_world(held_out, by_chance(apart)),
        "## Development worlds\n\n" + figures_of([each for each in predictions if not each.held_out]),
        _stopped(predictions),
        section(apart),
        FOUND,
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _by_world(held_out: Sequence[Prediction], chance: Mapping[Key, tuple[float, float]]) -> str:
    return by_name(held_out, [each.name for each in WORLDS if each.held_out], lambda each: each.world, chance)


def figures_of(predictions: Sequence[Prediction]) -> str:
    """Markdown: median, 90th percentile and coverage by figure and observer, and the order of controllers."""
    header = ["figure", *(OBSERVER_NAMES[name] for name in OBSERVERS)]
    rows = [[figure, *(_of(predictions, figure, observer) for observer in OBSERVERS)] for figure in FIGURES]
    order = ["order of two controllers", *(_order(predictions, observer) for observer in OBSERVERS)]
    return table(header, [*rows, order])


def by_name(
    predictions: Sequence[Prediction],
    names: Iterable[str],
    key: Callable[[Prediction], str],
    chance: Mapping[Key, tuple[float, float]] | None = None,
) -> str:
    """Markdown: median, 90th percentile and coverage by name; of worlds also what chance alone makes.

    Args:
        predictions: all of them.
        names: of the rows.
        key: the name of a prediction.
        chance: by world and figure, median and 90th percentile of the errors that chance makes.
    """
    header = [""]
    for figure in GOALS:
        header += [f"{figure}, {OBSERVER_NAMES[observer]}" for observer in OBSERVERS]
        header += [f"{figure}, chance"] if chance is not None else []
    rows = []
    for name in names:
        ours = [each for each in predictions if key(each) == name]
        if ours:
            row = [name]
            for figure in GOALS:
                row += [_of(ours, figure, observer) for observer in OBSERVERS]
                row += [_chance(chance.get((name, figure)))] if chance is not None else []
            rows.append(row)
    return table(header, rows)


def _of(predictions: Sequence[Prediction], figure: str, observer: str) -> str:
    ours = [each for each in predictions if each.figure == figure and each.observer == observer]
    declined = sum(each.predicted is None and not each.starved for each in ours)
    text = cell(found) if (found := summary(ours)) else "–"
    return f"{text}, {declined} without" if declined else text


def _chance(known: tuple[float, float] | None) -> str:
    return "–" if known is None else f"{100 * known[0]:.1f} / {100 * known[1]:.1f} %"


def _summed(predictions: Sequence[Prediction]) -> str:
    found = summary(predictions)
    return "–" if found is None else cell(found)


def _order(predictions: Sequence[Prediction], observer: str) -> str:
    right, pairs = ranked([each for each in predictions if each.observer == observer])
    return f"{right} of {pairs}"


def cell(found: tuple[float, float, float | None]) -> str:
    """Median, 90th percentile and coverage, if there is one."""
    middle, high, covered = found
    text = f"{100 * middle:.1f} / {100 * high:.1f} %"
    return text if covered is None else f"{text} / {100 * covered:.0f} %"


def _starved(held_out: Sequence[Prediction]) -> str:
    """How many predictions are of flows that starve, which no table counts."""
    starved = [each for each in held_out if each.starved and each.figure == "goodput"]
    again = [each for each in starved if each.predicted is not None and each.predicted <= 2 * (each.true or 0)]
    return (
        f"{len(starved)} predictions are of flows with less than 5 % of the fastest one of their world; "
        f"{len(again)} of them are at most twice the truth. They are in no table: "
        f"{len(errors(each for each in held_out if each.figure == 'goodput'))} others are."
    )


def _stopped(predictions: Sequence[Prediction]) -> str:
    """How many runs of each half are no truth."""
    ht = {world.name for world in WORLDS if PHYS[world.phy].standard in AGGREGATES}
    runs = {
        (each.held_out, each.world, each.question): (each.stopped, each.stopped + each.truths) for each in predictions
    }
    halves = []
    for name, half in (("development", False), ("held-out", True)):
        counts = [count for key, count in runs.items() if key[0] == half and key[1] in ht]
        halves.append(
            f"{sum(stopped for stopped, _ in counts)} of {sum(made for _, made in counts)} of the {name} half"
        )
    crashed = sum(stopped for key, (stopped, _) in runs.items() if key[1] not in ht)
    return f"Runs with A-MPDUs that are no truth: {' and '.join(halves)}. In {crashed} other runs ns-3 crashed."
