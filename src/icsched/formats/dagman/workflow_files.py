"""The files behind a DAGMan workflow: what they say beside the workflow, and orders in them."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from icsched.arrays import Floats
from icsched.errors import ArgumentError, FormatError
from icsched.files import Change
from icsched.formats.dagman import section
from icsched.formats.dagman.advice import advise, refusal, strictness, unread_configs
from icsched.formats.dagman.source import is_missing, is_special
from icsched.formats.dagman.staleness import sections
from icsched.formats.dagman.submission import Submission, are_jobs_limited, inner_workflows
from icsched.formats.dagman.writer import (
    COMPANION,
    Via,
    changes,
    copies,
    flat_file,
    job_priorities,
    overridden,
    submit_removals,
    without_section,
)
from icsched.messages import counted
from icsched.workflow import Command, InnerFile, Note, Remark, Section, Workflow, WorkflowSource


@dataclass(frozen=True)
class DagmanWriting:
    """How an order is written into DAGMan files; `icsched prio --help` says what each does."""

    recursive: bool = False
    flatten: bool = False
    keep_existing: bool = False
    via: Via = "priority"


class DagmanSource(WorkflowSource):
    """The files of a submission."""

    has_commands = True

    after_writing = (
        "submit with condor_submit_dag -maxjobs N, where N is near the most slots that you get:"
        " without a throttle, jobs may start out of order, and a smaller N leaves slots idle"
    )
    after_inner = (
        "-maxjobs does not reach inner workflows: put DAGMAN_MAX_JOBS_SUBMITTED = N into a CONFIG"
        " file of each"
    )

    def __init__(self, submission: Submission) -> None:
        self.submission = submission

    # What the files say of each job

    def descriptions(self) -> Sequence[str]:
        """Return what each job is submitted by; "" for a NOOP job."""
        return self.submission.descriptions()

    def commands(self) -> Sequence[Command | None]:
        """Return what each job runs; raises FormatError for what only HTCondor can run."""
        from icsched.formats.dagman.programs import commands_of  # few commands need it

        return commands_of(self.submission)

    def outputs(self) -> Sequence[Sequence[str]]:
        """Return the files that HTCondor would bring back from each job."""
        from icsched.formats.dagman.programs import outputs_of

        return outputs_of(self.submission)

    def left_out(self) -> Sequence[str]:
        """Return commands of DAGMan, such as RETRY, and of submit files, such as request_memory."""
        from icsched.formats.dagman.programs import left_out

        return left_out(self.submission)

    # What the files say

    def named(self) -> Sequence[str]:
        """Return the files that the user named."""
        return [root.path for root in self.submission.roots]

    def sections(self) -> Sequence[Section]:
        """Return the sections of icsched's in the files that the user named."""
        return sections(self.submission)

    def has_order(self, data: bytes) -> bool:
        """Whether *data* has a section of icsched's, or a part of one."""
        return section.is_in(data)

    def line_of_order(self, data: bytes) -> int | None:
        """Return the line where icsched's section begins; None if there is none."""
        return section.line_of(data)

    def own_priorities(self) -> Floats:
        """Return the priorities that the user's own lines give, NaN for other jobs."""
        return np.where(self.submission.has_priority, self.submission.priorities, np.nan)

    def refusing(self) -> Remark | None:
        """Return the strict setting by which DAGMan refuses a second priority of a job."""
        return strictness(self.submission, self.settings)

    def refusal_notes(self) -> list[Note]:
        """Return a note about a strict setting, if the files have priorities for it to refuse."""
        setting = self.refusing()
        if setting is None or not self.submission.priorities.any():  # a 0 may be overridden
            return []
        place = f"{setting.path}:{setting.line}" if setting.line else setting.path
        return [Note("strict", f"{place}: {_refusal(setting)}")]

    def advice(self, workflow: Workflow) -> Sequence[Remark]:  # noqa: ARG002  of the submission
        """Return everything that may disturb an order."""
        return advise(self.submission, self.settings)

    def inner_workflows(self) -> Sequence[str]:
        """Return the jobs of SUBDAG EXTERNAL."""
        return [job.name for job in inner_workflows(self.submission)]

    def inner_files(self, seen: set[str]) -> Iterator[InnerFile]:
        """Yield the files of SUBDAG EXTERNAL that are not *seen* yet, and add them to these.

        Raises FormatError for what is not an ordinary file, because reading it may never end.
        """
        for job in inner_workflows(self.submission):
            path = str(Path(job.directory, job.node.submit))
            if os.path.realpath(path) not in seen:
                seen.add(os.path.realpath(path))
                if is_special(path):
                    raise job.statement.error(f"{path}: expected an ordinary file")
                yield InnerFile(path, job.directory, job.name, is_there=not is_missing(path))

    def unsimulated(self) -> str:
        """Return what icsched does not simulate: limits on categories."""
        is_limited = are_jobs_limited(self.submission)
        return "MAXJOBS limits of categories are not simulated" if is_limited else ""

    def other_names(self) -> Iterable[str]:
        """Return the names of FINAL, PROVISIONER and SERVICE nodes."""
        return self.submission.special

    # Orders in the files

    def priorities(self, workflow: Workflow, order: Sequence[int]) -> dict[str, int]:  # noqa: ARG002
        """Return the number that each job gets, jobs that are done included."""
        return job_priorities(self.submission, order)

    def changes(
        self, priorities: dict[str, int], options: DagmanWriting, path: str | None = None
    ) -> Sequence[Change]:
        """Return the changes that write an order, or make *path* a copy with an order."""
        kept = options.keep_existing
        if path is None:
            return changes(self.submission, priorities, keep_existing=kept, via=options.via)
        if options.flatten:
            return [Change(path, None, flat_file(self.submission, priorities, keep_existing=kept))]
        return copies(self.submission, priorities, path, keep_existing=kept)

    def without_order(self, workflow: Workflow, options: DagmanWriting) -> bytes:  # noqa: ARG002
        """Return the workflow's only file without icsched's section, or all its files as one."""
        return without_section(self.submission, flatten=options.flatten)

    def other_removals(self) -> Sequence[Change]:
        """Return the changes that remove what icsched wrote into submit files."""
        return submit_removals(self.submission)

    def order_notes(
        self, priorities: dict[str, int], options: DagmanWriting, path: str | None
    ) -> Iterator[Note]:
        """Yield notes about an order in the files; raises FormatError if DAGMan will refuse it."""
        submission = self.submission
        yield from _own_priorities(submission, priorities, are_kept=options.keep_existing)
        if submission.joins:
            lines = counted(submission.joins, "PARENT line")
            top = f"priorities count down from {submission.lowest - 1}"
            text = (
                f"{top}: DAGMan adds join nodes of its own for {lines} of several parents and"
                " children, and these join nodes must run first"
            )
            yield Note("joins", text)
        yield from self._strictness(priorities, options)
        for unread in unread_configs(submission):
            yield Note("unread-config", f"{unread.path}: {unread.text}")
        if submission.has_splices:
            yield _about_splices(path or submission.roots[0].path, options)
        if options.via == "vars":
            yield from _about_variables(submission)

    def _strictness(self, priorities: dict[str, int], options: DagmanWriting) -> list[Note]:
        """Raise FormatError if DAGMan will refuse what is written; return a note if it may."""
        if options.keep_existing or options.flatten:
            return []
        if not overridden(self.submission, priorities, via=options.via):
            return []
        setting = self.refusing()
        if setting and setting.line:  # in a file that DAGMan reads; its environment may not be ours
            raise FormatError(setting.path, setting.line, _refusal(setting))
        return self.refusal_notes()


def submission_of(workflow: Workflow) -> Submission:
    """Return what the DAGMan files of *workflow* say; raises ArgumentError if it has none."""
    if not isinstance(workflow.source, DagmanSource):
        raise ArgumentError("expected a workflow that was read from a DAGMan file")
    return workflow.source.submission


def _refusal(setting: Remark) -> str:
    """Return what a strict *setting* of DAGMan does, and what to do about it."""
    return refusal(setting.text, otherwise="give --keep-existing, or ")


def _own_priorities(
    submission: Submission, priorities: dict[str, int], *, are_kept: bool
) -> Iterator[Note]:
    """Say what happens to the priorities that the user's own lines give."""
    rows = zip(submission.names, submission.has_priority, submission.priorities, strict=True)
    own = {str(name): int(number) for name, is_own, number in rows if is_own}
    if not own:
        return
    lower = sum(number < priorities.get(name, number) for name, number in own.items())
    what = "overridden (--keep-existing keeps them)"
    if are_kept:
        what = "kept, so that the run will not follow the order above where they differ"
        if lower:
            what += f"; {lower:,} of them lower than icsched's, so that these jobs run later"
    text = f"priorities that the files gave {counted(len(own), 'job')}: {what}"
    yield Note("own-priorities", text)


def _about_splices(path: str, options: DagmanWriting) -> Note:
    if options.flatten:
        text = "one file without splices and includes; job S+p is called S-p in it"
        return Note("flattened", text)
    text = (
        f"the section gives jobs of splices their priorities, and includes {path}{COMPANION} first:"
        f" keep that file beside {path}, and the section last in {path}"
    )
    return Note("spliced", text)


def _about_variables(submission: Submission) -> Iterator[Note]:
    text = "submit files take their priority from the variable jobpriority"
    yield Note("variables-used", text)
    without = sum(job.has_description or job.node.kind == "SUBDAG" for job in submission.jobs())
    if without:
        jobs = counted(without, "job")
        yield Note("no-submit-file", f"{jobs} without a submit file got PRIORITY lines")
