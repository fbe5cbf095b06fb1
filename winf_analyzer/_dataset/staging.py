"""Folders in which a command makes its parts, and the leftovers of commands that were killed."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from winf_analyzer._dataset import manifest
from winf_analyzer._dataset.locks import no_other_reader
from winf_analyzer._dataset.manifest import HISTORY, METADATA, STAGING, Metadata
from winf_analyzer._util.durable import is_real_folder, is_regular, sha256
from winf_analyzer._util.errors import DatasetError

_OWN_NAME = re.compile(r"dataset\.json|input|(?:[a-z][a-z0-9_]*/)?[A-Za-z0-9][A-Za-z0-9._-]*\.(?:parquet|partial|json)")


@contextmanager
def staging(root: Path, target: Path) -> Iterator[Path]:
    """A fresh folder inside a dataset, gone afterwards; ``target`` is what messages call the dataset.

    It is locked as long as this process lives, so that a later command knows the folder of a killed one.

    Raises:
        DatasetError: the dataset cannot be written.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix=STAGING, dir=root))
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise DatasetError(f"{target}: cannot write there: {error.strerror or error}.") from error
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        folder.chmod(0o777 & ~_umask())
        yield folder
    finally:
        try:
            with suppress(OSError):  # then the folder stays, with the list of its parts, for the next command
                _withdraw(root, folder)
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)


@contextmanager
def leftovers(root: Path) -> Iterator[list[Path]]:
    """The folders of killed commands in a dataset, removed when the block ends; the caller holds its writer's lock.

    Parts that such a command had moved into tables are taken out of these at once. Only files that it listed or made
    are removed: anything else keeps its place, and its folder.
    """
    folders = [each for each in sorted(root.glob(f"{STAGING}*")) if is_real_folder(each) and _is_abandoned(each)]
    for folder in folders:
        _withdraw(root, folder)
    with suppress(DatasetError):
        retire(root, manifest.load(root))
    yield folders
    for folder in folders:
        _remove_own(folder)


def _is_abandoned(folder: Path) -> bool:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # no locks there, and nothing tells whether it is in use
        return False
    finally:
        os.close(descriptor)
    return True


def _withdraw(root: Path, folder: Path) -> None:
    """Take the parts of a manifest that was not published out of the tables' folders."""
    if not is_regular(folder / METADATA):
        return
    try:
        planned = {part.path: part for part in manifest.parts(manifest.load(folder))}
        current = {part.path for part in manifest.parts(manifest.load(root))} if (root / METADATA).exists() else set()
    except DatasetError:
        return
    earlier = {part.path for _, metadata in earlier_manifests(root) for part in manifest.parts(metadata)}
    for path in planned.keys() - current:
        file = root / path
        if is_real_folder(file.parent) and is_regular(file, planned[path].bytes):
            if path in earlier:
                _move(root, path)
            elif not planned[path].adopted and sha256(file) == planned[path].sha256:
                file.unlink()


def left_in_tables(root: Path) -> set[str]:
    """Paths of the parts that killed commands moved into tables, and that the next command takes out of them."""
    paths = set[str]()
    for folder in root.glob(f"{STAGING}*"):
        if is_real_folder(folder) and is_regular(folder / METADATA) and _is_abandoned(folder):
            with suppress(DatasetError):
                paths |= {part.path for part in manifest.parts(manifest.load(folder))}
    return paths


def _remove_own(folder: Path) -> None:
    for file in [*folder.glob("*"), *folder.glob("*/*")]:
        if _OWN_NAME.fullmatch(str(file.relative_to(folder))) and is_regular(file):
            file.unlink()
    for inner in [*(each for each in folder.glob("*") if is_real_folder(each)), folder]:
        with suppress(OSError):
            inner.rmdir()


def earlier_manifests(root: Path) -> list[tuple[int, Metadata]]:
    """The readable manifests of the history with their numbers, oldest first."""
    found = []
    for file in (root / HISTORY).glob("*.json"):
        if file.stem.isdecimal():
            with suppress(DatasetError):
                found.append((int(file.stem), manifest.load(file.parent, file.name)))
    return sorted(found, key=lambda each: each[0])


def retire(root: Path, metadata: Metadata) -> None:
    """Move superseded parts into the history and remove obsolete ones, unless another process reads the dataset.

    What cannot be moved now stays on the manifest's list, and is moved after the next command.
    """
    superseded, obsolete = metadata.get("superseded", {}), metadata.get("obsolete", {})
    named = {part.path for part in manifest.parts(metadata)}
    waiting = [path for path in [*superseded, *obsolete] if path not in named and is_regular(root / path)]
    if not waiting:
        return
    with no_other_reader(root) as obstacle, suppress(OSError):
        for path in () if obstacle else waiting:
            if not is_real_folder((root / path).parent):
                continue
            if path in superseded:
                _move(root, path)
            elif is_regular(root / path, obsolete[path]):
                (root / path).unlink()


def _move(root: Path, path: str) -> None:
    there = root / HISTORY / path
    there.parent.mkdir(parents=True, exist_ok=True)
    (root / path).rename(there)


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
