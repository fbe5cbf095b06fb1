"""The program `winf` run with arguments: in this process, which saves its start-up, or as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

from winf_analyzer import cli

Result = subprocess.CompletedProcess[str]
Winf = Callable[..., Result]

COMMAND = (sys.executable, "-c", "import sys; sys.argv[0] = 'winf'; from winf_analyzer.cli import program; program()")
"""What the installed script does, which an environment that was not made by `make` lacks."""

TERMINAL = {"NO_COLOR": "1", "COLUMNS": "160", "TERM": "dumb"}
"""No colours, and lines long enough that no sentence is folded."""


def in_process(*arguments: str | os.PathLike[str], env: dict[str, str] | None = None) -> Result:
    """Call the program's entry point as a new process would: its arguments, environment, streams and warnings."""
    command = ["winf", *map(os.fspath, arguments)]
    environment = {**os.environ, **TERMINAL} if env is None else env
    with (
        tempfile.TemporaryFile() as stdout,
        tempfile.TemporaryFile() as stderr,
        mock.patch.object(sys, "argv", command),
        mock.patch.object(sys.modules["__main__"], "__package__", None),  # else its name is "python -m pytest"
        mock.patch.dict(os.environ, environment, clear=True),
        _default_warnings(),
    ):
        with _standard_streams(stdout.fileno(), stderr.fileno()):
            code = _exit_code(cli.main)
        return subprocess.CompletedProcess(command, code, _text(stdout), _text(stderr))


def as_process(*arguments: str | os.PathLike[str], **options: object) -> Result:
    """Run the program as a process of its own, with any option of `subprocess.run`."""
    usual = {"capture_output": True, "text": True, "timeout": 300, "env": {**os.environ, **TERMINAL}}
    return subprocess.run([*COMMAND, *map(os.fspath, arguments)], check=False, **{**usual, **options})


def _exit_code(main: Callable[[], None]) -> int:
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return end.code or 0
    return 0


@contextmanager
def _standard_streams(stdout: int, stderr: int) -> Iterator[None]:
    """Redirect the descriptors themselves, so that what native code and child processes write is seen too."""
    sys.stdout.flush()
    sys.stderr.flush()
    nothing = os.open(os.devnull, os.O_RDONLY)
    saved = [os.dup(number) for number in range(3)]
    for number, target in enumerate((nothing, stdout, stderr)):
        os.dup2(target, number)
    try:
        with (
            open(0, closefd=False) as reader,
            open(1, "w", encoding="utf-8", closefd=False) as writer,
            open(2, "w", buffering=1, encoding="utf-8", closefd=False) as complaints,
            mock.patch.multiple(sys, stdin=reader, stdout=writer, stderr=complaints),
        ):
            yield
    finally:
        for number, descriptor in enumerate(saved):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.close(nothing)


@contextmanager
def _default_warnings() -> Iterator[None]:
    """Show warnings as an interpreter without options does, not as errors; a change of `showwarning` ends here."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        yield


def _text(file: tempfile._TemporaryFileWrapper[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8")
