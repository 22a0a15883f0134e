"""What `icsched batch` prints."""

from icsched.answers.batch import BatchAnswer
from icsched.render.known import done_line
from icsched.render.words import counted
from icsched.theory.batches import Guarantee, GuaranteeKind


def text(found: BatchAnswer) -> str:
    """Return the jobs, one on each line, and what is known about the choice."""
    return _choice(found) + done_line(found.resumed, "hand out")


def _choice(found: BatchAnswer) -> str:
    if not found.take:
        why = "all eligible jobs are running" if found.left else "all jobs are done"
        return f"no job is eligible: {why}\n"
    batch = found.batch
    after = f"{counted(batch.eligible_after, 'job')} eligible after them"
    names = "".join(f"{name}\n" for name in found.take)
    return f"{names}{after} ({batch.method}: {guarantee(batch.guarantee)})\n"


def keys(found: BatchAnswer) -> dict[str, object]:
    """Return the choice as JSON shows it."""
    return {
        "take": found.take,
        "eligible_after": found.batch.eligible_after,
        "method": found.batch.method,
        "guarantee": guarantee(found.batch.guarantee),
        "done": found.done,
        "left": found.left,
        "eligible": found.eligible,
        "running": found.running,
    }


def guarantee(found: Guarantee) -> str:
    """Return how good a batch is, in words."""
    if found.kind is GuaranteeKind.WITHIN:
        return f"{'time was up: ' * found.timed_out}within {found.gap} of the best"
    return {"exact": "exact", "half": "at least half of the best gain"}[found.kind.value]
