"""DAGMan in the table of formats."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from icsched.arrays import Floats
from icsched.errors import ArgumentError, FormatError
from icsched.files import Change
from icsched.formats.dagman.advice import advise, refusal, strictness
from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.programs import commands_of, outputs_of
from icsched.formats.dagman.staleness import present_priorities, sections
from icsched.formats.dagman.submission import (
    Submission,
    are_jobs_limited,
    inner_workflows,
    read_submission,
)
from icsched.formats.dagman.writer import (
    SUBMIT_FILE,
    changes,
    is_job_name,
    job_priorities,
    overridden,
    removals,
    workflow_text,
)
from icsched.formats.port import Format, Section, WorkflowFiles
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
    submission = read_submission(
        path,
        rescue=rescue,
        lenient=lenient,
        use_dag_directory=use_dag_directory,
        directory=directory,
    )
    stated = present_priorities(submission)
    has_any = bool((~np.isnan(stated)).any())
    priorities = np.nan_to_num(stated[~submission.done]).astype(np.int32) if has_any else None
    return Workflow(
        submission.whole,
        submission.done,
        remarks=submission.remarks,
        files=_Files(submission),
        done_by=submission.rescue,
        format="dagman",
        parsed=submission,
        describe=submission.descriptions,
        priorities=priorities,
        find_commands=partial(commands_of, submission),
        find_outputs=partial(outputs_of, submission),
        stated={"priorities": stated} if has_any else {},
    )


def submission_of(workflow: Workflow) -> Submission:
    """Return what the DAGMan files of *workflow* say; raises ArgumentError if it has none."""
    submission = submission_in(workflow)
    if submission is None:
        raise ArgumentError("expected a workflow that was read from a DAGMan file")
    return submission


def submission_in(workflow: Workflow) -> Submission | None:
    """Return what the DAGMan files of *workflow* say, or None if it is of another format."""
    return workflow.parsed if isinstance(workflow.parsed, Submission) else None


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
    return write_clustered(submission_of(workflow), clusters, path)


class DagmanFiles(WorkflowFiles):
    """The files of a submission."""

    @cached_property
    def submission(self) -> Submission:
        """What the files say."""
        return submission_of(self.workflow)

    def named(self) -> Sequence[str]:
        """Return the files that the user named."""
        return [root.path for root in self.submission.roots]

    def sections(self) -> Sequence[Section]:
        """Return the sections of icsched's in the files that the user named."""
        return sections(self.submission)

    def own_priorities(self) -> Floats:
        """Return the priorities that the user's own lines give, NaN for other jobs."""
        return np.where(self.submission.has_priority, self.submission.priorities, np.nan)

    def priorities(self, order: Sequence[int]) -> dict[str, int]:
        """Return the number that each job gets, jobs that are done included."""
        return job_priorities(self.submission, order)

    def refusing(self) -> Remark | None:
        """Return the strict setting by which DAGMan refuses a second priority of a job."""
        return strictness(self.submission, self.settings)

    def remarks(self) -> Sequence[Remark]:
        """Return everything that may disturb an order."""
        return advise(self.submission, self.settings)

    def inner_workflows(self) -> Sequence[str]:
        """Return the jobs of SUBDAG EXTERNAL."""
        return [job.name for job in inner_workflows(self.submission)]

    def unsimulated(self) -> str:
        """Return what icsched does not simulate: limits on categories."""
        is_limited = are_jobs_limited(self.submission)
        return "MAXJOBS limits of categories are not simulated" if is_limited else ""

    def other_names(self) -> Iterable[str]:
        """Return the names of FINAL, PROVISIONER and SERVICE nodes."""
        return self.submission.special


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
    files=DagmanFiles,
)
