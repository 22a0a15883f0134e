"""What `icsched prio` prints."""

from collections.abc import Sequence
from difflib import unified_diff

from icsched.answers import notes
from icsched.answers.changes import distinct
from icsched.answers.checked import Lack, Stale
from icsched.answers.ordered import Ordered
from icsched.answers.prio import PrioAnswer
from icsched.answers.run_times import times_known
from icsched.files import Change
from icsched.formats.access import is_table
from icsched.orders import Choice, LimitedOrder
from icsched.render.cautions import caution_text
from icsched.render.choice import ALL_ZERO, UNTIMED, choice_text
from icsched.render.compared import lead_sentence
from icsched.render.known import times_keys
from icsched.render.notes import sentence
from icsched.render.proofs import brief_sentence, proof_keys, unbounded
from icsched.render.visible import named
from icsched.render.words import counted, size

# For people only, so it is not among the notes in JSON; docs/dagman.md says why.
THROTTLE = (
    "submit with condor_submit_dag -maxjobs N, where N is near the most slots that you get:"
    " without a throttle, jobs may start out of order, and a smaller N leaves slots idle"
)


def text(found: PrioAnswer) -> str:
    """Return a report."""
    told = "".join(f"{named(sentence(note))}.\n" for note in found.notes)
    ordered = found.ordered
    if ordered is None:
        return _written(found, "restored") + told
    is_dagman = ordered.workflow.format == "dagman"
    is_written = any(not is_table(entry.file) for entry in found.written)
    has_order = is_written and ordered.gains and not ordered.removes_sections
    advice = f"{THROTTLE}.\n" if has_order and is_dagman else ""
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
    ordered_by = f"ordered by {plan.ordered_by} in {ordered.order_seconds:.2f} s"
    compared, limited = ordered.compared, ordered.limited
    lead = f"{lead_sentence(compared)}\n" if limited is None else _cost(ordered, limited)
    choice = ordered.choice
    chosen = _chosen(ordered, choice) if choice else ""
    return (
        f"{file}: {size(len(dag), dag.arc_count)}, {ordered_by}\n"
        f"{chosen}"
        f"{brief_sentence(plan.proof, compared.certified)}{unbounded(compared)}\n{lead}"
    )


def _chosen(ordered: Ordered, choice: Choice) -> str:
    has_section = bool(ordered.sections)
    told = choice_text(
        choice,
        ordered.choice_without_section,
        has_section=has_section,
        cautions=caution_text(ordered.cautions),
    )
    if choice.is_timed:
        return told
    return f"{told}{UNTIMED if ordered.workflow.run_times is None else ALL_ZERO}\n"


def _cost(ordered: Ordered, limited: LimitedOrder) -> str:
    """Compare an order within a limit with the order without it, which may exceed the limit."""
    ratio = limited.area / ordered.free.schedule.area
    cost = f"It has {ratio:.2f} times as many eligible jobs on average as without the limit."
    return f"{cost}\n{_memory_sentence(limited)}\n"


def _memory_sentence(limited: LimitedOrder) -> str:
    """Say how much memory an order needs, and whether another order could do better."""
    used = f"at most {limited.memory:,} of {limited.limit:,} {limited.unit}"
    needs = f"Memory, if jobs run one at a time in this order: {used}"
    if limited.exact:
        return f"{needs}; no order within that has more eligible jobs on average (exact)."
    return f"{needs}; the best order found within that."


def diff(found: PrioAnswer) -> str:
    """Return what would be changed, as the program diff shows it."""
    return "".join(_diff(change) for change in distinct(found.changes) if not change.is_none)


def _diff(change: Change) -> str:
    old, new = (_lines(data) for data in (change.old, change.new))
    before = change.path if change.old is not None else "/dev/null"
    after = change.path if change.new is not None else "/dev/null"
    lines = unified_diff(old, new, before, after)
    missing = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else line + missing for line in lines)


def _lines(data: bytes | None) -> list[str]:
    """Return lines with their ends; a carriage return or a form feed does not end a line."""
    text = (data or b"").decode(errors="surrogateescape")
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [
        line for line in text.split("\n")[-1:] if line
    ]


def up_to_date(found: PrioAnswer) -> str:
    """Say that nothing would be written, and why."""
    left = [sentence(note) for note in found.notes if isinstance(note, notes.NotWorthIt)]
    why = (
        left[0]
        if left
        else f"{', '.join(found.files)}: the order in it is what icsched writes with these options"
    )
    return f"{named(why)}.\n"


_LACKS = {
    Lack.OTHER_LINES: "with these options icsched writes other lines",
    Lack.NO_ORDER: "it does not have this order",
    Lack.NEEDLESS_SECTION: "its section of icsched's is no longer needed",
    Lack.NEEDLESS_FILE: "it is no longer needed",
}


def _problem(stale: Stale) -> str:
    return "; ".join(stale.problems) if stale.lack is Lack.OUT_OF_DATE else _LACKS[stale.lack]


def stale_sentence(stale: Sequence[Stale], again: str) -> str:
    """Say what is wrong with the first file, and how many others there are.

    *again* is the command that writes all of them.
    """
    others = f" ({counted(len(stale) - 1, 'other file')} too)" if len(stale) > 1 else ""
    if stale[0].line is None:
        return f"does not have this order; --in-place would write it{others}"
    first = f"icsched's section is not what would be written now: {_problem(stale[0])}"
    if stale[0].lack is Lack.OTHER_LINES:
        same = (
            "if other options wrote the section (--workers, --run-times, --order), repeat them here"
        )
        return f"{first}; {same}; to write the section again: {again}{others}"
    return f"{first}; run {again}{others}"


def looked_keys(found: PrioAnswer) -> dict[str, object]:
    """Return the order and what would be written as JSON shows them."""
    return {
        **keys(found),
        "diff": diff(found),
        "stale": [
            {"file": each.path, "line": each.line, "problem": _problem(each)}
            for each in found.stale
        ],
    }


def keys(found: PrioAnswer) -> dict[str, object]:
    """Return the order and what was written as JSON shows them."""
    cautions = () if found.ordered is None else found.ordered.cautions
    common = {
        "written": [{"file": entry.file, "backup": entry.backup} for entry in found.written],
        "notes": [*map(sentence, cautions), *map(sentence, found.notes)],
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
        "proof": proof_keys(plan.proof, ordered.compared.certified),
        "area_ratio": ordered.compared.contest.area_ratio,
        "choice": _choice_keys(ordered.choice),
        "choice_without_section": _choice_keys(ordered.choice_without_section),
        "memory": ordered.memory,
        "seconds": {"read": ordered.read_seconds, "order": ordered.order_seconds},
    }


def _choice_keys(choice: Choice | None) -> dict[str, object] | None:
    return choice.to_dict() if choice else None
