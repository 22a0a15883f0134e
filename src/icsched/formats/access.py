"""Reading and writing files of any format in the table."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError, GraphError
from icsched.files import Change, encoded, read_bytes, would_replace, write_text
from icsched.formats.dagman.entry import DAGMAN
from icsched.formats.port import Format, NoOptions, Writing
from icsched.formats.table import FORMATS, OrderOptions, ReadOptions, format_by_suffix, format_of
from icsched.pebble import check_order
from icsched.workflow import Note, Workflow

if TYPE_CHECKING:
    from icsched.orders import Plan

Path = str | os.PathLike[str]
USUAL = OrderOptions()
_INSTEAD = 'write("NAME.csv", plan)'


def read(
    path: Path | Sequence[Path],
    *,
    format: str | None = None,  # noqa: A002
    **options: object,
) -> Workflow[str]:
    r"""Return the workflow in the file at *path*, or in several files that belong together.

    *format* is a name of `FORMATS`. By default the suffix of the file decides. A file whose suffix
    no format has is read as a DAGMan file. *options* are those of the format, such as ``no_rescue``
    of DAGMan. Raises FormatError, with file and line, if the file cannot be read, and ArgumentError
    for an unknown format or option. Raises EngineError if the format is of another package and
    fails.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "wf.dag"
    ...     _ = file.write_text("JOB a a.sub DONE\nJOB b b.sub\nPARENT a CHILD b\n")
    ...     workflow = read(file)
    >>> workflow.format, workflow.names, workflow.done.tolist()
    ('dagman', ('a', 'b'), [True, False])
    """
    paths = _paths(path)
    chosen = format_of(paths[0], format)
    return _read(chosen, paths, _options(chosen, options))


def read_inputs(
    chosen: Format, paths: Sequence[str], options: ReadOptions, *, directory: str = ""
) -> Workflow[str]:
    """Return the workflow in files of a format, as `read` does, with the options of a command.

    *directory* is where a workflow that is a task of another runs; only formats that have these
    take it. Raises ArgumentError for an option that another format has.
    """
    given = _taken(chosen.options, "options", options, ReadOptions, f"; {paths[0]} is not one")
    return _read(chosen, paths, given, *([directory] if directory else []))


def _taken(own: type, kind: str, given: object, every: type, instead: str) -> Any:
    """Return the options that a format takes among *given*, which has a value for *every* one."""
    taken = {}
    for field in fields(every):
        value = getattr(given, field.name)
        if hasattr(own, field.name):
            taken[field.name] = value
        elif value != field.default:
            has = next(one for one in FORMATS.usable() if hasattr(getattr(one, kind), field.name))
            files = f"{has.label or has.name} files"
            raise ArgumentError(f"--{field.name.replace('_', '-')} is for {files}{instead}")
    return own(**taken)


def _read(chosen: Format, paths: Sequence[str], options: object, *directory: str) -> Workflow[str]:
    if chosen.read is None:
        raise chosen.cannot("read", paths[0])
    if len(paths) > 1 and not chosen.several:
        raise ArgumentError(f"format {chosen.name}: expected one file, got {len(paths)}")
    given = list(paths), options, *directory
    try:
        return FORMATS.result(chosen.name, chosen.read, *given, kind=Workflow)
    except GraphError as error:  # of a reader that does not look for cycles itself
        raise FormatError(paths[0], None, str(error)) from error
    except FormatError as error:
        hint = _other_formats(pathlib.PurePath(paths[0]))
        if chosen is not DAGMAN or not hint or not error.problem.startswith("unknown command"):
            raise
        raise FormatError(error.path, error.line, f"{error.problem}; {hint}") from error


def _other_formats(path: pathlib.PurePath) -> str:
    """Return what a file may be that is no DAGMan file; "" if its name says that it is one."""
    if path.name == "Snakefile" or path.suffix == ".smk":
        return "icsched reads no Snakefiles: use snakemake --scheduler icsched"
    if path.suffix.lower() in ("", ".dag") or format_by_suffix(path.name) is not None:
        return ""
    known = ", ".join(one.name for one in FORMATS.usable() if one.read is not None)
    return f"no format has the suffix {path.suffix}: icsched convert --format NAME reads {known}"


def write(
    path: Path | Sequence[Path],
    content: Plan | Dag,
    *,
    format: str | None = None,  # noqa: A002
    **options: object,
) -> list[str]:
    r"""Write the order of a plan into the workflow at *path*; a dag replaces the file at *path*.

    For a plan, *path* must name an existing file, and the tasks left to run there must be those of
    the plan. The file gets the order; the file as it was is kept as ``path.bak``. If *path* ends in
    ``.csv``, it need not exist: the file gets a table with the columns task and priority, a row for
    each task, first to run first. A dag replaces an existing file, and no copy is kept. Returns the
    names of the files that were written; there are none if the file has that order already. The
    format is chosen as by `read`. For a plan, *options* say how the file is read.

    Raises FormatError if a file cannot be read or written, or if its format cannot hold
    *content*. Raises ArgumentError if the plan is for another file. Raises ScheduleError if the
    order does not respect the dependencies in the file.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from icsched import prioritize
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "order.csv"
    ...     _ = write(file, prioritize(Dag({"a": [], "b": ["a"]}), "prio"))
    ...     file.read_text()
    'task,priority\na,2\nb,1\n'
    """
    from icsched.orders import Plan  # slow to import

    paths = _paths(path)
    chosen = format_of(paths[0], format)
    if isinstance(content, Plan):
        if chosen.name == "csv" and is_table(paths[0]):
            _check_alone(paths, options, "a table of an order")
            return _write_table(paths[0], content)
        return _write_order(paths, content, chosen, options)
    if not isinstance(content, Dag):
        raise ArgumentError(f"write: expected a Plan or a Dag, got {type(content).__name__}")
    _check_alone(paths, options, "a dag")
    if chosen.text is None:
        raise chosen.cannot("text", paths[0])
    write_text(paths[0], chosen.text(Workflow(content), path=paths[0]))
    return paths


def _check_alone(paths: Sequence[str], options: dict[str, object], what: str) -> None:
    if len(paths) > 1 or options:
        raise ArgumentError(f"write: expected one file for {what}, and no options")


def no_order(chosen: Format, path: str, instead: str) -> FormatError:
    """Return the error for an order in the file at *path*; *instead* writes a table of it."""
    problem = f"files of format {chosen.name} hold no order: {instead} writes it as a table"
    return FormatError(path, None, problem)


def is_table(path: str) -> bool:
    """Whether *path* is the name of a table, to which an order is written for any format."""
    return path.lower().endswith(".csv")


def order_table(path: str, priorities: Mapping[str, int]) -> bytes:
    """Return the table of an order: a row for each task, in the order of *priorities*.

    Raises FormatError for a name that UTF-8 cannot hold; *path* is the file for the message.
    """
    from icsched.formats.columns import order_text

    return encoded(path, order_text(priorities))


def order_changes(
    workflow: Workflow, order: Sequence[int], given: object = USUAL
) -> Sequence[Change]:
    """Return the changes that write an order into the files of *workflow*, in its format.

    *order* has the ids of the tasks that are left. *given* has the fields of `OrderOptions`. A file
    that holds a whole workflow is read again as it would be. Raises FormatError if it would be
    another workflow, or if the format has no orders, and ArgumentError for an option that another
    format has.
    """
    chosen = FORMATS.find(workflow.format)
    if chosen.changes is None:
        raise no_order(chosen, next(iter(workflow.files), ""), _INSTEAD)
    options = _order_options(chosen, given)
    changes = chosen.changes(workflow, order, options)
    if chosen.read is not None and chosen.options is NoOptions and len(changes) == 1:
        _check_change(changes[0], workflow, order, chosen)
    if options.output is None or chosen.order_options is not Writing:
        return changes
    if len(changes) != 1:
        raise ArgumentError(f"-o: expected a workflow in one file, got {len(changes)} files")
    return [Change(options.output, None, changes[0].new)]


def order_notes(workflow: Workflow, order: Sequence[int], given: object = USUAL) -> list[Note]:
    """Return notes about changes of `order_changes`; raises FormatError if the engine refuses."""
    chosen = FORMATS.find(workflow.format)
    if chosen.order_notes is None:
        return []
    return [*chosen.order_notes(workflow, order, _order_options(chosen, given))]


def copy_without_order(workflow: Workflow, path: str, given: object) -> Change:
    """Return the change that makes *path* a copy of the file of *workflow*, without an order."""
    chosen = FORMATS.find(workflow.format)
    if chosen.without_order is None:
        return Change(path, None, read_bytes(next(iter(workflow.files))))
    return Change(path, None, chosen.without_order(workflow, _order_options(chosen, given)))


def _order_options(chosen: Format, given: object) -> Any:
    instead = f", not for format {chosen.name}"
    return _taken(chosen.order_options, "order_options", given, OrderOptions, instead)


def _check_change(change: Change, workflow: Workflow, order: Sequence[int], chosen: Format) -> None:
    if change.is_none or change.new is None or [change.path] != [*workflow.files]:
        return
    problem = _problem(_read_again(change.path, change.new, chosen), workflow, order, chosen)
    if problem:
        told = f"icsched cannot write an order into this file: {problem} afterwards"
        raise FormatError(change.path, None, f"{told}; nothing is written")


def _read_again(path: str, data: bytes, chosen: Format) -> Workflow | None:
    """Return the workflow in *data* as the content of a file called as *path*; None if bad."""
    try:
        with TemporaryDirectory(prefix="icsched-") as folder:
            copy = pathlib.Path(folder, pathlib.Path(path).name)
            copy.write_bytes(data)
            return read(copy, format=chosen.name)
    except OSError as error:
        problem = f"the order cannot be checked: {error.strerror}"
        raise FormatError(path, None, problem) from error
    except FormatError:
        return None


def _problem(
    again: Workflow | None, workflow: Workflow, order: Sequence[int], chosen: Format
) -> str:
    """Return in which way *again* is not *workflow* in this order; "" if it is."""
    if again is None:
        return "no reader would take it"
    if again.dag != workflow.dag or again.done.tolist() != workflow.done.tolist():
        return "it would have other tasks or dependencies"
    if again.priorities is None:
        is_lost = "priorities" in chosen.keeps and len(order) > 0
        return "it would have no priorities" if is_lost else ""
    is_in_order = (again.priorities[list(order)][1:] < again.priorities[list(order)][:-1]).all()
    return "" if is_in_order else "its priorities would be in another order"


def write_clusters(path: Path, workflow: Workflow, clusters: Sequence[Sequence[int]]) -> list[str]:
    """Write *workflow* to *path* with one task for each of *clusters*, in the workflow's format.

    *clusters* has lists of ids of ``workflow.dag``. Together they have each task that is left once,
    and no task comes before its parents. Returns the names of the files that were written. Raises
    FormatError if the format cannot hold clusters, or not these clusters.
    """
    chosen, name = FORMATS.find(workflow.format), _name(path)
    if chosen.write_clusters is None:
        raise chosen.cannot("write_clusters", next(iter(workflow.files), name))
    return chosen.write_clusters(workflow, clusters, name)


def _paths(path: Path | Sequence[Path]) -> list[str]:
    is_one = isinstance(path, str | bytes | os.PathLike) or not isinstance(path, Iterable)
    several: Iterable[object] = [path] if is_one else path  # type: ignore[assignment]
    names = [_name(one) for one in several]
    if not names:
        raise ArgumentError("expected a file, got none")
    return names


def _name(path: object) -> str:
    """Return the name of a file; raises ArgumentError for what no file can be called."""
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str) or "\0" in name:
        raise ArgumentError(f"expected the name of a file, got {name!r}")
    return name


def _options(chosen: Format, given: dict[str, object]) -> object:
    known = [field.name for field in fields(chosen.options)]
    for name in given:
        if name not in known:
            expected = ", ".join(known) or "no options"
            raise ArgumentError(f"format {chosen.name}: expected {expected}, got {name!r}")
    return chosen.options(**given)


def _write_order(
    paths: list[str], plan: Plan, chosen: Format, options: dict[str, object]
) -> list[str]:
    if chosen.changes is None:  # before a long time of reading
        raise no_order(chosen, paths[0], _INSTEAD)
    workflow = read(paths, format=chosen.name, **options)
    order = _order(workflow, plan, paths[0])
    changes = order_changes(workflow, order)
    order_notes(workflow, order)
    return _made(changes)


def _write_table(path: str, plan: Plan) -> list[str]:
    priorities = {str(name): number for name, number in plan.priorities.items()}
    if len(priorities) < len(plan.order):
        raise FormatError(path, None, "two tasks have the same name once written as text")
    old = read_bytes(path) if would_replace(path) else None
    return _made([Change(path, old, order_table(path, priorities))])


def _made(changes: Sequence[Change]) -> list[str]:
    """Make *changes*, all or none; return the files that were written."""
    for change in changes:
        for reason in change.check():
            raise FormatError(change.path, None, f"{reason}: icsched leaves it as it is")
    written = [change for change in changes if not change.is_none]
    for change in written:
        change.make()
    return [change.path for change in written]


def _order(workflow: Workflow, plan: Plan, path: str) -> list[int]:
    """Return the order of *plan* by the ids of ``workflow.dag``."""
    ids, names = workflow.residual.dag.ids, plan.names
    strange = next((name for name in names if name not in ids), None)
    if strange is not None:
        raise ArgumentError(f"{path}: the plan has task {strange!r}, which is not left to run here")
    if len(names) < len(ids):
        planned = set(names)
        absent = next(name for name in ids if name not in planned)
        raise ArgumentError(f"{path}: the plan lacks task {absent!r}, which is left to run here")
    check_order(workflow.residual.dag, [ids[name] for name in names])
    return [workflow.dag.ids[name] for name in names]
