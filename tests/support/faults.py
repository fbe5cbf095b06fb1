"""Faults at a chosen call that changes a file system: the process dies there, or the call fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

CALLS = ("rename", "replace", "link", "unlink", "remove", "mkdir", "rmdir", "fsync", "ftruncate", "pwrite")
"""Functions of `os` by which Python changes files and folders."""


class Killed(BaseException):
    """What a killed process does from then on: nothing."""


class Faults:
    """Counts calls, and lets one of them fail."""

    def __init__(self, at: int | None, error: int | None) -> None:
        self.at = at
        self.error = error
        self.calls = 0

    def before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self.calls += 1
            if self.at is not None and self.calls >= self.at:
                if self.error is None:
                    raise Killed  # and so does every later call: cleaning up is no part of being killed
                if self.calls == self.at:
                    raise OSError(self.error, os.strerror(self.error))
            return function(*arguments, **named)

        return call


@contextmanager
def faults(at: int | None = None, error: int | None = None) -> Iterator[Faults]:
    """Let call number `at`, from 1, kill the process, or fail with `error`; without a number only count."""
    injected = Faults(at, error)
    with mock.patch.multiple(os, **{name: injected.before(getattr(os, name)) for name in CALLS}):
        yield injected
