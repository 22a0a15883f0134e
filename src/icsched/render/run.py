"""What a run did, or would do, as text and as JSON."""

import shlex
from collections.abc import Sequence
from dataclasses import asdict

from icsched.answers.run import DryAnswer, MissingOutput, RunAnswer
from icsched.execution.loop import State
from icsched.render.visible import named
from icsched.render.words import counted, number
from icsched.workflow import Command

_SHOWN = 20  # jobs that failed
_NAMED = 3  # jobs whose outputs are gone
_LONGEST = 60  # characters of a name


def progress(state: State) -> str:
    """Say where a run stands.

    >>> progress(State(9, 3, 2, 1, 0, 0))
    '3 of 9 jobs done, 2 running, 1 eligible'
    """
    words = [f"{state.done:,} of {counted(state.total, 'job')} done"]
    words += [f"{state.running:,} running", f"{state.eligible:,} eligible"]
    words += [f"{counted(state.stalled, 'worker')} stalled"] if state.stalled else []
    words += [f"{state.failed:,} failed"] if state.failed else []
    return ", ".join(words)


def missing_outputs(found: Sequence[MissingOutput], *, is_redone: bool) -> str:
    """Say in one line which completed jobs lack an output.

    >>> missing_outputs([MissingOutput("count", "counts.txt")], is_redone=True)
    '1 completed job lacks output files: count (counts.txt): they run again, and all after them'
    """
    jobs = counted(len(found), "completed job lacks", "completed jobs lack")
    names = [f"{_brief(one.name)} ({_brief(one.file)})" for one in found[:_NAMED]]
    shown = named(", ".join([*names, *(["..."] if len(found) > _NAMED else [])]))
    what = "use --redo-missing as well to run them again, with all jobs that depend on them"
    if is_redone:
        what = "they run again, and all after them"
    return f"{jobs} output files: {shown}: {what}"


def _brief(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 3]}..."


def dry_text(answer: DryAnswer) -> str:
    """Return what would run, one job on each line: what a shell reads, or would read alike."""
    head = (
        f"{answer.files[0]}: {counted(answer.jobs, 'job')}, {answer.completed:,} completed;"
        f" engine {answer.engine} would run, in the order {answer.order}:\n"
    )
    lines = [f"{job.name}: {_shown(job.command, shell=answer.shell)}\n" for job in answer.planned]
    return head + "".join(lines)


def _shown(command: Command | None, *, shell: bool) -> str:
    if command is None:
        return "(runs nothing)"
    return command.line if shell else shlex.join(command.argv)


def dry_keys(answer: DryAnswer) -> dict[str, object]:
    """Return what would run as JSON shows it."""
    return {
        "engine": answer.engine,
        "order": answer.order,
        "jobs": answer.jobs,
        "completed_before": answer.completed,
        "shell": answer.shell,
        "missing_outputs": [asdict(one) for one in answer.missing],
        "planned": [
            {"name": job.name, "command": job.command and asdict(job.command)}
            for job in answer.planned
        ],
    }


def text(answer: RunAnswer) -> str:
    """Return a report of what happened, against what was foretold."""
    lines = [_head(answer), *_course(answer), *_foretold(answer)]
    if answer.idle:
        lines.append(f"{counted(answer.idle, 'job runs', 'jobs run')} nothing")
    for job in answer.failed[:_SHOWN]:
        printed = f"; its output is in {job.log}" if job.log else ""
        lines.append(f"Failed: {job.name}: {job.problem}{printed}")
    if len(answer.failed) > _SHOWN:
        lines.append(f"Failed: {len(answer.failed) - _SHOWN:,} more")
    if answer.left:
        left = counted(answer.left, "job is", "jobs are")
        lines.append(f"{left} not completed: use --resume to go on")
    if answer.learned:
        lines.append(f"Run times are in {answer.learned}, and the next run uses them")
    return "".join(f"{line}\n" for line in lines)


def _head(answer: RunAnswer) -> str:
    before = f", {answer.completed:,} completed before" if answer.completed else ""
    return f"{answer.files[0]}: {counted(answer.jobs, 'job')}{before}"


def _course(answer: RunAnswer) -> list[str]:
    done = answer.happened
    if not done.attempts and not done.done:
        return [] if answer.left else ["Nothing was left to run"]
    where = f"engine {answer.engine}, in the order {answer.order}"
    if answer.workers is not None:
        where = f"{counted(answer.workers, 'worker')} of {where}"
    lines = [
        f"Completed {counted(done.done, 'job')} in {_seconds(done.seconds)} on {where}",
        f"{counted(done.attempts, 'attempt')}: {done.retried:,} retried,"
        f" {done.lost:,} lost with their worker",
    ]
    if done.offered:
        time = f"{_seconds(done.stalled)} of all workers together"
        stalls = f"stalled {counted(done.stalls, 'time')}, for {time}"
        lines.append(f"Workers were busy {_share(answer)} of the time, and {stalls}")
    return lines


def _foretold(answer: RunAnswer) -> list[str]:
    told, done = answer.foretold, answer.happened
    if told is None or answer.left or not done.seconds:
        return []
    seen = f"measured {_seconds(done.seconds)}, {done.seconds / told.seconds - 1:+.0%}"
    span = f"[{_seconds(told.low)}, {_seconds(told.high)}]"
    return [f"Foretold {_seconds(told.seconds)} {span}, busy {told.busy:.0%}; {seen}"]


def _share(answer: RunAnswer) -> str:
    return f"{min(1.0, answer.happened.busy / answer.happened.offered):.0%}"


def _seconds(seconds: float) -> str:
    return f"{number(seconds, 2 if seconds < 100 else 0)} s"


def keys(answer: RunAnswer) -> dict[str, object]:
    """Return what happened as JSON shows it."""
    done = answer.happened
    return {
        "directory": answer.directory,
        "engine": answer.engine,
        "order": answer.order,
        "workers": answer.workers,
        "jobs": answer.jobs,
        "completed_before": answer.completed,
        "completed": done.done,
        "left": answer.left,
        "runs_nothing": answer.idle,
        "failed": [asdict(job) for job in answer.failed],
        "attempts": done.attempts,
        "retried": done.retried,
        "lost": done.lost,
        "seconds": done.seconds,
        "busy": done.busy,
        "offered": done.offered,
        "stalled": done.stalled,
        "stalls": done.stalls,
        "foretold": answer.foretold and asdict(answer.foretold),
        "learned": answer.learned,
        "missing_outputs": [asdict(one) for one in answer.missing],
    }
