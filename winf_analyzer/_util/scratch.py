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
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from winf_analyzer._util.errors import InterruptedRun

_PREFIX = "winf-scratch-"
_NEW = ".winf-scratch-new-"
_LOCK = "lock"
_FILES = "files"
_RANDOM = "?" * 8
"""What `mkdtemp` appends."""

_ABANDONED_S = 86_400
"""Age of a folder that has not got its name, which takes a millisecond."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder for the time of a block, on the file system of temporary files."""
    folder, descriptor = _make()
    try:
        yield folder / _FILES
    except InterruptedRun as error:
        if str(folder) in str(error):  # of which the user knows nothing, and which is gone
            raise InterruptedRun("interrupted") from None
        raise
    finally:
        _remove(folder)
        os.close(descriptor)


@functools.cache
def process_scratch_folder() -> Path:
    """A folder that lasts as long as the process."""
    folder, _ = _make()
    atexit.register(_remove, folder)
    return folder / _FILES


def _make() -> tuple[Path, int]:
    """A folder that this process holds, and the descriptor of its lock."""
    parent = Path(tempfile.gettempdir())
    _sweep(parent)
    new = Path(tempfile.mkdtemp(prefix=_NEW, dir=parent))
    (new / _FILES).mkdir()
    descriptor = os.open(new / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with suppress(OSError):  # a file system without locks: its folders are not swept either
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    # Only now under the name that others look for: a folder without a held lock is theirs to remove.
    folder = new.with_name(_PREFIX + new.name.removeprefix(_NEW))
    new.rename(folder)
    return folder, descriptor


def _sweep(parent: Path) -> None:
    """Remove the folders whose processes are gone."""
    for folder in parent.glob(f"{_PREFIX}{_RANDOM}"):
        with suppress(OSError):
            if _is_own_folder(folder.lstat()):
                _remove_abandoned(folder)
    for folder in parent.glob(f"{_NEW}{_RANDOM}"):  # of a process that ended before it had a lock, or that has none yet
        with suppress(OSError):
            status = folder.lstat()
            if _is_own_folder(status) and time.time() - status.st_mtime > _ABANDONED_S:
                _remove(folder)


def _is_own_folder(status: os.stat_result) -> bool:
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()


def _remove_abandoned(folder: Path) -> None:
    """Remove a folder that nobody holds."""
    try:
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        folder.rmdir()  # the last step of a removal that was interrupted; what holds anything is not ours
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(folder)
    finally:
        os.close(descriptor)


def _remove(folder: Path) -> None:
    """The lock goes last, so that the next one finds what could not be removed."""
    shutil.rmtree(folder / _FILES, ignore_errors=True)
    if not os.path.lexists(folder / _FILES):
        with suppress(OSError):
            (folder / _LOCK).unlink(missing_ok=True)
            folder.rmdir()
