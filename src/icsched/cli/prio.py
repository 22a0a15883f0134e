"""`icsched prio`: order a workflow, and write the order into its files."""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from icsched import pebble
from icsched.cli import output, tables
from icsched.cli.output import Flag
from icsched.errors import UsageError
from icsched.formats import dagman
from icsched.formats.dagman import Workflow
from icsched.theory import Plan, prioritize


@dataclass(frozen=True, slots=True)
class _Options:
    """What the user asked for, beyond an order."""

    strategy: str
    output: str | None
    in_place: bool
    remove: bool
    keep_existing: bool
    flatten: bool
    via: Literal["priority", "vars"]
    recursive: bool
    lenient: bool
    usedagdir: bool
    no_rescue: bool
    tables: str | None

    def check(self, files: Sequence[str]) -> None:
        """Raise UsageError for options that do not go together."""
        chosen = [self.output is not None, self.in_place, self.remove]
        writes = self.in_place or self.output is not None
        problems = {
            "expected one of -o, --in-place and --remove": sum(chosen) > 1,
            "-o writes one file: expected one to read": bool(self.output) and len(files) > 1,
            "--flatten needs -o": self.flatten and self.output is None,
            "expected one of --flatten and --usedagdir": self.flatten and self.usedagdir,
            "--keep-existing needs -o or --in-place": self.keep_existing and not writes,
            "--via vars changes submit files: it needs --in-place": self.via == "vars"
            and not (self.in_place or self.remove),
            "--recursive needs --in-place or --remove": self.recursive
            and not (self.in_place or self.remove),
            "standard input can only be read: expected -o": "/dev/stdin" in files
            and (self.in_place or self.remove),
            "expected each file to change once": (self.in_place or self.remove)
            and len({os.path.realpath(file) for file in files}) < len(files),
        }
        for problem, holds in problems.items():
            if holds:
                raise UsageError(problem)


@dataclass
class _Result:
    """What was done, to be told in words or JSON."""

    files: tuple[str, ...]
    workflow: Workflow
    read_seconds: float
    plan: Plan | None = None
    written: list[dict[str, str | None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def prio(
    *files: str,
    strategy: Literal["prio", "fifo", "lifo", "level", "critical-path"] = "prio",
    output_: Annotated[str | None, Parameter(name=["--output", "-o"])] = None,
    in_place: Flag = False,
    remove: Flag = False,
    keep_existing: Flag = False,
    flatten: Flag = False,
    via: Literal["priority", "vars"] = "priority",
    recursive: Flag = False,
    lenient: Flag = False,
    usedagdir: Flag = False,
    no_rescue: Flag = False,
    tables_: Annotated[str | None, Parameter(name="--tables")] = None,
    json_: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
) -> None:
    """Order a workflow so that as many jobs as possible are eligible at every step.

    Parameters
    ----------
    files
        DAGMan file of the workflow; several that are submitted together; - for standard input.
    strategy
        How to order: prio, or for comparison fifo, lifo, level or critical-path.
    output_
        Write a copy of the file with PRIORITY lines to this file.
    in_place
        Write PRIORITY lines into the file itself; the original is kept in FILE.bak.
    remove
        Take out of the file what icsched wrote into it.
    keep_existing
        Leave alone jobs to which the file gives a priority of their own.
    flatten
        With -o: write one file without splices and includes.
    via
        Say priorities by PRIORITY lines, or by variables that the submit files use.
    recursive
        Do the same to the files of SUBDAG EXTERNAL.
    lenient
        Skip unknown commands instead of refusing them.
    usedagdir
        Take names of files from the directory of the DAGMan file, as condor_submit_dag -usedagdir.
    no_rescue
        Order all jobs, also those that the newest rescue file says are done.
    tables_
        Write order, eligibility table and dot files of dag, superdag and blocks to this directory.
    json_
        Print one JSON object with the order, the priorities and the profiles.

    """
    options = _Options(
        strategy, output_, in_place, remove, keep_existing, flatten, via, recursive, lenient,
        usedagdir, no_rescue, tables_,
    )  # fmt: skip
    options.check(files)
    result = _treat(files, options, "")
    if options.recursive:
        _treat_inner(result, options, {os.path.realpath(file) for file in files})
    if json_:
        output.write_json(_answer(result))
    else:
        sys.stdout.write(_report(result))


def _treat(files: tuple[str, ...], options: _Options, directory: str) -> _Result:
    """Read, order and write one workflow."""
    start = time.perf_counter()
    workflow = output.read(
        files,
        lenient=options.lenient,
        usedagdir=options.usedagdir,
        rescue=not options.no_rescue,
        directory=directory,
    )
    dag = workflow.dag
    result = _Result(files, workflow, time.perf_counter() - start)
    if options.remove:
        _make(result, dagman.removals(workflow))
        return result
    with output.working(f"ordering {output.counted(len(dag), 'job')}"):
        result.plan = prioritize(dag, options.strategy)
    _note_rescue(result)
    _write(result, options)
    if workflow.remarks and result.written:
        result.notes.append(f"icsched show {files[0]} tells what may disturb this order")
    if options.tables:
        tables.write(options.tables, result.plan)
        result.notes.append(f"order, eligibility table and dot files are in {options.tables}")
    return result


def _treat_inner(result: _Result, options: _Options, seen: set[str]) -> None:
    """Treat the workflows that a workflow runs as jobs, each file once."""
    for placed in result.workflow.nodes():
        path = str(Path(placed.directory, placed.node.submit))
        if placed.node.kind != "SUBDAG" or os.path.realpath(path) in seen:
            continue
        seen.add(os.path.realpath(path))
        if not Path(path).exists():
            result.notes.append(f"{path} is not there yet and was left out (job {placed.name})")
            continue
        inner = _treat((path,), replace(options, tables=None), placed.directory)
        _treat_inner(inner, options, seen)
        result.written += inner.written
        result.notes += inner.notes


def _write(result: _Result, options: _Options) -> None:
    """Write the order where the options say."""
    if not options.in_place and options.output is None:
        return
    workflow = result.workflow
    priorities = _priorities(result)
    _note_existing(result, options)
    _note_numbers(result, options)
    if options.in_place:
        made = dagman.changes(
            workflow, priorities, keep_existing=options.keep_existing, via=options.via
        )
        _make(result, made)
        _note_vars(result, options)
    elif options.output is not None:
        _write_copy(result, options, priorities, options.output)


def _write_copy(result: _Result, options: _Options, priorities: dict[str, int], path: str) -> None:
    workflow, kept = result.workflow, options.keep_existing
    if options.flatten:
        data = dagman.flat_file(workflow, priorities, keep_existing=kept)
        _make(result, [dagman.Change(path, None, data)])
        result.notes.append("one file without splices and includes; job S+p is called S-p in it")
    else:
        _make(result, dagman.copies(workflow, priorities, path, keep_existing=kept))


def _make(result: _Result, made: Sequence[dagman.Change]) -> None:
    for change in made:
        if change.is_none:
            continue
        backup = change.make()
        if change.new is None:
            result.notes.append(f"removed {change.path}")
        else:
            result.written.append({"file": change.path, "backup": backup})
    if all(change.is_none for change in made):
        result.notes.append("nothing to change: the files say so already")


def _note_rescue(result: _Result) -> None:
    workflow = result.workflow
    done = int(workflow.done.sum())
    if done:
        by = f" by {workflow.rescue}" if workflow.rescue else ""
        left = output.counted(len(workflow.dag), "job")
        result.notes.append(f"{output.counted(done, 'job')} done{by}; {left} left to order")


def _note_existing(result: _Result, options: _Options) -> None:
    given = int(result.workflow.has_priority.sum())
    if given:
        what = "kept" if options.keep_existing else "overridden (--keep-existing keeps them)"
        result.notes.append(
            f"priorities that the files gave {output.counted(given, 'job')}: {what}"
        )


def _note_numbers(result: _Result, options: _Options) -> None:
    workflow = result.workflow
    if workflow.joins:
        lines = output.counted(workflow.joins, "PARENT line")
        result.notes.append(
            f"priorities count down from -1: DAGMan puts nodes of priority 0 into {lines}"
            " of several parents and children, and those must not wait"
        )
    if workflow.has_splices and not options.flatten:
        result.notes.append(
            "jobs of splices are named in the same block; DAGMan knows their names by the empty"
            " file that it includes first; keep the block last in the file"
        )


def _note_vars(result: _Result, options: _Options) -> None:
    if options.via != "vars":
        return
    without = sum(
        placed.has_description or placed.node.kind == "SUBDAG" for placed in result.workflow.nodes()
    )
    result.notes.append("submit files take their priority from the variable jobpriority")
    if without:
        jobs = output.counted(without, "job")
        result.notes.append(f"{jobs} without a submit file got PRIORITY lines")


def _priorities(result: _Result) -> dict[str, int]:
    assert result.plan is not None, "there is an order to write"  # noqa: S101  for the type checker
    return dagman.job_priorities(result.workflow, result.plan.order.tolist())


def _report(result: _Result) -> str:
    notes = "".join(f"{note}.\n" for note in result.notes)
    if result.plan is None:
        return _written(result, "restored") + notes
    return _order_report(" ".join(result.files), result.plan) + _written(result, "wrote") + notes


def _written(result: _Result, verb: str) -> str:
    lines = [
        f"{verb} {entry['file']}" + (f", kept {entry['backup']}" if entry["backup"] else "")
        for entry in result.written
    ]
    return "".join(f"{line}\n" for line in lines)


def _order_report(file: str, plan: Plan) -> str:
    dag, ours = plan.dag, plan.schedule.eligible
    fifo = pebble.eligibility_profile(dag, dag.fifo_order)
    seconds = sum(plan.seconds.values())
    head = (
        f"{file}: {output.size(dag)}, ordered by {plan.strategy} in {seconds:.2f} s\n"
        f"{output.proof_sentence(plan.proof)}\n"
    )
    if not len(dag):
        return head
    contest = pebble.compare(dag, plan.order, dag.fifo_order)
    return (
        f"{head}\nEligible jobs from the first step to the last:\n"
        + output.charts({"first come, first served": fifo, plan.strategy: ours})
        + f"{output.lead_sentence(contest, ours, fifo)}\n"
    )


def _answer(result: _Result) -> dict[str, object]:
    common = {"written": result.written, "notes": result.notes}
    plan = result.plan
    if plan is None:
        return common
    dag = plan.dag
    names = plan.schedule.names
    priorities = _priorities(result)
    return {
        "jobs": len(dag),
        "arcs": dag.arc_count,
        "done": int(result.workflow.done.sum()),
        "strategy": plan.strategy,
        "order": names,
        "priorities": {str(name): priorities[str(name)] for name in names},
        "eligible": plan.schedule.eligible.tolist(),
        "fifo_eligible": pebble.eligibility_profile(dag, dag.fifo_order).tolist(),
        "proof": output.proof_keys(plan.proof),
        "area_ratio": None,
        "seconds": {
            "read": result.read_seconds,
            "order": sum(plan.seconds.values()),
            **plan.seconds,
        },
        **common,
    }
