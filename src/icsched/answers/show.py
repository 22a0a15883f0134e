"""What a workflow is made of, what is proved of its order, and what disturbs an order."""

from collections.abc import Sequence
from dataclasses import dataclass

from icsched.answers import notes
from icsched.answers.compared import Compared
from icsched.answers.orders import WantedOrder
from icsched.answers.reading import Reading
from icsched.answers.signs import QUIET, Signs
from icsched.dag import Dag
from icsched.formats import Workflow, dagman
from icsched.theory import Analysis, analyse


@dataclass(frozen=True, eq=False)
class Files:
    """What DAGMan will find in the files beside the jobs themselves."""

    done: int
    rescue: str | None
    priorities: int  # jobs to which the files give one
    sections: tuple[dagman.Section, ...]
    strict: dagman.Remark | None
    remarks: tuple[dagman.Remark, ...]
    notes: tuple[notes.Note, ...]


@dataclass(frozen=True, eq=False)
class ShowAnswer:
    """A workflow taken apart, an order of it, and what is in its files."""

    names: tuple[str, ...]  # of the files
    dag: Dag
    levels: int
    shortcuts: int
    analysis: Analysis
    compared: Compared
    files: Files


def show_answer(
    files: Sequence[str], wanted: WantedOrder, *, reading: Reading, signs: Signs = QUIET
) -> ShowAnswer:
    """Take a workflow apart, and order it."""
    wanted.check()
    workflow = reading.read(files, signs=signs)
    dag = workflow.dag
    plan = wanted.plan(workflow, signs=signs)
    with signs.working("taking apart", len(dag)):
        analysis = plan.analysis or analyse(dag)
        found = _files(workflow)
    return ShowAnswer(
        names=tuple(files),
        dag=dag,
        levels=int(dag.levels.max(initial=-1)) + 1,
        shortcuts=dag.arc_count - analysis.parts.dag.arc_count,
        analysis=analysis,
        compared=Compared(plan),
        files=found,
    )


def _files(workflow: Workflow) -> Files:
    return Files(
        done=int(workflow.done.sum()),
        rescue=workflow.rescue,
        priorities=notes.own_priorities(workflow),
        sections=tuple(dagman.sections(workflow)),
        strict=dagman.strictness(workflow),
        remarks=tuple(dagman.advice(workflow)),
        notes=tuple(_notes(workflow)),
    )


def _notes(workflow: Workflow) -> list[notes.Note]:
    given = notes.own_priorities(workflow)
    found = [
        _resumed(workflow),
        *notes.stale_sections(workflow),
        notes.OwnPriorities(given) if given else None,
        notes.strict(workflow),
    ]
    return [note for note in found if note is not None]


def _resumed(workflow: Workflow) -> notes.Resumed | None:
    """Return what DAGMan resumes from, also from a rescue file by which nothing is done."""
    if workflow.rescue is None:
        return notes.resumed(workflow)
    return notes.Resumed(int(workflow.done.sum()), len(workflow.dag), workflow.rescue)
