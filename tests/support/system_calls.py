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
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

CALLS = {
    1: "write",
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
    86: "link",
    87: "unlink",
    88: "symlink",
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
"""Numbers of x86-64 and names of the calls that rename, link, remove, make, write or sync."""

SUPPORTED = sys.platform == "linux" and platform.machine() == "x86_64"

_TRACEME, _CONT, _GETREGS, _SETREGS, _SETOPTIONS = 0, 7, 12, 13, 0x4200
_FORK, _VFORK, _CLONE, _EXEC, _SECCOMP = 1, 2, 3, 4, 7
_OPTIONS = 1 << _FORK | 1 << _VFORK | 1 << _CLONE | 1 << _EXEC | 1 << _SECCOMP | 0x10_0000  # and end with the tracer
_WALL = 0x4000_0000
_REGISTERS = 27
_RAX, _RDI, _ORIG_RAX = 10, 14, 15
_ON_DESCRIPTORS = frozenset(("write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate", "fallocate", "pwritev"))

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


class Traced(NamedTuple):
    """What a traced process did."""

    code: int
    """Exit code, or minus the signal that ended it."""
    calls: list[str]
    """Their names, in the order in which they came."""


def traced(run: Callable[[], int], at: int | None = None, error: int | None = None) -> Traced:
    """Run a function in a forked process and count its calls; `at` call number `at`, from 1, kill it or fail the call.

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
    calls: list[str] = []
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
            counts = name not in _ON_DESCRIPTORS or _is_file(tracee, registers[_RDI])
            if counts:
                calls.append(name)
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


def _is_file(tracee: int, descriptor: int) -> bool:
    """Whether it is one, not a pipe, a device, or a descriptor by which threads wake one another."""
    try:
        mode = Path(f"/proc/{tracee}/fd/{descriptor}").stat().st_mode
    except OSError:  # killed meanwhile
        return False
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _process_of(thread: int) -> int:
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{thread}/status").read_text().splitlines())
    return int(fields["Tgid"])


def _install_filter() -> None:
    """Let the tracer see the calls of :data:`CALLS` and no others."""
    load, equal, end, stop, allow = 0x20, 0x15, 0x06, 0x7FF0_0000, 0x7FFF_0000
    program = [(load, 0, 0, 0)]
    program += [(equal, len(CALLS) - place, 0, number) for place, number in enumerate(CALLS)]
    program += [(end, 0, 0, allow), (end, 0, 0, stop)]
    octets = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
    filter_program = ctypes.create_string_buffer(struct.pack("HP", len(program), ctypes.addressof(octets)))
    no_new_privileges, set_filter, mode = 38, 22, 2
    if _libc.prctl(no_new_privileges, 1, 0, 0, 0) or _libc.prctl(set_filter, mode, filter_program, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp filter")
