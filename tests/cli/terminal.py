"""What a command shows on a terminal."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

PATIENCE_S = 60


def read_until(terminal: int, text: bytes) -> bytes:
    """Return what *terminal* shows until *text* is there; fail if it is not within a minute."""
    shown = b""
    deadline = time.monotonic() + PATIENCE_S
    while text not in shown:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            pytest.fail(f"expected {text!r} within {PATIENCE_S} s, got {shown!r}")
        shown += os.read(terminal, 4096)
    return shown


_DECIDE = (  # variables that say what a terminal is like
    *("COLUMNS", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM"),
    *("LC_ALL", "LC_CTYPE", "LANG", "PYTHONIOENCODING", "PYTHONUTF8"),
)


def shown(command: Sequence[str | Path], columns: int, **environment: str) -> str:
    """Return what *command* shows on a terminal with this many columns; it must succeed."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    plain = {name: value for name, value in os.environ.items() if name not in _DECIDE}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=subprocess.PIPE,
        env={**plain, "TERM": "xterm", **environment},
    )
    os.close(follower)
    printed = _all_of(leader)
    _, complaint = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaint
    return printed.decode().replace("\r\n", "\n")


def _all_of(terminal: int) -> bytes:
    """Return what is written to *terminal* until the process ends."""
    parts = []
    while True:
        try:
            parts.append(os.read(terminal, 65536))
        except OSError:  # how Linux says that the other end is closed
            os.close(terminal)
            return b"".join(parts)
