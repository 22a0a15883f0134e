"""A place with programs, the shells, and a cluster."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.submission import read_submission
from tests.formats.run_members.runs import SHELLS, SHOW, WORK


@pytest.fixture(autouse=True)
def place(folder, put):
    """A working directory with the programs."""
    put({"show": SHOW, "work": WORK})
    for name in ("show", "work"):
        Path(name).chmod(0o755)
    return folder


@pytest.fixture(params=SHELLS)
def shell(request) -> list[str]:
    """A command that runs the script as /bin/sh would."""
    return {"bash": ["bash", "--posix"], "busybox": ["busybox", "sh"]}.get(
        request.param, [request.param]
    )


@pytest.fixture
def cluster(put):
    """Write one cluster of all the names, in their order, each with the submit file *sub*."""

    def writer(names: Sequence[str], sub: str) -> None:
        put({"wf.dag": "".join(f"JOB {name} x.sub\n" for name in names), "x.sub": sub})
        write_clustered(read_submission("wf.dag"), [range(len(names))], "out.dag")

    return writer
