"""`icsched verify`: certify or refute that an order is IC-optimal."""

import sys
from typing import Annotated

from cyclopts import Parameter

from icsched import formats, pebble
from icsched.cli import output
from icsched.cli.output import Flag
from icsched.dag import Dag
from icsched.errors import FormatError
from icsched.pebble.referee import DEFAULT_LIMIT


def verify(
    file: str,
    /,
    *,
    order: str,
    limit: int = DEFAULT_LIMIT,
    lenient: Flag = False,
    usedagdir: Flag = False,
    no_rescue: Flag = False,
    json_: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
) -> None:
    """Say whether an order keeps as many jobs eligible as any order could, at every step.

    Parameters
    ----------
    file
        DAGMan file of the workflow.
    order
        File with the jobs' names, one a line, first to run first.
    limit
        Give up after this many sets of executed jobs.
    lenient
        Skip unknown commands instead of refusing them.
    usedagdir
        Take names of files from the directory of the DAGMan file, as condor_submit_dag -usedagdir.
    no_rescue
        The order is of all jobs, also of those that the newest rescue file says are done.
    json_
        Print one JSON object instead of a sentence.

    """
    dag = output.read([file], lenient=lenient, usedagdir=usedagdir, rescue=not no_rescue).dag
    verdict = pebble.verify(dag, _read_order(dag, order), limit=limit)
    if json_:
        output.write_json(_answer(dag, verdict))
    else:
        sys.stdout.write(_sentence(dag, file, verdict))


def _read_order(dag: Dag, path: str) -> list[int]:
    tasks = []
    line_of: dict[int, int] = {}
    for line, text in enumerate(formats.read_text(path).split("\n"), 1):
        name = text.strip()
        if not name or (name.startswith("#") and name not in dag.ids):
            continue
        task = dag.ids.get(name)
        if task is None:
            raise FormatError(path, line, f"unknown job {name!r}")
        if task in line_of:
            raise FormatError(path, line, f"job {name!r} is already on line {line_of[task]}")
        line_of[task] = line
        tasks.append(task)
    if len(tasks) < len(dag):
        missing = next(name for task, name in enumerate(dag.names) if task not in line_of)
        problem = f"expected all {len(dag)} jobs, got {len(tasks)}; {missing!r} is missing"
        raise FormatError(path, None, problem)
    _check_legal(dag, tasks, path, line_of)
    return tasks


def _check_legal(dag: Dag, tasks: list[int], path: str, line_of: dict[int, int]) -> None:
    for task in tasks:
        for parent in dag.parents(task).tolist():
            if line_of[parent] > line_of[task]:
                names = f"{dag.names[task]!r} comes before its parent {dag.names[parent]!r}"
                raise FormatError(path, line_of[task], f"job {names} (line {line_of[parent]})")


def _sentence(dag: Dag, file: str, verdict: pebble.Verdict) -> str:
    if verdict.better is None:
        return (
            f"IC-optimal: no order of {file} ({len(dag)} jobs) has more eligible jobs at any step\n"
        )
    better = ", ".join(str(dag.names[task]) for task in verdict.better)
    jobs = output.counted(verdict.step or 0, "job")
    return (
        f"not IC-optimal: after {jobs} this order has {verdict.eligible} eligible,"
        f" but {verdict.best_eligible} are possible by running {better} first\n"
    )


def _answer(dag: Dag, verdict: pebble.Verdict) -> dict[str, object]:
    return {
        "jobs": len(dag),
        "arcs": dag.arc_count,
        "ic_optimal": verdict.ic_optimal,
        "step": verdict.step,
        "eligible": verdict.eligible,
        "best_eligible": verdict.best_eligible,
        "better": verdict.better and [dag.names[task] for task in verdict.better],
    }
