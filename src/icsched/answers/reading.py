"""Workflows as commands read them, and files that must not be overwritten."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields

from icsched import formats
from icsched.answers.signs import QUIET, Signs
from icsched.errors import ArgumentError, FormatError
from icsched.files import check_replaceable, is_own_file
from icsched.formats.dagman import DagmanOptions, read_with
from icsched.workflow import Workflow


@dataclass(frozen=True)
class Reading:
    """How the files of a workflow are read; by default the suffix decides on the format."""

    options: DagmanOptions
    format: str | None = None

    def read(self, files: Sequence[str], *, directory: str = "", signs: Signs = QUIET) -> Workflow:
        """Read a workflow; raises ArgumentError without a file, FormatError for a bad one."""
        check_given(files)
        with signs.working(f"reading {files[0]}"):
            if self.format_of(files[0]).options is DagmanOptions:
                return read_with(files, self.options, directory=directory)
            return self._read_other(files)

    def format_of(self, path: str) -> formats.Format:
        """Return the format that the file at *path* is read in."""
        if self.format is None:
            return formats.format_of(path, None)
        return formats.FORMATS.find(self.format, asked_by="--format")

    def _read_other(self, files: Sequence[str]) -> Workflow:
        """Read a workflow of another format; raises ArgumentError for options of DAGMan files."""
        for option in fields(DagmanOptions):
            if getattr(self.options, option.name) != option.default:
                name = option.name.replace("_", "-")
                raise ArgumentError(f"--{name} is for DAGMan files; {files[0]} is not one")
        return formats.read(files, format=self.format)

    def read_to_run(self, files: Sequence[str], *, signs: Signs = QUIET) -> Workflow:
        """Read a workflow; raises FormatError also if no job is left to run."""
        workflow = self.read(files, signs=signs)
        if not len(workflow.dag):
            by = f"; all are done by {workflow.done_by}" if workflow.done_by else ""
            problem = f"expected at least one job that is left to run{by}"
            raise FormatError(files[0], None, problem)
        return workflow


def check_given(files: Sequence[str]) -> None:
    """Raise ArgumentError without a file."""
    if not files:
        raise ArgumentError("expected a workflow file")


def check_output(workflow: Workflow, path: str, *inputs: str, instead: str = "") -> None:
    """Raise ArgumentError if *path*, which is to be written, is of the workflow or of *inputs*.

    Raises FormatError if there is a file that is read-only: before work that may take long.
    """
    is_file = os.path.isfile(path)  # noqa: PTH113  also False for a name that no file can have
    if is_file and is_own_file(path, inputs):
        raise ArgumentError(f"{path} is a file that is read: use another name{instead}")
    if is_file and is_own_file(path, workflow.files):
        raise ArgumentError(f"{path} is a file of the workflow: use another name{instead}")
    check_replaceable(path)
