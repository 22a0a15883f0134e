"""What all tests share: one hypothesis profile, and a working directory with files in it.

The profile gives the same examples every time, however slow the machine.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("icsched", deadline=None, derandomize=True)
settings.load_profile("icsched")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def put(folder) -> Callable[[Mapping[str, str | bytes]], None]:
    """Write files below the working directory."""

    def write(files: Mapping[str, str | bytes]) -> None:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())

    return write
