"""`icsched batch`: the best jobs to hand out together, now."""

from dataclasses import dataclass, field
from typing import Annotated

from icsched import checks
from icsched.commands.inputs import USUAL, FileOptions, done_line, named_jobs
from icsched.commands.options import WHOLE, FileName, Json
from icsched.commands.terminal import put, working
from icsched.errors import GameError, StateError
from icsched.frames import NOT_IN_JSON
from icsched.messages import counted
from icsched.theory.batch import Guarantee, GuaranteeKind, best_batch, state_of
from icsched.workflow import Workflow

_OPTIONS = {"executed": "--done", "running": "--running"}  # by the names that the library uses


@dataclass(frozen=True)
class BatchAnswer:
    """The jobs to take, by name, and how many jobs are done, left, eligible and running."""

    take: tuple[object, ...]
    eligible_after: int
    method: str
    guarantee: str
    done: int
    left: int
    eligible: int
    running: int
    resumed: str = field(metadata=NOT_IN_JSON)


def _answer(workflow: Workflow, take: int, done: str, running: str) -> BatchAnswer:
    """Choose *take* jobs, or all eligible ones; *done* and *running* are lists or @FILE.

    Raises GameError for jobs that do not exist or that cannot be in that state.
    """
    dag = workflow.residual.dag
    executed = {dag.ids[job] for job in named_jobs(workflow, "--done", done) if job in dag.ids}
    names = named_jobs(workflow, "--running", running)
    for job in names:
        if job not in dag.ids or dag.ids[job] in executed:
            raise GameError(f"--running: job {job!r} is done already")
    busy = {dag.ids[job] for job in names}
    try:
        state = state_of(dag, executed, busy)
    except StateError as error:
        raise GameError(f"{_OPTIONS[error.said]}: job {error.problem}") from error
    with working("choosing among", len(dag)):
        found = best_batch(dag, executed, take, running=busy)
    left = len(dag) - len(executed)
    return BatchAnswer(
        take=tuple(dag.names[task] for task in found.take),
        eligible_after=found.eligible_after,
        method=found.method,
        guarantee=guarantee(found.guarantee),
        done=len(workflow.dag) - left,
        left=left,
        eligible=len(state.sources),
        running=len(busy),
        resumed=done_line(workflow, "hand out"),
    )


def guarantee(found: Guarantee) -> str:
    """Return how good a batch is, in words."""
    if found.kind is GuaranteeKind.WITHIN:
        return f"{'time was up: ' * found.timed_out}within {found.gap} of the best"
    return {"exact": "exact", "half": "at least half of the best gain"}[found.kind.value]


def text(found: BatchAnswer) -> str:
    """Return the jobs, one on each line, and what is known about the choice."""
    if found.take:
        names = "".join(f"{name}\n" for name in found.take)
        after = f"{counted(found.eligible_after, 'job')} eligible after them"
        shown = f"{names}{after} ({found.method}: {found.guarantee})\n"
    else:
        why = "all eligible jobs are running" if found.left else "all jobs are done"
        shown = f"no job is eligible: {why}\n"
    return shown + found.resumed


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
    workflow = reading.read(files)
    put(_answer(workflow, take, done, running), text, as_json=json_)
