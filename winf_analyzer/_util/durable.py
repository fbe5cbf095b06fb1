"""Writing that survives a power failure: a file or a folder's entries are on disk when these functions return."""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import stat
from pathlib import Path


def sync(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk.

    Raises:
        OSError: it cannot be written, for example because the disk is full.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def exchange(one: Path, other: Path) -> None:
    """Exchange two files or folders of one file system, at one instant where it can (renameat2(2) of Linux).

    Elsewhere nothing is in the place of `other` between two renames.

    Raises:
        OSError: one of them cannot be renamed.
    """
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is not None:
        if renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
            return
        number = ctypes.get_errno()
        if number not in (errno.ENOSYS, errno.EINVAL):  # the kernel or the file system has no such call
            raise OSError(number, os.strerror(number), str(other))
    between = one.with_name(f"{one.name}.replaced")
    other.rename(between)
    one.rename(other)
    between.rename(one)


_HERE, _EXCHANGE = -100, 2
"""AT_FDCWD and RENAME_EXCHANGE of Linux."""


def write_synced(path: Path, text: str) -> None:
    """Write a text file and bring it to the disk."""
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def sha256(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_regular(path: Path, size: int | None = None) -> bool:
    """Whether a regular file is there, of that size if one is given; a symbolic link is none."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and size in (None, status.st_size)


def is_real_folder(path: Path) -> bool:
    """Whether a folder is there; a symbolic link to one is none."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False
