"""A recorded run for a report: its lanes, its pool, its stalls and its run times."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icsched import files, logs
from icsched.answers.learn import check_clock, check_ends, check_names, check_past
from icsched.answers.learned import Replayed, learned_from, places_left
from icsched.answers.run_times import timed
from icsched.errors import FormatError, SimulationError
from icsched.logs import Ending, PastRun, Stalls
from icsched.pictures import Lanes, recorded_lanes
from icsched.sim import AnyPool
from icsched.workflow import Workflow

ENDINGS = tuple(Ending(number).name.lower() for number in range(len(Ending)))


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """The last run that logs tell of; `replayed` has the pool that behaves as its slots did."""

    logs: tuple[str, ...]
    lanes: Lanes
    replayed: Replayed
    stalls: Stalls

    @property
    def pool(self) -> AnyPool:
        """The pool that behaves as the slots did."""
        return self.replayed.pool


def read_past(paths: Sequence[str], workflow: Workflow) -> PastRun:
    """Read logs of *workflow*; raises FormatError for logs that `icsched learn` refuses."""
    read = [(path, files.read_bytes(path)) for path in paths]
    past = logs.parsed_run(read)
    check_ends(past, paths)
    check_past(past, past.run_times(), paths)
    check_clock(past, read)
    check_names(past, workflow, paths)
    return past


def with_past_times(workflow: Workflow, past: PastRun, paths: Sequence[str]) -> Workflow:
    """Return the workflow with the run times of the logs."""
    return timed(workflow, past.run_times(), paths)


def recorded_run(past: PastRun, paths: Sequence[str], workflow: Workflow) -> RecordedRun:
    """Return the last run of the logs; raises FormatError if it cannot be followed.

    All jobs of the run count, also those that are done now. Only jobs that are left have a task in
    the lanes.
    """
    try:
        learned = learned_from(past.last_run, workflow.whole)
    except SimulationError as error:
        raise FormatError(", ".join(paths), None, str(error)) from error
    usage = learned.usage
    task = np.append(places_left(workflow), np.int32(-1))[usage.task]  # -1, unknown, is the last
    bars = usage.lane, task, usage.start, usage.end, usage.ending.astype(np.uint8)
    lanes = recorded_lanes(*bars, ENDINGS)
    return RecordedRun(tuple(paths), lanes, learned.replayed, learned.stalls)
