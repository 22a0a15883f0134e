"""`icsched demo`: the guided tour."""

import os
import re
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
from icsched.commands.inputs import FileOptions
from icsched.commands.options import OutputName, PathName, refuse
from icsched.commands.pool_options import machines_given
from icsched.commands.report import Reported, page_text, report_of
from icsched.commands.terminal import listing, paragraph, program, say, screen_of, shown_on, working
from icsched.files import naming, write_text
from icsched.formats import dagman_text
from icsched.messages import counted, named, size
from icsched.orders import Plan, prioritize, simulate
from icsched.pebble import Verdict
from icsched.report.proofs import certified_plan, proof_sentence
from icsched.sim import HTCondor, Machines
from icsched.sim.machines import machine_in
from icsched.workflow import Workflow

ORDERS = ("fifo", "critical-path", "prio")
MACHINES = "4x8"
SECONDS = {"handle": 20.0, "fringe": 10.0, "cover": 40.0, "join": 60.0}  # invented means by kind
CORES = {"handle": 1, "fringe": 1, "cover": 2, "join": 8}  # invented, too
SPREAD = 0.3  # of the invented seconds, both ways
NO_HOLD = "keep_claim_idle = 0"


@cache
def workflow() -> Workflow:
    """Return AIRSN 250 with invented cores and run times: both by kind, the times with a spread."""
    dag = families.airsn(250)
    kinds = [str(name).partition("_")[0] for name in dag.names]
    factors = np.random.default_rng(0).uniform(1 - SPREAD, 1 + SPREAD, len(kinds))
    seconds = np.round(np.array([SECONDS[kind] for kind in kinds]) * factors, 1)
    return Workflow(dag, run_times=seconds, needs={"cores": [CORES[kind] for kind in kinds]})


@cache
def plan() -> Plan:
    """Return AIRSN 250 in the order prio."""
    return prioritize(workflow().dag, "prio")


# The stops of the tour; each returns its text, for a screen


def made() -> str:
    """Say what is made."""
    dag = workflow().dag
    return paragraph("1. Make a workflow:") + paragraph(
        f"AIRSN 250, a brain-imaging workflow: {size(len(dag), dag.arc_count)}. Its jobs ask"
        " for 1, 2 or 8 cores, and run for 10 to 60 seconds, 30% more or less. These numbers are"
        " invented."
    )


def ordered() -> str:
    """Say what the order gains."""
    why = "A job is eligible if all its parents are done. If few jobs are eligible, cores are idle."
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
    machines = [machine_in(MACHINES)]
    pools = {
        "With the submit files as they are:": Machines(machines, htcondor=HTCondor()),
        f"With {NO_HOLD} in all submit files:": Machines(machines, htcondor=HTCondor(hold=0)),
    }
    head = paragraph("4. Simulate it:")
    how = (
        f"Mean seconds of a run and 95% intervals, on {counted(machines[0].count, 'machine')} of"
        f" {machines[0].resources['cores']:g} cores, as HTCondor fills the machines:"
    )
    tables = "".join(
        paragraph(words) + listing(_ends(pool), indent="  ") for words, pool in pools.items()
    )
    truth = (
        "icsched prio names the order and the line. In simulations of 22 real workflows on"
        " workers that run one job each, prio and critical path both save 1.5% on average if run"
        " times are unknown. If they are known, critical path saves 6.4%, and auto, which icsched"
        " prio takes by default, 6.6% (docs/gains.md)."
    )
    return f"\n{head}{paragraph(how)}{tables}{paragraph(truth)}"


def _ends(pool: Machines) -> list[tuple[str, str]]:
    """Return the mean seconds of a run of each order, with 95% intervals."""
    found = simulate(workflow(), ORDERS, pool=pool, seed=0)
    times = {order: found.orders[order].time for order in ORDERS}
    return [
        (PEER if order == "fifo" else order, f"{t.mean:,.0f} [{t.low:,.0f}, {t.high:,.0f}]")
        for order, t in times.items()
    ]


TOUR: tuple[Callable[[], str], ...] = (made, ordered, proved, simulated)


def ending(written: Sequence[str], program: str = "icsched") -> str:
    """Say which files the tour wrote, and what to try next; *program* starts icsched."""
    workflow, times, page = map(Path, written[:3])
    files = "".join(f"  {named(path)}\n" for path in written)
    start = str(Path(program).absolute()) if os.sep in program else program
    name = workflow.name
    tried = [
        f"cd {quote(named(str(workflow.parent)))}",
        f"{quote(named(start))} show {name}",
        f"{quote(named(start))} prio {name} --run-times {times.name} --machines {MACHINES}",
    ]
    commands = "".join(f"  {line}\n" for line in tried)
    head = paragraph("5. Keep it:")
    opened = f"Open {quote(named(str(page)))} in a browser. Next:\n"
    return f"\n{head}The tour wrote:\n{files}{opened}{commands}"


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
    """Write the files of the tour; return the workflow, its run times, the page and the others."""
    dag, times = workflow().dag, workflow().run_times
    assert times is not None  # noqa: S101  the tour invents them
    rows = zip(dag.names, times.tolist(), strict=True)
    first = [str(directory / name) for name in ("airsn.dag", "times.csv", "report.html")]
    by_kind = re.sub(r"(?m)^(JOB ([a-z]+)_.*) task\.sub$", r"\1 \2.sub", dagman_text(dag))
    write_text(first[0], by_kind)
    write_text(first[1], "".join(f"{name},{seconds}\n" for name, seconds in rows))
    others = {str(directory / f"{kind}.sub"): _submit_text(kind) for kind in CORES}
    for path, text in others.items():
        write_text(path, text)
    reading = FileOptions(usedagdir=True)
    wanted = Reported(machines_given([MACHINES]), run_times=first[1:2], reading=reading)
    write_text(first[2], page_text(report_of(first[:1], wanted)))
    return [*first, *others]


def _submit_text(kind: str) -> str:
    """Return a submit file, for jobs that only sleep."""
    return (
        f"executable = /bin/sleep\narguments = {SECONDS[kind]:g}\nrequest_cpus = {CORES[kind]}\n"
        "log = airsn.log\nqueue\n"
    )
