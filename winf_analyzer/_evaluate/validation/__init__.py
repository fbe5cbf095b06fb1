"""Truth from real recordings: spells in which a station is backlogged, predicted from the rest.

::

    backlog      when a station was backlogged
    predictions  what the recommended answer says without the spell
    recorders    what recorded, in general terms
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from winf_analyzer._ingest.inputs import Paths, input_files, named_inputs
from winf_analyzer._util.durations import parse_ns
from winf_analyzer._util.errors import UnusableInput, UsageError
from winf_analyzer._util.scratch import scratch_folder

if TYPE_CHECKING:
    import polars as pl

    from winf_analyzer._dataset.dataset import Dataset

__all__ = ["Validation", "validate"]

WINDOW = "100ms"


@dataclass(frozen=True)
class Validation:
    """What was found and predicted."""

    spells: pl.DataFrame
    """A row per backlogged spell and method: `recorder source observer sender receiver start_ns duration_ns packets
    delivered_bps method windows predicted_bps predicted_low_bps predicted_high_bps error covered reason`; the
    prediction is null, and `reason` says why, where there is none."""
    recordings: pl.DataFrame
    """A row per recording: `source recorder links spells reason`; `reason` says why there are no spells."""
    problems: list[str] = field(default_factory=list)
    """Inputs that could not be read."""
    read: dict[str, Any] = field(default_factory=dict, repr=False)
    """Of the others `inputs` with their warnings, and `skipped`, as in a dataset's metadata."""

    def __repr__(self) -> str:
        spells, recordings = self.spells.height, self.recordings.height
        return f"Validation({spells} predictions in {recordings} recordings, {len(self.problems)} problems)"

    @property
    def summary(self) -> pl.DataFrame:
        """By recorder and method; see :func:`.summary.by_recorder`."""
        from winf_analyzer._evaluate.validation.summary import by_recorder

        return by_recorder(self)


def validate(inputs: Paths, *, window: str | int = WINDOW, progress: Callable[[str], None] | None = None) -> Validation:
    """Predict what backlogged stations of recordings delivered, and score the predictions.

    Where a station is backlogged, what it delivers is what a saturating flow gets. Each such spell is predicted twice:
    from windows of the same link in which it was not backlogged, and from the other stations' traffic in the spell.

    Args:
        inputs: files, folders or globs of recordings, or datasets' inputs; whatever `ingest` takes.
        window: length of the windows that are backlogged or not: a duration such as ``100ms``, or nanoseconds.
        progress: called with the name of each recording before it is read.

    Returns:
        Spells, recordings, inputs that could not be read, and the damage of the others; rates in bit/s of MSDUs, times
        in ns.

    Raises:
        UsageError: no input is named, or the window is no duration.
        UnusableInput: an input does not exist, or no input is a recording.
    """
    import polars as pl

    try:
        window_ns = parse_ns(window)
    except ValueError as error:
        raise UsageError(str(error)) from None
    results, problems = [], []
    with input_files(named_inputs(inputs)) as files:
        for file in files:
            if progress:
                progress(file.source)
            try:
                results.append(_recording(file.path, file.source, window_ns))
            except UnusableInput as error:
                problems.append(str(error))
    if not results:
        raise UnusableInput("\n".join(problems))
    found, recordings, entries = zip(*results, strict=True)
    read = {"inputs": list(entries), "skipped": []}
    return Validation(pl.concat(found, how="vertical"), pl.concat(recordings, how="vertical"), problems, read)


def _recording(
    path: str | os.PathLike[str], source: str, window_ns: int
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Any]]:
    """Spells and facts of one recording, and its entry in the metadata of a dataset."""
    from winf_analyzer._evaluate.validation.recorders import recorder
    from winf_analyzer._evaluate.validation.scores import scored, without_spells
    from winf_analyzer._ingest.ingestion import ingest

    with scratch_folder() as folder:
        dataset = ingest([path], folder / "recording.winf")
        name = recorder(dataset)
        windows, spells = _spells(dataset, window_ns)
        reason = without_spells(dataset, windows) if spells.is_empty() else None
        found = scored(spells, _predictions(dataset, windows, spells, window_ns), name, source)
    return found, _facts(source, name, spells, reason), dataset.metadata["inputs"][0] | {"source": source}


def _spells(dataset: Dataset, window_ns: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    from winf_analyzer._evaluate.validation.backlog import COLUMNS, backlog, spells
    from winf_analyzer._mac.of_dataset import mac_parameters

    exchanges = dataset.scan("exchanges").select(COLUMNS).collect()
    windows = backlog(exchanges, mac_parameters(dataset), window_ns)
    return windows, spells(windows, window_ns)


def _predictions(
    dataset: Dataset, windows: pl.DataFrame, spells: pl.DataFrame, window_ns: int
) -> Iterable[pl.DataFrame]:
    from winf_analyzer._evaluate.validation.predictions import from_the_rest, from_the_spell

    if spells.is_empty():
        return []
    return [predict(dataset, windows, spells, window_ns) for predict in (from_the_rest, from_the_spell)]


def _facts(source: str, name: str, spells: pl.DataFrame, reason: str | None) -> pl.DataFrame:
    import polars as pl

    links = spells.select("sender", "receiver").unique().height
    schema = {"source": pl.String, "recorder": pl.String, "links": pl.Int64, "spells": pl.Int64, "reason": pl.String}
    return pl.DataFrame([(source, name, links, spells.height, reason)], schema=schema, orient="row")
