"""`icsched batch`: the best jobs to hand out together, now."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from icsched import checks
from icsched.commands.inputs import Reading, Resumed, done_line, named_jobs, resumed
from icsched.commands.options import USUAL, WHOLE, FileName, FileOptions, check_streams
from icsched.commands.terminal import QUIET, SIGNS, Json, Signs, put
from icsched.dag import Dag
from icsched.errors import GameError, StateError
from icsched.theory.batch import Batch, Guarantee, GuaranteeKind, State, best_batch, state_of
from icsched.words import counted
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


def text(found: BatchAnswer) -> str:
    """Return the jobs, one on each line, and what is known about the choice."""
    return _choice(found) + done_line(found.resumed, "hand out")


def _choice(found: BatchAnswer) -> str:
    if not found.take:
        why = "all eligible jobs are running" if found.left else "all jobs are done"
        return f"no job is eligible: {why}\n"
    batch = found.batch
    after = f"{counted(batch.eligible_after, 'job')} eligible after them"
    names = "".join(f"{name}\n" for name in found.take)
    return f"{names}{after} ({batch.method}: {guarantee(batch.guarantee)})\n"


def keys(found: BatchAnswer) -> dict[str, object]:
    """Return the choice as JSON shows it."""
    return {
        "take": found.take,
        "eligible_after": found.batch.eligible_after,
        "method": found.batch.method,
        "guarantee": guarantee(found.batch.guarantee),
        "done": found.done,
        "left": found.left,
        "eligible": found.eligible,
        "running": found.running,
    }


def guarantee(found: Guarantee) -> str:
    """Return how good a batch is, in words."""
    if found.kind is GuaranteeKind.WITHIN:
        return f"{'time was up: ' * found.timed_out}within {found.gap} of the best"
    return {"exact": "exact", "half": "at least half of the best gain"}[found.kind.value]


def batch(
    *files: FileName,
    take: Annotated[int, WHOLE],
    done: str = "",
    running: str = "",
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Choose the jobs that leave the most jobs eligible once they have run.

    Parameters
    ----------
    take
        How many jobs to hand out, 1 or more; all eligible jobs if there are fewer.
    done
        Jobs that have run: names separated by commas, or @FILE with one name on each line (@- for
        standard input). Jobs that the files or the newest rescue file say are done need not
        be listed.
    running
        Jobs that were handed out and have not ended, given as for --done. They are not handed out
        again, and what they will enable counts.
    json_
        Print one JSON object instead of a report.

    """
    checks.whole_number("--take", take, least=1)
    check_streams(*files, done, running)
    found = batch_answer(
        files,
        take,
        done=done,
        running=running,
        reading=Reading(reading),
        signs=SIGNS,
    )
    put(found, text, keys, as_json=json_)
