"""What `icsched verify` prints."""

from icsched.answers.verify import VerifyAnswer
from icsched.render.visible import named
from icsched.render.words import counted


def text(found: VerifyAnswer) -> str:
    """Return the verdict as a sentence."""
    verdict = found.verdict
    if found.better is None:
        jobs = counted(found.jobs, "job")
        order = f"no order of {named(found.file)} ({jobs})"
        return f"IC-optimal: {order} has more eligible jobs at any step\n"
    better = ", ".join(map(str, found.better))
    return (
        f"not IC-optimal: after {counted(verdict.step or 0, 'job')} this order has"
        f" {verdict.eligible:,} eligible, but {verdict.best_eligible:,} are possible by running"
        f" {better} first\n"
    )


def keys(found: VerifyAnswer) -> dict[str, object]:
    """Return the verdict as JSON shows it."""
    verdict = found.verdict
    return {
        "jobs": found.jobs,
        "arcs": found.arcs,
        "ordered_by": found.ordered_by,
        "ic_optimal": verdict.ic_optimal,
        "step": verdict.step,
        "eligible": verdict.eligible,
        "best_eligible": verdict.best_eligible,
        "better": found.better,
    }
