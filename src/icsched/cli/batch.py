"""`icsched batch`: the best jobs to hand out together, now."""

import sys
from collections.abc import Sequence
from typing import Annotated, cast

from cyclopts import Parameter

from icsched import formats
from icsched.batch import Batch, Method
from icsched.batch import batch as best_batch
from icsched.cli import output
from icsched.cli.output import Flag
from icsched.dag import Dag
from icsched.errors import FormatError, GameError
from icsched.formats import Workflow


def batch(
    *files: str,
    take: int,
    done: str = "",
    running: str = "",
    method: str = "auto",
    time_limit: float = 10.0,
    lenient: Flag = False,
    usedagdir: Flag = False,
    no_rescue: Flag = False,
    json_: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
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
        auto, tree, expansive, exact or greedy.
    time_limit
        Seconds for the exact method.
    lenient
        Skip unknown commands instead of refusing them.
    usedagdir
        Take names of files from the directory of the DAGMan file, as condor_submit_dag -usedagdir.
    no_rescue
        Do not believe the newest rescue file.
    json_
        Print one JSON object instead of a report.

    """
    workflow = output.read(files, lenient=lenient, usedagdir=usedagdir, rescue=not no_rescue)
    dag = workflow.dag
    executed = _tasks(workflow, "--done", done)
    busy = _tasks(workflow, "--running", running)
    with output.working(f"choosing among {output.counted(len(dag), 'job')}"):
        answer = best_batch(
            dag,
            executed,
            take,
            running=busy,
            method=cast(Method, method),  # checked there
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


def _tasks(workflow: Workflow, option: str, text: str) -> list[int]:
    """Ids of the jobs that an option names, without those that the files say are done."""
    dag, finished = workflow.dag, _finished(workflow)
    tasks = []
    for place, name in _names(dag, text):
        if name in dag.ids:
            tasks.append(dag.ids[name])
        elif name not in finished:
            problem = f"unknown job {name!r}"
            raise (
                FormatError(text[1:], place, problem)
                if place
                else GameError(f"{option}: {problem}")
            )
        elif option == "--running":
            raise GameError(f"{option}: job {name!r} is done already")
    return tasks


def _finished(workflow: Workflow) -> set[str]:
    """Names of the jobs that the files say are done."""
    if not workflow.done.any():
        return set()
    done = workflow.done.tolist()
    return {name for name, is_done in zip(workflow.names, done, strict=True) if is_done}


def _names(dag: Dag, text: str) -> Sequence[tuple[int | None, str]]:
    """Names that an option gives, each with its line if they come from a file."""
    if not text.startswith("@"):
        return [(None, name) for word in text.split(",") if (name := word.strip())]
    lines = enumerate(formats.read_text(text[1:]).split("\n"), 1)
    named = [(line, name) for line, words in lines if (name := words.strip())]
    return [(line, name) for line, name in named if name in dag.ids or not name.startswith("#")]


def _report(names: Sequence[object], answer: Batch) -> str:
    if not names:
        return "no job is eligible\n"
    after = f"{output.counted(answer.eligible_after, 'job')} eligible after them"
    return (
        "".join(f"{name}\n" for name in names) + f"{after} ({answer.method}: {answer.guarantee})\n"
    )
