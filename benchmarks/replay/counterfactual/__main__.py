"""The counterfactual study: record under NewReno, predict, and compare with ns-3 really running the other thing.

    python -m benchmarks.replay.counterfactual --development
    python -m benchmarks.replay.counterfactual

Runs of the simulator and replays are kept (``WINF_COUNTERFACTUAL_CACHE``, by default in the user's cache folder), so a
study that is interrupted goes on; three hours of one core for the runs of all worlds, an hour for the predictions.
Without ``--development`` all worlds are predicted, and ``docs/replay/counterfactual.md`` and its figure are written.
With it the shares are printed that ``winf_analyzer/_replay/unknowns.py`` has for what the model itself is off.
``--truths`` runs the simulators alone. Needs ns-3.37 and a compiler, and ns-2 (Debian 12: apt install ns2 libns3-dev
libgsl-dev g++ pkg-config).
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from benchmarks.replay.counterfactual import known
from benchmarks.replay.counterfactual.calibration import model_errors
from benchmarks.replay.counterfactual.document import document, overview
from benchmarks.replay.counterfactual.drawn import DRAWN
from benchmarks.replay.counterfactual.figures import figure
from benchmarks.replay.counterfactual.precision import STEPS
from benchmarks.replay.counterfactual.predictions import Prediction, listed
from benchmarks.replay.counterfactual.runs import OBSERVERS, observers
from benchmarks.replay.counterfactual.truths import simulate
from benchmarks.replay.counterfactual.worlds import WORLDS, StudyWorld

PAGE = Path(__file__).parents[3] / "docs" / "replay" / "counterfactual.md"
FIGURE = PAGE.with_suffix(".svg")


def main() -> None:
    """Run, predict, compare, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--development", action="store_true", help="only the worlds that the model was made with")
    parser.add_argument("--world", action="append", help="only this world; repeatable")
    parser.add_argument("--question", action="append", help="only this question; repeatable")
    parser.add_argument("--details", action="store_true", help="print every prediction")
    parser.add_argument("--jobs", type=int, default=1, help="simulators and recordings at a time (1)")
    parser.add_argument("--most", type=int, default=STEPS[-1], help="run no more seeds of a truth; what was run counts")
    parser.add_argument("--truths", action="store_true", help="run the simulators only, and print what is known")
    arguments = parser.parse_args()
    every = WORLDS + DRAWN if arguments.world else WORLDS
    worlds = [world for world in every if _chosen(world, arguments.world, arguments.development)]
    make = arguments.most >= STEPS[-1]
    simulate(worlds, arguments.jobs, arguments.most, arguments.question or ())
    if arguments.truths:
        print(known.section(known.known(worlds, make=make)))
        return
    places = [(world, observer) for world in worlds for observer in observers(world)]
    found: list[Prediction] = []
    with ProcessPoolExecutor(arguments.jobs, get_context("spawn")) as pool:
        answers_of = partial(listed, names=arguments.question or (), make=make)
        for (world, observer), answers in zip(places, pool.map(answers_of, *zip(*places, strict=True)), strict=True):
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
        PAGE.write_text(document(found, make=make), encoding="utf-8")
        drawn = figure([each for each in found if each.held_out], known.by_chance(known.known(make=make)))
        FIGURE.write_text(drawn, encoding="utf-8")
        print(PAGE, FIGURE, sep="\n")


def _chosen(world: StudyWorld, names: list[str] | None, development: bool) -> bool:
    return world.name in names if names else not (development and world.held_out)


def _line(answer: Prediction) -> str:
    known = [answer.predicted, answer.low, answer.high, answer.true]
    numbers = " ".join("-" if value is None else f"{value:.4g}" for value in known)
    starved = " starved" if answer.starved else ""
    return f"  {answer.question:14} {answer.flow:16} {answer.figure:12} {numbers}{starved} {answer.reason[:100]}"


if __name__ == "__main__":
    main()
