"""Ctrl-C, SIGTERM and time limits: a process ends soon after them, whatever it is doing.

The main thread gets `KeyboardInterrupt` as soon as it runs Python code, and cleans up. Native code may take longer than
a user waits, and so may threads that the interpreter joins at its end. A watcher therefore ends the process after
:data:`GRACE_S`. It learns of the signal from the file descriptor that Python's signal handler writes to at once, also
while native code runs on the main thread.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

GRACE_S = 1.0
"""Time to clean up after a signal, seconds."""

REMOVALS, REMOVAL_PAUSE_S = 20, 0.02
"""How often a folder is removed at a forced end, and the time between, seconds."""

_urgent: list[Callable[[], None]] = []
_abandoned: list[Path] = []
_patient = 0
_came = threading.Event()
_expired: str | None = None


@contextlib.contextmanager
def interrupting(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` from another thread upon a signal while the block runs, for native code that can be stopped."""
    _urgent.append(stop)
    try:
        yield
    finally:
        _urgent.remove(stop)


@contextlib.contextmanager
def leaving_nothing(folder: Path) -> Iterator[None]:
    """While the block runs, a forced end of the process removes the folder, which the main thread cannot do then."""
    _abandoned.append(folder)
    try:
        yield
    finally:
        _abandoned.remove(folder)


@contextlib.contextmanager
def patient() -> Iterator[None]:
    """While the block runs, the first Ctrl-C is a request that its code obeys in its own time."""
    global _patient  # one process, one set of signal handlers
    _patient += 1
    try:
        yield
    finally:
        _patient -= 1


def interrupted() -> bool:
    """A signal came that the watcher of this process obeys: threads may still be busy with what nobody waits for."""
    return _came.is_set()


def expired() -> str | None:
    """Why a time limit interrupted this process; None if it did not."""
    return _expired


@contextlib.contextmanager
def watched(at_forced_end: Callable[[], int]) -> Iterator[None]:
    """End the process :data:`GRACE_S` after the first SIGINT or SIGTERM in the block, unless it has ended by then.

    SIGTERM, with which service managers and batch systems end a process, is like Ctrl-C, so that it cleans up, too.

    Args:
        at_forced_end: called before that, from another thread; returns the exit code.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    ends_silently = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if ends_silently:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    watcher = threading.Thread(target=_watch, args=(reading, at_forced_end), daemon=True, name="winf-interrupt")
    watcher.start()
    try:
        yield
    finally:
        if not interrupted():  # else keep watching until the process has ended
            signal.set_wakeup_fd(before)
            if ends_silently:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
            writing.close()
            watcher.join()
            reading.close()


def _watch(reading: socket.socket, at_forced_end: Callable[[], int]) -> None:
    heard = 0
    while signals := reading.recv(1):
        if signals[0] not in (signal.SIGINT, signal.SIGTERM):
            continue
        heard += 1
        if heard <= _patient:
            continue
        _came.set()
        for stop in (*_urgent,):  # the main thread may leave a block meanwhile
            with contextlib.suppress(Exception):
                stop()
        time.sleep(GRACE_S)
        code = at_forced_end()
        _remove_abandoned()
        os._exit(code)


def _remove_abandoned() -> None:
    """Threads that are still at work may add files to a folder while it is removed."""
    for _ in range(REMOVALS):
        for folder in (*_abandoned,):
            shutil.rmtree(folder, ignore_errors=True)
        if not any(folder.exists() for folder in (*_abandoned,)):
            return
        time.sleep(REMOVAL_PAUSE_S)


@contextlib.contextmanager
def time_limit(seconds: float | None, reason: str) -> Iterator[None]:
    """Interrupt the process like Ctrl-C when the block takes longer; :func:`expired` is then the reason."""
    if seconds is None:
        yield
        return

    def expire() -> None:
        global _expired  # one process, one limit
        _expired = reason
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
