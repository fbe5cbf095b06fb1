"""One writer at a time, and readers that nobody waits for.

Both locks are ``flock``'s: they end with the process that holds them, however it ends. A file system without such locks
is used without.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import sys
import threading
import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from winf_analyzer._dataset.manifest import LOCK, READERS, SIGNATURE
from winf_analyzer._util.durable import is_regular
from winf_analyzer._util.errors import DatasetError

_NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}

LOCK_BYTES = 1024
"""Length of a lock file, padded with spaces."""

_held: dict[tuple[str, int], int] = {}
"""How often a thread has entered the lock of a dataset, by real path and thread."""


@contextmanager
def writer(root: Path, *, target: Path | None = None, wait: bool = False) -> Iterator[None]:
    """Hold the lock for writing a dataset; a thread that holds it may take it again.

    Args:
        root: the folder that has the lock.
        target: what is written, for messages, if that is another path.
        wait: wait for another writer instead of failing.

    Raises:
        DatasetError: another process or thread is writing, with who it is; or the folder cannot be written.
    """
    key = os.path.realpath(root), threading.get_ident()
    if key in _held:
        _held[key] += 1
        try:
            yield
        finally:
            _held[key] -= 1
        return
    descriptor = _locked(root, target or root, wait=wait)
    _held[key] = 1
    try:
        yield
    finally:
        del _held[key]
        try:
            with suppress(OSError):  # nobody holds it; a dataset that is passed on names no host
                _write(descriptor, {"signature": SIGNATURE})
        finally:
            os.close(descriptor)


def _write(descriptor: int, facts: dict[str, Any]) -> None:
    """In one step, so that a killed process does not leave a lock file that no longer is winf's."""
    text = json.dumps(facts).encode().ljust(LOCK_BYTES)
    os.pwrite(descriptor, text, 0)
    os.ftruncate(descriptor, len(text))


def _locked(root: Path, target: Path, *, wait: bool) -> int:
    try:
        descriptor = os.open(root / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise DatasetError(f"{target}: cannot write there: {error.strerror or error}.") from error
    try:
        _flock(descriptor, wait=wait)
        with suppress(OSError):  # a full disk: the holder's name is a courtesy
            _write(descriptor, _myself())
    except BlockingIOError:
        holder = _holder(descriptor)
        os.close(descriptor)
        raise DatasetError(f"{target}: is being written by {holder}. Wait until that has ended.") from None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _flock(descriptor: int, *, wait: bool) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise


def _myself() -> dict[str, Any]:
    program = " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]]) if sys.argv else "python"
    return {
        "signature": SIGNATURE,
        "command": program,
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _holder(descriptor: int) -> str:
    """Who holds the lock, as far as the file says; its text may be anything."""
    try:
        said = json.loads(os.pread(descriptor, 4096, 0))
        facts = [ascii(str(said[key])[:100])[1:-1] for key in ("command", "pid", "host", "since")]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "another process"
    command, pid, host, since = facts
    return f"`{command}` (process {pid} on {host}, since {since})"


def is_ours(root: Path) -> bool:
    """Whether the lock file of a folder is one that winf wrote, or all that it had made when it was killed."""
    with suppress(OSError):
        if [path.name for path in root.iterdir()] == [LOCK] and is_regular(root / LOCK, 0):
            return True
    try:
        with (root / LOCK).open("rb") as file:
            return bool(json.loads(file.read(4096))["signature"] == SIGNATURE)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


class _Readers:
    """This process's readers of one dataset: one shared lock for all of them."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.threads: Counter[int] = Counter()
        """How many readers each thread has that live."""


_reading: dict[tuple[int, int], _Readers] = {}
"""By device and inode."""
_reading_lock = threading.RLock()


def read(root: Path, reader: object) -> None:
    """Mark the dataset as read by this process, as long as ``reader`` lives.

    Parts that a newer manifest does not name stay in their place while anybody reads. This never waits for a writer's
    work, only for the moment in which such parts are moved.
    """
    with _reading_lock, suppress(OSError):  # a dataset of before this lock, or one that may not be opened
        key, readers = _readers(root)
        thread = threading.get_ident()
        readers.threads[thread] += 1
        weakref.finalize(reader, _end, key, thread)


def _readers(root: Path) -> tuple[tuple[int, int], _Readers]:
    descriptor = os.open(root / READERS, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    key = status.st_dev, status.st_ino
    if key in _reading:
        os.close(descriptor)
    else:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        _reading[key] = _Readers(descriptor)
    return key, _reading[key]


def _end(key: tuple[int, int], thread: int) -> None:
    with _reading_lock:
        _reading[key].threads[thread] -= 1
        if _reading[key].threads.total() <= 0:
            os.close(_reading.pop(key).descriptor)


BY_PROCESS = "is being read by another process. Wait until that has ended."
BY_THREAD = "is being read by another thread of this process. Wait until that has ended."


@contextmanager
def no_other_reader(root: Path) -> Iterator[str | None]:
    """None if no other process or thread reads the dataset, and none begins to until the block ends.

    Otherwise what is in the way, as the rest of a sentence about the dataset: a reader, or why it cannot be told.
    Only the writer may ask. The readers of its own thread do not count: they look for parts anew with every scan.
    """
    with _reading_lock:
        try:
            descriptor = os.open(root / READERS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        except OSError as error:
            yield _untold("be opened", error)
            return
        status = os.fstat(descriptor)
        own = _reading.get((status.st_dev, status.st_ino))
        if own and any(count > 0 and thread != threading.get_ident() for thread, count in own.threads.items()):
            os.close(descriptor)
            yield BY_THREAD
            return
        held = own.descriptor if own else descriptor
        obstacle = None
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            obstacle = BY_PROCESS
        except OSError as error:
            obstacle = None if error.errno in _NO_LOCKS else _untold("be locked", error)
        try:
            yield obstacle
        finally:
            if own:
                with suppress(OSError):
                    fcntl.flock(held, fcntl.LOCK_SH)
            os.close(descriptor)


def _untold(act: str, error: OSError) -> str:
    return f"{READERS} in it cannot {act}, which tells whether anybody reads it: {error.strerror or error}."
