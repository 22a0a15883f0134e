"""`icsched demo`: the guided tour."""

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, singledispatch
from pathlib import Path
from shlex import quote
from typing import Annotated

import numpy as np

from icsched import families, pebble
from icsched.commands.comparison import PEER, lead_sentence
from icsched.commands.options import PathName, program, refuse
from icsched.commands.order_options import GivenPool
from icsched.commands.report import Reported, page_text, report_of
from icsched.commands.terminal import SIGNS, OutputName, listing, paragraph, report, say
from icsched.compare import simulate
from icsched.errors import FormatError
from icsched.files import write_text
from icsched.formats import dagman_text
from icsched.messages import named
from icsched.orders import Plan, prioritize
from icsched.pebble import Verdict
from icsched.report.proofs import certified_plan, proof_sentence
from icsched.sim import Ratio, Workers
from icsched.words import counted, size
from icsched.workflow import Workflow

ORDERS = ("critical-path", "prio")  # played against fifo
WORKERS = 16
SECONDS = {"handle_": 20.0, "fringe_": 10.0, "cover_": 40.0, "join_": 60.0}  # invented means
SPREAD = 0.3  # of the invented seconds, both ways


@dataclass(frozen=True, eq=False)
class Made:
    """AIRSN 250 with run times, and the texts of its files by name."""

    workflow: Workflow
    texts: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Ordered:
    """AIRSN 250 in the order prio."""

    plan: Plan


@dataclass(frozen=True, eq=False)
class Proved:
    """The order with its proof, and what the exact referee says about orders of a small AIRSN."""

    plan: Plan
    jobs: int
    verdicts: Mapping[str, Verdict]


@dataclass(frozen=True)
class Simulated:
    """The time of each of `ORDERS` over fifo's on AIRSN 250 with run times."""

    workers: int
    times: Mapping[str, Ratio]


Stop = Made | Ordered | Proved | Simulated


@cache
def made() -> Made:
    """Make AIRSN 250, and invent run times: a mean for each kind of job, and some spread."""
    dag = families.airsn(250)
    names = list(map(str, dag.names))
    means = np.array([_seconds(name) for name in names])
    factors = np.random.default_rng(0).uniform(1 - SPREAD, 1 + SPREAD, len(names))
    seconds = np.round(means * factors, 1)
    rows = zip(names, seconds.tolist(), strict=True)
    table = "".join(f"{name},{value}\n" for name, value in rows)
    workflow = Workflow(dag, np.zeros(len(dag), bool), seconds)
    return Made(workflow, {"airsn.dag": dagman_text(dag), "times.csv": table})


def _seconds(name: str) -> float:
    return next(mean for kind, mean in SECONDS.items() if name.startswith(kind))


@cache
def ordered() -> Ordered:
    """Order AIRSN 250."""
    return Ordered(prioritize(made().workflow.dag, "prio"))


def proved() -> Proved:
    """Prove the order, and let the referee judge three orders of AIRSN 6."""
    small = families.airsn(6)
    orders = {
        "first come, first served": small.fifo_order,
        "critical path": pebble.critical_path_order(small),
        "prio": prioritize(small, "prio").order,
    }
    verdicts = {label: pebble.verify(small, order) for label, order in orders.items()}
    return Proved(ordered().plan, len(small), verdicts)


def simulated() -> Simulated:
    """Simulate AIRSN 250 with its run times on a few workers."""
    orders = [*ORDERS, "fifo"]
    pool = Workers(WORKERS)
    found = simulate(made().workflow, orders, pool=pool, seed=0, baseline="fifo")
    return Simulated(WORKERS, {order: found.ratio[f"{order}_over_fifo"].time for order in ORDERS})


TOUR: tuple[Callable[[], Stop], ...] = (made, ordered, proved, simulated)


@singledispatch
def text(stop: Stop) -> str:
    """Return the text of one stop of the tour."""
    raise NotImplementedError(stop)


@text.register
def _(stop: Made) -> str:
    dag = stop.workflow.dag
    return paragraph("1. Make a workflow:") + paragraph(
        f"AIRSN 250, a brain-imaging workflow: {size(len(dag), dag.arc_count)}. Its run times are"
        " invented: 10 to 60 seconds by kind of job, and 30% more or less."
    )


@text.register
def _(stop: Ordered) -> str:
    why = "A worker that asks while no job is eligible leaves empty-handed."
    found = lead_sentence(stop.plan).replace("\n", " ")
    return f"\n{paragraph('2. Order it:')}{paragraph(f'{why} The order prio: {found}')}"


@text.register
def _(stop: Proved) -> str:
    proof = proof_sentence(stop.plan.proof, certified_plan(stop.plan))
    rows = [(label, _finding(verdict)) for label, verdict in stop.verdicts.items()]
    referee = f"The exact referee on AIRSN 6 ({counted(stop.jobs, 'job')}) says:"
    head = paragraph("3. Prove it: can any order do better?")
    return f"\n{head}{paragraph(proof)}{paragraph(referee)}{listing(rows, indent='  ')}"


def _finding(verdict: Verdict) -> str:
    if verdict.ic_optimal:
        return "IC-optimal, nothing beats it at any step"
    jobs = counted(verdict.step or 0, "job")
    return f"after {jobs} it has {verdict.eligible} eligible, {verdict.best_eligible} are possible"


@text.register
def _(stop: Simulated) -> str:
    """Say what is gained; the figures for real workflows are those of docs/gains.md."""
    head = paragraph("4. Simulate it:")
    how = f"On {stop.workers} workers, with the run times: time over {PEER}'s, 95% intervals."
    rows = [
        (order, f"{ratio.median:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]")
        for order, ratio in stop.times.items()
    ]
    truth = (
        "AIRSN is a good case. In simulations of 22 real workflows, prio and critical path both"
        " save 1.5% on average if run times are unknown. If they are known, critical path saves"
        " 6.4%, and auto, which icsched prio takes by default, 6.6% (docs/gains.md)."
    )
    return f"\n{head}{paragraph(how)}{listing(rows, indent='  ')}{paragraph(truth)}"


def ending(written: Sequence[str], program: str = "icsched") -> str:
    """Say which files the tour wrote, and what to try next; *program* starts icsched."""
    workflow, times, page = (quote(named(path)) for path in written)
    files = "".join(f"  {named(path)}\n" for path in written)
    start = quote(named(program))
    tried = [f"{start} show {workflow}", f"{start} prio {workflow} --run-times {times}"]
    commands = "".join(f"  {line}\n" for line in tried)
    head = paragraph("5. Keep it:")
    return f"\n{head}The tour wrote:\n{files}Open {page} in a browser. Next:\n{commands}"


def demo(*, output_: Annotated[PathName | None, OutputName] = None) -> None:
    """Make a workflow, order it, prove the order, simulate it, and write the files.

    Parameters
    ----------
    output_
        Directory for the files of the tour, which must be empty or new; by default a new directory
        for temporary files.

    """
    directory = None if output_ is None else _empty(output_)
    for stop in TOUR:
        with SIGNS.working("computing"):
            found = stop()
        report(found, text)
        sys.stdout.flush()
    written = _written(directory or _temporary())
    say(ending(written, program()), wraps=False)


def _empty(given: str) -> Path:
    """Return the directory *given*, made if need be; what is in a directory is never replaced."""
    directory = Path(given)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        is_empty = not any(directory.iterdir())
    except OSError as error:
        raise FormatError(given, None, str(error.strerror)) from error
    refuse({f"-o: expected an empty directory, got {given}": not is_empty})
    return directory


def _temporary() -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix="icsched-demo-"))
    except OSError as error:
        raise FormatError(tempfile.gettempdir(), None, str(error.strerror)) from error


def _written(directory: Path) -> list[str]:
    """Write the files of the tour; return their paths, the workflow and its run times first."""
    texts = {str(directory / name): text for name, text in made().texts.items()}
    for path, text in texts.items():
        write_text(path, text)
    page = str(directory / "report.html")
    write_text(page, _report(*texts))
    return [*texts, page]


def _report(workflow: str, times: str) -> str:
    """Return the report page of the workflow that the tour made."""
    wanted = Reported(GivenPool(Workers(WORKERS)), run_times=[times])
    return page_text(report_of([workflow], wanted, signs=SIGNS))
