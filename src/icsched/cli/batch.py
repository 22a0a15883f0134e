"""`icsched batch`: the best jobs to hand out together, now."""

import sys
from collections.abc import Sequence
from typing import Annotated

from icsched.batch import Batch, Method
from icsched.batch import batch as best_batch
from icsched.cli import output
from icsched.cli.inputs import USUAL, WHOLE, FileOptions, named_jobs
from icsched.cli.output import Json
from icsched.errors import GameError, UsageError
from icsched.formats import Workflow


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
        Jobs that have run: names with commas between, or @FILE with one a line. Jobs that the
        files or the newest rescue file say are done need not be among them.
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
        raise UsageError(f"--time-limit: expected 0 or more, got {time_limit}")
    workflow = reading.read(files)
    dag = workflow.dag
    executed = [dag.ids[job] for job in named_jobs(workflow, "--done", done) if job in dag.ids]
    busy = _running(workflow, running)
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
            }
        )
    else:
        sys.stdout.write(_report(names, answer))


def _running(workflow: Workflow, text: str) -> list[int]:
    """Return the running jobs; raises GameError for one that the files say is done."""
    jobs, ids = named_jobs(workflow, "--running", text), workflow.dag.ids
    for job in jobs:
        if job not in ids:
            raise GameError(f"--running: job {job!r} is done already")
    return [ids[job] for job in jobs]


def _report(names: Sequence[object], answer: Batch) -> str:
    if not names:
        return "no job is eligible\n"
    after = f"{output.counted(answer.eligible_after, 'job')} eligible after them"
    return (
        "".join(f"{name}\n" for name in names) + f"{after} ({answer.method}: {answer.guarantee})\n"
    )
