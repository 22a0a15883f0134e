"""DAGMan in the table of formats."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from icsched.errors import FormatError
from icsched.files import Change
from icsched.formats.dagman.advice import refusal, strictness
from icsched.formats.dagman.staleness import present_priorities
from icsched.formats.dagman.submission import Submission, read_submission
from icsched.formats.dagman.workflow_files import DagmanSource, DagmanWriting, submission_of
from icsched.formats.dagman.writer import (
    SUBMIT_FILE,
    changes,
    has_variables,
    is_job_name,
    job_priorities,
    overridden,
    removals,
    workflow_text,
)
from icsched.formats.facts import or_zero
from icsched.formats.port import Format
from icsched.workflow import Workflow


@dataclass(frozen=True)
class DagmanOptions:
    """How DAGMan files are read; the defaults are those of condor_submit_dag."""

    lenient: bool = field(
        default=False, metadata={"help": "Skip unknown commands instead of refusing them."}
    )
    usedagdir: bool = field(
        default=False,
        metadata={
            "help": "Look for files from the directory of the DAGMan file, "
            "as condor_submit_dag -usedagdir does."
        },
    )
    no_rescue: bool = field(
        default=False,
        metadata={"help": "Take all jobs, even those that the newest rescue file says are done."},
    )


@dataclass(frozen=True)
class _Files:
    """The files of a submission, found only when they are asked for: each job names one."""

    submission: Submission

    def __iter__(self) -> Iterator[str]:
        return iter(self.submission.files)


def read_dagman(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    rescue: bool = True,
    lenient: bool = False,
    use_dag_directory: bool = False,
    directory: str = "",
) -> Workflow[str]:
    """Return the workflow in a DAGMan file, or in several that are submitted together.

    Takes the arguments of `read_submission`. Tasks have ids in DAGMan's order. Raises FormatError
    with file and line for what DAGMan would not accept, and for a cycle.
    """
    submission = read_submission(
        path,
        rescue=rescue,
        lenient=lenient,
        use_dag_directory=use_dag_directory,
        directory=directory,
    )
    stated = present_priorities(submission)
    has_any = bool((~np.isnan(stated)).any())
    return Workflow(
        submission.dag,
        submission.done,
        remarks=submission.remarks,
        files=_Files(submission),
        done_by=submission.rescue,
        format="dagman",
        source=DagmanSource(submission),
        priorities=or_zero(stated, np.int32),
        stated={"priorities": stated} if has_any else {},
    )


def read_with(paths: Sequence[str], options: DagmanOptions, directory: str = "") -> Workflow[str]:
    """Return the workflow in DAGMan files, as `read_dagman` does."""
    return read_dagman(
        paths,
        rescue=not options.no_rescue,
        lenient=options.lenient,
        use_dag_directory=options.usedagdir,
        directory=directory,
    )


def _changes(workflow: Workflow, order: Sequence[int]) -> Sequence[Change]:
    """Return the changes that write PRIORITY lines; raises FormatError if DAGMan refuses them."""
    submission = submission_of(workflow)
    priorities = job_priorities(submission, order)
    strict = strictness(submission)
    if strict and strict.line and overridden(submission, priorities, via="priority"):
        raise FormatError(strict.path, strict.line, refusal(strict.text))
    return changes(submission, priorities)


def _write_clusters(workflow: Workflow, clusters: Sequence[Sequence[int]], path: str) -> list[str]:
    from icsched.formats.dagman.clusters import write_clustered  # few commands need it

    return write_clustered(submission_of(workflow), clusters, path)


DAGMAN = Format(
    "dagman",
    "workflows of HTCondor DAGMan",
    suffixes=(".dag",),
    label="DAGMan",
    options=DagmanOptions,
    several=True,
    read=read_with,
    changes=_changes,
    removals=removals,
    text=workflow_text,
    keeps=frozenset({"done", "commands", "priorities", "streams", "environment", "directories"}),
    takes_name=is_job_name,
    placeholder=SUBMIT_FILE,
    write_clusters=_write_clusters,
    order_options=DagmanWriting,
    names_others=has_variables,
)
