"""What a simulated gain leaves out, so that a user can judge the gain."""

from dataclasses import dataclass

import numpy as np

from icsched.answers.known import Note
from icsched.answers.pools import FAR_OFF
from icsched.formats import dagman
from icsched.run_times import Origin
from icsched.workflow import Workflow


@dataclass(frozen=True)
class PoolUnexplained(Note):
    """The pool does not explain the run that it was learned from.

    `error` is the simulated end of that run over its actual end, less 1.
    """

    error: float


@dataclass(frozen=True)
class LimitsLeftOut(Note):
    """Some jobs are in categories with MAXJOBS limits."""


@dataclass(frozen=True)
class InnerWorkflows(Note):
    """Some jobs are workflows themselves, and nobody says how long they take."""

    jobs: int


def cautions_about(workflow: Workflow, replay_error: float | None = None) -> tuple[Note, ...]:
    """Return what a simulation of *workflow* leaves out.

    *replay_error* is how far off the run ends by simulation that the pool was learned from.
    """
    return (*about_pool(replay_error), *about_limits(workflow), *about_inner(workflow))


def about_pool(replay_error: float | None) -> tuple[Note, ...]:
    """Return the note about a pool that does not explain the run that it was learned from."""
    is_far_off = replay_error is not None and abs(replay_error) > FAR_OFF
    return (PoolUnexplained(replay_error),) if is_far_off and replay_error is not None else ()


def about_limits(workflow: Workflow) -> tuple[Note, ...]:
    """Return the note about limits on categories of DAGMan."""
    submission = dagman.submission_in(workflow)
    is_limited = submission is not None and dagman.are_jobs_limited(submission)
    return (LimitsLeftOut(),) if is_limited else ()


def about_inner(workflow: Workflow) -> tuple[Note, ...]:
    """Return the note about inner workflows that are left to run, and have no time of their own."""
    submission = dagman.submission_in(workflow)
    names = dagman.inner_workflows(submission) if submission is not None else []
    tasks = [workflow.dag.ids[name] for name in names if name in workflow.dag.ids]
    if workflow.run_time_origins is not None:
        tasks = np.array(tasks, np.int64)[workflow.run_time_origins[tasks] >= Origin.KIND].tolist()
    return (InnerWorkflows(len(tasks)),) if tasks else ()
