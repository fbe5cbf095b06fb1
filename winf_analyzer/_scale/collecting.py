"""Datasets of shards, made anywhere and in any order, into the dataset that one process makes of all."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from winf_analyzer._dataset import dataset
from winf_analyzer._dataset.checking import fault_of
from winf_analyzer._dataset.dataset import CHECK, Dataset
from winf_analyzer._dataset.manifest import parts
from winf_analyzer._ingest.decoding import redact_keys
from winf_analyzer._scale import collected_recordings, collected_runs
from winf_analyzer._sql.datasets import Datasets, open_datasets
from winf_analyzer._util.errors import DatasetError
from winf_analyzer._util.shards import Shard

Collected = dict[str, Any]
"""Facts for ``dataset.json``."""

_COLLECTORS: dict[str, Callable[[list[Dataset], Path, str], Collected]] = {
    "ingest": collected_recordings.collected,
    "replay": collected_runs.collected_replay,
    "sweep": collected_runs.collected_sweep,
}
"""By the command that made the shards: writes their parts into a folder."""


def collect(
    shards: Datasets, output: str | os.PathLike[str], *, force: bool = False, command: str | None = None
) -> Dataset:
    """Make one dataset of the datasets of all shards.

    The tables are those of one process without ``shard``, whatever the number of shards and the order in which they are
    given. Tables that were computed from the shards alone, such as `estimates`, are left out.

    Args:
        shards: the datasets; folders of them, and globs.
        output: the dataset folder to create.
        force: replace an existing dataset.
        command: command line for the provenance; by default that of the process.

    Raises:
        DatasetError: a shard is missing or damaged, there twice, or of other work; the output exists or cannot be
            written.
    """
    datasets, _ = open_datasets(shards)
    kind, ordered = _in_order(datasets)
    for each in ordered:
        _check_whole(each)
    with dataset.create(output, force=force, inputs=[each.path for each in ordered], action="collect") as staged:
        facts = _COLLECTORS[kind](ordered, staged, command or redact_keys(sys.argv))
        dataset.write_metadata(staged, facts)
    return Dataset.open(output)


def _in_order(datasets: Iterable[Dataset]) -> tuple[str, list[Dataset]]:
    """The command that made the shards, and the shards by their number."""
    found: dict[int, Dataset] = {}
    kinds: dict[tuple[str, int], Path] = {}
    for each in datasets:
        command, shard = _shard_of(each)
        kinds.setdefault((command, shard.count), each.path)
        if shard.number in found:
            raise DatasetError(f"{each.path}: is shard {shard} as {found[shard.number].path} is. Give each shard once.")
        found[shard.number] = each
    if len(kinds) > 1:
        (one, first), (other, second) = list(kinds.items())[:2]
        raise DatasetError(
            f"{second}: is of {other[1]} shards of `winf {other[0]}`, and {first} of {one[1]} of `winf {one[0]}`."
        )
    ((command, count),) = kinds
    if missing := [number for number in range(1, count + 1) if number not in found]:
        numbers = ", ".join(f"{number}/{count}" for number in missing[:10])
        raise DatasetError(f"shard {numbers} is missing: {len(found)} of {count} shards of `winf {command}` are given.")
    return command, [found[number] for number in sorted(found)]


def _shard_of(each: Dataset) -> tuple[str, Shard]:
    facts = each.metadata.get("shard")
    try:
        command, number, count = (facts[key] for key in ("command", "number", "count"))  # type: ignore[index]
        if command in _COLLECTORS and type(number) is type(count) is int and 1 <= number <= count:
            return command, Shard(number, count)
    except (TypeError, KeyError):
        pass
    raise DatasetError(f"{each.path}: is no shard. `winf collect` joins datasets that were made with --shard.")


def _check_whole(each: Dataset) -> None:
    for part in parts(each.metadata):
        if fault := fault_of(each.path, part):
            raise DatasetError(f"{each.path}: {part.path} {fault} {CHECK}")
