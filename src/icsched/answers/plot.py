"""What a picture of a workflow or a study shows, as data."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from icsched.answers.cautions import about_pool
from icsched.answers.compared import MOST_COMPARED
from icsched.answers.known import Note
from icsched.answers.orders import (
    AUTO,
    WantedOrder,
    as_played,
    check_known,
    is_played_live,
)
from icsched.answers.pools import GivenPool, usual_pool
from icsched.answers.reading import Reading, check_output
from icsched.answers.run_times import with_run_times
from icsched.answers.signs import QUIET, Signs
from icsched.arrays import Ids
from icsched.compare.simulation import resolved
from icsched.errors import ArgumentError
from icsched.orders import Plan
from icsched.pebble import Profile
from icsched.pictures import DagPicture, Lanes, dag_picture, main_kinds, run_lanes
from icsched.pictures.scene import kinds_by_name
from icsched.sim import AnyPool, Times, engine
from icsched.sim.played import Played
from icsched.study import CellResult
from icsched.study.tables import read_tables
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
    cautions = about_pool(own.replay_error if own else None)
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
