"""`icsched run` as a user's shell runs it, on workflows of the format for trials."""

import itertools
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SCRIPT
from tools.plain_workflow import install


@pytest.fixture
def jobs(folder) -> Callable[..., None]:
    """Write wf.plain, a chain: a keyword is a job, its value a script or the words to run."""
    install(folder / "lib")

    def write(**given: str | list[str]) -> None:
        found = {}
        for name, words in given.items():
            argv = ["sh", "-c", words] if isinstance(words, str) else words
            found[name] = {"argv": argv, "parents": []}
        names = list(found)
        for before, name in itertools.pairwise(names):
            found[name]["parents"] = [before]  # a chain
        (folder / "wf.plain").write_text(json.dumps(found))

    return write


@pytest.fixture
def icsched_run() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `icsched run wf.plain` to its end."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(*words), env=environment(), capture_output=True, text=True, timeout=100
        )

    return run


def command(*words: str) -> list[str]:
    order = [] if "--order" in words else ["--order", "fifo"]
    workers = [] if "-j" in words else ["-j", "1"]
    return [str(SCRIPT), "run", "wf.plain", *workers, *order, *words]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": "lib"}


# A job says that it runs through a pipe, and waits for a word through another one.
TALK = "echo >> began; echo > up; read word < down; echo >> finished"


@pytest.fixture
def talking(jobs):
    """A chain whose second job talks; start the run, and wait until that job has begun."""
    jobs(a="echo >> first", b=TALK, c="touch end")
    os.mkfifo("up")
    os.mkfifo("down")

    def start(*words: str, **options: Any) -> subprocess.Popen[str]:
        with Path("errors").open("w") as errors:
            given = {"env": environment(), "stdout": subprocess.DEVNULL, "stderr": errors}
            server = subprocess.Popen(command(*words), start_new_session=True, **given | options)
        Path("up").read_text()
        return server

    return start


def answer_the_job() -> None:
    Path("down").write_text("go\n")


def complaints(errors: str) -> list[str]:
    """The lines on standard error, without those that tell a slow machine's user of progress."""
    return [line for line in errors.splitlines() if " jobs done, " not in line]


def lines(name: str) -> int:
    return Path(name).read_text().count("\n") if Path(name).exists() else 0
