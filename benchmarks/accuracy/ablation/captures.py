"""Real recordings, whose truth nobody knows: in how many of them each rule has something to say."""

from __future__ import annotations

import collections
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import winf_analyzer as winf
from benchmarks.accuracy.ablation.leaving_out import acting
from benchmarks.processes import workers
from winf_analyzer._util.errors import WinfError

MAX_BYTES = 20_000_000
"""Longer recordings are left out."""


class Spoken(NamedTuple):
    """Recordings with a link, and in how many of them each rule has something to say."""

    recordings: int
    rules: Mapping[str, int]


def count(folder: Path, jobs: int) -> Spoken:
    """Over the captures of a folder that winf reads."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size <= MAX_BYTES]
    with workers(jobs) as pool:
        found = [rules for rules in pool.map(spoken, paths) if rules is not None]
    return Spoken(len(found), collections.Counter(name for rules in found for name in rules))


def spoken(path: Path) -> set[str] | None:
    """The rules that have something to say of a recording; None of what is no recording, or has no link."""
    with tempfile.TemporaryDirectory() as temporary, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            dataset = winf.ingest([path], Path(temporary) / "run.winf")
        except WinfError:
            return None
        with acting() as rules:
            winf.estimate(dataset, estimators=["saturation"], mode="corrected")
        return rules if dataset.scan("recommended").collect().height else None
