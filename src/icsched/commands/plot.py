"""`icsched plot`: pictures of workflows, orders, runs and studies."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from icsched.arrays import Ids
from icsched.commands.inputs import Reading, check_output
from icsched.commands.notes import Note, about_pool, caution_text
from icsched.commands.options import USUAL, FileOptions, PathName, check_streams, refuse
from icsched.commands.order_options import (
    AUTO,
    USUAL_POOL,
    GivenPool,
    OrderWords,
    PoolOptions,
    RunTimeFiles,
    WantedOrder,
    as_played,
    check_known,
    is_played_live,
    naming_pool,
    usual_pool,
    with_run_times,
)
from icsched.commands.terminal import QUIET, SIGNS, OutputName, Signs, say
from icsched.compare.simulation import resolved
from icsched.errors import ArgumentError
from icsched.files import write_bytes
from icsched.messages import named
from icsched.orders import Plan
from icsched.pebble import Profile
from icsched.report import figures as draw
from icsched.report.lanes import Lanes, run_lanes
from icsched.report.proofs import MOST_COMPARED
from icsched.report.scene import DagPicture, dag_picture, kinds_by_name, main_kinds
from icsched.sim import AnyPool, Times, engine
from icsched.sim.played import Played
from icsched.study import CellResult
from icsched.study.tables import read_tables
from icsched.words import counted
from icsched.workflow import Workflow

BASELINE = "fifo"  # curves and lanes always show it
MOST_BARS = 10_000  # of one run in a picture; a page that plays the run has fewer


@dataclass(frozen=True, eq=False)
class CurvesFound:
    """The eligible jobs of each order, and of no order more than `ceiling`, if that is known."""

    title: str
    profiles: dict[str, Profile]
    ceiling: Profile | None


@dataclass(frozen=True, eq=False)
class DagFound:
    """A workflow in layers, and its plan."""

    title: str
    plan: Plan
    picture: DagPicture


@dataclass(frozen=True, eq=False)
class LanesFound:
    """One run of each order; `kind` is an index into `kinds` for each job.

    `is_timed` says that times are in seconds.
    """

    title: str
    runs: dict[str, Lanes]
    kind: Ids
    kinds: tuple[str, ...]
    is_timed: bool
    cautions: tuple[Note, ...] = ()


@dataclass(frozen=True, eq=False)
class StudyFound:
    """The finished cells of a workflow's study, and the orders that it compares with fifo."""

    title: str
    orders: tuple[str, ...]
    results: list[CellResult]


Found: TypeAlias = CurvesFound | DagFound | LanesFound | StudyFound


@dataclass(frozen=True, eq=False)
class PlotInputs:
    """A workflow to draw: its files, the orders that are wanted, and who runs it.

    `output` is the picture's file. Raises ArgumentError if that is a file of the workflow.
    """

    files: Sequence[str]
    wanted: Sequence[str]
    output: str
    reading: Reading
    run_times: Sequence[str] = ()
    signs: Signs = QUIET

    def read(self) -> Workflow:
        """Read the workflow, with its run times."""
        for word in self.wanted:
            check_known(word)
        found = self.reading.read_to_run(self.files, signs=self.signs)
        check_output(found, self.output)
        return with_run_times(found, self.run_times)

    @property
    def title(self) -> str:
        """What the picture is called."""
        return Path(self.files[0]).name

    def plan(self, workflow: Workflow, word: str, pool: AnyPool | None = None) -> Plan:
        """Order the workflow."""
        return WantedOrder(word).plan(workflow, pool=pool, signs=self.signs)

    def played(self, workflow: Workflow, word: str, pool: AnyPool) -> Plan | Played | str:
        """Return an order as the simulator plays it."""
        if is_played_live(word):
            return word
        plan = self.plan(workflow, word, pool if word == AUTO else None)
        return as_played(workflow, plan)


def curves_found(given: PlotInputs) -> CurvesFound:
    """Order a workflow in each of the wanted orders, and in fifo.

    The ceiling is that of the first plan. It is left out if the workflow is so large that the bound
    would take seconds.
    """
    workflow = given.read()
    plans = {word: given.plan(workflow, word) for word in _with_baseline(given.wanted)}
    size = len(workflow.dag) + workflow.dag.arc_count
    some = next(iter(plans.values()))
    ceiling = some.certificate.bound if size <= MOST_COMPARED else None
    profiles = {word: plan.schedule.eligible for word, plan in plans.items()}
    return CurvesFound(given.title, profiles, ceiling)


def dag_found(given: PlotInputs) -> DagFound:
    """Order a workflow, and place its jobs in layers; a large one in groups of jobs."""
    if len(given.wanted) > 1:
        raise ArgumentError(f"--order: a dag shows one order, got {len(given.wanted)}")
    workflow = given.read()
    plan = given.plan(workflow, given.wanted[0])
    return DagFound(given.title, plan, dag_picture(workflow.dag))


def lanes_found(given: PlotInputs, own: GivenPool | None) -> LanesFound:
    """Simulate one run of a workflow in each of the wanted orders, and in fifo.

    "auto" is chosen for this pool, which is a usual one if the user has none. All orders see the
    same random draws.
    """
    workflow = given.read()
    dag, times = workflow.dag, Times(means=workflow.run_times)
    pool = usual_pool(workflow) if own is None else own.pool
    runs = {}
    for word in _with_baseline(given.wanted):
        wanted = given.played(workflow, word, pool)
        played = resolved(dag, word, wanted, times, pool)
        assert isinstance(played, Played), "names and plans are"  # noqa: S101
        trace = engine.trace(dag, played, pool, times, seed=0, run=0)
        runs[word] = run_lanes(trace, pool, MOST_BARS)
    kind, kinds = main_kinds(*kinds_by_name(list(map(str, dag.names))), times.means_for(dag))
    cautions = about_pool(own)
    return LanesFound(given.title, runs, kind, kinds, workflow.run_times is not None, cautions)


def study_found(directory: str, workflow: str | None) -> StudyFound:
    """Read the finished cells of one workflow from the directory that `icsched study` wrote.

    Raises FormatError if there is no study, ArgumentError if it has several workflows and
    *workflow* names none of them.
    """
    orders, rows = read_tables(directory)
    if workflow is None and len(rows) == 1:
        [workflow] = rows
    if workflow is None or workflow not in rows:
        got = "no --workflow" if workflow is None else repr(workflow)
        raise ArgumentError(f"--workflow: expected one of {', '.join(rows)}, got {got}")
    return StudyFound(workflow, orders, rows[workflow])


def _with_baseline(wanted: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([BASELINE, *wanted]))


if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SUFFIXES = ("svg", "png", "pdf")


def suffix_of(output: str) -> str:
    """Return what *output* ends in; raises ArgumentError if no such picture can be written.

    >>> suffix_of("wf.SVG"), suffix_of("wf.png")
    ('svg', 'png')
    """
    suffix = Path(output).suffix[1:].lower()
    if suffix not in _SUFFIXES:
        names = ", ".join(f".{one}" for one in _SUFFIXES)
        raise ArgumentError(f"-o: expected a file whose name ends in {names}, got {output!r}")
    return suffix


def write_picture(found: Found, output: str, suffix: str) -> str:
    """Write a picture, and return a sentence that says what it shows.

    Raises FormatError if the file cannot be written, EngineError without matplotlib.
    """
    write_bytes(Path(output), draw.rendered(figure_of(found), suffix))
    return f"{named(found.title)}: {_words(found)}"


def figure_of(found: Found) -> "Figure":
    """Return the picture as a figure of matplotlib; raises EngineError without matplotlib."""
    match found:
        case CurvesFound():
            return draw.curves_figure(found.title, found.profiles, found.ceiling)
        case DagFound():
            title = f"{found.title}, in the order {found.plan.ordered_by}"
            return draw.dag_figure(title, found.picture, found.plan.schedule.ranks)
        case LanesFound():
            unit = "s" if found.is_timed else ""
            return draw.lanes_figure(found.title, found.runs, found.kind, found.kinds, unit=unit)
    cells = [result.cell for result in found.results]
    labels = {order: named(order) for order in found.orders}
    return draw.ratio_figure(named(found.title), cells, found.results, labels)


def _words(found: Found) -> str:
    """Say in a sentence what a picture shows."""
    match found:
        case CurvesFound():
            return f"eligible jobs after each step, for {named(', '.join(found.profiles))}"
        case DagFound():
            return f"the dag of {_size(found.picture)}, parents above children"
        case LanesFound():
            return f"who ran which job when, for {named(', '.join(found.runs))}"
    return f"orders over fifo in {counted(len(found.results), 'cell')} of a study"


def _size(picture: DagPicture) -> str:
    jobs = counted(int(picture.tasks.sum()), "job")
    return f"{jobs}, in {counted(len(picture), 'group')}" if picture.is_grouped else jobs


Picture = Literal["curves", "dag", "lanes", "study"]
_OURS = ("prio",)


def plot(
    picture: Picture,
    /,
    *files: PathName,
    output_: Annotated[PathName | None, OutputName] = None,
    order: OrderWords = _OURS,
    workflow: str | None = None,
    run_times: RunTimeFiles = (),
    pool_options: PoolOptions = USUAL_POOL,
    reading: FileOptions = USUAL,
) -> None:
    """Draw a workflow, its orders, a simulated run, or a study.

    Parameters
    ----------
    picture
        What to draw. curves: eligible jobs over steps. dag: jobs in layers, coloured by the order.
        lanes: one simulated run, workers as rows. study: the directory that icsched study wrote.
    files
        Workflow file; several DAGMan files that are submitted together; - for standard input.
        For study: its directory.
    output_
        File of the picture, which replaces a file of that name; it must be given. The suffix
        decides: .svg, .png or .pdf.
    order
        Name of an order, or @FILE with your own order: one job on each line, first to run first.
        It can be given several times. Curves and lanes always have fifo, too;
        a dag has one order.
    workflow
        With study: the name of the workflow, if the study has several.

    """
    check_streams(*files, *order, *run_times, pool_options.pool_file)
    if output_ is None:
        raise ArgumentError("expected -o FILE, such as -o picture.svg")
    suffix = suffix_of(output_)
    is_study, is_run = picture == "study", picture == "lanes"
    refuse(
        {
            "--workflow is for study": not is_study and workflow is not None,
            f"{pool_options.given} is for lanes": not is_run and pool_options.given is not None,
            "study shows the orders that it has: --order cannot be used": is_study
            and tuple(order) != _OURS,
            "study has its own run times: --run-times cannot be used": is_study and bool(run_times),
        }
    )
    given = PlotInputs(files, order, output_, Reading(reading), run_times, signs=SIGNS)
    with naming_pool(pool_options.pool_file):
        found = _found(picture, given, workflow, pool_options)
    with SIGNS.working("drawing"):
        words = write_picture(found, output_, suffix)
    cautions = found.cautions if isinstance(found, LanesFound) else ()
    say(f"wrote {output_}: {words}\n{caution_text(cautions)}")


def _found(picture: Picture, given: PlotInputs, workflow: str | None, pool: PoolOptions) -> Found:
    """Find out what the picture shows."""
    match picture:
        case "curves":
            return curves_found(given)
        case "dag":
            return dag_found(given)
        case "lanes":
            return lanes_found(given, pool.pool())
        case "study":
            if len(given.files) != 1:
                raise ArgumentError("expected the directory of a study")
            return study_found(given.files[0], workflow)
