"""`icsched batch`: the best jobs to hand out together, now."""

from collections.abc import Sequence
from typing import Annotated

from icsched.cli import notes, output
from icsched.cli.inputs import USUAL, WHOLE, FileOptions, named_jobs
from icsched.cli.output import Json
from icsched.cli.visible import say
from icsched.dag import Dag
from icsched.errors import ArgumentError, GameError, StateError
from icsched.formats.dagman import Submission
from icsched.theory.batches import Batch, Method, best_batch
from icsched.theory.batches.state import State, state_of

STANDARD_INPUT = "/dev/stdin"  # what the command line makes of a lone hyphen
_OPTIONS = {"executed": "--done", "running": "--running"}  # by the library's words


def batch(
    *files: str,
    take: Annotated[int, WHOLE],
    done: str = "",
    running: str = "",
    method: Method = "auto",
    time_limit: float = 10.0,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Choose the jobs that leave the most jobs eligible once they have run.

    Parameters
    ----------
    files
        DAGMan file of the workflow; several that are submitted together; - for standard input.
    take
        How many jobs to hand out; all eligible ones if there are no more.
    done
        Jobs that have run: names with commas between, or @FILE with one a line (@- for
        standard input). Jobs that the files or the newest rescue file say are done need not
        be among them.
    running
        Jobs handed out before that have not ended, in the same way.
    method
        How to choose.
    time_limit
        Seconds for the exact method.
    reading
        How the files are read.
    json_
        Print one JSON object instead of a report.

    """
    if not time_limit >= 0:
        raise ArgumentError(f"--time-limit: expected 0 or more, got {time_limit}")
    if take < 1:
        raise GameError(f"--take: expected 1 job or more, got {take}")
    done, running = _streamed(files, done, running)
    workflow = reading.read(files)
    dag = workflow.dag
    executed = [dag.ids[job] for job in named_jobs(workflow, "--done", done) if job in dag.ids]
    busy = _running(workflow, running, executed)
    state = _state(dag, executed, busy)
    left = len(dag) - len(set(executed))
    with output.working(f"choosing among {output.counted(len(dag), 'job')}"):
        answer = best_batch(
            dag,
            executed,
            take,
            running=busy,
            method=method,
            time_limit_s=time_limit,
        )
    names = [dag.names[task] for task in answer.take]
    if json_:
        output.write_json(
            {
                "take": names,
                "eligible_after": answer.eligible_after,
                "method": answer.method,
                "guarantee": answer.guarantee,
                "done": len(workflow.whole) - left,
                "left": left,
                "eligible": len(state.sources),
                "running": len(set(busy)),
            }
        )
    else:
        say(_report(names, answer, left) + notes.about_done(workflow, aim="hand out"))


def _streamed(files: Sequence[str], *lists: str) -> list[str]:
    """Return *lists* with standard input for @-; raises ArgumentError if it is to be read twice."""
    if lists.count("@-") + files.count(STANDARD_INPUT) > 1:
        raise ArgumentError(
            "only one of FILE, --done and --running can be read from standard input"
        )
    return [f"@{STANDARD_INPUT}" if text == "@-" else text for text in lists]


def _state(dag: Dag, executed: Sequence[int], busy: Sequence[int]) -> State:
    """Return the state of the game; raises GameError in the words of the command line."""
    try:
        return state_of(dag, executed, busy)
    except StateError as error:
        raise GameError(f"{_OPTIONS[error.said]}: job {error.problem}") from error


def _running(workflow: Submission, text: str, executed: Sequence[int]) -> list[int]:
    """Return the running jobs; raises GameError for one that is done."""
    jobs, ids, done = named_jobs(workflow, "--running", text), workflow.dag.ids, set(executed)
    for job in jobs:
        if job not in ids or ids[job] in done:
            raise GameError(f"--running: job {job!r} is done already")
    return [ids[job] for job in jobs]


def _report(names: Sequence[object], answer: Batch, left: int) -> str:
    if not names:
        why = "all eligible jobs are running" if left else "all jobs are done"
        return f"no job is eligible: {why}\n"
    after = f"{output.counted(answer.eligible_after, 'job')} eligible after them"
    return (
        "".join(f"{name}\n" for name in names) + f"{after} ({answer.method}: {answer.guarantee})\n"
    )
