"""Advice on how to launch a workflow on HTCondor: what the user can copy."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from icsched.commands.comparison import earlier, ends_text
from icsched.commands.ordering import Ordered
from icsched.commands.pool_options import GivenPool
from icsched.commands.terminal import working
from icsched.frames import NOT_IN_JSON, json_by
from icsched.orders.auto import order_of, present_order
from icsched.orders.definition import Aim
from icsched.orders.launches import EXACT, SAME_CORES, Advice, advised
from icsched.sim import Machines, Played
from icsched.sim.race import Interval
from icsched.workflow import SubmitLines, Workflow

# A setting of a submit file may refer to the earlier value of itself.
_ADDED = f"requirements = ($(requirements)) && ({SAME_CORES})"


@dataclass(frozen=True)
class SubmitFileLines:
    """Lines for a submit description, directly above its queue statement or its end.

    `line` is where the description begins if it is inside a DAGMan file; 0 for a submit file.
    """

    file: str
    line: int
    lines: tuple[str, ...]


def _throttles(found: dict[int | None, float]) -> list[dict[str, Any]]:
    return [{"max_jobs": number, "ratio": ratio} for number, ratio in found.items()]


@dataclass(frozen=True, eq=False)
class LaunchAdvice:
    """What to do, in this order: write the order, write the lines, submit with the command.

    With `run_again`, run icsched again between writing the lines and submitting: with the lines
    another order gains more. The ratios are those of `Advice`. `ends` has the time of a single run
    "now" and after "all" steps, in seconds.
    """

    max_jobs: int | None
    submit_lines: tuple[str, ...]
    submit_files: tuple[SubmitFileLines, ...]
    command: str
    run_again: bool
    next_order: str | None
    next_ratio: Interval | None
    lines: Interval | None
    throttle: Interval | None
    throttles: dict[int | None, float] = field(metadata=json_by(_throttles))
    ratio: Interval | None
    ends: dict[str, Interval]
    writes_order: bool = field(default=False, metadata=NOT_IN_JSON)
    had_throttle: bool = field(default=False, metadata=NOT_IN_JSON)


def launch_advice(
    found: Ordered, given: GivenPool | None, output: str | None = None
) -> LaunchAdvice | None:
    """Return advice for a workflow that "auto" ordered; None if *given* is no pool of HTCondor's.

    *output* is the copy that has the order, if not the files themselves.
    """
    workflow, left = found.workflow, found.workflow.residual
    pool = given.submitted(workflow).pool if given else None
    said = workflow.source.slot_settings()
    if not isinstance(pool, Machines) or not pool.htcondor or said is None:
        return None
    if found.choice is None or not len(left.dag):
        return None
    now, written = _orders(found, left)
    aim = Aim(pool, workflow=left)
    with working("simulating how to submit", len(left.dag)):
        advice = advised(left, now, written, pool, aim, may_unlimit="max_jobs" not in said.dagman)
    options = [] if advice.max_jobs is None else ["-maxjobs", str(advice.max_jobs)]
    if pool.max_idle is not None and "max_idle" not in said.dagman:
        options += ["-maxidle", str(pool.max_idle)]
    return LaunchAdvice(
        max_jobs=advice.max_jobs,
        submit_lines=advice.submit_lines,
        submit_files=tuple(_for_file(one, advice) for one in said.submits if advice.submit_lines),
        command=workflow.source.command(options, output) or "",
        run_again=advice.next_order is not None,
        next_order=advice.next_order,
        next_ratio=advice.next_ratio,
        lines=advice.lines,
        throttle=advice.throttle,
        throttles=dict(advice.throttles),
        ratio=advice.ratio,
        ends=dict(advice.ends),
        writes_order=written is not now or any(one.problems for one in found.sections),
        had_throttle=pool.max_jobs is not None,
    )


def _orders(found: Ordered, left: Workflow) -> tuple[Played, Played]:
    """Return the order of the files as they are, and the order that they will have."""
    dag, plan = left.dag, found.plan.schedule
    now = present_order(dag, found.present)[1]
    if found.removes_sections:
        return now, present_order(dag, left.priorities)[1]
    if found.reason_to_leave is not None:
        return now, now
    has_it = found.present is not None and np.array_equal(order_of(dag, found.present), plan.order)
    return now, now if has_it else Played("static", plan)


def _for_file(one: SubmitLines, advice: Advice) -> SubmitFileLines:
    """Return the lines for one description: its own requirements stay."""
    own = {EXACT: _ADDED} if one.has_requirements else {}
    return SubmitFileLines(
        one.path, one.line, tuple(own.get(line, line) for line in advice.submit_lines)
    )


def advice_text(found: LaunchAdvice, *, is_written: bool) -> str:
    """Return the steps as text: lines to copy, and what each gains."""
    steps = []
    if found.writes_order and not is_written:
        steps.append("write the order: repeat this command with --in-place")
    if found.submit_lines:
        steps.append(_lines_step(found))
    if found.next_ratio is not None:
        steps.append(
            "run this command again: with these lines it finds"
            f" {found.next_order}, and the run should end {earlier(found.next_ratio)} than with"
            " the lines alone"
        )
    else:
        steps.append(f"{found.command}\n     {_throttle_words(found)}")
    numbered = "".join(f"  {number}. {step}\n" for number, step in enumerate(steps, 1))
    text = f"To submit, in this order:\n{numbered}"
    if found.ratio is not None and found.next_ratio is None and len(steps) > 1:
        than = "than if you submit the files as they are"
        text += f"After all steps the run should end {earlier(found.ratio)} {than}.\n"
        text += ends_text(found.ends, "now", "all", "after all steps")
    return text


def _lines_step(found: LaunchAdvice) -> str:
    where = "each submit file, directly above the line queue"
    if len(found.submit_files) == 1 and not found.submit_files[0].line:
        where = f"{found.submit_files[0].file}, directly above the line queue"
    lines = "".join(f"\n       {line}" for line in found.submit_lines)
    text = f"put into {where}:{lines}"
    if any(one.lines != found.submit_lines for one in found.submit_files):
        text += "\n     A file that has requirements of its own gets this line instead:"
        text += f"\n       {_ADDED}"
    if found.lines is not None:
        text += f"\n     With this, the run should end {earlier(found.lines)}"
    return text


def _throttle_words(found: LaunchAdvice) -> str:
    if found.throttle is not None:
        than = "another throttle" if found.had_throttle else "no throttle"
        what = f"-maxjobs {found.max_jobs}" if found.max_jobs else "without -maxjobs"
        return f"{what}: the run should end {earlier(found.throttle)} than with {than}"
    tried = [number for number in found.throttles if number is not None]
    if found.max_jobs is not None:
        return "the throttle that you have: no other throttle ends the run 1% earlier"
    if not tried:
        return "no throttle: there are fewer jobs than cores"
    listed = ", ".join(str(number) for number in sorted(tried))
    return f"no throttle: none of -maxjobs {listed} ends the run 1% earlier"
