"""Standard streams that are closed, full, or no longer read."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from io import TextIOWrapper

_STANDARD = (0, 1, 2)


class ClosedPipe(Exception):
    """Nobody reads standard output any more. Unlike `BrokenPipeError` it is no exception that Click handles itself."""


def reserve_streams() -> None:
    """Open the null device in place of closed standard streams, so that no file of ours gets their descriptors."""
    for number in _STANDARD:
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)  # the lowest free descriptor, which is this one


def allow_every_text() -> None:
    r"""Let streams pass on what their encoding lacks: as ``\xNN`` out, and in for whoever reads it to refuse."""
    for stream, errors in ((sys.stdin, "surrogateescape"), (sys.stdout, "backslashreplace")):
        with suppress(OSError, ValueError, AttributeError):  # closed, or replaced by something else
            cast("TextIOWrapper", stream).reconfigure(errors=errors)


def print_utf8(text: str) -> None:
    """Print a line of JSON, which is UTF-8 whatever the encoding of standard output is (RFC 8259, 8.1)."""
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{text}\n".encode())


def flush_output() -> None:
    """Write what is buffered for standard output, while errors can still be reported.

    Raises:
        OSError: it cannot be written.
    """
    if sys.stdout is not None and not sys.stdout.closed:
        sys.stdout.flush()


def discard_output() -> None:
    """Throw away what could not be written to standard output; the interpreter would try again at its end."""
    with suppress(OSError, ValueError, AttributeError):
        flush_output()
        return
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def output_error(error: OSError) -> str:
    """A sentence about a file, or standard output, that cannot be read or written."""
    if error.filename is None and error.errno is None:  # of the native module, whose text names the file
        return f"{error}."
    where = error.filename if error.filename is not None else "standard output"
    return f"{os.fsdecode(where) if isinstance(where, bytes) else where}: {error.strerror or error}."
