"""`icsched study`: icsched against first come, first served over a grid of pools."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from icsched import pebble
from icsched import study as sim
from icsched.cli import output
from icsched.cli.inputs import USUAL, FileOptions, numbers
from icsched.cli.model import ENOUGH_RUNS, SamplingOptions
from icsched.cli.notes import about_rescue
from icsched.cli.output import Flag, OutputName
from icsched.cli.visible import named, say
from icsched.errors import ArgumentError, EngineError, FormatError
from icsched.formats.dagman import Submission
from icsched.orders import Plan, prioritize
from icsched.render import figures as draw
from icsched.sim.model import SizeLaw
from icsched.study.cells import Cell, CellResult, CellRunner, Terms

INTERVALS = ",".join(f"{value:g}" for value in sim.INTERVALS)
BATCHES = ",".join(f"{value:.0f}" for value in sim.BATCHES)
SUFFIXES = ("svg", "png")


@dataclass(frozen=True)
class _Workflow:
    """A workflow of the study, under the name that its rows and figures bear."""

    name: str
    plan: Plan
    fingerprint: str
    notes: list[str]


def study(
    *files: str,
    output_: Annotated[str | None, OutputName] = None,
    intervals: str = INTERVALS,
    batches: str = BATCHES,
    sizes: SizeLaw = "exponential",
    sampling_options: SamplingOptions = ENOUGH_RUNS,
    dask: str | None = None,
    no_run: Flag = False,
    reading: FileOptions = USUAL,
) -> None:
    """Simulate workflows over a grid of pools, and write tables and figures.

    What is done stays in the directory: the same command goes on where it was stopped.

    Parameters
    ----------
    files
        DAGMan files, each a workflow of its own.
    output_
        Directory for cells.jsonl, study.csv, study.json and the figures; it must be given.
    intervals
        Mean times between batches of requests, with commas between.
    batches
        Mean numbers of requests in a batch, with commas between.
    sizes
        Law of the batch sizes.
    sampling_options
        How much is simulated, in every cell.
    dask
        Address of a Dask scheduler: compute the cells on its workers.
    no_run
        Simulate nothing: tables and figures of the cells that are there.
    reading
        How the files are read.

    """
    if output_ is None:
        raise ArgumentError("expected -o DIR")
    if not output_:
        raise ArgumentError("-o: expected a directory, got ''")
    terms = Terms(sizes, sampling_options.seed, sampling_options.sampling())
    cells = sim.grid(terms, numbers("--intervals", intervals), numbers("--batches", batches))
    if sampling_options.jobs is not None and dask is not None:
        raise ArgumentError("expected one of --jobs and --dask")
    engine = _engine(sampling_options.threads(), dask)
    if no_run and not sim.is_study(output_):
        raise FormatError(output_, None, "no study there")
    workflows = [
        _ordered(name, reading.read_to_run([file]), terms) for name, file in _named(files).items()
    ]
    for workflow in workflows:
        say("".join(f"{workflow.name}: {note}\n" for note in workflow.notes))
    if not no_run:
        _run(workflows, cells, terms, output_, engine)
    _write(workflows, cells, terms, output_)


def _named(files: Sequence[str]) -> dict[str, str]:
    """Return each file under its name without suffix, or where two share one, its path."""
    if not files:
        raise ArgumentError("expected a DAGMan file")
    paths = [Path(file.encode(errors="backslashreplace").decode()) for file in files]
    stems = Counter(path.stem for path in paths)
    names = [path.stem if stems[path.stem] == 1 else _flat(path) for path in paths]
    outputs = Counter(stem for name in names for stem in (name, f"{name}-eligible"))
    for name, file in zip(names, files, strict=True):
        if outputs[name] > 1 or outputs[f"{name}-eligible"] > 1:
            raise ArgumentError(f"{file}: expected files of different names, got two of {name!r}")
    return dict(zip(names, files, strict=True))


def _flat(path: Path) -> str:
    return str(path.with_suffix("")).strip(os.sep).replace(os.sep, "-")


def _ordered(name: str, workflow: Submission, terms: Terms) -> _Workflow:
    dag = workflow.dag
    with output.working(f"ordering {output.counted(len(dag), 'job')}"):
        plan = prioritize(dag)
    notes = about_rescue(workflow, aim="simulate")
    return _Workflow(name, plan, sim.fingerprint(dag, plan.order, terms), notes)


@contextmanager
def _engine(threads: int, dask: str | None) -> Iterator[CellRunner]:
    if dask is None:
        yield partial(sim.run_cells, jobs=threads)
        return
    from icsched.engines.dask import study_cluster  # slow to import

    with study_cluster(dask) as runner:
        yield runner


def _run(
    workflows: Sequence[_Workflow],
    cells: Sequence[Cell],
    terms: Terms,
    directory: str,
    engine: AbstractContextManager[CellRunner],
) -> None:
    """Compute the cells that are not there yet; what is done stays, whatever happens."""
    try:
        with sim.Store(directory) as store:
            missing = {w.name: _missing(w, cells, store) for w in workflows}
            if any(missing.values()):
                with engine as runner:
                    for workflow in workflows:
                        _fill(workflow, missing[workflow.name], terms, store, runner)
    except KeyboardInterrupt:
        sys.stderr.write(
            "icsched: stopped; the same command goes on, --no-run shows what is there\n"
        )
        raise


def _missing(workflow: _Workflow, cells: Sequence[Cell], store: sim.Store) -> list[Cell]:
    there = store.cells(workflow.fingerprint)
    missing = [cell for cell in cells if cell not in there]
    if len(missing) < len(cells):
        found = f"{len(cells) - len(missing):,} of {output.counted(len(cells), 'cell')}"
        say(f"{workflow.name}: {found} were there already\n")
        sys.stdout.flush()
    return missing


def _fill(
    workflow: _Workflow,
    cells: Sequence[Cell],
    terms: Terms,
    store: sim.Store,
    runner: CellRunner,
) -> None:
    plan = workflow.plan
    found = runner(plan.dag, plan.order, cells, terms)
    with output.progress(f"simulating {workflow.name}") as tell, closing(found):
        for done, result in enumerate(found, 1):
            store.add(workflow.fingerprint, result)
            tell(done, len(cells))


def _write(
    workflows: Sequence[_Workflow], cells: Sequence[Cell], terms: Terms, directory: str
) -> None:
    rows = {w.name: _results(directory, w, cells) for w in workflows}
    written = sim.write_tables(directory, rows, terms)
    for workflow in workflows:
        say(_sentence(workflow, rows[workflow.name], len(cells)))
    try:
        with output.working("drawing"):
            for workflow in workflows:
                written += _figures(directory, workflow, cells, rows[workflow.name])
    except EngineError as error:  # the tables are there all the same
        say(f"icsched: no figures: {error}\n", stream=sys.stderr)
    say(f"wrote {', '.join(written)}\n")


def _results(directory: str, workflow: _Workflow, cells: Sequence[Cell]) -> list[CellResult]:
    there = sim.read_cells(directory, workflow.fingerprint)
    return [there[cell] for cell in cells if cell in there]


def _sentence(workflow: _Workflow, results: Sequence[CellResult], cells: int) -> str:
    """Say how much is there, how much of it is precise, and where the gain is largest."""
    there = output.counted(len(results), "cell")
    if len(results) < cells:
        there = f"{len(results):,} of {output.counted(cells, 'cell')}"
    rough = sum(not result.precise for result in results)
    if rough:
        there += f" ({rough:,} less precise than asked for)"
    found = [(result.ratio.time, result.cell) for result in results if result.ratio.time]
    if not found:
        return f"{workflow.name}: {there}\n"
    best, cell = min(found, key=lambda pair: (pair[0].median, pair[1]))
    return (
        f"{workflow.name}: {there}; at best icsched takes {best.median:.3f}"
        f" [{best.low:.3f}, {best.high:.3f}] of fifo's time,"
        f" at interval {output.number(cell.interval)} and batch {output.number(cell.batch)}\n"
    )


def _figures(
    directory: str, workflow: _Workflow, cells: Sequence[Cell], results: Sequence[CellResult]
) -> list[str]:
    name, plan, title = workflow.name, workflow.plan, named(workflow.name)
    fifo = pebble.eligibility_profile(plan.dag, plan.dag.fifo_order)
    figures = {
        name: draw.ratio_figure(title, cells, results),
        f"{name}-eligible": draw.eligible_figure(title, plan.schedule.eligible, fifo),
    }
    return [
        path
        for stem, figure in figures.items()
        for path in draw.write_figure(figure, str(Path(directory, stem)), SUFFIXES)
    ]
