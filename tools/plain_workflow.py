"""A format of workflows for trials: one JSON object of jobs, with parents and commands.

``{"b": {"parents": ["a"], "argv": ["echo", "hello"], "seconds": 2}}``; all keys but the name may be
left out, and a job without `argv` runs nothing. `install` makes it a package that `icsched` finds.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from icsched import Dag, Workflow
from icsched.files import read_text
from icsched.formats.port import Format, NoOptions
from icsched.workflow import Command, OwnSource


def read_plain(paths: Sequence[str], _options: NoOptions) -> Workflow[str]:
    """Read a workflow."""
    jobs = msgspec.json.decode(read_text(paths[0]))
    dag = Dag({name: job.get("parents", []) for name, job in jobs.items()})
    given = [jobs[name] for name in dag.names]
    seconds = [job.get("seconds") for job in given]
    return Workflow(
        dag,
        np.zeros(len(dag), bool),
        None if None in seconds else np.array(seconds, float),
        format="plain",
        files=list(paths),
        source=OwnSource([_command(job) for job in given]),
    )


def _command(job: dict[str, object]) -> Command | None:
    fields = ("directory", "stdin", "stdout", "stderr")
    return job.get("argv") and Command(
        tuple(job["argv"]),
        environment=tuple(job.get("environment", {}).items()),
        **{field: job.get(field) for field in fields},
    )


PLAIN = Format("plain", "jobs as JSON, for trials", (".plain",), read=read_plain)


def install(folder: Path) -> Path:
    """Make a package of this module below *folder*; return what PYTHONPATH must have."""
    about = folder / "plain_workflow-1.0.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plain_workflow\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[icsched.formats]\nplain = plain_workflow:PLAIN\n")
    shutil.copy(__file__, folder / "plain_workflow.py")
    return folder
