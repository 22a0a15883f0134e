"""What `icsched prio` prints."""

from icsched.answers.ordered import Ordered
from icsched.answers.prio import PrioAnswer
from icsched.answers.run_times import times_known
from icsched.orders import LimitedOrder
from icsched.render.charts import profile_chart
from icsched.render.compared import bars, lead_sentence
from icsched.render.notes import sentence, times_keys
from icsched.render.proofs import proof_keys, proof_sentence
from icsched.render.visible import named
from icsched.render.words import size

# For people only, so it is not among the notes in JSON; docs/dagman.md says why.
THROTTLE = (
    "submit with condor_submit_dag -maxjobs N, where N is near the number of slots:"
    " without a throttle, jobs may start out of order"
)


def text(found: PrioAnswer) -> str:
    """Return a report."""
    told = "".join(f"{named(sentence(note))}.\n" for note in found.notes)
    ordered = found.ordered
    if ordered is None:
        return _written(found, "restored") + told
    is_dagman = ordered.workflow.format == "dagman"
    advice = f"{THROTTLE}.\n" if found.written and ordered.gains and is_dagman else ""
    return _order(named(*found.files), ordered) + _written(found, "wrote") + told + advice


def _written(found: PrioAnswer, verb: str) -> str:
    lines = [
        f"{verb} {entry.file}" + (f", kept {entry.backup}" if entry.backup else "")
        for entry in found.written
    ]
    return "".join(f"{named(line)}\n" for line in lines)


def _order(file: str, ordered: Ordered) -> str:
    plan, dag = ordered.plan, ordered.plan.dag
    if not len(dag):
        return f"{file}: no jobs to order\n"
    ordered_by = f"ordered by {plan.ordered_by} in {sum(plan.seconds.values()):.2f} s"
    told = _lead(ordered) if ordered.limited is None else _cost(ordered, ordered.limited)
    return (
        f"{file}: {size(len(dag), dag.arc_count)}, {ordered_by}\n"
        f"{proof_sentence(plan.proof)}\n"
        f"\nEligible jobs from the first step to the last:\n{told}"
    )


def _lead(ordered: Ordered) -> str:
    """Draw an order beside first come, first served."""
    compared = ordered.compared
    return f"{bars(compared, compared.plan.ordered_by)}{lead_sentence(compared)}\n"


def _cost(ordered: Ordered, limited: LimitedOrder) -> str:
    """Draw an order within a limit beside the order without it, which may exceed the limit."""
    profiles = {
        "without the limit": ordered.free.schedule.eligible,
        "within memory": ordered.compared.eligible,
    }
    ratio = limited.area / ordered.free.schedule.area
    cost = f"It has {ratio:.2f} times as many eligible jobs on average as without the limit."
    return f"{profile_chart(profiles)}{cost}\n{_memory_sentence(limited)}\n"


def _memory_sentence(limited: LimitedOrder) -> str:
    """Say how much memory an order needs, and whether another order could do better."""
    used = f"at most {limited.memory:,} of {limited.limit:,} {limited.unit}"
    needs = f"Memory, if jobs run one at a time in this order: {used}"
    if limited.exact:
        return f"{needs}; no order within that has more eligible jobs on average (exact)."
    return f"{needs}; the best order found within that."


def keys(found: PrioAnswer) -> dict[str, object]:
    """Return the order and what was written as JSON shows them."""
    common = {
        "written": [{"file": entry.file, "backup": entry.backup} for entry in found.written],
        "notes": list(map(sentence, found.notes)),
    }
    return common if found.ordered is None else {**_order_keys(found.ordered), **common}


def _order_keys(ordered: Ordered) -> dict[str, object]:
    plan, names = ordered.plan, ordered.plan.schedule.names
    return {
        "jobs": len(plan.dag),
        "arcs": plan.dag.arc_count,
        "done": int(ordered.workflow.done.sum()),
        "ordered_by": plan.ordered_by,
        "run_times": times_keys(times_known(ordered.workflow)),
        "order": names,
        "priorities": {str(name): ordered.priorities[str(name)] for name in names},
        "eligible": ordered.compared.eligible.tolist(),
        "fifo_eligible": ordered.compared.fifo_eligible.tolist(),
        "proof": proof_keys(plan.proof),
        "area_ratio": None,
        "memory": ordered.memory,
        "seconds": {
            "read": ordered.read_seconds,
            "order": sum(plan.seconds.values()),
            **plan.seconds,
        },
    }
