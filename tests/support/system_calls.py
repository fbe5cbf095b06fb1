"""A forked process stopped at every system call that changes a file system: killed there, or the call fails.

The child installs a seccomp filter that stops it at those calls, whichever of its threads makes them, and its parent,
the tracer, counts them in the order in which they come. Writes to pipes and the like do not count: between two calls
that do, nothing on the disk changes. Linux on x86-64 (ptrace(2), seccomp(2)).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import stat
import struct
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

CALLS = {
    1: "write",
    2: "open",
    18: "pwrite64",
    20: "writev",
    40: "sendfile",
    74: "fsync",
    75: "fdatasync",
    76: "truncate",
    77: "ftruncate",
    82: "rename",
    83: "mkdir",
    84: "rmdir",
    85: "creat",
    86: "link",
    87: "unlink",
    88: "symlink",
    257: "openat",
    258: "mkdirat",
    263: "unlinkat",
    264: "renameat",
    265: "linkat",
    266: "symlinkat",
    285: "fallocate",
    296: "pwritev",
    316: "renameat2",
    326: "copy_file_range",
}
"""Numbers of x86-64 and names of the calls that rename, link, remove, make, write or sync, or open what they change."""

OPENING = frozenset(("open", "openat", "creat"))
"""Calls that count where they open a file to write it."""

KILLING = frozenset(CALLS.values()) - OPENING
"""Calls before which a kill leaves another state than before the one before."""

NAMING = (
    OPENING
    | {"mkdir", "rename", "link", "symlink", "mkdirat", "renameat", "linkat", "symlinkat", "renameat2"}
    | {"rmdir", "unlink", "unlinkat", "truncate"}
)
"""Calls with a path: a file system or folder that is read-only or forbidden refuses these, never a descriptor."""

SUPPORTED = sys.platform == "linux" and platform.machine() == "x86_64"

_TRACEME, _CONT, _GETREGS, _SETREGS, _SETOPTIONS = 0, 7, 12, 13, 0x4200
_FORK, _VFORK, _CLONE, _EXEC, _SECCOMP = 1, 2, 3, 4, 7
_OPTIONS = 1 << _FORK | 1 << _VFORK | 1 << _CLONE | 1 << _EXEC | 1 << _SECCOMP | 0x10_0000  # and end with the tracer
_WALL = 0x4000_0000
_REGISTERS = 27
_RAX, _RSI, _RDI, _ORIG_RAX = 10, 13, 14, 15
_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_FLAGS_OF_OPENING = {2: 24, 257: 32}
"""Calls, and where the filter finds with what flags they open."""
_ON_DESCRIPTORS = frozenset(("write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate", "fallocate", "pwritev"))

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


class Traced(NamedTuple):
    """What a traced process did."""

    code: int
    """Exit code, or minus the signal that ended it."""
    calls: list[tuple[str, str]]
    """Their names, in the order in which they came, and files that they write to."""


def traced(run: Callable[[], int], at: int | None, error: int | None, counted: Collection[str]) -> Traced:
    """Run a function in a forked process and count calls of these names; at number `at`, from 1, kill it, or fail it.

    A call that fails is not made. A process that the function starts is traced like its own threads.
    """
    child = os.fork()
    if child == 0:
        code = 70
        try:
            _ptrace(_TRACEME, 0, 0, 0)
            os.kill(os.getpid(), signal.SIGSTOP)
            _install_filter()
            code = run()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, _WALL)
    assert os.WIFSTOPPED(status), status
    _ptrace(_SETOPTIONS, child, 0, _OPTIONS)
    _ptrace(_CONT, child, 0, 0)
    calls: list[tuple[str, str]] = []
    code = 0
    while True:
        try:
            tracee, status = os.waitpid(-1, _WALL)
        except ChildProcessError:
            return Traced(code, calls)
        if not os.WIFSTOPPED(status):
            if tracee == child:
                code = os.waitstatus_to_exitcode(status)
            continue
        deliver = os.WSTOPSIG(status)
        if status >> 16 == _SECCOMP:
            registers = _registers(tracee)
            name = CALLS[registers[_ORIG_RAX]]
            counts, file = name in counted, ""
            if counts and name in _ON_DESCRIPTORS:
                file = _file(tracee, registers[_RDI])
                counts = bool(file)
            elif counts and name in OPENING:
                counts = not _is_device(tracee, registers[_RSI if name == "openat" else _RDI])
            if counts:
                calls.append((name, file))
            if counts and len(calls) == at:
                if error is None:
                    os.kill(_process_of(tracee), signal.SIGKILL)
                    continue
                registers[_ORIG_RAX], registers[_RAX] = 2**64 - 1, 2**64 - error
                _ptrace(_SETREGS, tracee, 0, ctypes.addressof(registers))
        if status >> 16 or deliver == signal.SIGSTOP:  # an event, or the begin of a thread: no signal of its own
            deliver = 0
        _ptrace(_CONT, tracee, 0, deliver)


def _ptrace(request: int, process: int, address: int, data: int) -> None:
    if _libc.ptrace(request, process, address, data) == -1 and ctypes.get_errno() != errno.ESRCH:  # killed meanwhile
        raise OSError(ctypes.get_errno(), f"ptrace request {request}")


def _registers(tracee: int) -> ctypes.Array[ctypes.c_uint64]:
    registers = (ctypes.c_uint64 * _REGISTERS)()
    _ptrace(_GETREGS, tracee, 0, ctypes.addressof(registers))
    return registers


def _file(tracee: int, descriptor: int) -> str:
    """Its path; empty for a pipe, a device, or a descriptor by which threads wake one another."""
    link = Path(f"/proc/{tracee}/fd/{descriptor}")
    try:
        mode = link.stat().st_mode
        return str(link.readlink()) if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else ""
    except OSError:  # killed meanwhile
        return ""


def _is_device(tracee: int, address: int) -> bool:
    """Whether the path at an address is that of one, or of the system's own files."""
    try:
        with Path(f"/proc/{tracee}/mem").open("rb", buffering=0) as memory:
            memory.seek(address)
            path = memory.read(16)  # of a page that may end behind it
    except (OSError, OverflowError):  # killed meanwhile
        return True
    return path.startswith((b"/dev/", b"/proc/", b"/sys/")) and not path.startswith(b"/dev/shm/")


def _process_of(thread: int) -> int:
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{thread}/status").read_text().splitlines())
    return int(fields["Tgid"])


def _install_filter() -> None:
    """Let the tracer see the calls of :data:`CALLS` and no others."""
    load, equal, any_of, end, stop, allow = 0x20, 0x15, 0x45, 0x06, 0x7FF0_0000, 0x7FFF_0000
    program = [(load, 0, 0, 0)]
    for number, flags in _FLAGS_OF_OPENING.items():  # those that open to read only need not stop
        program += [(equal, 0, 4, number), (load, 0, 0, flags), (any_of, 1, 0, _TO_WRITE), (end, 0, 0, allow)]
        program += [(end, 0, 0, stop)]
    program += [(equal, len(CALLS) - place, 0, number) for place, number in enumerate(CALLS)]
    program += [(end, 0, 0, allow), (end, 0, 0, stop)]
    octets = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
    filter_program = ctypes.create_string_buffer(struct.pack("HP", len(program), ctypes.addressof(octets)))
    no_new_privileges, set_filter, mode = 38, 22, 2
    if _libc.prctl(no_new_privileges, 1, 0, 0, 0) or _libc.prctl(set_filter, mode, filter_program, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp filter")
