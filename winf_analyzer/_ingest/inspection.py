"""Facts about recordings and how they are interpreted, without making a dataset."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from winf_analyzer import _core
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._ingest.decoding import NATIVE, Decoding, Tshark
from winf_analyzer._ingest.inputs import Paths, input_files, path_list, recording_of
from winf_analyzer._sql.datasets import datasets_at
from winf_analyzer._util.errors import UnusableInput, UsageError


def info(
    inputs: Paths,
    *,
    observer: str | None = None,
    decoder: str | Tshark = "native",
    keys: Iterable[str] = (),
) -> list[dict[str, Any]]:
    """Facts about each recording: container, counts, clock convention, observer, damage.

    The arguments are those of `ingest`; datasets among the inputs, folders of datasets and globs, too, stand for the
    recordings in them, with what ``dataset.json`` says and the ``dataset`` that it is from.

    Returns:
        One dictionary per recording; for an unusable recording only ``source`` and ``error``.

    Raises:
        UnusableInput: an input does not exist, or no input is a recording.
        UsageError, DecoderError: as in `ingest`.
    """
    decoding = Decoding.validated(decoder, keys)
    known: list[dict[str, Any]] = []
    others: list[str | os.PathLike[str]] = []
    for given in path_list(inputs):
        datasets = datasets_at(given)
        known += [entry for path in datasets for entry in _of_dataset(path)]
        if datasets != [Path(given)]:  # a folder or a glob may hold both
            others.append(given)
    try:
        recordings = [*known, *_of_files(others, decoding, observer)] if others else known
    except UnusableInput:
        if not known:
            raise
        recordings = known
    if recordings and all("error" in entry for entry in recordings):
        raise UnusableInput("\n".join(entry["error"] for entry in recordings))
    return recordings


def _of_files(inputs: list[str | os.PathLike[str]], decoding: Decoding, observer: str | None) -> list[dict[str, Any]]:
    with input_files(inputs, decoding.decoder) as files:
        recordings = [
            recording_facts(recording.path, recording.source, decoding, observer=observer) for recording in files
        ]
        for recording, entry in zip(files, recordings, strict=True):
            if "error" in entry:
                entry["error"] = recording.said(UnusableInput(entry["error"]))
    return recordings


def _of_dataset(path: Path) -> list[dict[str, Any]]:
    """Facts about the recordings of a dataset, also about those that could not be used."""
    from winf_analyzer._ingest.overheard import overheard

    dataset = Dataset.open(path)
    metadata = dataset.metadata
    skipped = [
        {"source": entry.get("source") or str(entry.get("path")), "error": str(entry.get("reason"))}
        for entry in metadata.get("skipped", [])
    ]
    inputs = metadata.get("inputs", [])
    heard = (
        overheard(dataset, [entry["source"] for entry in inputs])
        if {"frames", "capabilities"} <= set(dataset.tables)
        else {}
    )
    facts = [{**entry, **heard.get(entry.get("source"), {})} for entry in inputs]
    if {"exchanges", "capabilities"} <= set(dataset.tables):
        _add_parameters(facts, dataset)
    return [{**entry, "dataset": str(path)} for entry in [*facts, *skipped]]


def _add_parameters(recordings: list[dict[str, Any]], dataset: Dataset) -> None:
    """`mac_parameters` of the recordings in a dataset, as of files; merged ones have none of their own."""
    from winf_analyzer._mac.of_dataset import mac_parameters

    by_name: dict[str, list[dict[str, Any]]] = {str(entry.get("source")): [] for entry in recordings}
    for row in mac_parameters(dataset).filter("used").iter_rows(named=True):
        source = str(row["source"])
        found = by_name.get(source, by_name.get(recording_of(source)))
        if found is not None:
            found.append({name: row[name] for name in _SHOWN})
    for entry in recordings:
        entry["mac_parameters"] = by_name[str(entry.get("source"))]


def without_recordings(inputs: Paths, recordings: list[dict[str, Any]]) -> list[str]:
    """A sentence for each dataset among the inputs of which `info` has found no recording."""
    told = {entry.get("dataset") for entry in recordings}
    paths = [path for given in path_list(inputs) for path in datasets_at(given) if str(path) not in told]
    return [_without_recordings(path) for path in paths]


def _without_recordings(path: Path) -> str:
    if Dataset.open(path).paths("frames"):
        return (
            f"{path}: what is known of its recordings is lost; ingest them again with --force. Its tables are there, "
            "for `winf sql`."
        )
    return f"{path}: holds no recordings."


def recording_facts(
    path: str | os.PathLike[str], source: str, decoding: Decoding = NATIVE, *, observer: str | None = None
) -> dict[str, Any]:
    """Facts about one recording; only ``source`` and ``error`` if it is unusable."""
    try:
        facts, exchanges, capabilities = _core.survey(path, source, observer=observer, **decoding.arguments())
    except ValueError as error:  # the observer is not an address
        raise UsageError(str(error)) from None
    except (_core.UnusableRecording, OSError) as error:
        return {"source": source, "error": str(error)}
    return {"source": source, **json.loads(facts), "mac_parameters": _mac_parameters(exchanges, capabilities)}


def _mac_parameters(exchanges: _core.ArrowTable, capabilities: _core.ArrowTable) -> list[dict[str, Any]]:
    """The MAC parameters in use of a recording's stations, inferred from its first exchanges."""
    from winf_analyzer._mac.advertised import COLUMNS, advertised_parameters
    from winf_analyzer._mac.inference import infer_rows
    from winf_analyzer._mac.sampling import sample_of

    rows = infer_rows([sample_of(exchanges)], advertised_parameters(capabilities.records(list(COLUMNS))))
    return [{name: row[name] for name in _SHOWN} for row in rows if row["used"]]


_SHOWN = ("station", "access_category", "parameter", "value", "unit", "origin", "samples", "confidence")
"""What is told of a MAC parameter."""
