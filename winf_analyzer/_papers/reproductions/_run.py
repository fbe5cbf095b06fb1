"""Runs of a study: made, kept in a file, and taken up again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Any

from winf_analyzer import _core
from winf_analyzer._papers.reproductions._metrics import METRICS
from winf_analyzer._papers.reproductions._rows import Rows, parts
from winf_analyzer._papers.reproductions._study import Arm, Figure, Statement, Study, X
from winf_analyzer._replay import replay
from winf_analyzer._replay.confidence import half_width
from winf_analyzer._replay.topologies.world import SECOND
from winf_analyzer._util.progress import Progress

Run = dict[str, Any]
"""One run: `arm`, `place`, `seed` and its `metrics`."""


@dataclass(frozen=True)
class Outcome:
    """The runs of a study."""

    places: Sequence[X]
    seconds: float
    version: str
    runs: Sequence[Run]

    def values(self, metric: str, label: str, place: X) -> list[float]:
        """Of every seed; where a run had nothing to average it is left out."""
        found = (run["metrics"][metric] for run in self.runs if (run["arm"], run["place"]) == (label, place))
        return [value for value in found if value is not None]

    def mean(self, metric: str, label: str, place: X) -> float | None:
        """Over the seeds; None without any."""
        values = self.values(metric, label, place)
        return fmean(values) if values else None

    def half_width(self, metric: str, label: str, place: X) -> float | None:
        """Half the width of the 95 % confidence interval."""
        return half_width(self.values(metric, label, place))

    def means(self, metric: str, places: Sequence[X]) -> dict[tuple[str, X], float]:
        """The means of every arm at these places, where there is one."""
        labels = dict.fromkeys(run["arm"] for run in self.runs)
        found = {(label, place): self.mean(metric, label, place) for label in labels for place in places}
        return {key: mean for key, mean in found.items() if mean is not None}

    def _holds(self, says: Statement, figure: Figure, places: Sequence[X]) -> bool:
        try:
            return bool(says.holds(self.means(says.metric or figure.metric, places), places))
        except (KeyError, ZeroDivisionError):
            return False

    def verdict(self, figure: Figure) -> str:
        """Whether the paper's statements hold, in one line, and how far the printed numbers are."""
        places = figure.shows(self.places)
        said = [
            f"{says.text}: {'holds' if self._holds(says, figure, places) else 'does not hold'}" for says in figure.says
        ]
        means = self.means(figure.metric, places)
        off = [
            f"{label} {100 * (mean / printed[place] - 1):+.0f} % at {place}"
            for label, printed in figure.printed.items()
            for place in places
            if place in printed and (mean := means.get((label, place))) is not None
        ]
        numbers = [f"beside the printed numbers: {', '.join(off)}"] if off else []
        return "; ".join([*said, *numbers]) or "the paper says nothing that could be held against it"


def kept(study: Study) -> Outcome | None:
    """The results that ship with the package."""
    file = files("winf_analyzer._papers") / "results" / f"{study.name}.json"
    return _read(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None


def run_study(study: Study, file: Path, *, quick: bool, threads: int = 0, progress: Progress | None = None) -> Outcome:
    """The outcome of a study; runs that `file` holds are not repeated, and those made are written to it at once."""
    places = study.quick_places if quick else study.places
    seeds = study.quick_seeds if quick else study.seeds
    seconds = study.quick_seconds if quick else study.seconds
    outcome = Outcome(places, seconds, _core.__version__, [])
    runs = list(_taken_up(file, outcome, study))
    done = {(run["place"], run["seed"]) for run in runs}
    starts = places if study.along == "worlds" else places[:1]
    wanted = [(place, seed) for place in starts for seed in range(1, seeds + 1)]
    for number, (place, seed) in enumerate(wanted, start=1):
        if (place, seed) not in done:
            runs += point(study, place, seed, seconds, threads=threads)
            outcome = Outcome(places, seconds, _core.__version__, runs)
            _write(file, study, outcome)
        if progress:
            progress(f"{study.name}: {place}, seed {seed}", number, len(wanted))
    chosen = [run for run in runs if run["place"] in places and run["seed"] <= seeds]
    return Outcome(places, seconds, _core.__version__, chosen)


def point(study: Study, place: X, seed: int, seconds: float, *, threads: int = 0) -> list[Run]:
    """Every arm at one place with one seed; where places are parts of one world, at every one of them.

    Arms that differ only in the flows they show are one run.
    """
    world = study.world(place, seed, seconds)
    made: dict[str, Rows] = {}
    runs = []
    for arm in study.arms:
        settings = {**arm.settings, **(arm.settings_at(place) if arm.settings_at else {})}
        key = json.dumps([arm.controller, arm.mode, settings])
        if key not in made:
            replayed = replay(
                topology=world,
                controllers=[arm.controller],
                mode=arm.mode,
                seeds=[seed],
                settings={arm.controller: settings} if settings else None,
                bin_width=None if study.bin_s is None else round(study.bin_s * SECOND),
                threads=threads,
            )
            made[key] = Rows(replayed.summary, replayed.flows.collect(), replayed.links.collect())
        for at, rows in parts(study.along, study.places, place, made[key].of_flows(arm.flows)):
            metrics = {name: _rounded(metric.of(rows)) for name, metric in METRICS.items() if _is_drawn(study, name)}
            runs.append({"arm": arm.label, "place": at, "seed": seed, "metrics": metrics})
    return runs


def _is_drawn(study: Study, metric: str) -> bool:
    return any(metric in (figure.metric, *(says.metric for says in figure.says)) for figure in study.figures)


def _rounded(value: float | None) -> float | None:
    """Seven digits: enough to tell runs apart."""
    return None if value is None else float(f"{value:.7g}")


def _taken_up(file: Path, outcome: Outcome, study: Study) -> Iterator[Run]:
    """Runs of an earlier call, if they are of the same version, length and arms."""
    if not file.is_file():
        return
    document = json.loads(file.read_text(encoding="utf-8"))
    same = (document.get("version"), document.get("seconds"), document.get("arms"))
    if same == (outcome.version, outcome.seconds, _arms(study.arms)):
        yield from document["runs"]


def _write(file: Path, study: Study, outcome: Outcome) -> None:
    """Whole or not at all."""
    head = {
        "study": study.name,
        "title": study.title,
        "notes": study.notes,
        "version": outcome.version,
        "seconds": outcome.seconds,
        "places": list(outcome.places),
        "arms": _arms(study.arms),
    }
    lines = ",\n".join(f"    {json.dumps(run)}" for run in outcome.runs)
    text = f'{json.dumps(head, indent=2)[:-2]},\n  "runs": [\n{lines}\n  ]\n}}\n'
    written = file.with_suffix(".json.part")
    written.write_text(text, encoding="utf-8")
    written.replace(file)


def _read(document: dict[str, Any]) -> Outcome:
    return Outcome(document["places"], document["seconds"], document["version"], document["runs"])


def _arms(arms: Sequence[Arm]) -> list[list[Any]]:
    return [[arm.label, arm.controller, arm.mode, dict(arm.settings)] for arm in arms]
