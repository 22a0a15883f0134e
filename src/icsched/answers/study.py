"""Orders against first come, first served over a grid of pools, kept on disk."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from icsched.answers.compared import Compared
from icsched.answers.known import Resumed, TimesKnown, resumed
from icsched.answers.orders import WantedOrder, check_known, is_played_live
from icsched.answers.reading import Reading, check_given
from icsched.answers.run_times import times_known, with_run_times
from icsched.answers.signs import QUIET, Signs
from icsched.answers.simulate import check_unit
from icsched.errors import ArgumentError, FormatError
from icsched.orders import Plan
from icsched.study import (
    BASELINE,
    Cell,
    CellResult,
    CellRunner,
    Store,
    Subject,
    Terms,
    fingerprint,
    read_cells,
    run_cells,
    write_tables,
)
from icsched.workflow import Workflow

BESIDE = "critical-path"  # every study shows it: a gain has it and fifo beside it

Told = Callable[[str, int, int], None]  # a workflow's name, cells found on disk, all cells


@dataclass(frozen=True, eq=False)
class Studied:
    """A workflow of the study, with the name that its rows and figures have.

    `compared` has the plan of each order. `subject` has what the cells play: the name of an order
    that is played live, or a list of jobs.
    """

    name: str
    compared: dict[str, Compared]
    subject: Subject
    fingerprint: str
    resumed: Resumed | None
    timed: TimesKnown | None


@dataclass(frozen=True, eq=False)
class StudyBegun:
    """What a study will compute, and where its cells are kept; `orders` are compared with fifo."""

    directory: str
    orders: tuple[str, ...]
    cells: tuple[Cell, ...]
    terms: Terms
    workflows: tuple[Studied, ...]


@dataclass(frozen=True, eq=False)
class StudyAnswer:
    """The finished cells by the workflow's name, and the tables that were written."""

    begun: StudyBegun
    rows: dict[str, list[CellResult]]
    written: tuple[str, ...]


def study_begun(
    files: Sequence[str],
    wanted: Sequence[str],
    directory: str,
    cells: Sequence[Cell],
    terms: Terms,
    *,
    run_times: Sequence[str],
    has_unit: bool,
    reading: Reading,
    signs: Signs = QUIET,
) -> StudyBegun:
    """Read the workflows, each file is one, and put each into the *wanted* orders.

    Orders are names or @FILE. Mean run times are those in the files *run_times*, or else the
    workflow's own. They are in seconds. Raises ArgumentError for such times unless the cells *have
    a unit*: their times are in seconds, too.
    """
    orders = _checked_orders(wanted)
    if run_times and len(files) > 1:
        raise ArgumentError(f"--run-times: expected one workflow, got {len(files)}")
    if run_times:
        check_unit("--run-times", has_unit=has_unit, option="--intervals")
    workflows = []
    for name, file in _named(files).items():
        workflow = with_run_times(reading.read_to_run([file], signs=signs), run_times)
        if workflow.run_times is not None:
            check_unit(file, has_unit=has_unit, option="--intervals")
        timed = times_known(workflow, is_own=not run_times)
        workflows.append(_studied(name, file, workflow, orders, terms, timed, signs))
    named = tuple(map(_text, orders))
    return StudyBegun(directory, named, tuple(cells), terms, tuple(workflows))


def _checked_orders(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the orders, each once, with critical path beside; raises ArgumentError."""
    for word in wanted:
        check_known(word)
        if word == BASELINE:
            raise ArgumentError(
                f"--order: a study compares with {BASELINE}: expected another order"
            )
    return tuple(dict.fromkeys([*wanted, BESIDE]))


def _named(files: Sequence[str]) -> dict[str, str]:
    """Return each file under its name without suffix, or under its path if two share a name."""
    check_given(files)
    paths = [Path(_text(file)) for file in files]
    stems = Counter(path.stem for path in paths)
    names = [path.stem if stems[path.stem] == 1 else _flat(path) for path in paths]
    outputs = Counter(stem for name in names for stem in (name, f"{name}-eligible"))
    for name, file in zip(names, files, strict=True):
        if outputs[name] > 1 or outputs[f"{name}-eligible"] > 1:
            raise ArgumentError(f"{file}: expected files of different names, got two of {name!r}")
    return dict(zip(names, files, strict=True))


def _text(word: str) -> str:
    """Return *word* as text that tables can have: a file's name may be no text."""
    return word.encode(errors="backslashreplace").decode()


def _flat(path: Path) -> str:
    return str(path.with_suffix("")).strip(os.sep).replace(os.sep, "-")


def _studied(
    name: str,
    file: str,
    workflow: Workflow,
    orders: Sequence[str],
    terms: Terms,
    timed: TimesKnown | None,
    signs: Signs,
) -> Studied:
    plans = {_text(word): _plan(workflow, file, word, signs) for word in orders}
    played = {w: w if is_played_live(w) else plan.order for w, plan in plans.items()}
    subject = Subject(workflow.dag, played, workflow.run_times)
    return Studied(
        name=name,
        compared={word: Compared(plan) for word, plan in plans.items()},
        subject=subject,
        fingerprint=fingerprint(subject, terms),
        resumed=resumed(workflow),
        timed=timed,
    )


def _plan(workflow: Workflow, file: str, word: str, signs: Signs) -> Plan:
    try:
        return WantedOrder(word).plan(workflow, signs=signs)
    except FormatError as error:
        if not error.line:
            raise
        # The line may fit another workflow of the study.
        problem = f"{error.problem} (for {file})"
        raise FormatError(error.path, error.line, problem) from error


@contextmanager
def cell_runner(
    threads: int, dask: str | None, *, tell: Callable[[str], None]
) -> Iterator[CellRunner]:
    """Yield what computes cells: this many threads, or the Dask cluster at an address.

    *tell* gets what people should know about the connection to the cluster, as one line.
    """
    if dask is None:
        yield partial(run_cells, threads=threads)
        return
    from icsched.engines.dask import study_cluster  # slow to import

    with study_cluster(dask, tell=tell) as runner:
        yield runner


def fill(
    begun: StudyBegun,
    engine: AbstractContextManager[CellRunner],
    *,
    told: Told,
    signs: Signs = QUIET,
) -> None:
    """Compute the cells that are missing; *told* gets the number of cells found on disk."""
    with Store(begun.directory) as store:
        missing = {w.name: _missing(begun, w, store, told) for w in begun.workflows}
        if any(missing.values()):
            with engine as runner:
                for workflow in begun.workflows:
                    _fill(begun, workflow, missing[workflow.name], store, runner, signs)


def _missing(begun: StudyBegun, workflow: Studied, store: Store, told: Told) -> list[Cell]:
    there = store.cells(workflow.fingerprint)
    missing = [cell for cell in begun.cells if cell not in there]
    if len(missing) < len(begun.cells):
        told(workflow.name, len(begun.cells) - len(missing), len(begun.cells))
    return missing


def _fill(
    begun: StudyBegun,
    workflow: Studied,
    cells: Sequence[Cell],
    store: Store,
    runner: CellRunner,
    signs: Signs,
) -> None:
    found = runner(workflow.subject, cells, begun.terms)
    with signs.progress(f"simulating {workflow.name}") as tell, closing(found):
        for done, result in enumerate(found, 1):
            store.add(workflow.fingerprint, result)
            tell(done, len(cells))


def study_answer(begun: StudyBegun) -> StudyAnswer:
    """Gather the finished cells, and write the tables."""
    rows = {w.name: _results(begun, w) for w in begun.workflows}
    written = tuple(write_tables(begun.directory, rows, begun.orders, begun.terms))
    return StudyAnswer(begun, rows, written)


def _results(begun: StudyBegun, workflow: Studied) -> list[CellResult]:
    there = read_cells(begun.directory, workflow.fingerprint)
    return [there[cell] for cell in begun.cells if cell in there]
