"""The datasets that a query reads: one, several, a folder of them, or a glob."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.manifest import METADATA, Metadata
from winf_analyzer._util.errors import DatasetError
from winf_analyzer._util.format import given_path

PathLike = str | os.PathLike[str]
Datasets = Dataset | PathLike | Iterable[Dataset | PathLike]
"""A dataset, its path, a folder of datasets, a glob, or several of these."""


def open_datasets(given: Datasets) -> tuple[list[Dataset], bool]:
    """The datasets, in the order given, each once, and whether they were asked for as several.

    Those of a folder or a glob are in the order of their names. One that is named itself is one; a folder or a glob
    asks for several, however many there are.

    Raises:
        DatasetError: a path names no dataset.
    """
    if isinstance(given, Dataset):
        return [given], False
    listed = [given] if isinstance(given, str | os.PathLike) else list(given)
    found: dict[Path, Dataset] = {}
    several = len(listed) > 1
    for each in listed:
        if isinstance(each, Dataset):
            found.setdefault(each.path.resolve(), each)
            continue
        paths, are_several = paths_of_datasets([each])
        several = several or are_several
        for path in paths:
            found.setdefault(path.resolve(), Dataset.open(path))
    return list(found.values()), several


def paths_of_datasets(given: Iterable[PathLike]) -> tuple[list[Path], bool]:
    """The paths of `open_datasets`, which need not be whole; one that names no dataset stays as it is.

    Raises:
        DatasetError: a glob matches none.
    """
    listed = list(given)
    found = [path for each in listed for path in _datasets_at(each)]
    return list(dict.fromkeys(found)), len(listed) > 1 or found != [Path(listed[0])]


@dataclass(frozen=True)
class Collection:
    """Several datasets as one: what a report needs of a `Dataset`. A recording's name is behind that of its dataset."""

    datasets: list[Dataset]

    @property
    def path(self) -> Path:
        """The folder that all have in common."""
        return Path(os.path.commonpath([dataset.path.resolve().parent for dataset in self.datasets]))

    @property
    def tables(self) -> list[str]:
        """Names of the tables that any of them has, sorted."""
        return sorted({table for dataset in self.datasets for table in dataset.tables})

    @property
    def metadata(self) -> Metadata:
        """The recordings of all; of other facts those that are the same everywhere."""
        each = [dataset.metadata for dataset in self.datasets]
        common = {key: value for key, value in each[0].items() if all(other.get(key) == value for other in each)}
        inputs = [
            {**entry, "source": f"{self.name(dataset)}/{entry['source']}"}
            for dataset in self.datasets
            for entry in dataset.metadata.get("inputs", [])
        ]
        skipped = [entry for metadata in each for entry in metadata.get("skipped", [])]
        form = max(metadata["format_version"] for metadata in each)
        return {**common, "format_version": form, "inputs": inputs, "skipped": skipped}

    def name(self, dataset: Dataset) -> str:
        """The dataset's path below the common folder, as in the column ``dataset`` of queries."""
        return str(dataset.path.resolve().relative_to(self.path))


def datasets_at(given: PathLike) -> list[Path]:
    """The datasets that a path names, holds or matches; none where there are none."""
    try:
        return [path for path in _datasets_at(given) if _is_dataset(path)]
    except DatasetError:
        return []


def _datasets_at(given: PathLike) -> list[Path]:
    path, pattern = given_path(given), os.fspath(given)
    if _is_dataset(path):
        return [path]
    if path.is_dir():
        found = sorted(entry for entry in path.iterdir() if not entry.name.startswith(".") and _is_dataset(entry))
    elif glob.has_magic(pattern) and not path.exists():
        found = sorted(entry for entry in map(Path, glob.glob(pattern, recursive=True)) if _is_dataset(entry))  # noqa: PTH207
    else:
        return [path]  # opening it says what is wrong
    if not found and glob.has_magic(pattern):
        raise DatasetError(f"{pattern}: no dataset matches.")
    return found or [path]


def _is_dataset(path: Path) -> bool:
    return (path / METADATA).is_file()
