"""Which jobs to hand out together now."""

from collections.abc import Sequence
from dataclasses import dataclass

from icsched.answers.inputs import named_jobs
from icsched.answers.known import Resumed, resumed
from icsched.answers.reading import Reading
from icsched.answers.signs import QUIET, Signs
from icsched.dag import Dag
from icsched.errors import GameError, StateError
from icsched.theory.batches import Batch, best_batch
from icsched.theory.batches.state import State, state_of
from icsched.workflow import Workflow

_OPTIONS = {"executed": "--done", "running": "--running"}  # by the names that the library uses


@dataclass(frozen=True)
class BatchAnswer:
    """The jobs to take, by name, and how many jobs are done, left, eligible and running."""

    take: tuple[object, ...]
    batch: Batch
    done: int
    left: int
    eligible: int
    running: int
    resumed: Resumed | None


def batch_answer(
    files: Sequence[str],
    take: int,
    *,
    done: str,
    running: str,
    reading: Reading,
    signs: Signs = QUIET,
) -> BatchAnswer:
    """Choose *take* jobs, or all eligible ones; *done* and *running* are lists or @FILE.

    Raises GameError for jobs that do not exist or that cannot be in that state.
    """
    workflow = reading.read(files, signs=signs)
    dag = workflow.dag
    executed = [dag.ids[job] for job in named_jobs(workflow, "--done", done) if job in dag.ids]
    busy = _running(workflow, running, executed)
    state = _state(dag, executed, busy)
    with signs.working("choosing among", len(dag)):
        batch = best_batch(dag, executed, take, running=busy)
    left = len(dag) - len(set(executed))
    return BatchAnswer(
        take=tuple(dag.names[task] for task in batch.take),
        batch=batch,
        done=len(workflow.whole) - left,
        left=left,
        eligible=len(state.sources),
        running=len(set(busy)),
        resumed=resumed(workflow),
    )


def _state(dag: Dag, executed: Sequence[int], busy: Sequence[int]) -> State:
    """Return the state of the game; raises GameError with the names of the options."""
    try:
        return state_of(dag, executed, busy)
    except StateError as error:
        raise GameError(f"{_OPTIONS[error.said]}: job {error.problem}") from error


def _running(workflow: Workflow, text: str, executed: Sequence[int]) -> list[int]:
    """Return the running jobs; raises GameError for one that is done."""
    jobs, ids, done = named_jobs(workflow, "--running", text), workflow.dag.ids, set(executed)
    for job in jobs:
        if job not in ids or ids[job] in done:
            raise GameError(f"--running: job {job!r} is done already")
    return [ids[job] for job in jobs]
