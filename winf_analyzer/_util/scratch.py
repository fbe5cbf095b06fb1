"""Temporary folders that a killed process does not leave behind for ever.

A folder is held by ``flock``, whose lock ends with the process, however it ends. Whoever makes the next one removes the
folders of this user that nobody holds.
"""

from __future__ import annotations

import atexit
import fcntl
import functools
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "winf-scratch-"
_NEW = ".winf-scratch-new-"
_LOCK = "lock"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder for the time of a block, on the file system of temporary files."""
    folder, descriptor = _make()
    try:
        yield folder / "files"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


@functools.cache
def process_scratch_folder() -> Path:
    """A folder that lasts as long as the process."""
    folder, _ = _make()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder / "files"


def _make() -> tuple[Path, int]:
    """A folder that this process holds, and the descriptor of its lock."""
    parent = Path(tempfile.gettempdir())
    _sweep(parent)
    new = Path(tempfile.mkdtemp(prefix=_NEW, dir=parent))
    (new / "files").mkdir()
    descriptor = os.open(new / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with suppress(OSError):  # a file system without locks: its folders are not swept either
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    # Only now under the name that others look for: a folder without a held lock is theirs to remove.
    folder = new.with_name(_PREFIX + new.name.removeprefix(_NEW))
    new.rename(folder)
    return folder, descriptor


def _sweep(parent: Path) -> None:
    """Remove the folders whose processes are gone."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                continue
            descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(descriptor)
