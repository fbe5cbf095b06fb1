"""What may be overwritten: files that winf wrote and lists, never anything else.

``dataset.json`` carries a signature, an identifier and ``files``: every file that winf wrote in the dataset, with its
size in bytes. While files are being replaced, ``incoming`` lists those that come, so that a killed run leaves no file
of winf's unlisted. Symbolic links are neither followed nor removed, and only listed files are ever unlinked.

A dataset of before the list has no signature. It is read, and tables are written into it; what it held is then set
aside instead of removed, because nothing tells who wrote it.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
import uuid
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from winf_analyzer._util.errors import DatasetError

METADATA = "dataset.json"
SIGNATURE = "winf dataset"

FORMER_KEYS = {"format_version", "tool_version", "created", "command", "parameters", "inputs", "skipped"}
"""What ``dataset.json`` held before it listed files; a foreign file of that name lacks some of it."""

Metadata = dict[str, Any]


class LeftoverWarning(UserWarning):
    """Files that winf does not list were in the place of what it replaced; they were kept."""


def identity() -> Metadata:
    """Signature and identifier of a new dataset."""
    return {"signature": SIGNATURE, "id": str(uuid.uuid4())}


def listing(folder: Path) -> dict[str, int]:
    """The regular files below ``folder``, by relative path with their sizes in bytes; ``dataset.json`` is left out."""
    return {
        name: status.st_size for name, status in _files(folder) if name != METADATA and stat.S_ISREG(status.st_mode)
    }


def manifest(folder: Path) -> Metadata:
    """``dataset.json`` as it is on disk, for changing it.

    Incoming files that have arrived are listed. One of before the list is adopted, with none of its files listed.

    Raises:
        DatasetError: winf did not write it.
    """
    metadata = _read(folder)
    if metadata is None or not (_is_signed(metadata) or metadata.keys() >= FORMER_KEYS):
        raise DatasetError(f"{folder}: its {METADATA} is not one that winf wrote, so nothing is written there.")
    if not _is_signed(metadata):
        return {**metadata, **identity(), "adopted": True, "files": {}}
    incoming = metadata.pop("incoming", {})
    arrived = {name: size for name, size in incoming.items() if _is_file_of(folder / name, size)}
    return {**metadata, "files": metadata["files"] | arrived}


def check_output(target: Path, *, force: bool, inputs: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Refuse an output that may not be made or replaced, before any work is done.

    With ``force`` a dataset is replaced if winf wrote every file in it, and nothing else ever is.

    Args:
        target: the dataset to make.
        force: whether it may exist.
        inputs: what the same command reads; none of it may lie in ``target``.

    Raises:
        DatasetError: with a sentence that says which file stands in the way.
    """
    refuse_inputs(target, inputs)
    if target.is_symlink():
        raise DatasetError(
            f"{target}: is a symbolic link, which winf never replaces. Name the folder itself or another output."
        )
    if not os.path.lexists(target):
        return
    if not force:
        raise DatasetError(f"{target}: exists already. Choose another output or pass --force to replace it.")
    _check_replaceable(target)


def _check_replaceable(target: Path) -> None:
    metadata = _read(target) if target.is_dir() else None
    if metadata is None:
        raise DatasetError(f"{target}: exists and is not a dataset, so --force does not replace it.")
    if metadata.get("adopted") or not _is_signed(metadata):
        former = metadata.keys() >= FORMER_KEYS
        why = (
            "is of a winf that did not list its files" if former else f"is not a dataset (its {METADATA} is not winf's)"
        )
        remedy = "Delete it yourself or choose another output."
        raise DatasetError(f"{target}: {why}, so --force does not replace it. {remedy}")
    _refuse_strangers(target, metadata)


def check_table(root: Path, table: str, metadata: Metadata) -> None:
    """Refuse to replace a table's folder that holds anything else; that of an adopted dataset may hold anything.

    Raises:
        DatasetError: with a sentence that says which file stands in the way.
    """
    folder = root / table
    if not os.path.lexists(folder) or metadata.get("adopted"):
        return
    if folder.is_symlink() or not folder.is_dir():
        raise DatasetError(f"{folder}: is not a folder that winf made, so the table cannot be written. Move it away.")
    _refuse_strangers(folder, metadata, f"{table}/")


def check_file(root: Path, name: str, metadata: Metadata) -> bool:
    """Whether a file is there that must be set aside before ``name`` is written: only in adopted datasets.

    Raises:
        DatasetError: a file that winf does not list is there, or its folder is none.
    """
    path = root / name
    if path.parent.is_symlink() or (os.path.lexists(path.parent) and not path.parent.is_dir()):
        raise DatasetError(f"{path.parent}: is not a folder that winf made, so nothing is written there. Move it away.")
    if not os.path.lexists(path) or _is_own(metadata, name, path.lstat()):
        return False
    if metadata.get("adopted"):
        return True
    raise DatasetError(_stranger_sentence(root, name))


def refuse_inputs(target: Path, inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Refuse an output that is one of the command's inputs, or a folder in which one lies; links are resolved.

    Raises:
        DatasetError: with the input's name.
    """
    real = Path(os.path.realpath(target))
    for given in inputs:
        own = Path(os.path.realpath(given))
        if own == real or real in own.parents or _is_same(own, real):
            raise DatasetError(f"{os.fspath(given)}: is an input in the place of the output {target}. Choose another.")


def swap(staged: Path, target: Path, metadata: Metadata, *, place: Path, inside: str = "") -> None:
    """Put ``staged`` in the place of ``target``, and remove the listed files of what was there.

    Args:
        staged: a folder made by this process.
        target: a folder that was checked, or nothing.
        metadata: the manifest that lists its files.
        place: folder on the same file system in which the old tree lies meanwhile.
        inside: what precedes a file's path in the list, ``estimates/`` for that table's folder.
    """
    if not os.path.lexists(target):
        staged.rename(target)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.replaced-", dir=place))
    retired = aside / target.name
    try:
        target.rename(retired)
        staged.rename(target)
        _discard(retired, metadata, inside)
    except BaseException:
        if retired.exists() and not os.path.lexists(target):
            retired.rename(target)
        raise
    finally:
        _remove_if_empty(aside)
        if aside.exists():
            _tell_kept(target, aside)


def set_aside(root: Path, name: str, *, place: Path) -> None:
    """Move a file of an adopted dataset out of the way, without removing it."""
    aside = Path(tempfile.mkdtemp(prefix=f".{root.name}.replaced-", dir=place))
    (root / name).rename(aside / Path(name).name)
    _tell_kept(root / name, aside)


def _tell_kept(target: Path, aside: Path) -> None:
    message = f"{target}: what was there and winf does not list as its own is kept in {aside}."
    warnings.warn(message, LeftoverWarning, stacklevel=3)


def _discard(tree: Path, metadata: Metadata, inside: str) -> None:
    """Unlink the listed files of a retired tree and remove the folders that are empty then."""
    if tree.is_symlink():
        return
    for name, status in list(_files(tree, inside)):
        if _is_own(metadata, name, status):
            with suppress(OSError):  # what cannot be removed is told as kept
                (tree / name.removeprefix(inside)).unlink()
    for folder, _, _ in os.walk(tree, topdown=False):
        _remove_if_empty(Path(folder))


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _refuse_strangers(folder: Path, metadata: Metadata, inside: str = "") -> None:
    try:
        for name, status in _files(folder, inside):
            if not _is_own(metadata, name, status):
                raise DatasetError(_stranger_sentence(folder, name.removeprefix(inside)))
    except OSError as error:
        raise DatasetError(f"{folder}: cannot be replaced: {error.strerror or error}.") from error


def _stranger_sentence(folder: Path, name: str) -> str:
    """A foreign name may hold control characters, which the representation escapes."""
    return (
        f"{folder}: holds {name!r}, which is not as winf wrote it or not winf's at all, so nothing was replaced. "
        "Move that file away or choose another output."
    )


def _files(folder: Path, inside: str = "") -> Iterator[tuple[str, os.stat_result]]:
    """Everything below ``folder`` but folders, by relative path; links are not followed."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path), f"{inside}{entry.name}/")
        else:
            yield f"{inside}{entry.name}", entry.stat(follow_symlinks=False)


def _is_own(metadata: Metadata, name: str, status: os.stat_result) -> bool:
    """Whether winf wrote the file, by a signed manifest; ``dataset.json`` itself carries the signature."""
    if not (stat.S_ISREG(status.st_mode) and _is_signed(metadata)):
        return False
    return name == METADATA or status.st_size in (metadata["files"].get(name), metadata.get("incoming", {}).get(name))


def _is_signed(metadata: Mapping[str, Any]) -> bool:
    if metadata.get("signature") != SIGNATURE:
        return False
    if not all(isinstance(metadata.get(key, {}), dict) for key in ("files", "incoming")):
        return False
    try:
        return "files" in metadata and str(uuid.UUID(metadata["id"])) == metadata["id"]
    except (KeyError, ValueError, TypeError, AttributeError):
        return False


def _read(folder: Path) -> Metadata | None:
    """``dataset.json``; None where there is none, or what is there is a link or no JSON object."""
    path = folder / METADATA
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        metadata = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return metadata if isinstance(metadata, dict) else None


def _is_file_of(path: Path, size: int) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size == size


def _is_same(one: Path, other: Path) -> bool:
    """Whether both are the same file, by hard links too."""
    try:
        return one.samefile(other)
    except OSError:
        return False
