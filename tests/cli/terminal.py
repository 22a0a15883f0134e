"""What a command shows on a terminal."""

import os
import select
import time

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
