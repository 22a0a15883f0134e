"""What `icsched verify` prints."""

from icsched.answers.verify import VerifyAnswer
from icsched.render.proofs import certified_sentence, ratio_keys
from icsched.render.visible import named
from icsched.render.words import counted


def text(found: VerifyAnswer) -> str:
    """Return the verdict as a sentence, and how close the order comes to a bound."""
    verdict, tested = found.verdict, f"the order {named(found.ordered_by)}"
    if verdict is not None and verdict.ic_optimal:
        jobs = counted(found.jobs, "job")
        order = f"no order of {named(found.file)} ({jobs})"
        return f"IC-optimal: {order} has more eligible jobs at any step than {tested}\n"
    share = f"{certified_sentence(found.certified)}\n" if found.certified else ""
    if verdict is None:
        return f"not decided: whether {tested} is IC-optimal; {found.undecided}\n{share}"
    better = ", ".join(map(str, found.better or ()))
    none = "No order is IC-optimal (exact).\n" if found.no_order_is_ic_optimal else ""
    return (
        f"not IC-optimal: after {counted(verdict.step or 0, 'job')} {tested} has"
        f" {verdict.eligible:,} eligible, but {verdict.best_eligible:,} are possible by running"
        f" {better} first\n{none}{share}"
    )


def keys(found: VerifyAnswer) -> dict[str, object]:
    """Return the verdict as JSON shows it."""
    verdict = found.verdict
    return {
        "jobs": found.jobs,
        "arcs": found.arcs,
        "ordered_by": found.ordered_by,
        "ic_optimal": verdict and verdict.ic_optimal,
        "step": verdict and verdict.step,
        "eligible": verdict and verdict.eligible,
        "best_eligible": verdict and verdict.best_eligible,
        "better": found.better,
        **ratio_keys(found.certified),
    }
