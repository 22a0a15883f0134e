"""Sentences about what was written into a workflow's files, and what follows from it."""

from icsched.cli import output
from icsched.formats import dagman
from icsched.formats.dagman import Submission
from icsched.formats.dagman.writer import COMPANION


def about_rescue(workflow: Submission, *, aim: str = "order") -> list[str]:
    """Say how many jobs are done, by whose word, and how many are left to *aim*."""
    done = int(workflow.done.sum())
    if not done:
        return []
    by = f" by {workflow.rescue}" if workflow.rescue else " by DONE in the files"
    left = output.counted(len(workflow.dag), "job")
    return [f"{output.counted(done, 'job')} done{by}; {left} left to {aim}"]


def about_done(workflow: Submission, *, aim: str) -> str:
    """Return the lines of `about_rescue` for a report, with the option that ignores the file."""
    option = " (--no-rescue ignores that file)" if workflow.rescue else ""
    return "".join(f"{note}{option}\n" for note in about_rescue(workflow, aim=aim))


def about_rescue_file(workflow: Submission) -> list[str]:
    """Say which rescue file DAGMan will resume from, or how many jobs are marked DONE."""
    if not workflow.rescue:
        return about_rescue(workflow)
    done = output.counted(int(workflow.done.sum()), "job")
    return [f"DAGMan will resume from {workflow.rescue}: {done} done"]


def about_section(workflow: Submission, *, replaced: bool = False) -> list[str]:
    """Say what is out of date in the sections that icsched wrote, and what to do."""
    what = "icsched writes it again" if replaced else "run prio --in-place again, or prio --remove"
    return [
        f"{section.path}:{section.line}: icsched's section is out of date: "
        f"{'; '.join(section.problems)}; {what}"
        for section in dagman.sections(workflow)
        if section.problems
    ]


def about_own_priorities(workflow: Submission) -> list[str]:
    """Say how many jobs have a priority of the files' own."""
    given = int(workflow.has_priority.sum())
    jobs = output.counted(given, "job")
    what = "prio overrides them unless --keep-existing is given"
    return [f"the files already have PRIORITY lines for {jobs}: {what}"] if given else []


def about_strictness(workflow: Submission) -> list[str]:
    """Say that DAGMan will refuse to override priorities, where it will."""
    strict = dagman.strictness(workflow)
    if strict is None or not workflow.priorities.any():  # 0 may be overridden all the same
        return []
    place = f"{strict.path}:{strict.line}" if strict.line else strict.path
    return [f"{place}: {refusal(strict)}"]


def refusal(strict: dagman.Remark) -> str:
    """Say what a strict setting does to overridden priorities, and what to do."""
    return (
        f"'{strict.text}' makes DAGMan refuse a second priority for a job: give"
        " --keep-existing, or take the PRIORITY lines out of the files"
    )


def about_priorities(workflow: Submission, *, kept: bool) -> list[str]:
    """Say what became of priorities that the files had, and why numbers may be negative."""
    found = []
    given = int(workflow.has_priority.sum())
    if given:
        what = "overridden (--keep-existing keeps them)"
        if kept:
            what = "kept, so that the run will not follow the order above where they differ"
        found.append(f"priorities that the files gave {output.counted(given, 'job')}: {what}")
    if workflow.joins:
        lines = output.counted(workflow.joins, "PARENT line")
        found.append(
            f"priorities count down from {workflow.lowest - 1}: DAGMan puts nodes of its own into"
            f" {lines} of several parents and children, and those must not wait"
        )
    return found


def about_splices(workflow: Submission, path: str, *, flat: bool) -> list[str]:
    """Say how jobs of splices got their priorities in the file at *path*."""
    if not workflow.has_splices:
        return []
    if flat:
        return ["one file without splices and includes; job S+p is called S-p in it"]
    return [
        f"the section gives jobs of splices their priorities, and includes {path}{COMPANION} first:"
        f" keep that file beside {path}, and the section last in {path}"
    ]


def about_variables(workflow: Submission) -> list[str]:
    """Say which jobs have their priorities through their submit files."""
    found = ["submit files take their priority from the variable jobpriority"]
    without = sum(
        placed.has_description or placed.node.kind == "SUBDAG" for placed in workflow.nodes()
    )
    if without:
        jobs = output.counted(without, "job")
        found.append(f"{jobs} without a submit file got PRIORITY lines")
    return found
