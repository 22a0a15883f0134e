"""What a workflow is made of, what is proved about its order, and what disturbs an order."""

from collections.abc import Sequence
from dataclasses import dataclass

from icsched.answers import notes
from icsched.answers.compared import Compared
from icsched.answers.orders import WantedOrder
from icsched.answers.reading import Reading
from icsched.answers.signs import QUIET, Signs
from icsched.dag import Dag
from icsched.formats import FORMATS, dagman
from icsched.theory import Analysis, analyse
from icsched.workflow import Remark, Workflow


@dataclass(frozen=True, eq=False)
class Files:
    """What DAGMan will find in the files beside the jobs themselves."""

    done: int
    rescue: str | None
    priorities: int  # jobs to which the files give a priority
    sections: tuple[dagman.Section, ...]
    strict: Remark | None
    remarks: tuple[Remark, ...]
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
    chosen = FORMATS.find(workflow.format)
    sections, strict = _sections(workflow)
    return Files(
        done=int(workflow.done.sum()),
        rescue=workflow.done_by,
        priorities=notes.own_priorities(workflow),
        sections=sections,
        strict=strict,
        remarks=tuple(chosen.advice(workflow) if chosen.advice else workflow.remarks),
        notes=tuple(_notes(workflow)),
    )


def _sections(workflow: Workflow) -> tuple[tuple[dagman.Section, ...], Remark | None]:
    """Return the sections in DAGMan files, and the setting that makes DAGMan strict."""
    if workflow.format != "dagman":
        return (), None
    submission = dagman.submission_of(workflow)
    return tuple(dagman.sections(submission)), dagman.strictness(submission)


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
    """Return what DAGMan resumes from, even a rescue file that lists no job as done."""
    if workflow.done_by is None:
        return notes.resumed(workflow)
    return notes.Resumed(int(workflow.done.sum()), len(workflow.dag), workflow.done_by)
