"""Results that ship with the package: the runs of the quick form of a study, and means of the full one."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from winf_analyzer._papers.reproductions._run import Outcome, read
from winf_analyzer._papers.reproductions._study import Study

_FOLDER = files("winf_analyzer._papers") / "results"


def kept(study: Study) -> Outcome | None:
    """The quick results."""
    document = _document(f"{study.name}.json")
    return None if document is None else read(document)


def kept_full(study: Study) -> Outcome | None:
    """The results at the paper's length and repetitions, as means and intervals."""
    document = _document("full", f"{study.name}.json")
    if document is None:
        return None
    summed = {
        (metric, row["arm"], row["place"]): tuple(found)
        for row in document["means"]
        for metric, found in row["metrics"].items()
    }
    return Outcome(document["places"], document["seconds"], document["version"], [], summed, document["seeds"])


def is_current(study: Study) -> bool:
    """Whether full results are kept and belong to the quick ones."""
    document = _document("full", f"{study.name}.json")
    return document is not None and document["quick"] == _digest(study)


def keep(study: Study, outcome: Outcome, folder: Path) -> None:
    """Write the means of a full outcome, and which quick results they belong to, below `folder`."""
    names = dict.fromkeys(name for run in outcome.runs for name in run["metrics"])
    labels = dict.fromkeys(run["arm"] for run in outcome.runs)
    rows = [
        {"arm": label, "place": place, "metrics": {name: _summed(outcome, name, label, place) for name in names}}
        for label in labels
        for place in outcome.places
    ]
    head = {
        "study": study.name,
        "version": outcome.version,
        "seconds": outcome.seconds,
        "seeds": outcome.seeds,
        "places": list(outcome.places),
        "quick": _digest(study),
    }
    lines = ",\n".join(f"    {json.dumps(row)}" for row in rows)
    target = folder / "full" / f"{study.name}.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(f'{json.dumps(head, indent=2)[:-2]},\n  "means": [\n{lines}\n  ]\n}}\n', encoding="utf-8")


def _summed(outcome: Outcome, metric: str, label: str, place: Any) -> list[float | None]:
    """Mean and half width of the 95 % confidence interval, to five digits."""
    found = (outcome.mean(metric, label, place), outcome.half_width(metric, label, place))
    return [None if value is None else float(f"{value:.5g}") for value in found]


def _digest(study: Study) -> str:
    """Of the quick results' runs; what version made them and their notes do not count."""
    document = _document(f"{study.name}.json") or {}
    return hashlib.sha256(json.dumps(document.get("runs"), sort_keys=True).encode()).hexdigest()[:16]


def _document(*names: str) -> dict[str, Any] | None:
    file = _FOLDER.joinpath(*names)
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
