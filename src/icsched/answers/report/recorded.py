"""A recorded run for a report: its lanes, its pool and its run times."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icsched import files, logs
from icsched.answers.foretold import fitting_pool
from icsched.answers.learn import check_ends, check_names, check_past
from icsched.answers.run_times import timed
from icsched.errors import FormatError, SimulationError
from icsched.logs import Ending, PastRun, Usage
from icsched.pictures import Lanes, recorded_lanes
from icsched.sim import AnyPool
from icsched.workflow import Workflow

ENDINGS = tuple(Ending(number).name.lower() for number in range(len(Ending)))


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """The last run that logs tell of, and the pool that behaves as its slots did."""

    logs: tuple[str, ...]
    lanes: Lanes
    pool: AnyPool


def read_past(paths: Sequence[str], workflow: Workflow) -> PastRun:
    """Read logs of *workflow*; raises FormatError for logs that `icsched learn` refuses."""
    past = logs.parsed_run([(path, files.read_bytes(path)) for path in paths])
    check_ends(past, paths)
    check_past(past, past.run_times(), paths)
    check_names(past, workflow, paths)
    return past


def with_past_times(workflow: Workflow, past: PastRun, paths: Sequence[str]) -> Workflow:
    """Return the workflow with the run times of the logs."""
    return timed(workflow, past.run_times(), paths)


def recorded_run(past: PastRun, paths: Sequence[str], workflow: Workflow) -> RecordedRun:
    """Return the last run of the logs; raises FormatError if it cannot be followed."""
    try:
        usage = Usage.of(past.last_run, workflow.dag)
        if not len(usage):
            raise SimulationError("expected the start of a job in the last run, got none")
        pool = fitting_pool(usage, logs.fitted(usage), workflow.dag)
    except SimulationError as error:
        raise FormatError(", ".join(paths), None, str(error)) from error
    ending = usage.ending.astype(np.uint8)
    bars = usage.lane, usage.task, usage.start, usage.end, ending
    return RecordedRun(tuple(paths), recorded_lanes(*bars, ENDINGS), pool)
