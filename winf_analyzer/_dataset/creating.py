"""New datasets: made in a hidden sibling folder and renamed, or published into the dataset that they replace."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from winf_analyzer._dataset import locks
from winf_analyzer._dataset.changes import Change, change, state
from winf_analyzer._dataset.manifest import LOCK, METADATA, STAGING
from winf_analyzer._dataset.overwriting import check_output
from winf_analyzer._util.durable import is_real_folder, sync
from winf_analyzer._util.errors import DatasetError


@contextmanager
def create(
    path: str | os.PathLike[str],
    *,
    force: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
    action: str = "ingest",
) -> Iterator[Path]:
    """A folder that becomes the dataset ``path`` when the block ends.

    It is for tables; the facts about them are for `state`, or for `write_metadata` in that folder.

    With ``force`` and a dataset there, that dataset gets a new manifest, and its history remains: it is the old one or
    the new one at any instant, and ``winf undo`` brings the old one back.

    Raises:
        DatasetError: ``path`` exists (with ``force``: and holds anything that winf does not list), one of ``inputs``
            lies in it, another process is making it, or it cannot be written.
    """
    target, read = Path(path), list(inputs)
    check_output(target, force=force, inputs=read)
    if os.path.lexists(target):
        with change(target, action) as making:
            making.keeps_others = False
            yield making.folder
            check_output(target, force=force, inputs=read)
            _take_facts(making)
        return
    with hidden_sibling(target) as root:
        with change(root, action, target=target) as making:
            yield making.folder
            _take_facts(making)
        check_output(target, force=False, inputs=read)
        try:
            root.rename(target)
            sync(target.parent)
        except OSError as error:
            raise DatasetError(f"{target}: cannot be written: {error.strerror or error}.") from error


def _take_facts(making: Change) -> None:
    """What the command left in the folder, unless it stated its facts."""
    if making.facts:
        return
    file = making.folder / METADATA
    state(making.folder, json.loads(file.read_text(encoding="utf-8")))


def sibling_of(target: Path) -> Path:
    """The hidden folder in which a dataset or an export is made."""
    return target.parent / f".{target.name.lstrip('.')}.partial"


@contextmanager
def hidden_sibling(target: Path) -> Iterator[Path]:
    """The hidden sibling of what is made at ``target``, locked; what a killed run left there is removed.

    Raises:
        DatasetError: another process is making the target, or winf did not make what is there, or it cannot be written.
    """
    root = sibling_of(target)
    try:
        root.mkdir(exist_ok=True)
        if not is_real_folder(root) or (any(root.iterdir()) and not locks.is_ours(root)):
            raise DatasetError(f"{root}: is in the place where {target.name} is made and not winf's. Move it away.")
    except OSError as error:
        raise DatasetError(f"{target}: cannot write there: {error.strerror or error}.") from error
    with locks.writer(root, target=target):
        if not (root / LOCK).exists():  # its writer has just renamed it
            raise DatasetError(f"{target}: exists already. Choose another output or pass --force to replace it.")
        _empty(root)
        try:
            yield root
        finally:
            _remove(root)


def clear_left(target: Path) -> None:
    """Remove the hidden sibling of ``target`` if a killed run left it; one that is in use, or not winf's, stays."""
    root = sibling_of(target)
    with suppress(OSError, DatasetError):
        if is_real_folder(root) and locks.is_ours(root):
            with locks.writer(root, target=target):
                _remove(root)
        elif is_real_folder(root):
            root.rmdir()  # which fails if anything is in it


def _remove(root: Path) -> None:
    """Remove a hidden folder, its lock last: killed in between, what is left is still known as winf's."""
    with suppress(OSError):  # the folder was renamed, or cannot be emptied
        for left in root.iterdir():
            if is_real_folder(left):
                shutil.rmtree(left)
            elif left.name != LOCK:
                left.unlink()
        (root / LOCK).unlink(missing_ok=True)
        root.rmdir()


def _empty(root: Path) -> None:
    """Remove what a killed run left in its hidden folder."""
    for left in root.iterdir():
        if left.name.startswith(STAGING):
            continue  # what was made there may be of use
        if is_real_folder(left):
            shutil.rmtree(left, ignore_errors=True)
        elif left.name != LOCK:
            left.unlink()
