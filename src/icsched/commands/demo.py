"""`icsched demo`: the guided tour."""

import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from shlex import quote
from typing import Annotated

import numpy as np

from icsched import families, pebble
from icsched.commands.comparison import PEER, lead_sentence
from icsched.commands.options import OutputName, PathName, refuse
from icsched.commands.pool_options import GivenPool
from icsched.commands.report import Reported, page_text, report_of
from icsched.commands.terminal import listing, paragraph, program, say, screen_of, shown_on, working
from icsched.files import naming, write_text
from icsched.formats import dagman_text
from icsched.messages import counted, named, size
from icsched.orders import Plan, prioritize, simulate
from icsched.pebble import Verdict
from icsched.report.proofs import certified_plan, proof_sentence
from icsched.sim import Workers
from icsched.workflow import Workflow

ORDERS = ("critical-path", "prio")  # played against fifo
WORKERS = 16
SECONDS = {"handle_": 20.0, "fringe_": 10.0, "cover_": 40.0, "join_": 60.0}  # invented means
SPREAD = 0.3  # of the invented seconds, both ways


@cache
def workflow() -> Workflow:
    """Return AIRSN 250 with invented run times: a mean for each kind of job, and some spread."""
    dag = families.airsn(250)
    names = list(map(str, dag.names))
    means = np.array([_seconds(name) for name in names])
    factors = np.random.default_rng(0).uniform(1 - SPREAD, 1 + SPREAD, len(names))
    return Workflow(dag, np.zeros(len(dag), bool), np.round(means * factors, 1))


def _seconds(name: str) -> float:
    return next(mean for kind, mean in SECONDS.items() if name.startswith(kind))


@cache
def plan() -> Plan:
    """Return AIRSN 250 in the order prio."""
    return prioritize(workflow().dag, "prio")


# The stops of the tour; each returns its text, for a screen


def made() -> str:
    """Say what is made."""
    dag = workflow().dag
    return paragraph("1. Make a workflow:") + paragraph(
        f"AIRSN 250, a brain-imaging workflow: {size(len(dag), dag.arc_count)}. Its run times are"
        " invented: 10 to 60 seconds by kind of job, and 30% more or less."
    )


def ordered() -> str:
    """Say what the order gains."""
    why = "A worker that asks while no job is eligible leaves empty-handed."
    found = lead_sentence(plan()).replace("\n", " ")
    return f"\n{paragraph('2. Order it:')}{paragraph(f'{why} The order prio: {found}')}"


def proved() -> str:
    """Prove the order, and let the referee judge three orders of AIRSN 6."""
    small = families.airsn(6)
    orders = {
        "first come, first served": small.fifo_order,
        "critical path": pebble.critical_path_order(small),
        "prio": prioritize(small, "prio").order,
    }
    rows = [(label, _finding(pebble.verify(small, order))) for label, order in orders.items()]
    proof = proof_sentence(plan().proof, certified_plan(plan()))
    referee = f"The exact referee on AIRSN 6 ({counted(len(small), 'job')}) says:"
    head = paragraph("3. Prove it: can any order do better?")
    return f"\n{head}{paragraph(proof)}{paragraph(referee)}{listing(rows, indent='  ')}"


def _finding(verdict: Verdict) -> str:
    if verdict.ic_optimal:
        return "IC-optimal, nothing beats it at any step"
    jobs = counted(verdict.step or 0, "job")
    return f"after {jobs} it has {verdict.eligible} eligible, {verdict.best_eligible} are possible"


def simulated() -> str:
    """Say what is gained; the figures for real workflows are those of docs/gains.md."""
    orders = [*ORDERS, "fifo"]
    found = simulate(workflow(), orders, pool=Workers(WORKERS), seed=0, baseline="fifo")
    times = {order: found.ratio[f"{order}_over_fifo"].time for order in ORDERS}
    rows = [(name, f"{t.median:.3f} [{t.low:.3f}, {t.high:.3f}]") for name, t in times.items()]
    head = paragraph("4. Simulate it:")
    how = f"On {WORKERS} workers, with the run times: time over {PEER}'s, 95% intervals."
    truth = (
        "AIRSN is a good case. In simulations of 22 real workflows, prio and critical path both"
        " save 1.5% on average if run times are unknown. If they are known, critical path saves"
        " 6.4%, and auto, which icsched prio takes by default, 6.6% (docs/gains.md)."
    )
    return f"\n{head}{paragraph(how)}{listing(rows, indent='  ')}{paragraph(truth)}"


TOUR: tuple[Callable[[], str], ...] = (made, ordered, proved, simulated)


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
        with working("computing"), shown_on(screen_of(sys.stdout)):
            shown = stop()
        say(shown)
        sys.stdout.flush()
    if directory is None:
        with naming(tempfile.gettempdir()):
            directory = Path(tempfile.mkdtemp(prefix="icsched-demo-"))
    written = _written(directory)
    say(ending(written, program()), wraps=False)


def _empty(given: str) -> Path:
    """Return the directory *given*, made if need be; what is in a directory is never replaced."""
    directory = Path(given)
    with naming(given):
        directory.mkdir(parents=True, exist_ok=True)
        is_empty = not any(directory.iterdir())
    refuse({f"-o: expected an empty directory, got {given}": not is_empty})
    return directory


def _written(directory: Path) -> list[str]:
    """Write the files of the tour; return their paths, the workflow and its run times first."""
    dag, times = workflow().dag, workflow().run_times
    assert times is not None  # noqa: S101  the tour invents them
    rows = zip(dag.names, times.tolist(), strict=True)
    written = [str(directory / name) for name in ("airsn.dag", "times.csv", "report.html")]
    write_text(written[0], dagman_text(dag))
    write_text(written[1], "".join(f"{name},{seconds}\n" for name, seconds in rows))
    wanted = Reported(GivenPool(Workers(WORKERS)), run_times=written[1:2])
    write_text(written[2], page_text(report_of(written[:1], wanted)))
    return written
