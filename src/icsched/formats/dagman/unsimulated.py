"""What DAGMan does with a workflow that no simulation of icsched's knows of."""

from collections.abc import Iterator

import numpy as np

from icsched.formats.dagman.commands import Category
from icsched.formats.dagman.limits import category_limits, category_name
from icsched.formats.dagman.scope import Modifiers, spots
from icsched.formats.dagman.source import IS_SUBDAG, Kind
from icsched.formats.dagman.submission import Submission


def are_jobs_limited(workflow: Submission) -> bool:
    """Whether some job is in a category that has a MAXJOBS limit."""
    limits = category_limits(workflow.scope)
    return bool(limits) and any(category in limits for category in _categories(workflow))


def _categories(workflow: Submission) -> Iterator[str]:
    """Yield the category of each CATEGORY statement, as DAGMan calls it."""
    for spot in spots(workflow.scope, workflow.directory):
        for modifiers in spot.scope.modifiers:
            for name in _named(modifiers):
                yield category_name(spot.prefix, name)


def _named(modifiers: Modifiers) -> Iterator[str]:
    source = modifiers.source
    for statement in modifiers.statements.tolist():
        begin = int(source.scan.begin[statement])
        if source.data[begin : begin + 8].upper() == b"CATEGORY":  # others need not be parsed
            command = source.command(statement)
            if isinstance(command, Category):
                yield command.category


def inner_workflows(workflow: Submission) -> list[str]:
    """Return the jobs that are workflows themselves: those of SUBDAG EXTERNAL."""
    names = workflow.scope.names
    found = []
    for spot in spots(workflow.scope, workflow.directory):
        for own in spot.scope.jobs:
            scan = own.source.scan
            kind, value = scan.kind[own.statements], scan.value[own.statements]
            is_plain = kind == int(Kind.JOB)
            for at in np.flatnonzero(~is_plain | ((value & int(IS_SUBDAG)) != 0)).tolist():
                if own.source.node(int(own.statements[at])).kind == "SUBDAG":
                    found.append(names[spot.first + own.slots[at]])
    return found
