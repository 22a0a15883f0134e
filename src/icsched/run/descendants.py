"""Finding, ending and reaping all descendants of a process.

Only Linux lists processes in /proc, and lets a process adopt orphans: the nearest adopting ancestor
becomes the parent. So a process cannot leave its adopting ancestor, even with a new session, group
or environment.
"""

import os
import select
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import Collection
from contextlib import ExitStack, suppress
from math import inf

from icsched.machine import adopt_orphans

GRACE_S = 5.0  # between SIGTERM and SIGKILL
_LINGER_S = 1.0  # for processes that outlive their command, such as a `tee` that still writes
_REAP_S = 0.5  # interval for reaping orphans while their command runs
_LOOK_S = 0.01
_STUCK_S = 30.0  # after this time a process counts as immune to SIGKILL
_QUIET_LOOKS = 2  # looks in a row that must find nothing: one look may miss a process that forks


_adopts = False  # whether this process adopts orphans
_spare: frozenset[int] = frozenset()  # children of this process that do not belong to a command


def adopt() -> None:
    """Have this process adopt the orphans of the commands that it runs, one command at a time.

    From now on, when a command ends, all processes that it has started are ended. Without adoption
    in the system, nothing changes.
    """
    global _adopts, _spare
    if not _adopts and _has_handles() and adopt_orphans():
        living, zombies = below(os.getpid())
        _adopts, _spare = True, frozenset([*living, *zombies])


def _has_handles() -> bool:
    """Whether Linux (5.3 or later) and this build of Python have handles of processes."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return hasattr(signal, "pidfd_send_signal")


def below(root: int, spare: Collection[int] = ()) -> tuple[list[int], list[int]]:
    """Return the descendants of *root*: living processes, and zombies.

    Processes in *spare* and their descendants are left out. Empty without /proc.
    """
    children, zombies = defaultdict[int, list[int]](list), set[int]()
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():  # noqa: PTH112, PTH208
        if name.isdecimal():
            with suppress(OSError, ValueError):  # the process may end meanwhile
                parent, is_zombie = _parent(name)
                children[parent].append(int(name))
                if is_zombie:
                    zombies.add(int(name))
    found = [root]
    for process in found:
        found += [child for child in children[process] if child not in spare]
    rest = found[1:]
    return [one for one in rest if one not in zombies], [one for one in rest if one in zombies]


def _parent(process: str) -> tuple[int, bool]:
    """Return the parent of a process, and whether the process is a zombie with all its threads."""
    with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123  quicker than a Path
        words = file.read().rpartition(b")")[2].split()  # the name may have any characters
    return int(words[1]), words[0] in b"ZX" and int(words[17]) <= 1


def kill_below(root: int, spare: Collection[int] = (), *, patience: float = _STUCK_S) -> None:
    """Kill all descendants of *root*, until none is left; reap those of this process.

    Processes of other users, for example of `sudo`, are not killed. Waits at most *patience*
    seconds.
    """
    end, quiet, before = time.monotonic() + patience, 0, [0]
    while quiet < _QUIET_LOOKS and time.monotonic() < end:
        living, zombies = below(root, spare)
        found = [one for one in living if _may_signal(one, signal.SIGKILL)]
        _reap(zombies)
        quiet = 0 if found else quiet + 1
        if root == os.getpid() and _is_alone():
            return
        time.sleep(_LOOK_S if found == before else 0)  # again: processes may fork meanwhile
        before = found


def kill_with_descendants(process: int) -> None:
    """Kill a process of this user with all its descendants."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGSTOP)  # otherwise its orphans could not be found
        kill_below(process, patience=GRACE_S)
        os.kill(process, signal.SIGKILL)


def end_below(roots: Collection[int], grace_s: float) -> None:
    """End all descendants of adopting processes: SIGTERM, and SIGKILL after *grace_s*."""

    def living() -> list[int]:
        return [process for root in roots for process in below(root)[0]]

    _ask(living())
    end = time.monotonic() + grace_s
    while any(_may_signal(one, 0) for one in living()) and time.monotonic() < end:
        time.sleep(_LOOK_S)
    for root in roots:
        kill_below(root, patience=GRACE_S)


def awaited(child: "subprocess.Popen[bytes]", limit: float | None) -> int:
    """Return the exit code of a command; raises TimeoutExpired after *limit* seconds."""
    if not _adopts:
        return child.wait(limit)
    end = inf if limit is None else time.monotonic() + limit
    with ExitStack() as stack:
        handle = os.pidfd_open(child.pid)
        stack.callback(os.close, handle)
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        while not poll.poll(1000 * max(0.0, min(end - time.monotonic(), _REAP_S))):
            if time.monotonic() >= end:
                raise subprocess.TimeoutExpired(child.args, limit or 0)
            _reap_others(child.pid)
    return child.wait()


def end_rest() -> None:
    """End processes that a command has left behind, if this process adopts orphans."""
    if not _adopts or _is_alone():
        return
    _await_end(_LINGER_S)
    _ask(below(os.getpid(), _spare)[0])
    _await_end(GRACE_S)
    kill_below(os.getpid(), _spare)


def end_all(child: "subprocess.Popen[bytes]") -> None:
    """End a command with all its processes: SIGTERM first, SIGKILL after `GRACE_S`.

    If this process does not adopt orphans, this may miss processes that have left the group of the
    command and whose parents have ended.
    """
    root = os.getpid() if _adopts else child.pid
    others = [one for one in below(root, _spare)[0] if _group(one) != child.pid]
    with ExitStack() as stack:
        handles = _handles(others, stack) if _has_handles() and not _adopts else []
        _signal_group(child.pid, signal.SIGTERM)
        _signal_group(child.pid, signal.SIGCONT)  # a stopped process receives SIGTERM only then
        _ask(others)
        if _adopts:
            _await_end(GRACE_S, child)
        else:
            with suppress(subprocess.TimeoutExpired):
                child.wait(GRACE_S)
        _signal_group(child.pid, signal.SIGKILL)
        for handle in handles:
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
    child.wait()
    if _adopts:
        kill_below(os.getpid(), _spare)


def _await_end(patience: float, child: "subprocess.Popen[bytes] | None" = None) -> None:
    """Wait at most *patience* seconds until all processes of a command have ended."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if child is not None:
            child.poll()  # reaps it, and keeps its exit code
        living, zombies = below(os.getpid(), _spare)
        _reap([one for one in zombies if child is None or one != child.pid])
        if not any(_may_signal(one, 0) for one in living):
            return
        time.sleep(_LOOK_S)


def _ask(processes: Collection[int]) -> None:
    for process in processes:
        if _may_signal(process, signal.SIGTERM):
            _may_signal(process, signal.SIGCONT)


def _may_signal(process: int, number: int) -> bool:
    """Send a signal to a process, if it exists; return False if another user owns the process."""
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass  # it has ended, and may have left a child that was not seen yet
    except PermissionError:
        return False
    return True


def _signal_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _group(process: int) -> int | None:
    try:
        return os.getpgid(process)
    except ProcessLookupError:
        return None


def _handles(processes: Collection[int], stack: ExitStack) -> list[int]:
    """Return handles of processes, which stay valid if another process gets the same number."""
    found = []
    for process in processes:
        with suppress(OSError):
            found.append(os.pidfd_open(process))
            stack.callback(os.close, found[-1])
    return found


def _is_alone() -> bool:
    """Whether this process has no children, not even zombies."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False


def _reap(zombies: Collection[int]) -> None:
    for process in zombies:
        with suppress(ChildProcessError):  # it is the child of another process
            os.waitpid(process, os.WNOHANG)


def _reap_others(command: int) -> None:
    """Reap the orphans that have ended, but not the command."""
    with suppress(ChildProcessError):
        while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if found.si_pid == command or found.si_pid in _spare:
                return
            os.waitpid(found.si_pid, 0)
