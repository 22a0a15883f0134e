"""Workflows as commands read them, and what must not be written over."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from icsched.answers.signs import QUIET, Signs
from icsched.errors import ArgumentError, FormatError
from icsched.formats import Workflow, read_workflow


@dataclass(frozen=True)
class Reading:
    """How the files of a workflow are read; see `icsched.formats.read_workflow`."""

    lenient: bool = False
    usedagdir: bool = False
    no_rescue: bool = False

    def read(self, files: Sequence[str], *, directory: str = "", signs: Signs = QUIET) -> Workflow:
        """Read a workflow; raises ArgumentError without a file, FormatError for a bad one."""
        if not files:
            raise ArgumentError("expected a DAGMan file")
        with signs.working(f"reading {files[0]}"):
            workflow = read_workflow(
                files,
                rescue=not self.no_rescue,
                lenient=self.lenient,
                use_dag_directory=self.usedagdir,
                directory=directory,
            )
            _ = workflow.dag  # a cycle is an error of the file
            return workflow

    def read_to_run(self, files: Sequence[str], *, signs: Signs = QUIET) -> Workflow:
        """Read a workflow; raises FormatError also if no job of it is left to run."""
        workflow = self.read(files, signs=signs)
        if not len(workflow.dag):
            by = f"; all are done by {workflow.rescue}" if workflow.rescue else ""
            problem = f"expected at least one job that is left to run{by}"
            raise FormatError(files[0], None, problem)
        return workflow


USUAL = Reading()  # as condor_submit_dag reads without options


def check_not_own(workflow: Workflow, path: str, *, instead: str = "") -> None:
    """Raise ArgumentError if *path*, which is to be written, is a file that the workflow reads."""
    if not os.path.isfile(path):  # noqa: PTH113  false of a name that no file can have, too
        return
    if os.path.realpath(path) in set(map(os.path.realpath, workflow.files())):
        raise ArgumentError(f"{path} is a file of the workflow: expected another{instead}")
