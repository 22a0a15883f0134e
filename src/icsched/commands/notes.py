"""Notes: what the user should know about a workflow and its files, beside an order."""

from collections.abc import Iterable, Sequence
from typing import Literal

from icsched.commands.pool_options import GivenPool
from icsched.messages import counted
from icsched.run_times import Origin
from icsched.sim import Machines
from icsched.sim.machines import unequal_needs
from icsched.sim.pools import FAR_OFF, FAR_OFF_RUNNING
from icsched.workflow import Note, Section, Workflow

NEEDS_LEFT_OUT = "needs-left-out"
SectionAction = Literal["nothing", "replaced", "removed"]
_SECTION_ACTIONS: dict[SectionAction, str] = {
    "nothing": "run prio --in-place again, or prio --remove",
    "replaced": "icsched writes it again",
    "removed": "icsched removes it",
}


def sentences(notes: Iterable[Note]) -> list[str]:
    """Return the sentences of *notes*: this is how JSON shows them."""
    return [note.text for note in notes]


def caution_lines(notes: Iterable[Note]) -> list[str]:
    """Return each of the notes as a whole sentence."""
    return [f"{text[:1].upper()}{text[1:]}." for text in sentences(notes)]


def caution_text(notes: Iterable[Note]) -> str:
    """Return the notes as text, one on each line; "" without any."""
    return "".join(f"{line}\n" for line in caution_lines(notes))


def disturbed(file: str) -> Note:
    """Return the note that `icsched show` has remarks about *file*."""
    return Note("disturbed", f"icsched show {file} tells what may disturb this order")


def stale_sections(sections: Sequence[Section], action: SectionAction = "nothing") -> list[Note]:
    """Return a note for each section that is out of date; *action* is what icsched does now."""
    what = _SECTION_ACTIONS[action]
    return [
        Note(
            "stale-section",
            f"{section.path}:{section.line}: icsched's section is out of date:"
            f" {'; '.join(section.problems)}; {what}",
        )
        for section in sections
        if section.problems
    ]


def running(lock: str) -> Note:
    """Return the note that the engine which made *lock* does not see what is written now."""
    text = (
        f"{lock} is there: if DAGMan runs this workflow now, that run keeps its order, because"
        " DAGMan reads the files only when it starts"
    )
    return Note("running", text)


def cautions_about(workflow: Workflow, given: GivenPool | None = None) -> tuple[Note, ...]:
    """Return what a simulation of *workflow* on a *given* pool leaves out."""
    is_simulated = given is not None and isinstance(given.pool, Machines) and given.pool.htcondor
    text = "" if is_simulated else workflow.source.unsimulated()
    limits = (Note("limits-left-out", text),) if text else ()
    return (*about_pool(given), *about_needs(workflow, given), *limits, *about_inner(workflow))


def about_pool(given: GivenPool | None) -> tuple[Note, ...]:
    """Return the note about a pool that does not explain the run that it was learned from."""
    error = (given.replay_error if given else None) or 0.0
    running = (given.running_error if given else None) or 0.0
    if abs(error) > FAR_OFF:
        what = f"that run ends {100 * abs(error):.1f}% too {'early' if error < 0 else 'late'}"
    elif running > FAR_OFF_RUNNING:
        what = f"the number of running jobs is off by {100 * running:.0f}% of its mean"
    else:
        return ()
    text = (
        f"the pool does not explain the run that it was learned from: simulated, {what}."
        " Do not trust the gains. Perhaps a throttle such as -maxjobs held jobs back"
    )
    return (Note("pool-unexplained", text),)


_RESOURCES = {"cores": "cores", "memory_bytes": "memory", "disk_bytes": "disk"}


def about_needs(workflow: Workflow, given: GivenPool | None = None) -> tuple[Note, ...]:
    """Return the note that jobs do not need the same, and that the pool cannot show it.

    Workers that take one job each cannot show how such jobs share machines, and machines cannot
    show what only the engine can work out. Even the sign of a gain may be wrong then.
    """
    left = workflow.residual
    if hidden := left.hidden_needs:
        first, jobs = hidden[0].remark, sum(len(one.tasks) for one in hidden)
        where = f"{first.path}:{first.line}" if first.line else first.path
        who = f"{counted(jobs, 'job')} {'asks' if jobs == 1 else 'ask'} for"
        text = f"icsched cannot read what {who}, as in {where}"
        return (Note(NEEDS_LEFT_OUT, f"{text}: request numbers there"),)
    if given is not None and isinstance(given.pool, Machines):
        pool = given.pool
        return (*about_unit(left, pool), *about_unnamed(left, pool), *about_submit_files(workflow))
    names = unequal_needs(left.needs)
    if not names:
        return ()
    what = " and ".join(_RESOURCES.get(name, name) for name in names)
    text = (
        f"jobs ask for different {what}, and only machines show how such jobs run together: give"
        " --machines COUNTxCORESxMEMORY"
    )
    return (Note(NEEDS_LEFT_OUT, text),)


def about_unit(left: Workflow, pool: Machines) -> tuple[Note, ...]:
    """Return the note that jobs have no seconds to compare with those that HTCondor waits."""
    if pool.htcondor is None or (left.run_times is not None and left.run_times.any()):
        return ()
    text = "HTCondor's delays are in seconds, and run times are not known: give --run-times FILE"
    return (Note(NEEDS_LEFT_OUT, text),)


def about_unnamed(left: Workflow, pool: Machines) -> tuple[Note, ...]:
    """Return the note about resources, such as GPUs, that jobs need and no machine names."""
    named = {name for machine in pool.machines for name in machine.resources} | _RESOURCES.keys()
    asked = [name for name in left.needs if name not in named and (left.needs[name] > 0).any()]
    if not asked:
        return ()
    what = " and ".join(sorted(asked))
    text = f"jobs ask for {what}, and no machine of the pool names {what}: any number runs at once"
    return (Note("needs-unlimited", f"{text}; a file of --pool can name resources"),)


def about_submit_files(workflow: Workflow) -> tuple[Note, ...]:
    """Return the note about submit files that do not exist, so that nobody knows what jobs need."""
    names = workflow.source.without_submit_file()
    tasks = (~workflow.done & workflow.dag.mask(names)).nonzero()[0]
    if not len(tasks):
        return ()
    first = (workflow.source.descriptions() or ())[tasks[0]]
    text = (
        f"the submit files of {counted(len(tasks), 'job')} were not found, such as {first}: each"
        " counts as 1 core; go to the directory you submit in, or give --usedagdir"
    )
    return (Note("submit-files-absent", text),)


def about_inner(workflow: Workflow) -> tuple[Note, ...]:
    """Return the note about inner workflows that are left to run, and have no time of their own."""
    names = workflow.source.inner_workflows()
    is_meant = ~workflow.done & workflow.dag.mask(names)
    if workflow.run_time_origins is not None:
        is_meant &= workflow.run_time_origins >= Origin.KIND
    tasks = int(is_meant.sum())
    if not tasks:
        return ()
    what = "1 job is an inner workflow (SUBDAG EXTERNAL): it counts"
    if tasks > 1:
        what = f"{tasks:,} jobs are inner workflows (SUBDAG EXTERNAL): each counts"
    return (Note("inner-workflows", f"{what} as a job of ordinary length"),)
