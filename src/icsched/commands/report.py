"""`icsched report`: one page to explore."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import PurePath
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from icsched import checks, files, history
from icsched.commands.comparison import variation
from icsched.commands.inputs import (
    USUAL,
    FileOptions,
    check_output,
    timed,
    times_known,
    times_sentence,
    with_run_times,
)
from icsched.commands.learn import check_names
from icsched.commands.notes import caution_lines, disturbed, sentences
from icsched.commands.options import (
    WHOLE,
    FileName,
    Json,
    OutputName,
    PathName,
    RunTimeFiles,
    refuse,
)
from icsched.commands.ordering import AUTO, Ordered, choose_order, differ
from icsched.commands.pool_options import (
    USUAL_POOL,
    GivenPool,
    PoolOptions,
    naming_pool,
    usual_pool,
)
from icsched.commands.show import files_of, remark_words
from icsched.commands.simulate import followed, pool_words, simulated
from icsched.commands.terminal import STANDARD_OUTPUT, json_text, put_json, say, working
from icsched.errors import FormatError, SimulationError
from icsched.files import write_text
from icsched.history.problems import checked_run_times
from icsched.history.replay import Learned, learned_from
from icsched.messages import counted, named
from icsched.orders import prioritize
from icsched.orders.auto import order_of
from icsched.pebble import Schedule, critical_path_order
from icsched.report.bottlenecks import bottlenecks_of, critical_path
from icsched.report.curves import curve_keys, memory_keys
from icsched.report.drawing import cluster_keys, drawing_keys, game_keys, kinds_of_tasks
from icsched.report.lanes import Lanes, recorded_lanes, run_keys, run_lanes
from icsched.report.page import plain_keys, pool_keys, report_page, size_keys
from icsched.report.proof_tree import proof_keys
from icsched.report.scene import dag_picture
from icsched.report.stalls import Waits, stall_keys, waits_of
from icsched.report.subject import NOW, Keys, ReportOrder, Subject, capital
from icsched.report.worth import worth_keys
from icsched.run_times import RunTimeTable
from icsched.serve.clusters import plan_clusters
from icsched.sim import AnyPool, Experiment, Paired, Played, Pool, Simulation, Timeline, Times
from icsched.sim.experiment import cores
from icsched.sim.sampling import SideBySide
from icsched.theory import Proof
from icsched.workflow import Workflow

CRITICAL_PATH, PRIO, FIFO = "critical-path", "prio", "fifo"
_MOST_RUNS, _FEWEST_RUNS = 2000, 20  # of each order
_MOST_TASKS = 50_000_000  # simulated, of all orders together, if that is enough for these runs
_MOST_ADVISED = 100_000  # jobs: advice about more takes longer than all the rest
_MOST_REMARKS = 20
_MOST_BATCHES = 5_000_000  # in a run that is followed step by step: they are all in memory
_POOL_FILE = "pool.json"  # in the command that repeats a report


@dataclass(frozen=True)
class Reported:
    """What a report is asked for.

    `given` is None if the user said nothing about the pool. `logs` are those of a past run.
    `clusters` is the size of clusters, if they are wanted. `pool_file` has the pool, if a file
    does, and `reading` says how the workflow is read.
    """

    given: GivenPool | None = None
    run_times: Sequence[str] = ()
    logs: Sequence[str] = ()
    clusters: int | None = None
    pool_file: str | None = None
    reading: FileOptions = USUAL

    @property
    def needs_pool(self) -> bool:
        """Whether the pool must be given to repeat the report: it is not that of the logs."""
        return self.given is not None or not self.logs

    def pool_sentence(self, who: str) -> str:
        """Say who asks for tasks, and where that is known from."""
        vary = f"{variation(Times()).capitalize()} (by assumption)."
        if self.given is not None:
            return f"The pool is as you said: {who}. {vary}"
        if self.logs:
            return f"The pool behaves as in {named(*self.logs)}: {who}. {vary}"
        usual = f"Nothing is known of your pool. A usual one for this workflow is assumed: {who}."
        return f"{usual} {vary} `icsched prio` takes the average of several usual pools."

    def to_repeat(self) -> str:
        """Say what to do before `repeat`: pool.json may have to be made."""
        if self.needs_pool and self.pool_file is None:
            return f"To repeat it, save the pool as {_POOL_FILE} and run this:"
        return "To repeat it, run this:"

    def repeat(self, paths: Sequence[str]) -> str:
        """Return the command that makes this report again."""
        options = (name for name, value in asdict(self.reading).items() if value)
        words = ["icsched", "report", *paths]
        words += [f"--{name.replace('_', '-')}" for name in options]
        words += [word for file in self.run_times for word in ("--run-times", file)]
        words += [word for file in self.logs for word in ("--log", file)]
        words += ["--clusters", str(self.clusters)] if self.clusters is not None else []
        words += ["--pool", self.pool_file or _POOL_FILE] if self.needs_pool else []
        return shlex.join([*words, "-o", "report.html"])


def _learned(paths: Sequence[str], workflow: Workflow) -> tuple[RunTimeTable, Learned]:
    """Return what logs of *workflow* tell; raises FormatError for logs that learn refuses, too.

    All jobs of the last run count, also those that are done now.
    """
    read = [(path, files.read_bytes(path)) for path in paths]
    past = history.parsed_run(read)
    table = checked_run_times(past, read, is_replayed=True)
    check_names(past, workflow, paths)
    try:
        return table, learned_from(past.last_run, workflow)
    except SimulationError as error:
        raise FormatError(", ".join(paths), None, str(error)) from error


def report_of(paths: Sequence[str], wanted: Reported, *, output: str | None = None) -> Keys:
    """Return the JSON of a report: all that it shows of a workflow.

    Run times are those of the files *run_times*, or of the logs, or the workflow's own. The pool is
    the given one, or that of the logs, or a usual one. Raises ArgumentError if *output* is a file
    of the workflow.
    """
    workflow = wanted.reading.read_to_run(paths)
    if output is not None:
        pool_files = () if wanted.pool_file is None else (wanted.pool_file,)
        check_output(workflow, output, *wanted.run_times, *wanted.logs, *pool_files)
    learned, given = None, wanted.given
    if wanted.logs:
        table, learned = _learned(wanted.logs, workflow)
        given = given or GivenPool(learned.pool, learned.error, learned.running_error)
        if not wanted.run_times:
            workflow = timed(workflow, table, wanted.logs)
    workflow = with_run_times(workflow, wanted.run_times)
    given = None if given is None else given.submitted(workflow)
    pool = usual_pool(workflow) if given is None else given.pool
    # Without a pool on several usual ones, as `icsched prio`.
    ordered = choose_order(workflow, given)
    with working("ordering", len(ordered.plan.order)):
        orders = _orders(ordered)
    runs = _simulated(ordered.workflow.residual, orders, pool)
    with working("drawing", len(ordered.plan.order)):
        return plain_keys(_report(paths, wanted, ordered, orders, runs, learned))


def _orders(found: Ordered) -> dict[str, ReportOrder]:
    """Return "now", if the files have priorities, "auto", "critical-path", "prio" and "fifo".

    Jobs without priorities run first come, first served, so "fifo" is then what the files have now.
    """
    plan, times = found.plan, found.workflow.residual.run_times
    dag, present = plan.schedule.dag, found.present
    longest = critical_path_order(dag, run_times=np.ones(len(dag)) if times is None else times)
    is_prio = plan.choice is not None and plan.choice.chosen == PRIO
    prio = plan if is_prio else prioritize(dag, PRIO, run_times=times)
    orders = {
        AUTO: ReportOrder(plan.schedule, _played_auto(found), plan.proof),
        CRITICAL_PATH: _listed(Schedule.trusted(dag, longest)),
        PRIO: _listed(prio.schedule, prio.proof),
        FIFO: ReportOrder(Schedule.trusted(dag, dag.fifo_order), Played("fifo")),
    }
    if present is None or not differ(present):
        return orders
    now = Schedule.trusted(dag, order_of(dag, present))
    return {NOW: ReportOrder(now, Played("priority", priorities=present)), **orders}


def _played_auto(found: Ordered) -> Played:
    """Return how "auto" is played: as the files without icsched's section, if it keeps these."""
    choice, own = found.plan.choice, found.workflow.residual.priorities
    if choice is None or choice.chosen != choice.present:
        return Played("static", found.plan.schedule)
    return Played("priority", priorities=own) if differ(own) else Played("fifo")


def _listed(schedule: Schedule, proof: Proof | None = None) -> ReportOrder:
    return ReportOrder(schedule, Played("static", schedule), proof)


@dataclass(frozen=True, eq=False)
class _Runs:
    """Orders simulated on a pool; `lanes` and `waits` are of the first run of each order.

    Orders whose runs have so many steps that they do not fit into memory have none.
    """

    pool: AnyPool
    baseline: str
    found: Simulation
    timelines: Mapping[str, Timeline]
    lanes: dict[str, Lanes] = field(default_factory=dict)
    waits: dict[str, Waits] = field(default_factory=dict)


def _simulated(workflow: Workflow, orders: Mapping[str, ReportOrder], pool: AnyPool) -> _Runs:
    """Simulate all orders on the same draws, and follow the first run of each."""
    experiment = Experiment(workflow, pool, Times())  # as "auto" has it
    played = {name: order.played for name, order in orders.items()}
    affordable = _MOST_TASKS // (len(workflow.dag) * len(played))
    sampling = Paired(most_runs=min(_MOST_RUNS, max(_FEWEST_RUNS, affordable)))
    beside = SideBySide(experiment, played, NOW if NOW in played else FIFO, threads=cores())
    found = simulated(beside, sampling)
    runs = _Runs(pool, beside.baseline, found, followed(beside, found))
    longest = _MOST_BATCHES * pool.interval if isinstance(pool, Pool) else np.inf
    with working("following a run"):
        for name, order in played.items():
            if found.orders[name].time.high <= longest:
                steps = experiment.trace(order, seed=0, run=0)
                runs.lanes[name] = run_lanes(steps, pool)
                runs.waits[name] = waits_of(workflow.dag, steps, pool)
    return runs


def _report(
    paths: Sequence[str],
    wanted: Reported,
    ordered: Ordered,
    orders: Mapping[str, ReportOrder],
    runs: _Runs,
    learned: Learned | None,
) -> Keys:
    """Put the report together."""
    from importlib.metadata import version  # slow to import

    workflow, plan = ordered.workflow, ordered.plan
    left = workflow.residual
    picture = dag_picture(left.dag, kinds=kinds_of_tasks(left), run_times=left.run_times)
    subject = Subject(left, plan, runs.pool, orders, runs.baseline, runs.found, picture)
    path, narrow = critical_path(left.dag, subject.means), bottlenecks_of(plan.schedule)
    curves, why = curve_keys(subject)
    clusters = None
    if wanted.clusters is not None:
        checks.whole_number("--clusters", wanted.clusters, least=1, most=len(left.dag))
        found = plan_clusters(left.dag, [wanted.clusters], order=plan)
        clusters = cluster_keys(subject, wanted.clusters, found)
    who = subject.called(pool_words(runs.pool, subject.unit))
    own = None if learned is None else _own_lanes(learned, workflow)
    stalls = None if learned is None else learned.stalls
    origin, known = f"Run times are those in {named(paths[0])}.", times_known(workflow)
    if known is not None:
        origin = f"{times_sentence(known).capitalize()}."
    return {
        "name": PurePath(paths[0]).name,
        "files": list(paths),
        "version": version("icsched"),
        "to_repeat": wanted.to_repeat(),
        "repeat": wanted.repeat(paths),
        "word": subject.word,
        "notes": list(_notes(paths[0], workflow)),
        "size": size_keys(subject, origin, done=int(workflow.done.sum())),
        "pool": pool_keys(runs.pool, wanted.pool_sentence(who)),
        "worth": worth_keys(subject, path, list(map(named, caution_lines(ordered.cautions)))),
        "stalls": stall_keys(subject, path, narrow, runs.timelines, runs.waits, stalls),
        "curves": curves,
        "memory": memory_keys(subject),
        "dag": drawing_keys(subject, narrow),
        "game": game_keys({name: order.schedule for name, order in orders.items()}, picture),
        "lanes": run_keys(subject, runs.lanes, own),
        "proof": proof_keys(subject, why),
        "clusters": clusters,
    }


def _own_lanes(learned: Learned, workflow: Workflow) -> Lanes:
    """Return the recorded run; only jobs that are left have a task there."""
    usage, ids = learned.usage, workflow.residual.dag.ids
    known = np.array([*(ids.get(name, -1) for name in workflow.names), -1], np.int32)
    task = known[usage.task]  # -1, unknown, is the last
    return recorded_lanes(usage.lane, task, usage.start, usage.end, usage.ending)


def _notes(path: str, workflow: Workflow) -> Iterator[str]:
    """Yield what else the reader should know, as sentences."""
    is_small = len(workflow.residual.dag) <= _MOST_ADVISED
    about = files_of(workflow, None, with_advice=is_small)  # `size` tells of run times
    told = sentences([*about.notes, *([] if is_small else [disturbed(path)])])
    told += map(remark_words, about.remarks[:_MOST_REMARKS])
    rest = len(about.remarks) - _MOST_REMARKS
    told += [f"{counted(rest, 'more remark')}: icsched show has all"] if rest > 0 else []
    for line in told:
        yield f"{named(_sentence_start(line))}."


def _sentence_start(line: str) -> str:
    """Return *line* with a capital, unless it begins with a path or a command.

    >>> _sentence_start("a job is done"), _sentence_start("wf.dag: stale")
    ('A job is done', 'wf.dag: stale')
    >>> _sentence_start("icsched show tells it")
    'icsched show tells it'
    """
    first = line.partition(" ")[0]
    return capital(line) if first.isalpha() and first != "icsched" else line


Logs = Annotated[Sequence[PathName], Parameter(negative="", show_default=False)]


def report(
    *files: FileName,
    output_: Annotated[PathName | None, OutputName] = None,
    run_times: RunTimeFiles = (),
    log: Logs = (),
    clusters: Annotated[int | None, WHOLE] = None,
    pool_options: PoolOptions = USUAL_POOL,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Write one page to explore a workflow: gains, stalls, curves, the dag, the game, proofs.

    Parameters
    ----------
    output_
        HTML file to write, which replaces a file of that name, but never a file of the workflow.
    log
        File with the event log of a past run, or its history as JSON. It can be given several
        times. The page shows that run. Run times and the pool are those of the log, unless
        others are given.
    clusters
        Also show clusters of at most this many jobs.
    json_
        Print one JSON object with all that the page shows, instead of a page.

    """
    refuse(
        {
            "expected -o FILE, or --json": output_ is None and not json_,
            "-o cannot be used with --json": output_ is not None and json_,
        }
    )
    given, pool_file = pool_options.pool(), pool_options.pool_file
    wanted = Reported(given, run_times, log, clusters, pool_file, reading)
    with naming_pool(pool_file):
        found = report_of(files, wanted, output=output_)
    if output_ is None:
        put_json(found)
        return
    write_text(output_, page_text(found))
    if output_ != STANDARD_OUTPUT:
        say(f"wrote {output_}: open it in a browser\n")


def page_text(found: Keys) -> str:
    """Return the page that shows a report, as HTML."""
    return report_page(found["name"], json_text(found))
