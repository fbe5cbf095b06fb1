"""Runs of a study: made, kept in a file, and taken up again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from winf_analyzer import _core
from winf_analyzer._papers.reproductions._metrics import METRICS
from winf_analyzer._papers.reproductions._rows import RunTables, parts
from winf_analyzer._papers.reproductions._study import BESIDE, Arm, Figure, Means, Run, Statement, Study, X
from winf_analyzer._replay import replay
from winf_analyzer._replay.topologies.world import SECOND, World
from winf_analyzer._util.progress import Progress
from winf_analyzer._util.student import half_width


@dataclass(frozen=True)
class Outcome:
    """The runs of a study."""

    places: Sequence[X]
    seconds: float
    version: str
    runs: Sequence[Run]
    summed: Mapping[tuple[str, str, X], tuple[float | None, float | None]] = field(default_factory=dict)
    """Mean and half width by metric, arm and place, where the runs themselves are not kept."""
    summed_seeds: int = 0
    """How many seeds these are of."""

    @property
    def seeds(self) -> int:
        """How often every arm was run."""
        return self.summed_seeds or len({run["seed"] for run in self.runs})

    def values(self, metric: str, label: str, place: X) -> list[float]:
        """Of every seed; where a run had nothing to average it is left out."""
        found = (run["metrics"][metric] for run in self._by_arm.get((label, place), []))
        return [value for value in found if value is not None]

    @cached_property
    def _by_arm(self) -> dict[tuple[str, X], list[Run]]:
        grouped: dict[tuple[str, X], list[Run]] = {}
        for run in self.runs:
            grouped.setdefault((run["arm"], run["place"]), []).append(run)
        return grouped

    def mean(self, metric: str, label: str, place: X) -> float | None:
        """Over the seeds; None without any."""
        if self.summed:
            return self.summed.get((metric, label, place), (None, None))[0]
        values = self.values(metric, label, place)
        return fmean(values) if values else None

    def half_width(self, metric: str, label: str, place: X) -> float | None:
        """Half the width of the 95 % confidence interval."""
        if self.summed:
            return self.summed.get((metric, label, place), (None, None))[1]
        return half_width(self.values(metric, label, place))

    def means(self, metric: str, places: Sequence[X]) -> dict[tuple[str, X], float]:
        """The means of every arm at these places, where there is one."""
        labels = dict.fromkeys([*(run["arm"] for run in self.runs), *(label for _, label, _ in self.summed)])
        found = {(label, place): self.mean(metric, label, place) for label in labels for place in places}
        return {key: mean for key, mean in found.items() if mean is not None}

    def _holds(self, says: Statement, figure: Figure, places: Sequence[X]) -> bool:
        try:
            known = self.places if figure.readings else places
            return bool(says.holds(self.means(says.metric or figure.metric, known), places))
        except (KeyError, ZeroDivisionError):
            return False

    def readings(self) -> list[X]:
        """The places that are readings, the first of them the scene as elsewhere."""
        return [place for place in self.places if BESIDE not in str(place)]

    def turned_by(self, figure: Figure) -> list[X]:
        """The readings with which everything that the paper says of a figure holds."""
        return [place for place in self.readings() if all(self._holds(says, figure, [place]) for says in figure.says)]

    def _with_readings(self, says: Statement, figure: Figure) -> str:
        """With which readings a statement holds."""
        readings = self.readings()
        holding = [place for place in readings if self._holds(says, figure, [place])]
        if not holding:
            return f"holds with none of {len(readings)} readings"
        if len(holding) == len(readings):
            return f"holds with all {len(readings)} readings"
        few, word = (holding, "") if 2 * len(holding) <= len(readings) else (set(readings) - set(holding), "all but ")
        named = "; ".join(str(place) for place in readings if place in few)
        return f"holds with {len(holding)} of {len(readings)} readings ({word}{named})"

    def holding(self, figure: Figure) -> str:
        """How much of what the paper says of a figure holds, in a word or two."""
        if not figure.says:
            return "–"
        if figure.readings:
            return f"with {len(self.turned_by(figure))} of {len(self.readings())} readings"
        places = figure.shows(self.places)
        held = sum(self._holds(says, figure, places) for says in figure.says)
        return {0: "no", len(figure.says): "yes"}.get(held, f"{held} of {len(figure.says)}")

    def verdict(self, figure: Figure) -> str:
        """Whether the paper's statements hold, in one line, and how far the printed numbers are."""
        places = figure.shows(self.places)
        if figure.readings:
            said = [f"{says.text}: {self._with_readings(says, figure)}" for says in figure.says]
        else:
            said = [
                f"{says.text}: {'holds' if self._holds(says, figure, places) else 'does not hold'}"
                for says in figure.says
            ]
        means = self.means(figure.metric, places)
        if figure.readings:
            return "; ".join([*said, *_nearest(figure, means, places)])
        off = [
            f"{label} {100 * (mean / printed[place] - 1):+.0f} % at {place}"
            for label, printed in figure.printed.items()
            for place in places
            if place in printed and (mean := means.get((label, place))) is not None
        ]
        numbers = [f"beside the printed numbers: {', '.join(off)}"] if off else []
        return "; ".join([*said, *numbers]) or "the paper says nothing that could be held against it"


def _nearest(figure: Figure, means: Means, places: Sequence[X]) -> list[str]:
    """How far the printed numbers are from ours with the first reading, and with the best of all."""
    off = {
        place: max(
            abs(means[label, place] / printed[place] - 1)
            for label, printed in figure.printed.items()
            if (label, place) in means
        )
        for place in places
        if any((label, place) in means for label in figure.printed)
    }
    if not off:
        return []
    best = min(off, key=lambda place: off[place])
    return [f"printed numbers are off by up to {off[places[0]]:.0%}, with the best reading ({best}) by {off[best]:.0%}"]


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
    if study.kept_in_full and seconds == study.seconds:
        return study.kept_in_full(place, seed)
    if study.recorded:
        return study.recorded(place, seed)
    world = study.world(place, seed, seconds)
    made: dict[str, RunTables] = {}
    runs = []
    for arm in study.arms:
        if arm.places and place not in arm.places:
            continue
        settings = _joined(arm.settings, arm.settings_at(place) if arm.settings_at else {})
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
            links = replayed.links.collect().with_columns(radio=pl.col("link").is_in(_radio_links(world)))
            made[key] = RunTables(replayed.summary, replayed.flows.collect(), links)
        for at, rows in parts(study.along, study.places, place, made[key].of_flows(arm.flows)):
            drawn = {name: study.columns.get(at, name) for name in METRICS if _is_drawn(study, name)}
            metrics = {name: _rounded(METRICS[column].of(rows)) for name, column in drawn.items()}
            runs.append({"arm": arm.label, "place": at, "seed": seed, "metrics": metrics})
    return runs


def _radio_links(world: World) -> list[str]:
    """Names of both directions of every wireless link."""
    ends = [(link["from"], link["to"]) for link in world["links"] if "wireless" in link["medium"]]
    return [f"{a} > {b}" for pair in ends for a, b in (pair, pair[::-1])]


def _joined(settings: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Both; where each has a table of that name, the tables joined."""
    both = {key: {**settings[key], **more[key]} for key in settings.keys() & more if isinstance(more[key], dict)}
    return {**settings, **more, **both}


def _is_drawn(study: Study, metric: str) -> bool:
    return any(
        metric in (figure.metric, *(says.metric for says in figure.says), *(curve.metric for curve in figure.curves))
        for figure in study.figures
    )


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


def read(document: dict[str, Any]) -> Outcome:
    """The outcome that a file of runs holds."""
    return Outcome(document["places"], document["seconds"], document["version"], document["runs"])


def _arms(arms: Sequence[Arm]) -> list[list[Any]]:
    return [[arm.label, arm.controller, arm.mode, dict(arm.settings)] for arm in arms]
