"""What a workflow is made of, what is proved about its order, and what disturbs an order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from icsched.answers import notes
from icsched.answers.cautions import about_inner
from icsched.answers.compared import Compared
from icsched.answers.known import Resumed, TimesKnown, resumed
from icsched.answers.orders import WantedOrder
from icsched.answers.reading import Reading
from icsched.answers.run_times import times_known
from icsched.answers.signs import QUIET, Signs
from icsched.dag import Dag
from icsched.engines.configuration import pool_settings
from icsched.formats import FORMATS, Format, dagman
from icsched.theory import Analysis
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
    timed: TimesKnown | None


def show_answer(
    files: Sequence[str], wanted: WantedOrder, *, reading: Reading, signs: Signs = QUIET
) -> ShowAnswer:
    """Take a workflow apart, and order it."""
    wanted.check()
    workflow = wanted.timed(reading.read(files, signs=signs))
    dag = workflow.dag
    plan = wanted.plan(workflow, signs=signs)
    with signs.working("taking apart", len(dag)):
        analysis = plan.analysis
        known = times_known(workflow, is_own=not wanted.run_times)
        around = pool_settings() if dagman.submission_in(workflow) else None
        found = files_of(workflow, known, around=around)
        found = replace(found, notes=(*found.notes, *about_inner(workflow)))
    return ShowAnswer(
        names=tuple(files),
        dag=dag,
        levels=int(dag.levels.max(initial=-1)) + 1,
        shortcuts=dag.arc_count - analysis.parts.dag.arc_count,
        analysis=analysis,
        compared=Compared(plan),
        files=found,
        timed=known,
    )


def files_of(
    workflow: Workflow,
    known: TimesKnown | None,
    *,
    with_advice: bool = True,
    around: dagman.Around | None = None,
) -> Files:
    """Return what is in the files of a workflow beside its jobs; advice takes long if it is large.

    *known* says where run times come from. Without advice, the remarks are those of the reader.
    *around* has the settings of DAGMan around the workflow, if somebody knows them.
    """
    chosen, submission = FORMATS.find(workflow.format), dagman.submission_in(workflow)
    given, strict, resumed = 0, None, _resumed(workflow)
    sections: tuple[dagman.Section, ...] = ()
    told: list[notes.Note] = [resumed] if resumed else []
    if known and not known.is_own:  # otherwise a remark tells it
        told.append(known)
    if submission is not None:
        given, strict = notes.own_priorities(submission), dagman.strictness(submission, around)
        sections = tuple(dagman.sections(submission))
        told += _notes(submission, given, sections, strict)
    return Files(
        done=int(workflow.done.sum()),
        rescue=workflow.done_by,
        priorities=given,
        sections=sections,
        strict=strict,
        remarks=tuple(_remarks(workflow, chosen, around) if with_advice else workflow.remarks),
        notes=tuple(told),
    )


def _remarks(workflow: Workflow, chosen: Format, around: dagman.Around | None) -> Sequence[Remark]:
    submission = dagman.submission_in(workflow)
    if submission is not None:
        return dagman.advise(submission, around)
    return chosen.advice(workflow) if chosen.advice else workflow.remarks


def _notes(
    submission: dagman.Submission,
    given: int,
    sections: Sequence[dagman.Section],
    setting: Remark | None,
) -> Iterator[notes.Note]:
    yield from notes.stale_sections(sections)
    if given:
        yield notes.OwnPriorities(given)
    if strict := notes.strict(submission, setting):
        yield strict


def _resumed(workflow: Workflow) -> Resumed | None:
    """Return what DAGMan resumes from, even a rescue file that lists no job as done."""
    if workflow.done_by is None:
        return resumed(workflow)
    return Resumed(int(workflow.done.sum()), len(workflow.dag), workflow.done_by)
