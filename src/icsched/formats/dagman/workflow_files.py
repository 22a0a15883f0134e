"""The files behind a DAGMan workflow: what they say beside the workflow, and notes for users."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from icsched.arrays import Floats, Ids
from icsched.errors import ArgumentError, FormatError
from icsched.files import is_special
from icsched.formats.dagman.advice import refusal, strictness, unread_configs
from icsched.formats.dagman.source import is_missing
from icsched.formats.dagman.staleness import sections
from icsched.formats.dagman.submission import Submission, categories, inner_workflows
from icsched.formats.dagman.writer import COMPANION, DagmanWriting, job_priorities, overridden
from icsched.messages import counted
from icsched.workflow import (
    Command,
    HiddenNeed,
    InnerFile,
    Note,
    Remark,
    Section,
    SlotSettings,
    Workflow,
    WorkflowSource,
)

if TYPE_CHECKING:
    from icsched.formats.dagman.needs import Needs


class DagmanSource(WorkflowSource):
    """The files of a submission."""

    has_commands = True

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

    @cached_property
    def _needs(self) -> "Needs":
        from icsched.formats.dagman.needs import needs_of

        return needs_of(self.submission)

    def needs(self) -> Mapping[str, Floats]:
        """Return what the submit descriptions request; raises FormatError for impossible ones."""
        return self._needs.columns

    def hidden_needs(self) -> Sequence[HiddenNeed]:
        """Return the requests that only HTCondor can evaluate."""
        return self._needs.hidden

    def without_submit_file(self) -> Sequence[str]:
        """Return the jobs whose submit file does not exist."""
        return self._needs.absent

    def outputs(self) -> Sequence[Sequence[str]]:
        """Return the files that HTCondor would bring back from each job."""
        from icsched.formats.dagman.programs import outputs_of

        return outputs_of(self.submission)

    def left_out(self) -> Sequence[str]:
        """Return commands of DAGMan, such as RETRY, and of submit files, such as rank."""
        from icsched.formats.dagman.programs import left_out

        return left_out(self.submission)

    # What the files say

    def named(self) -> Sequence[str]:
        """Return the files that the user named."""
        return [root.path for root in self.submission.roots]

    def sections(self) -> Sequence[Section]:
        """Return the sections of icsched's in the files that the user named."""
        return sections(self.submission)

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
        return [Note("strict", f"{place}: {refusal(setting.text)}")]

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
        """Return what only machines of HTCondor simulate: limits on categories."""
        is_limited = self.categories() is not None
        return "MAXJOBS limits of categories are not simulated" if is_limited else ""

    def categories(self) -> tuple[Ids, Ids] | None:
        """Return the category of each job, and the MAXJOBS limits."""
        return self._categories

    @cached_property
    def _categories(self) -> tuple[Ids, Ids] | None:
        return categories(self.submission)

    def slot_settings(self) -> SlotSettings:
        """Return what the files say of HTCondor's slots; reads CONFIG files and submit files."""
        from icsched.formats.dagman.submit_slots import slot_settings  # few commands need it

        return slot_settings(self.submission, self.settings)

    def command(self, options: Sequence[str], path: str | None = None) -> str:
        """Return the command that submits the workflow to HTCondor, or its copy at *path*."""
        from icsched.formats.dagman.submit_slots import command

        return command(self.submission, options, path)

    def is_running(self) -> str | None:
        """Return the lock of a DAGMan that may run the workflow now, or None."""
        from icsched.formats.dagman.submit_slots import lock

        return lock(self.submission)

    def other_names(self) -> Iterable[str]:
        """Return the names of FINAL, PROVISIONER and SERVICE nodes."""
        return self.submission.special

    def priorities(self, workflow: Workflow, order: Sequence[int]) -> dict[str, int]:  # noqa: ARG002
        """Return the number that each job gets, jobs that are done included."""
        return job_priorities(self.submission, order)


def source_of(workflow: Workflow) -> DagmanSource:
    """Return the DAGMan files of *workflow*; raises ArgumentError if it has none."""
    if not isinstance(workflow.source, DagmanSource):
        raise ArgumentError("expected a workflow that was read from a DAGMan file")
    return workflow.source


def submission_of(workflow: Workflow) -> Submission:
    """Return what the DAGMan files of *workflow* say; raises ArgumentError if it has none."""
    return source_of(workflow).submission


# Notes about an order in the files


def order_notes(workflow: Workflow, order: Sequence[int], options: DagmanWriting) -> Iterator[Note]:
    """Yield notes about an order in the files; raises FormatError if DAGMan will refuse it."""
    source = source_of(workflow)
    submission = source.submission
    if submission.has_priority.any():
        priorities = job_priorities(submission, order)
        yield _own_priorities(submission, priorities, are_kept=options.keep_existing)
    if submission.scope.joins:
        lines = counted(submission.scope.joins, "PARENT line")
        top = f"priorities count down from {submission.scope.lowest - 1}"
        text = (
            f"{top}: DAGMan adds join nodes of its own for {lines} of several parents and"
            " children, and these join nodes must run first"
        )
        yield Note("joins", text)
    if submission.has_priority.any():
        yield from _strictness(source, priorities, options)
    for unread in unread_configs(submission):
        yield Note("unread-config", f"{unread.path}: {unread.text}")
    if submission.has_splices:
        yield _about_splices(options.output or submission.roots[0].path, options)
    if options.via == "vars":
        yield from _about_variables(submission)


def _strictness(
    source: DagmanSource, priorities: dict[str, int], options: DagmanWriting
) -> list[Note]:
    """Raise FormatError if DAGMan will refuse what is written; return a note if it may."""
    if options.keep_existing or options.flatten:
        return []
    if not overridden(source.submission, priorities, via=options.via):
        return []
    setting = source.refusing()
    if setting and setting.line:  # in a file that DAGMan reads; its environment may not be ours
        raise FormatError(setting.path, setting.line, refusal(setting.text))
    return source.refusal_notes()


def _own_priorities(
    submission: Submission, priorities: Mapping[str, int], *, are_kept: bool
) -> Note:
    """Say what happens to the priorities that the user's own lines give."""
    own = submission.priority_of
    lower = sum(number < priorities.get(name, number) for name, number in own.items())
    what = "overridden (--keep-existing keeps them)"
    if are_kept:
        what = "kept, so that the run will not follow the order above where they differ"
        if lower:
            what += f"; {lower:,} of them lower than icsched's, so that these jobs run later"
    text = f"priorities that the files gave {counted(len(own), 'job')}: {what}"
    return Note("own-priorities", text)


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
