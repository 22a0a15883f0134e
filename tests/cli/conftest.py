"""Two ways to run the command line: in this process, and as a user's shell does."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from icsched.commands.main import run
from tests.cli.pair_and_fork import WORKFLOW

SCRIPT = Path(sys.executable).parent / "icsched"


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line on standard error, without its `icsched: `; nothing else was said."""
        assert self.out == ""
        assert self.err.startswith("icsched: ")
        assert self.err.count("\n") == 1
        assert self.err.endswith("\n")
        return self.err.removeprefix("icsched: ").removesuffix("\n")


@pytest.fixture
def icsched(capsys) -> Callable[..., Result]:
    """Run `icsched` in this process; a bug's exception fails the test."""

    def runner(*arguments: str) -> Result:
        code = run(arguments)
        return Result(code, *capsys.readouterr())

    return runner


@pytest.fixture
def script() -> Path:
    """The installed console script."""
    return SCRIPT


@pytest.fixture
def icsched_process() -> Callable[..., Result]:
    """Run `icsched` as a process, with changes to the environment or another output."""

    def runner(*arguments: str, stdout: int | IO = subprocess.PIPE, **environment: str) -> Result:
        done = subprocess.run(
            [SCRIPT, *arguments],
            env={**os.environ, **environment},
            stdout=stdout,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )
        return Result(done.returncode, done.stdout or "", done.stderr)

    return runner


@pytest.fixture
def workflow(tmp_path):
    r"""
    a    c
    |   / \      After one job: 2 eligible if it was a, 3 if it was c.
    b  d   e
    """
    path = tmp_path / "wf.dag"
    path.write_text(WORKFLOW)
    return path
