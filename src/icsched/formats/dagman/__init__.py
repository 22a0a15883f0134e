"""HTCondor DAGMan files, in and out."""

import os

from icsched.dag import Dag
from icsched.formats.dagman.advice import advise, strictness
from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.reader import Remark
from icsched.formats.dagman.stale import Section, sections
from icsched.formats.dagman.text import dagman_text, write_dagman
from icsched.formats.dagman.workflow import Workflow, read_workflow
from icsched.formats.dagman.writer import (
    Change,
    changes,
    copies,
    flat_file,
    has_variables,
    job_priorities,
    overridden,
    removals,
    submit_files,
    submit_removals,
)

__all__ = [
    "Change",
    "Remark",
    "Section",
    "Workflow",
    "advise",
    "changes",
    "copies",
    "dagman_text",
    "flat_file",
    "has_variables",
    "job_priorities",
    "overridden",
    "read_dagman",
    "read_workflow",
    "removals",
    "sections",
    "strictness",
    "submit_files",
    "submit_removals",
    "write_clustered",
    "write_dagman",
]


def read_dagman(path: str | os.PathLike[str]) -> Dag:
    """Return the jobs that remain to be run of the DAGMan workflow at *path*.

    Jobs have their ids in DAGMan's order. For more than the dag, and for what is raised, see
    `read_workflow`.
    """
    return read_workflow(path).dag
