"""`icsched study`: orders against first come, first served over a grid of pools."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from icsched.commands.inputs import (
    USUAL,
    FileOptions,
    check_given,
    done_sentence,
    numbers,
    times_known,
    times_sentence,
    whole_numbers,
    with_run_times,
)
from icsched.commands.notes import about_pool, caution_text
from icsched.commands.options import WHOLE, Flag, OutputName, PathName
from icsched.commands.ordering import OrderWords, WantedOrder, is_played_live
from icsched.commands.pool_options import (
    ENOUGH_RUNS,
    UNIT_TIMES,
    GivenPool,
    SamplingOptions,
    TimeOptions,
    naming_pool,
    read_given_pool,
)
from icsched.commands.simulate import check_unit
from icsched.commands.terminal import progress, say, tell_user, working
from icsched.errors import ArgumentError, EngineError, FormatError
from icsched.messages import counted, named, number, storable
from icsched.orders import Plan
from icsched.report import figures as draw
from icsched.sim.experiment import cores
from icsched.sim.model import BatchLaw
from icsched.study import (
    BASELINE,
    BATCHES,
    INTERVALS,
    Cell,
    CellResult,
    Store,
    Subject,
    Terms,
    fingerprint,
    grid,
    is_study,
    read_cells,
    run_cells,
    workers_grid,
    write_tables,
)
from icsched.study.cells import CellRunner
from icsched.workflow import Workflow

BESIDE = "critical-path"  # every study shows it: a gain has it and fifo beside it


@dataclass(frozen=True, eq=False)
class Studied:
    """A workflow of the study, with the name that its rows and figures have.

    `subject` has what the cells play: the name of an order that is played live, or a list of jobs.
    `told` says which jobs are done already, and where run times come from.
    """

    name: str
    plans: dict[str, Plan]
    subject: Subject
    fingerprint: str
    told: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Study:
    """What a study computes, and where its cells are kept; `orders` are compared with fifo."""

    directory: str
    orders: tuple[str, ...]
    cells: tuple[Cell, ...]
    terms: Terms
    workflows: tuple[Studied, ...]


Rows = dict[str, list[CellResult]]  # the finished cells, by the workflow's name


def study_of(
    files: Sequence[str],
    wanted: Sequence[str],
    directory: str,
    cells: Sequence[Cell],
    terms: Terms,
    *,
    run_times: Sequence[str],
    has_unit: bool,
    reading: FileOptions,
) -> Study:
    """Read the workflows, each file is one, and put each into the *wanted* orders.

    Orders are names or @FILE. Mean run times are those in the files *run_times*, or else the
    workflow's own. They are in seconds. Raises ArgumentError for such times unless the cells *have
    a unit*: their times are in seconds, too.
    """
    if BASELINE in wanted:
        raise ArgumentError(f"--order: a study compares with {BASELINE}: expected another order")
    orders = tuple(dict.fromkeys([*wanted, BESIDE]))
    if run_times and len(files) > 1:
        raise ArgumentError(f"--run-times: expected one workflow, got {len(files)}")
    if run_times:
        check_unit("--run-times", has_unit=has_unit, option="--intervals")
    workflows = []
    for name, file in _named(files).items():
        workflow = with_run_times(reading.read_to_run([file]), run_times)
        if workflow.run_times is not None:
            check_unit(file, has_unit=has_unit, option="--intervals")
        timed = times_known(workflow, is_own=not run_times)
        sentences = done_sentence(workflow, "simulate"), times_sentence(timed) if timed else ""
        plans = {storable(word): _plan(workflow, file, word) for word in orders}
        played = {w: w if is_played_live(w) else plan.schedule.order for w, plan in plans.items()}
        left = workflow.residual
        subject = Subject(left.dag, played, left.run_times)
        told = tuple(filter(None, sentences))
        workflows.append(Studied(name, plans, subject, fingerprint(subject, terms), told))
    return Study(directory, tuple(map(storable, orders)), tuple(cells), terms, tuple(workflows))


def _named(files: Sequence[str]) -> dict[str, str]:
    """Return each file under its name without suffix, or under its path if two share a name."""
    check_given(files)
    paths = [Path(storable(file)) for file in files]
    stems = Counter(path.stem for path in paths)
    names = [path.stem if stems[path.stem] == 1 else _flat(path) for path in paths]
    outputs = Counter(stem for name in names for stem in (name, f"{name}-eligible"))
    for name, file in zip(names, files, strict=True):
        if outputs[name] > 1 or outputs[f"{name}-eligible"] > 1:
            raise ArgumentError(f"{file}: expected files of different names, got two of {name!r}")
    return dict(zip(names, files, strict=True))


def _flat(path: Path) -> str:
    return str(path.with_suffix("")).strip(os.sep).replace(os.sep, "-")


def _plan(workflow: Workflow, file: str, word: str) -> Plan:
    try:
        return WantedOrder(word).plan(workflow)
    except FormatError as error:
        if not error.line:
            raise
        # The line may fit another workflow of the study.
        problem = f"{error.problem} (for {file})"
        raise FormatError(error.path, error.line, problem) from error


@contextmanager
def _cell_runner(threads: int, dask: str | None) -> Iterator[CellRunner]:
    """Yield what computes cells: this many threads, or the Dask cluster at an address."""
    if dask is None:
        yield partial(run_cells, threads=threads)
        return
    from icsched.plugins.dask import study_cluster  # slow to import

    with study_cluster(dask, tell=tell_user) as runner:
        yield runner


def _fill(study: Study, threads: int, dask: str | None) -> None:
    """Compute the cells that are missing; finished cells are kept, whatever happens."""
    with Store(study.directory) as store:
        missing = {w.name: _missing(study, w, store) for w in study.workflows}
        if not any(missing.values()):
            return
        with _cell_runner(threads, dask) as runner:
            for workflow in study.workflows:
                cells = missing[workflow.name]
                found = runner(workflow.subject, cells, study.terms)
                with progress(f"simulating {workflow.name}") as tell, closing(found):
                    for done, result in enumerate(found, 1):
                        store.add(workflow.fingerprint, result)
                        tell(done, len(cells))


def _missing(study: Study, workflow: Studied, store: Store) -> list[Cell]:
    """Return the cells that the store lacks; tell how many it has."""
    there = store.cells(workflow.fingerprint)
    missing = [cell for cell in study.cells if cell not in there]
    if found := len(study.cells) - len(missing):
        were = "was" if found == 1 else "were"
        cells = counted(len(study.cells), "cell")
        say(f"{workflow.name}: {found:,} of {cells} {were} there already\n")
        sys.stdout.flush()
    return missing


def _finished(study: Study) -> Rows:
    """Return the finished cells of each workflow."""
    rows = {}
    for workflow in study.workflows:
        there = read_cells(study.directory, workflow.fingerprint)
        rows[workflow.name] = [there[cell] for cell in study.cells if cell in there]
    return rows


def text(study: Study, rows: Rows) -> str:
    """Return a line for each order of each workflow."""
    lines = []
    for name, results in rows.items():
        there = f"{name}: {_count(results, len(study.cells))}"
        gains = [gain for order in study.orders if (gain := _gain(results, order))]
        lines += [f"{there}; {gain}\n" for gain in gains] or [f"{there}\n"]
    return "".join(lines)


def _count(results: Sequence[CellResult], cells: int) -> str:
    """Say how many cells are finished, and how many are precise."""
    there = counted(len(results), "cell")
    if len(results) < cells:
        there = f"{len(results):,} of {counted(cells, 'cell')}"
    rough = sum(not result.precise for result in results)
    return there + (f" ({rough:,} less precise than asked for)" if rough else "")


def _gain(results: Sequence[CellResult], order: str) -> str:
    """Say where the gain of *order* is largest, and whether it may be chance."""
    if not results:
        return ""
    ratios = [(result.ratios(order).time, result.cell) for result in results]
    gains = [(ratio, cell) for ratio, cell in ratios if ratio.high < 1]
    best, cell = min(gains or ratios, key=lambda pair: (pair[0].median, pair[1]))
    took = f"takes {best.median:.3f} [{best.low:.3f}, {best.high:.3f}] of fifo's time"
    return f"at best {order} {took}{_place(cell)}" + ("" if gains else ": no cell shows a gain")


def _place(cell: Cell) -> str:
    if cell.workers is not None:
        return f", with {counted(cell.workers, 'worker')}"
    if cell.interval is None or cell.batch is None:
        return ""  # the only pool
    return f", at interval {number(cell.interval)} and batch {number(cell.batch)}"


def _figures(study: Study, rows: Rows) -> Iterator[str]:
    """Draw the figures of each workflow, and yield their files; raises EngineError."""
    labels = {order: named(order) for order in study.orders}
    for workflow in study.workflows:
        name, title, plans = workflow.name, named(workflow.name), workflow.plans
        profiles = {labels[order]: plan.schedule.eligible for order, plan in plans.items()}
        fifo = next(iter(plans.values())).fifo.eligible
        figures = {
            name: draw.ratio_figure(title, study.cells, rows[name], labels),
            f"{name}-eligible": draw.eligible_figure(title, profiles, fifo),
        }
        for stem, figure in figures.items():
            yield from draw.write_figure(figure, str(Path(study.directory, stem)), SUFFIXES)


SUFFIXES = ("svg", "png")
_MOST_THREADS = 1024


@Parameter(name="*", group="Pools")
@dataclass(frozen=True)
class GridOptions:
    """The pools of a study.

    Parameters
    ----------
    intervals
        Mean times between batches of requests, separated by commas; 10^-3 to 10^3 by default.
    batches
        Mean numbers of requests in a batch, separated by commas; 2^0 to 2^16 by default.
    batch_law
        How sizes of batches vary: exponential by default.
    workers
        Numbers of workers, separated by commas: fixed sets of workers instead of
        batches. Not with --intervals, --batches or --batch-law.
    delay
        Time until a result, or the loss of a job, changes what can be taken; 0 by default.
    pool_file
        JSON file with the only pool; no other option of the pools can be used with it.

    """

    intervals: str | None = None
    batches: str | None = None
    batch_law: BatchLaw | None = None
    workers: str | None = None
    delay: Annotated[float, Parameter(show_default=False)] = 0.0
    pool_file: Annotated[PathName | None, Parameter(name="--pool")] = None

    @property
    def has_unit(self) -> bool:
        """Whether the user said what a unit of time is."""
        given = self.intervals, self.workers, self.pool_file
        return any(value is not None for value in given)

    @cached_property
    def given(self) -> GivenPool | None:
        """The pool of the file, which is read once; None without a file."""
        return None if self.pool_file is None else read_given_pool(self.pool_file)

    def terms(self) -> Terms:
        """Return the terms of these pools; raises ArgumentError for options that do not fit.

        Raises FormatError for a file that is no pool.
        """
        if self.pool_file is not None:
            if replace(self, pool_file=None) != GridOptions():
                raise ArgumentError("--pool cannot be used with other options of the pools")
            return Terms(given=None if self.given is None else self.given.pool)
        if self.workers is not None:
            for name in ("intervals", "batches", "batch_law"):
                if getattr(self, name) is not None:
                    option = name.replace("_", "-")
                    raise ArgumentError(f"--{option} cannot be used with --workers")
        return Terms(self.batch_law or "exponential", delay=self.delay)

    def cells(self, terms: Terms) -> tuple[Cell, ...]:
        """Return the cells of the grid; raises ArgumentError for numbers that no pool has."""
        if self.pool_file is not None:
            return (Cell(),)
        if self.workers is not None:
            return workers_grid(terms, whole_numbers("--workers", self.workers))
        rows = INTERVALS if self.intervals is None else numbers("--intervals", self.intervals)
        columns = BATCHES if self.batches is None else numbers("--batches", self.batches)
        return grid(terms, rows, columns)


PAPER_GRID = GridOptions()


def study(
    *files: PathName,
    order: OrderWords = ("prio",),
    output_: Annotated[PathName | None, OutputName] = None,
    grid_options: GridOptions = PAPER_GRID,
    time_options: TimeOptions = UNIT_TIMES,
    sampling_options: SamplingOptions = ENOUGH_RUNS,
    threads: Annotated[int | None, WHOLE] = None,
    dask: str | None = None,
    no_run: Flag = False,
    reading: FileOptions = USUAL,
) -> None:
    """Simulate workflows over a grid of pools, and write tables and figures.

    Finished results stay in the directory: run the same command again to go on.

    Parameters
    ----------
    files
        Workflow files; each is a workflow of its own.
    order
        Name of an order, or @FILE with your own order: one job on each line, first to run first.
        It can be given several times. critical-path and fifo are always included.
    output_
        Directory for cells.jsonl, study.csv, study.json and the figures; it must be given.
    threads
        Number of threads, which does not change the numbers; one for each core by default.
    dask
        Address of a Dask scheduler: compute the cells on its workers. Not with --threads.
    no_run
        Simulate nothing: write tables and figures of the finished cells, also while the study runs
        elsewhere.

    """
    directory = _checked(output_, threads, dask)
    terms = replace(
        grid_options.terms(),
        seed=sampling_options.seed,
        sampling=sampling_options.sampling(),
        times=time_options.times(),
    )
    cells = grid_options.cells(terms)
    if no_run and not is_study(directory):
        raise FormatError(directory, None, "no study there")
    wanted = study_of(
        *(files, order, directory, cells, terms),
        run_times=time_options.run_times,
        has_unit=grid_options.has_unit,
        reading=reading,
    )
    say("".join(f"{each.name}: {line}\n" for each in wanted.workflows for line in each.told))
    say(caution_text(about_pool(grid_options.given)))
    if not no_run:
        with naming_pool(grid_options.pool_file):
            _run(wanted, threads or cores(), dask)
    rows = _finished(wanted)
    written = write_tables(directory, rows, wanted.orders, terms)
    say(text(wanted, rows))
    try:
        with working("drawing"):
            written += _figures(wanted, rows)
    except EngineError as error:  # no matplotlib, but the tables are there
        say(f"icsched: no figures: {error}\n", stream=sys.stderr)
    say(f"wrote {', '.join(written)}\n")


def _checked(directory: str | None, threads: int | None, dask: str | None) -> str:
    """Return the directory; raises ArgumentError for options that cannot be used together."""
    if directory is None:
        raise ArgumentError("expected -o DIR")
    if threads is not None and dask is not None:
        raise ArgumentError("--threads cannot be used with --dask")
    if threads is not None and not 1 <= threads <= _MOST_THREADS:
        raise ArgumentError(f"--threads: expected 1 to {_MOST_THREADS:,}, got {threads}")
    return directory


def _run(study: Study, threads: int, dask: str | None) -> None:
    """Compute the cells that are missing; say how to go on if the user stops this."""
    try:
        _fill(study, threads, dask)
    except KeyboardInterrupt:
        sys.stderr.write(
            "icsched: stopped; run the same command to go on, with --no-run to see what is done\n"
        )
        raise
