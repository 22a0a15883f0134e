"""DAGMan in the table of formats."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from icsched.files import Change
from icsched.formats.dagman.advice import advise
from icsched.formats.dagman.section import line_of
from icsched.formats.dagman.staleness import present_priorities
from icsched.formats.dagman.submission import Submission, read_submission
from icsched.formats.dagman.workflow_files import DagmanSource, order_notes, submission_of
from icsched.formats.dagman.writer import (
    SUBMIT_FILE,
    DagmanWriting,
    changes,
    copies,
    flat_file,
    has_variables,
    is_job_name,
    job_priorities,
    removals,
    submit_removals,
    without_section,
    workflow_text,
)
from icsched.formats.facts import or_zero
from icsched.formats.port import Format
from icsched.workflow import Remark, Workflow


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
    return _workflow(
        read_submission(
            path,
            rescue=rescue,
            lenient=lenient,
            use_dag_directory=use_dag_directory,
            directory=directory,
        )
    )


def _read(paths: Sequence[str], options: DagmanOptions, directory: str = "") -> Workflow[str]:
    return _workflow(
        read_submission(
            paths,
            rescue=not options.no_rescue,
            lenient=options.lenient,
            use_dag_directory=options.usedagdir,
            directory=directory,
        )
    )


def _workflow(submission: Submission) -> Workflow[str]:
    """Return what a submission says, as a workflow."""
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


def _changes(workflow: Workflow, order: Sequence[int], options: DagmanWriting) -> Sequence[Change]:
    """Return the changes that write an order, or make a copy with an order."""
    submission, kept, path = submission_of(workflow), options.keep_existing, options.output
    priorities = job_priorities(submission, order)
    if path is None:
        return changes(submission, priorities, keep_existing=kept, via=options.via)
    if options.flatten:
        return [Change(path, None, flat_file(submission, priorities, keep_existing=kept))]
    return copies(submission, priorities, path, keep_existing=kept)


def _without_order(workflow: Workflow, options: DagmanWriting) -> bytes:
    return without_section(submission_of(workflow), flatten=options.flatten)


def _removals(paths: Sequence[str], workflow: Workflow | None) -> Sequence[Change]:
    """Return the changes that remove sections, those of submit files first if they are known."""
    others = [] if workflow is None else submit_removals(submission_of(workflow))
    return [*others, *removals(paths)]


def _advice(workflow: Workflow) -> Sequence[Remark]:
    return advise(submission_of(workflow), workflow.source.settings)


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
    read=_read,
    changes=_changes,
    order_options=DagmanWriting,
    order_notes=order_notes,
    order_line=line_of,
    without_order=_without_order,
    removals=_removals,
    names_others=has_variables,
    after_writing=(
        "submit with condor_submit_dag; --machines COUNTxCORES says whether a throttle (-maxjobs)"
        " ends the run earlier"
    ),
    after_inner=(
        "-maxjobs does not reach inner workflows: put DAGMAN_MAX_JOBS_SUBMITTED = N into a CONFIG"
        " file of each"
    ),
    text=workflow_text,
    keeps=frozenset({"done", "commands", "priorities", "streams", "environment", "directories"}),
    takes_name=is_job_name,
    placeholder=SUBMIT_FILE,
    write_clusters=_write_clusters,
    advice=_advice,
)
