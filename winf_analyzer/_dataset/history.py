"""The past of a dataset: earlier manifests, back to one of them, and removal of what only they name."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from winf_analyzer._dataset import locks, manifest
from winf_analyzer._dataset.changes import adopted, commit, writing
from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.manifest import HISTORY, Metadata, Part
from winf_analyzer._dataset.overwriting import check_writable
from winf_analyzer._dataset.staging import earlier_manifests, staging
from winf_analyzer._util.durable import is_real_folder, is_regular
from winf_analyzer._util.errors import DatasetError, UsageError
from winf_analyzer._util.format import given_path

if TYPE_CHECKING:
    import polars as pl


def history(dataset: Dataset | str | os.PathLike[str]) -> pl.DataFrame:
    """The versions of a dataset, the present one first.

    Args:
        dataset: a dataset or its path.

    Returns:
        A row per manifest: `version`, `published` (ISO 8601, UTC; null if unknown), `action` (the command), `parts`,
        `rows`, `bytes` of all tables, and whether it is the `present` one.

    Raises:
        DatasetError: there is no dataset at this path.
    """
    import polars as pl

    root = dataset.path if isinstance(dataset, Dataset) else given_path(dataset)
    present = manifest.load(root)
    earlier = [metadata for _, metadata in reversed(earlier_manifests(root))]
    rows = []
    for metadata in (present, *earlier):
        parts = list(manifest.parts(metadata))
        rows.append(
            (
                metadata.get("version", 0),
                manifest.text(metadata, "published"),
                manifest.text(metadata, "action"),
                len(parts),
                sum(part.rows for part in parts),
                sum(part.bytes for part in parts),
                metadata is present,
            )
        )
    names = {"version": pl.Int64, "published": pl.String, "action": pl.String, "parts": pl.Int64}
    return pl.DataFrame(rows, {**names, "rows": pl.Int64, "bytes": pl.Int64, "present": pl.Boolean}, orient="row")


def undo(dataset: Dataset | str | os.PathLike[str], *, version: int | None = None) -> Dataset:
    """Publish an earlier manifest again; what is present becomes part of the history, so that undo can be undone.

    Args:
        dataset: a dataset or its path.
        version: number of the manifest, as `history` has it; by default the last one before the present.

    Returns:
        The dataset as it is then.

    Raises:
        UsageError: there is no such version.
        DatasetError: there is no dataset at this path, parts of that version are gone, another process is writing, or
            the dataset cannot be written.
    """
    root = dataset.path if isinstance(dataset, Dataset) else given_path(dataset)
    _check_dataset(root)
    with writing(root), staging(root, root) as folder:
        present = adopted(root, manifest.load(root))
        earlier = dict(earlier_manifests(root))
        if version is None:
            version = max(earlier, default=None)
        if version not in earlier:
            known = ", ".join(map(str, sorted(earlier))) or "none: nothing was changed, or `winf gc` removed it"
            missing = "no earlier version" if version is None else f"no version {version}"
            raise UsageError(f"{root}: {missing}. Versions to go back to: {known}.")
        old = earlier[version]
        parts = list(manifest.parts(old))
        moved = {root / HISTORY / part.path: part.path for part in parts if not _is_in_place(root, part)}
        now = {part.path for part in parts}
        gone = {part.path: part.bytes for part in manifest.parts(present) if part.path not in now}
        facts = old | {
            "version": present.get("version", 0) + 1,
            "published": datetime.now(UTC).isoformat(timespec="seconds"),
            "action": f"undo to version {version}",
            "superseded": present.get("superseded", {}) | gone,
            "obsolete": present.get("obsolete", {}),
        }
        commit(root, folder, facts, moved, present=present)
    return Dataset.open(root)


def _check_dataset(root: Path) -> None:
    """Refuse a folder that is no dataset before a lock is put into it."""
    manifest.load(root)
    check_writable(root, root)


def _is_in_place(root: Path, part: Part) -> bool:
    if is_regular(root / part.path, part.bytes):
        return True
    if not is_regular(root / HISTORY / part.path, part.bytes):
        raise DatasetError(f"{root}: {part.path} of that version is gone or damaged, so it cannot be published again.")
    return False


class Collected(NamedTuple):
    """What `gc` removed."""

    manifests: int
    """Earlier manifests."""
    parts: int
    """Parts that only they named."""
    bytes: int
    """Size of those parts."""


def gc(dataset: Dataset | str | os.PathLike[str], *, keep: int = 0) -> Collected:
    """Remove the history of a dataset, and what killed commands left in it.

    Only parts that an earlier manifest names, with the size that it says, are removed. Parts of a dataset of before
    manifests named parts stay in the history, because nothing tells who wrote them.

    Args:
        dataset: a dataset or its path.
        keep: number of earlier manifests that stay, the latest ones.

    Raises:
        UsageError: ``keep`` is negative.
        DatasetError: there is no dataset at this path, another process is writing or reading it, or it cannot be
            written.
    """
    root = dataset.path if isinstance(dataset, Dataset) else given_path(dataset)
    if keep < 0:
        raise UsageError("--keep: a number of manifests, 0 or more.")
    _check_dataset(root)
    with writing(root), locks.no_other_reader(root) as obstacle:
        if obstacle:
            raise DatasetError(f"{root}: {obstacle}")
        return _collect(root, keep)


def _collect(root: Path, keep: int) -> Collected:
    """Manifests go first under another name, so that a killed run leaves none that lacks its parts."""
    earlier = earlier_manifests(root)
    stays = earlier[len(earlier) - keep :] if keep else []
    for number, _ in earlier[: len(earlier) - len(stays)]:
        (root / HISTORY / f"{number:05d}.json").replace(root / HISTORY / f"{number:05d}.removed")
    needed = {part.path for _, metadata in stays for part in manifest.parts(metadata)}
    removed, sizes = 0, {}
    for file in sorted((root / HISTORY).glob("*.removed")):
        with suppress(DatasetError):
            metadata = manifest.load(file.parent, file.name)
            sizes.update(_unlinked(root, metadata, needed))
        file.unlink()
        removed += 1
    for folder in [*(root / HISTORY).glob("*"), root / HISTORY]:
        with suppress(OSError):
            folder.rmdir()
    return Collected(removed, len(sizes), sum(sizes.values()))


def _unlinked(root: Path, metadata: Metadata, needed: set[str]) -> dict[str, int]:
    """Remove the parts of a manifest from the history; their paths and sizes."""
    sizes = {}
    for part in manifest.parts(metadata):
        file = root / HISTORY / part.path
        is_own = part.path not in needed and not part.adopted and is_real_folder(file.parent)
        if is_own and is_regular(file, part.bytes):
            file.unlink()
            sizes[part.path] = part.bytes
    return sizes
