"""`icsched plot`: pictures of workflows, orders, runs and studies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from icsched.commands.inputs import USUAL, FileOptions, check_output, with_run_times
from icsched.commands.notes import about_needs, about_pool, caution_text
from icsched.commands.options import OutputName, PathName, RunTimeFiles, refuse
from icsched.commands.ordering import AUTO, OrderWords, WantedOrder, as_played, is_played_live
from icsched.commands.pool_options import USUAL_POOL, PoolOptions, naming_pool, usual_pool
from icsched.commands.terminal import say, working
from icsched.errors import ArgumentError
from icsched.files import write_bytes
from icsched.messages import counted, named
from icsched.orders import ORDERS, Plan
from icsched.report import figures as draw
from icsched.report.lanes import run_lanes
from icsched.report.proofs import MOST_COMPARED
from icsched.report.scene import dag_picture, kinds_by_name, main_kinds
from icsched.sim import AnyPool, Experiment, Played, Times
from icsched.study.export import read_tables
from icsched.workflow import Note, Workflow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASELINE = "fifo"  # curves and lanes always show it
MOST_BARS = 10_000  # of one run in a picture; a page that plays the run has fewer


@dataclass(frozen=True, eq=False)
class Asked:
    """What is to be drawn, and into which file, which must not be one of the workflow's.

    `workflow` is the name of one in a study.
    """

    files: Sequence[str]
    orders: Sequence[str]
    output: str
    reading: FileOptions
    run_times: Sequence[str]
    pool_options: PoolOptions
    workflow: str | None

    def read(self) -> Workflow:
        """Read the workflow, with its run times; raises ArgumentError for the output's name."""
        found = self.reading.read_to_run(self.files)
        check_output(found, self.output)
        return with_run_times(found, self.run_times)

    @property
    def title(self) -> str:
        """What the picture is called."""
        return Path(self.files[0]).name

    @property
    def with_baseline(self) -> list[str]:
        """The orders, and `BASELINE` before them."""
        return list(dict.fromkeys([BASELINE, *self.orders]))


def _plan(workflow: Workflow, word: str, pool: AnyPool | None = None) -> Plan:
    return WantedOrder(word).plan(workflow, pool=pool)


class Drawn(NamedTuple):
    """What is drawn, a sentence that says what it shows, and what the sentence leaves out."""

    title: str
    words: str
    figure: Callable[[], "Figure"]
    cautions: Sequence[Note] = ()


def _curves(asked: Asked) -> Drawn:
    """Order a workflow in each of the wanted orders, and in fifo.

    The ceiling is that of the first plan. It is left out if the workflow is so large that the bound
    would take seconds.
    """
    workflow = asked.read()
    plans = {word: _plan(workflow, word) for word in asked.with_baseline}
    size = len(workflow.residual.dag) + workflow.residual.dag.arc_count
    ceiling = plans[BASELINE].certificate.bound if size <= MOST_COMPARED else None
    profiles = {word: plan.schedule.eligible for word, plan in plans.items()}
    words = f"eligible jobs after each step, for {named(', '.join(profiles))}"
    return Drawn(asked.title, words, partial(draw.curves_figure, asked.title, profiles, ceiling))


def _dag(asked: Asked) -> Drawn:
    """Order a workflow, and place its jobs in layers; a large one in groups of jobs."""
    if len(asked.orders) > 1:
        raise ArgumentError(f"--order: a dag shows one order, got {len(asked.orders)}")
    workflow = asked.read()
    dag = workflow.residual.dag
    plan, picture = _plan(workflow, asked.orders[0]), dag_picture(dag)
    size = counted(len(dag), "job")
    if picture.is_grouped:
        size += f", in {counted(len(picture), 'group')}"
    title = f"{asked.title}, in the order {plan.ordered_by}"
    figure = partial(draw.dag_figure, title, picture, plan.schedule.ranks)
    return Drawn(asked.title, f"the dag of {size}, parents above children", figure)


def _lanes(asked: Asked) -> Drawn:
    """Simulate one run of a workflow in each of the wanted orders, and in fifo.

    "auto" is chosen for this pool, which is a usual one if the user has none. All orders see the
    same random draws.
    """
    own, workflow = asked.pool_options.pool(), asked.read()
    own = None if own is None else own.submitted(workflow)
    left = workflow.residual
    pool = usual_pool(workflow) if own is None else own.pool
    experiment = Experiment(left, pool, Times())
    runs = {}
    for word in asked.with_baseline:
        if is_played_live(word):
            played = Played(ORDERS[word].played)
        else:
            played = as_played(workflow, _plan(workflow, word, pool if word == AUTO else None))
        steps = experiment.trace(played, seed=0, run=0)
        runs[word] = run_lanes(steps, pool, MOST_BARS)
    names = list(map(str, left.names))
    kind, kinds = main_kinds(*kinds_by_name(names), experiment.means)
    unit = "" if workflow.run_times is None else "s"
    figure = partial(draw.lanes_figure, asked.title, runs, kind, kinds, unit=unit)
    words = f"who ran which job when, for {named(', '.join(runs))}"
    return Drawn(asked.title, words, figure, (*about_pool(own), *about_needs(workflow, own)))


def _study(asked: Asked) -> Drawn:
    """Read the finished cells of one workflow from the directory that `icsched study` wrote.

    Raises FormatError if there is no study, ArgumentError if it has several workflows and the user
    names none of them.
    """
    if len(asked.files) != 1:
        raise ArgumentError("expected the directory of a study")
    orders, rows = read_tables(asked.files[0])
    name = next(iter(rows)) if asked.workflow is None and len(rows) == 1 else asked.workflow
    if name is None or name not in rows:
        got = "no --workflow" if name is None else repr(name)
        raise ArgumentError(f"--workflow: expected one of {', '.join(rows)}, got {got}")
    labels = {order: named(order) for order in orders}
    cells = [result.cell for result in rows[name]]
    words = f"orders over fifo in {counted(len(cells), 'cell')} of a study"
    figure = partial(draw.ratio_figure, named(name), cells, rows[name], labels)
    return Drawn(name, words, figure)


PICTURES = {"curves": _curves, "dag": _dag, "lanes": _lanes, "study": _study}
Picture = Literal["curves", "dag", "lanes", "study"]
_OURS = ("prio",)
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
    asked = Asked(files, order, output_, reading, run_times, pool_options, workflow)
    with naming_pool(pool_options.pool_file):
        drawn = PICTURES[picture](asked)
    with working("drawing"):
        write_bytes(Path(output_), draw.rendered(drawn.figure(), suffix))
    words = f"{named(drawn.title)}: {drawn.words}"
    say(f"wrote {output_}: {words}\n{caution_text(drawn.cautions)}")
