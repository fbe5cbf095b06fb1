"""What may be overwritten: files that winf wrote and lists, never anything else.

The manifest carries a signature, an identifier, and every part with its size and SHA-256. Parts have names of their own
and are never written over: what a command makes stands beside what was there until the manifest changes. Symbolic links
are neither followed nor removed.

A dataset of before the list has no signature. It is read, and tables are written into it; the parts that it held are
adopted, and never removed, because nothing tells who wrote them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from winf_analyzer._dataset import manifest
from winf_analyzer._dataset.manifest import FORMER_KEYS, HISTORY, LOCK, METADATA, READERS, STAGING
from winf_analyzer._util.durable import is_real_folder
from winf_analyzer._util.errors import DatasetError
from winf_analyzer._util.format import not_utf8


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
    if fault := not_utf8(target):
        raise DatasetError(fault)
    refuse_inputs(target, inputs)
    if target.is_symlink():
        raise DatasetError(
            f"{target}: is a symbolic link, which winf never replaces. Name the folder itself or another output."
        )
    if not os.path.lexists(target):
        return
    _check_replaceable(target)  # first: --force is advised only where it helps
    if not force:
        raise DatasetError(f"{target}: exists already. Choose another output or pass --force to replace it.")


def _check_replaceable(target: Path) -> None:
    try:
        metadata = manifest.load(target) if target.is_dir() else None
    except DatasetError:
        metadata = None
    if metadata is None and target.is_dir() and any(manifest.visible_parts(target)):
        raise DatasetError(
            f"{target}: has parts of a dataset, and its {METADATA} is lost or damaged. `winf repair` makes it again."
        )
    if metadata is None:
        raise DatasetError(
            f"{target}: exists and is not a dataset, so --force does not replace it. Choose another output."
        )
    if metadata.get("adopted") or manifest.is_former(metadata):
        is_of_winf = metadata.keys() >= FORMER_KEYS
        why = "did not list its files" if is_of_winf else f"is not a dataset (its {METADATA} is not winf's)"
        which = f"was made by a winf that {why}" if is_of_winf else why
        remedy = "Delete it yourself or choose another output."
        raise DatasetError(f"{target}: {which}, so winf adds nothing to it, and --force does not replace it. {remedy}")
    _refuse_strangers(target, _sizes(target, metadata))


def _sizes(root: Path, metadata: manifest.Metadata) -> dict[str, int]:
    """The files that winf wrote in the folders of tables, with their sizes: published, waiting, or of a killed run."""
    sizes = {**metadata.get("superseded", {}), **metadata.get("obsolete", {})}
    planned = []
    for folder in root.glob(f"{STAGING}*"):
        with suppress(DatasetError):
            planned.append(manifest.load(folder))
    return sizes | {part.path: part.bytes for each in (*planned, metadata) for part in manifest.parts(each)}


def _refuse_strangers(root: Path, sizes: dict[str, int]) -> None:
    try:
        for name, status in _files(root):
            if name in (METADATA, LOCK, READERS) and stat.S_ISREG(status.st_mode):
                continue
            if not stat.S_ISREG(status.st_mode) or sizes.get(name) != status.st_size:
                # A foreign name may hold control characters, which the representation escapes.
                raise DatasetError(
                    f"{root}: holds {name!r}, which is not as winf wrote it or not winf's at all, so nothing was "
                    "replaced. Move that file away or choose another output."
                )
    except OSError as error:
        raise DatasetError(f"{root}: cannot be replaced: {error.strerror or error}.") from error


def _files(folder: Path, inside: str = "") -> Iterator[tuple[str, os.stat_result]]:
    """Everything in a dataset but folders, history and staging, by relative path; links are not followed."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            yield f"{inside}{entry.name}", entry.stat(follow_symlinks=False)
        elif inside or not (entry.name == HISTORY or entry.name.startswith(STAGING)):
            yield from _files(Path(entry.path), f"{inside}{entry.name}/")


def check_writable(root: Path, target: Path) -> None:
    """Refuse to change a folder whose ``dataset.json`` is not one that winf wrote.

    Raises:
        DatasetError: it is not, or it is damaged.
    """
    if not os.path.lexists(root / METADATA):
        return
    metadata = manifest.load(root)
    if manifest.is_former(metadata) and not metadata.keys() >= FORMER_KEYS:
        raise DatasetError(f"{target}: its {METADATA} is not one that winf wrote, so nothing is written there.")


def check_table(root: Path, table: str) -> None:
    """Refuse to write into a table's folder that is a link or no folder.

    Raises:
        DatasetError: with the path that stands in the way.
    """
    folder = root / table
    if os.path.lexists(folder) and not is_real_folder(folder):
        raise DatasetError(f"{folder}: is not a folder that winf made, so the table cannot be written. Move it away.")


def refuse_inputs(target: Path, inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Refuse an output that is one of the command's inputs, or a folder in which one lies; links are resolved.

    Raises:
        DatasetError: with the input's name.
    """
    real = Path(os.path.realpath(target))
    if not os.path.lexists(real):
        return
    for given in inputs:
        own = Path(os.path.realpath(given))
        if own == real or real in own.parents or _is_same(own, real):
            raise DatasetError(f"{os.fspath(given)}: is an input in the place of the output {target}. Choose another.")


def refuse_in_dataset(output: Path) -> None:
    """Refuse a file or folder in a dataset, where it would be in the way of whatever replaces that.

    Raises:
        DatasetError: with the dataset.
    """
    for folder in Path(os.path.realpath(output)).parents:
        with suppress(DatasetError):
            manifest.load(folder)
            break
    else:
        return
    raise DatasetError(f"{output}: lies in the dataset {folder}. Choose another output.")


def _is_same(one: Path, other: Path) -> bool:
    """Whether both are the same file, by hard links too."""
    try:
        return one.samefile(other)
    except OSError:
        return False
