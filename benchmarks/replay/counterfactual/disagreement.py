"""Worlds that chance decides: whether intervals hold single runs, and whether a replay says that its seeds disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from benchmarks.replay.counterfactual.halves import COVERAGE
from benchmarks.replay.counterfactual.judged import is_known
from benchmarks.replay.counterfactual.precision import GOALS
from benchmarks.replay.counterfactual.predictions import Prediction
from benchmarks.replay.tables import Check, checks, table

SAYS = 0.9
"""Share of the answers that are to say that chance decides where it does, and not to where the truth is known."""


def held_runs(predictions: Sequence[Prediction]) -> float | None:
    """Share of the simulator's single runs that intervals hold; each flow counts once, and none that starves."""
    shares = [share for each in predictions if not each.starved and (share := each.held_runs) is not None]
    return fmean(shares) if shares else None


def said(predictions: Sequence[Prediction]) -> tuple[int, int]:
    """Of how many answers the replay says that chance decides, and how many there are: by world and question."""
    answers: dict[tuple[str, str], bool] = {}
    for each in predictions:
        if each.predicted is not None:
            key = (each.world, each.question)
            answers[key] = answers.get(key, False) or each.says_chance
    return sum(answers.values()), len(answers)


def section(decided: Sequence[Prediction], held_out: Sequence[Prediction], observers: Mapping[str, str]) -> str:
    """Markdown.

    Args:
        decided: predictions of the worlds that chance decides.
        held_out: those of all held-out worlds.
        observers: names of those who recorded.
    """
    rows, found = [], []
    worlds = {each.world for each in decided}
    parts = {"chance decides": decided, "other worlds": [each for each in held_out if each.world not in worlds]}
    for figure in GOALS:
        for name, some in parts.items():
            shares = {
                observer: held_runs([each for each in some if (each.figure, each.observer) == (figure, observer)])
                for observer in observers
            }
            rows.append([f"{figure}, single runs that intervals hold, {name}", *map(_percent, shares.values())])
            if some is decided:
                found += [
                    Check(
                        f"{observers[observer]}, {figure}: where chance decides intervals hold 85 to 97 % of runs",
                        _percent(share),
                        share is not None and COVERAGE[0] <= share <= COVERAGE[1],
                    )
                    for observer, share in shares.items()
                ]
    known = [each for each in held_out if is_known(each)]
    for name, some in (("in worlds that chance decides", decided), ("where the truth is known", known)):
        counts = {key: said([each for each in some if each.observer == key]) for key in observers}
        rows.append([f"the replay says that chance decides, {name}", *(f"{a} of {b}" for a, b in counts.values())])
        for observer, (yes, all_of_them) in counts.items():
            right = yes if some is decided else all_of_them - yes
            does = "it is said in at least 90 % of the answers that chance decides"
            statement = does if some is decided else "it is said in at most 10 % of the answers whose truth is known"
            is_met = bool(all_of_them) and right >= SAYS * all_of_them
            found.append(Check(f"{observers[observer]}: {statement}", f"{yes} of {all_of_them}", is_met))
    return INTRODUCTION + table(["", *observers.values()], rows) + "\n" + checks(found)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


INTRODUCTION = """## Where chance decides

A single run says little about the next one there, and the mean of few seeds little about their mean. What can be asked
is whether an interval, which is that of a single run, holds what single runs of the simulator did, and whether the
replay says that runs with other seeds would differ ([0138](../decisions/0138-a-replay-says-that-chance-decides.md)).

"""
