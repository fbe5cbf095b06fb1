"""The counterfactual study: record under NewReno, predict, and compare with ns-3 really running the other thing.

    python -m benchmarks.replay.counterfactual --development
    python -m benchmarks.replay.counterfactual

Runs of the simulator are kept (``WINF_COUNTERFACTUAL_CACHE``, by default in the user's cache folder), so a study that
is interrupted goes on; an hour of one core for the runs of all worlds, half an hour for the predictions. Without
``--development`` all worlds are predicted, and ``docs/replay/counterfactual.md`` is written. With it the shares are
printed that ``winf_analyzer/_replay/unknowns.py`` has for what the model itself is off. Needs ns-3.37 and a compiler,
and ns-2 (Debian 12: apt install ns2 libns3-dev libgsl-dev g++ pkg-config).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.replay.counterfactual.calibration import model_errors
from benchmarks.replay.counterfactual.document import document, overview
from benchmarks.replay.counterfactual.predictions import Prediction, predictions
from benchmarks.replay.counterfactual.runs import OBSERVERS, observers
from benchmarks.replay.counterfactual.worlds import WORLDS, StudyWorld

PAGE = Path(__file__).parents[3] / "docs" / "replay" / "counterfactual.md"


def main() -> None:
    """Run, predict, compare, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--development", action="store_true", help="only the worlds that the model was made with")
    parser.add_argument("--world", action="append", help="only this world; repeatable")
    parser.add_argument("--question", action="append", help="only this question; repeatable")
    parser.add_argument("--details", action="store_true", help="print every prediction")
    arguments = parser.parse_args()
    worlds = [world for world in WORLDS if _chosen(world, arguments.world, arguments.development)]
    found: list[Prediction] = []
    for world in worlds:
        for observer in observers(world):
            answers = list(predictions(world, observer, arguments.question or ()))
            found += answers
            print(f"{world.name}, {observer}: {overview(answers)}", file=sys.stderr)
            if arguments.details:
                print(*(_line(answer) for answer in answers), sep="\n")
    if arguments.world or arguments.development or arguments.question:
        for half in ("development", "held-out"):
            for observer in OBSERVERS:
                ours = [each for each in found if each.held_out == (half == "held-out") and each.observer == observer]
                if ours:
                    print(f"{half}, {observer}: {overview(ours)}")
        ours = [each for each in found if not each.held_out]
        for observer, shares in model_errors(ours).items():
            print(f"development, {observer}, shares that nine of ten intervals have to be longer: {shares}")
    else:
        PAGE.write_text(document(found), encoding="utf-8")
        print(PAGE)


def _chosen(world: StudyWorld, names: list[str] | None, development: bool) -> bool:
    return world.name in names if names else not (development and world.held_out)


def _line(answer: Prediction) -> str:
    known = [answer.predicted, answer.low, answer.high, answer.true]
    numbers = " ".join("-" if value is None else f"{value:.4g}" for value in known)
    starved = " starved" if answer.starved else ""
    return f"  {answer.question:14} {answer.flow:16} {answer.figure:12} {numbers}{starved} {answer.reason[:100]}"


if __name__ == "__main__":
    main()
