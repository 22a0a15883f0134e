"""`icsched prio`: order a workflow, and write the order into its files."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from icsched import pebble
from icsched.cli import notes, output, tables
from icsched.cli.inputs import USUAL, FileOptions, check_not_own, read_sizes
from icsched.cli.output import STANDARD_OUTPUT, Flag, Json, OutputName
from icsched.cli.visible import named, say
from icsched.errors import ArgumentError, FormatError
from icsched.formats import dagman
from icsched.formats.dagman import Submission
from icsched.formats.dagman.source import is_missing, is_special
from icsched.orders import LimitedOrder, Plan, order_within, prioritize

# For people only, and so not among the notes of the JSON; docs/dagman.md says why.
THROTTLE = (
    "submit with condor_submit_dag -maxjobs N, where N is near the number of slots:"
    " without a throttle, jobs may start out of order"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """What the user asked for, beyond an order."""

    strategy: str
    output: str | None
    in_place: bool
    remove: bool
    force: bool
    keep_existing: bool
    flatten: bool
    via: Literal["priority", "vars"]
    recursive: bool
    reading: FileOptions
    tables: str | None
    memory: str | None
    sizes: str | None
    json: bool

    @property
    def limit(self) -> int:
        """What --memory says, 0 if it is no positive integer."""
        word = self.memory or ""
        return int(word) if word.isascii() and word.isdigit() else 0

    def check(self, files: Sequence[str]) -> None:
        """Raise ArgumentError for options that do not go together."""
        changes = self.in_place or self.remove
        writes = self.in_place or self.output is not None
        limited = self.memory is not None
        chosen = [self.output is not None, self.in_place, self.remove]
        problems = {
            "expected one of -o, --in-place and --remove": sum(chosen) > 1,
            "-o writes one file: expected one to read": bool(self.output) and len(files) > 1,
            "--flatten needs -o": self.flatten and self.output is None,
            "expected one of --flatten and --usedagdir": self.flatten and self.reading.usedagdir,
            "expected one of --flatten and --lenient": self.flatten and self.reading.lenient,
            "--keep-existing needs -o or --in-place": self.keep_existing and not writes,
            "--via vars changes submit files: it needs --in-place": self.via == "vars"
            and not changes,
            "--force needs --in-place or --remove": self.force and not changes,
            "--recursive needs --in-place or --remove": self.recursive and not changes,
            "--remove orders nothing: expected no --tables": self.remove and bool(self.tables),
            "--remove orders nothing: expected no --memory": self.remove and limited,
            "--tables: expected a directory, got ''": self.tables == "",
            f"--memory: expected a whole number, 1 or more, got {self.memory!r}": limited
            and self.limit < 1,
            "--sizes needs --memory": self.sizes is not None and not limited,
            "--memory needs --strategy prio": limited and self.strategy != "prio",
            "--memory is for one workflow: expected no --recursive": limited and self.recursive,
            "standard output takes the file or the JSON": self.output == STANDARD_OUTPUT
            and self.json,
            "standard input can only be read: expected -o": "/dev/stdin" in files and changes,
            "expected each file to change once": changes
            and len({os.path.realpath(file) for file in files}) < len(files),
        }
        for problem, holds in problems.items():
            if holds:
                raise ArgumentError(problem)


@dataclass
class _Result:
    """What is to be done or was done, to be told in words or JSON."""

    files: tuple[str, ...]
    workflow: Submission | None = None
    plan: Plan | None = None
    limited: LimitedOrder | None = None
    read_seconds: float = 0
    changes: list[dagman.Change] = field(default_factory=list)
    written: list[dict[str, str | None]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def prio(
    *files: str,
    strategy: Literal["prio", "fifo", "lifo", "level", "critical-path"] = "prio",
    output_: Annotated[str | None, OutputName] = None,
    in_place: Flag = False,
    remove: Flag = False,
    force: Flag = False,
    keep_existing: Flag = False,
    flatten: Flag = False,
    via: Literal["priority", "vars"] = "priority",
    recursive: Flag = False,
    reading: FileOptions = USUAL,
    tables_: Annotated[str | None, Parameter(name="--tables")] = None,
    memory: str | None = None,
    sizes: str | None = None,
    json_: Json = False,
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
    force
        Also change a file that is read-only or has several names (hard links).
    keep_existing
        Leave alone jobs to which the file gives a priority of their own.
    flatten
        With -o: write one file without splices and includes.
    via
        Say priorities by PRIORITY lines, or by variables that the submit files use.
    recursive
        Do the same to the files of SUBDAG EXTERNAL.
    tables_
        Write order, eligibility table and dot files of dag, superdag and blocks to this directory.
    reading
        How the files are read.
    memory
        Keep at most this many results of jobs whose children have not all run; with --sizes, bytes.
        It holds if jobs run one at a time, in this order.
    sizes
        File with the size of each job's result, NAME BYTES a line.
    json_
        Print one JSON object with the order, the priorities and the profiles.

    """
    options = _Options(
        strategy=strategy,
        output=output_,
        in_place=in_place,
        remove=remove,
        force=force,
        keep_existing=keep_existing,
        flatten=flatten,
        via=via,
        recursive=recursive,
        reading=reading,
        tables=tables_,
        memory=memory,
        sizes=sizes,
        json=json_,
    )
    options.check(files)
    result = _removal(files, options) if remove else _ordering(files, options)
    _make(result, options)
    if json_:
        output.write_json(_answer(result))
    else:
        say(_report(result), stream=sys.stderr if output_ == STANDARD_OUTPUT else None)


def _ordering(files: tuple[str, ...], options: _Options) -> _Result:
    """Order a workflow, and with --recursive those that it runs as jobs, each file once."""
    result = _ordered(files, options, "")
    seen = {os.path.realpath(file) for file in files}
    waiting = [result.workflow] if options.recursive else []
    while waiting:
        for path, directory in _inner_files(waiting.pop(), seen, result.notes):
            inner = _ordered((path,), replace(options, tables=None), directory)
            waiting.append(inner.workflow)
            result.changes += inner.changes
            result.notes += inner.notes
    return result


def _ordered(files: tuple[str, ...], options: _Options, directory: str) -> _Result:
    start = time.perf_counter()
    workflow = options.reading.read(files, directory=directory)
    read_seconds = time.perf_counter() - start
    with output.working(f"ordering {output.counted(len(workflow.dag), 'job')}"):
        limited = _limited(workflow, options)
        plan = limited.plan if limited else prioritize(workflow.dag, options.strategy)
    result = _Result(files, workflow, plan, limited, read_seconds)
    result.notes += notes.about_rescue(workflow)
    result.notes += notes.about_section(workflow, replaced=options.in_place)
    if options.in_place or options.output is not None:
        _plan_changes(result, workflow, options)
    if options.tables:
        tables.write(options.tables, plan)
        result.notes.append(f"order, eligibility table and dot files are in {options.tables}")
    return result


def _limited(workflow: Submission, options: _Options) -> LimitedOrder | None:
    if options.memory is None:
        return None
    sizes = options.sizes and read_sizes(workflow, options.sizes)
    return order_within(workflow.dag, options.limit, sizes=sizes)


def _inner_files(
    workflow: Submission | None, seen: set[str], told: list[str]
) -> Iterator[tuple[str, str]]:
    """Yield the files of SUBDAG EXTERNAL that are there, each with its directory.

    Raises FormatError for what is no ordinary file: reading it may have no end.
    """
    for placed in workflow.nodes() if workflow else ():
        path = str(Path(placed.directory, placed.node.submit))
        if placed.node.kind != "SUBDAG" or os.path.realpath(path) in seen:
            continue
        seen.add(os.path.realpath(path))
        if is_special(path):
            raise placed.source.error(placed.statement, f"{path}: expected an ordinary file")
        if is_missing(path):
            told.append(f"{path} is not there yet and was left out (job {placed.name})")
        else:
            yield path, placed.directory


def _plan_changes(result: _Result, workflow: Submission, options: _Options) -> None:
    """Find out what to write where, and what to tell about it."""
    priorities, kept, path = _priorities(result), options.keep_existing, options.output
    if path is None:
        result.changes = dagman.changes(workflow, priorities, keep_existing=kept, via=options.via)
    else:
        _check_output(workflow, path, usedagdir=options.reading.usedagdir)
        if options.flatten:
            data = dagman.flat_file(workflow, priorities, keep_existing=kept)
            result.changes = [dagman.Change(path, None, data)]
        else:
            result.changes = dagman.copies(workflow, priorities, path, keep_existing=kept)
    result.notes += notes.about_priorities(workflow, kept=kept)
    result.notes += _strictness(workflow, priorities, options)
    source = workflow.roots[0].path
    result.notes += notes.about_splices(workflow, path or source, flat=options.flatten)
    result.notes += notes.about_variables(workflow) if options.via == "vars" else []
    if workflow.remarks:
        result.notes.append(f"icsched show {result.files[0]} tells what may disturb this order")


def _strictness(workflow: Submission, priorities: dict[str, int], options: _Options) -> list[str]:
    """Raise FormatError if DAGMan will refuse what is written; say so if it may."""
    strict = dagman.strictness(workflow)
    if options.keep_existing or options.flatten or strict is None:
        return []
    if not dagman.overridden(workflow, priorities, via=options.via):
        return []
    if strict.line:  # in the workflow's own CONFIG file; the environment may be another one then
        raise FormatError(strict.path, strict.line, notes.refusal(strict))
    return notes.about_strictness(workflow)


def _check_output(workflow: Submission, path: str, *, usedagdir: bool) -> None:
    """Raise ArgumentError if writing *path* would destroy or misplace a file of the workflow."""
    source = workflow.roots[0].path
    if path == STANDARD_OUTPUT:
        return
    if usedagdir and os.path.realpath(Path(path).parent) != os.path.realpath(Path(source).parent):
        raise ArgumentError(f"with --usedagdir -o must be in the directory of {source}")
    check_not_own(workflow, path, instead=", or --in-place")


def _removal(files: tuple[str, ...], options: _Options) -> _Result:
    """Find the sections to take out; a workflow is read only to find other files."""
    result = _Result(files)
    seen = {os.path.realpath(file) for file in files}
    waiting = [(file, "") for file in files]
    while waiting:
        path, directory = waiting.pop(0)
        own = dagman.removals([path])  # last: its section tells that submit files have theirs
        if options.recursive or dagman.has_variables(path):
            try:
                workflow = options.reading.read((path,), directory=directory)
            except FormatError as error:
                if dagman.has_variables(path):
                    raise  # the section is the only trace of the submit files
                problem = f"only {path} itself was looked at, for it cannot be read: {error}"
                result.notes.append(problem)
            else:
                result.changes += dagman.submit_removals(workflow)
                waiting += _inner_files(workflow, seen, result.notes) if options.recursive else []
        result.changes += own
    return result


def _make(result: _Result, options: _Options) -> None:
    """Write what is to be written, a file that two workflows use once."""
    different = {os.path.realpath(change.path): change for change in result.changes}
    _check_changes(list(different.values()), result, options)
    for change in different.values():
        if change.is_none:
            continue
        if change.path == STANDARD_OUTPUT and change.new is not None:
            sys.stdout.buffer.write(change.new)
            continue
        backup = change.make()
        if change.new is None:
            result.notes.append(f"removed {change.path}")
        else:
            result.written.append({"file": change.path, "backup": backup})
    if result.changes and not result.written and options.output is None:
        what = "no section of icsched's" if options.remove else "the files say so already"
        result.notes.append(f"nothing to change: {what}")


def _check_changes(changes: list[dagman.Change], result: _Result, options: _Options) -> None:
    """Raise FormatError before anything is written if a file cannot or should not be changed."""
    for change in changes:
        for reason in change.check():
            if not options.force:
                problem = f"{reason}: give --force to change it all the same"
                raise FormatError(change.path, None, problem)
            result.notes.append(f"{change.path} was changed although {reason}")


def _priorities(result: _Result) -> dict[str, int]:
    assert result.plan is not None, "there is an order"  # noqa: S101  for the type checker
    assert result.workflow is not None, "of a workflow"  # noqa: S101
    return dagman.job_priorities(result.workflow, result.plan.order.tolist())


def _report(result: _Result) -> str:
    notes = "".join(f"{named(note)}.\n" for note in result.notes)
    if result.plan is None:
        return _written(result, "restored") + notes
    report = _order_report(named(*result.files), result.plan, result.limited)
    advice = f"{THROTTLE}.\n" if result.written and _gains(result) else ""
    return report + _written(result, "wrote") + notes + advice


def _written(result: _Result, verb: str) -> str:
    lines = [
        f"{verb} {entry['file']}" + (f", kept {entry['backup']}" if entry["backup"] else "")
        for entry in result.written
    ]
    return "".join(f"{named(line)}\n" for line in lines)


def _gains(result: _Result) -> bool:
    """Whether it matters at some step that jobs start in this order."""
    plan = result.plan
    if plan is None or result.limited is not None:
        return plan is not None
    fifo = pebble.eligibility_profile(plan.dag, plan.dag.fifo_order)
    return bool((plan.schedule.eligible > fifo).any())


def _order_report(file: str, plan: Plan, limited: LimitedOrder | None) -> str:
    dag = plan.dag
    seconds = sum(plan.seconds.values())
    head = (
        f"{file}: {output.size(dag)}, ordered by {plan.ordered_by} in {seconds:.2f} s\n"
        f"{output.proof_sentence(plan.proof)}\n"
    )
    if not len(dag):
        return f"{file}: no jobs to order\n"
    told = _lead(plan) if limited is None else _cost(limited)
    return f"{head}\nEligible jobs from the first step to the last:\n{told}"


def _lead(plan: Plan) -> str:
    """Draw an order beside first come, first served."""
    dag, ours = plan.dag, plan.schedule.eligible
    fifo = pebble.eligibility_profile(dag, dag.fifo_order)
    contest = pebble.compare(dag, plan.order, dag.fifo_order)
    bars = output.charts({"first come, first served": fifo, plan.ordered_by: ours})
    return f"{bars}{output.lead_sentence(contest, ours, fifo)}\n"


def _cost(limited: LimitedOrder) -> str:
    """Draw an order within a limit beside that without it; other orders may not keep to it."""
    free = prioritize(limited.plan.dag)
    profiles = {
        "without the limit": free.schedule.eligible,
        "within memory": limited.plan.schedule.eligible,
    }
    sentences = f"{output.cost_sentence(limited, free)}\n{output.memory_sentence(limited)}\n"
    return output.charts(profiles) + sentences


def _answer(result: _Result) -> dict[str, object]:
    common = {"written": result.written, "notes": result.notes}
    plan, workflow = result.plan, result.workflow
    if plan is None or workflow is None:
        return common
    dag = plan.dag
    names = plan.schedule.names
    priorities = _priorities(result)
    return {
        "jobs": len(dag),
        "arcs": dag.arc_count,
        "done": int(workflow.done.sum()),
        "strategy": plan.ordered_by,
        "order": names,
        "priorities": {str(name): priorities[str(name)] for name in names},
        "eligible": plan.schedule.eligible.tolist(),
        "fifo_eligible": pebble.eligibility_profile(dag, dag.fifo_order).tolist(),
        "proof": output.proof_keys(plan.proof),
        "area_ratio": None,
        "memory": result.limited.memory if result.limited else plan.schedule.peak_memory,
        "seconds": {
            "read": result.read_seconds,
            "order": sum(plan.seconds.values()),
            **plan.seconds,
        },
        **common,
    }
