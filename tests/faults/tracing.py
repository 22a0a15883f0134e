"""Run a function in a child process and strike at chosen system calls of it.

The child is traced by ptrace(2), which stops it before and after each system call. There it can
be killed, or be told that the call failed, without the call having been made. Or something else
happens just before the call, such as an edit of a file by another program. Calls that touch no file
(memory, clocks, mutexes) are neither counted nor struck.

Linux only, on the two machines whose registers are named below.
"""

import ctypes
import os
import platform
import signal
import struct
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

# Numbers from <sys/ptrace.h> and <elf.h>, the same on all machines.
_TRACEME, _POKEUSER, _SYSCALL, _SETOPTIONS = 0, 6, 24, 0x4200
_GETREGSET, _SETREGSET, _GET_SYSCALL_INFO = 0x4204, 0x4205, 0x420E
_SYSGOOD_AND_EXITKILL = 1 | 1 << 20  # mark stops at system calls; no child outlives its tracer
_SYSCALL_STOP = signal.SIGTRAP | 0x80
_ENTRY = 1
_GENERAL_REGISTERS, _ARM_SYSTEM_CALL = 1, 0x404
_RAX, _ORIG_RAX = 8 * 10, 8 * 15  # places in x86-64's struct user

# Columns: x86-64 and aarch64, None where there is no such call.
_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "open": (2, None),
    "close": (3, 57),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "lseek": (8, 62),
    "ioctl": (16, 29),
    "getpid": (39, 172),
    "fcntl": (72, 25),
    "flock": (73, 32),
    "fsync": (74, 82),
    "getcwd": (79, 17),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "link": (86, None),
    "linkat": (265, 37),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "fchmod": (91, 52),
    "fchown": (93, 55),
    "umask": (95, 166),
    "getdents64": (217, 61),
    "openat": (257, 56),
    "newfstatat": (262, 79),
    "getrandom": (318, 278),
    "statx": (332, 291),
}
_NO_FILE: dict[str, tuple[int, int]] = {
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "futex": (202, 98),
    "clock_gettime": (228, 113),
    "exit_group": (231, 94),
}
_MACHINE = {"x86_64": 0, "aarch64": 1}.get(platform.machine())
_NAMES = {row[_MACHINE or 0]: name for name, row in _NUMBERS.items()}
_UNCOUNTED = {row[_MACHINE or 0] for row in _NO_FILE.values()}

# An int is the errno to fail with; a function is called before the call is made.
Strike = Literal["kill before", "kill after"] | int | Callable[[], None]


@dataclass(frozen=True)
class Trace:
    """How a traced child went: the names of its calls, and its exit code, negative for a signal."""

    calls: list[str]
    code: int


class NotPermitted(Exception):  # noqa: N818  it is a reason to skip, not an error
    """This machine does not let us trace; the message says why."""


# What a child does; it says by calling its argument from where on its calls count.
Work = Callable[[Callable[[], None]], int]


def forked(work: Work) -> int:
    """Run *work* in a child process and return its exit code, negative for a signal."""
    return os.waitstatus_to_exitcode(_wait(_fork(work, lambda: None)))


def traced(
    work: Work, strikes: Mapping[int, Strike], refused: Mapping[str, int] | None = None
) -> Trace:
    """Run *work* in a child process and strike at its calls, which are counted from 0.

    Calls whose names are in *refused* always fail with that errno, as on a system without them.
    Raises NotPermitted where that cannot be done.
    """
    if sys.platform != "linux" or _MACHINE is None:
        raise NotPermitted(f"expected Linux on x86-64 or aarch64, got {platform.platform()}")
    child = _fork(work, _stop_to_be_traced)
    status = _wait(child)
    if not os.WIFSTOPPED(status):
        raise NotPermitted("ptrace(PTRACE_TRACEME) was refused")
    try:
        _ptrace(_SETOPTIONS, child, data=_SYSGOOD_AND_EXITKILL)
        return _follow(child, strikes, refused or {})
    except NotPermitted:
        os.kill(child, signal.SIGKILL)
        _wait(child)
        raise


def _fork(work: Work, begin: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    code = 70  # a bug in the harness itself
    try:
        code = work(begin)
    finally:
        os._exit(code)


def _wait(child: int) -> int:
    return os.waitpid(child, 0)[1]


def _stop_to_be_traced() -> None:
    _ptrace(_TRACEME, 0)
    os.kill(os.getpid(), signal.SIGSTOP)


def _follow(child: int, strikes: Mapping[int, Strike], refused: Mapping[str, int]) -> Trace:
    """Let a stopped child go on to its end, from one system call to the next."""
    calls: list[str] = []
    is_counted = False
    status = _go_on(child)
    while os.WIFSTOPPED(status):
        if os.WSTOPSIG(status) != _SYSCALL_STOP:
            status = _go_on(child, os.WSTOPSIG(status))
            continue
        is_entry, number = _call(child)
        if is_entry:
            is_counted = number not in _UNCOUNTED
            calls += [_NAMES.get(number, f"call {number}")] if is_counted else []
        usual = refused.get(calls[-1]) if is_counted else None
        strike = strikes.get(len(calls) - 1, usual) if is_counted else None
        if strike == ("kill before" if is_entry else "kill after"):
            os.kill(child, signal.SIGKILL)
            status = _wait(child)
            continue
        if callable(strike):
            if is_entry:
                strike()
            strike = usual
        if isinstance(strike, int):
            _leave_out_call(child) if is_entry else _set_answer(child, -strike)
        status = _go_on(child)
    return Trace(calls, os.waitstatus_to_exitcode(status))


def _go_on(child: int, signal_number: int = 0) -> int:
    _ptrace(_SYSCALL, child, data=signal_number)
    return _wait(child)


def _call(child: int) -> tuple[bool, int]:
    """Return whether the child is about to make a call, and if so the call's number."""
    info = ctypes.create_string_buffer(88)
    _ptrace(_GET_SYSCALL_INFO, child, address=len(info), data=ctypes.addressof(info))
    operation, number = struct.unpack_from("=B23xq", info)
    return operation == _ENTRY, number


def _leave_out_call(child: int) -> None:
    """Make the kernel skip the call that the child is about to make."""
    if _MACHINE == 0:
        _ptrace(_POKEUSER, child, address=_ORIG_RAX, data=-1)
    else:
        _registers(_SETREGSET, child, _ARM_SYSTEM_CALL, ctypes.c_int(-1))


def _set_answer(child: int, value: int) -> None:
    """Make the child see *value* as the answer to its call."""
    if _MACHINE == 0:
        _ptrace(_POKEUSER, child, address=_RAX, data=value)
    else:
        registers = (ctypes.c_int64 * 34)()
        _registers(_GETREGSET, child, _GENERAL_REGISTERS, registers)
        registers[0] = value
        _registers(_SETREGSET, child, _GENERAL_REGISTERS, registers)


def _registers(
    request: int, child: int, which: int, registers: ctypes.Array[ctypes.c_int64] | ctypes.c_int
) -> None:
    place = (ctypes.c_uint64 * 2)(ctypes.addressof(registers), ctypes.sizeof(registers))
    _ptrace(request, child, address=which, data=ctypes.addressof(place))


def _ptrace(request: int, child: int, *, address: int = 0, data: int = 0) -> None:
    if _libc.ptrace(request, child, address, data) < 0:
        raise NotPermitted(f"ptrace({request:#x}): {os.strerror(ctypes.get_errno())}")


_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_long, ctypes.c_long]
_libc.ptrace.restype = ctypes.c_long
