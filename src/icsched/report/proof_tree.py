"""What is proved about the order of a report, as a tree of sentences."""

from collections.abc import Callable, Iterator

from icsched.report.proofs import proof_sentence, unbounded
from icsched.report.subject import Keys, Subject
from icsched.theory.proof import Chain, ProofStep, Rule, Sign, Theorem

_REASONS = {
    Theorem.BLOCKS: "It runs one block after the other, and each block has priority over the next."
    " Such an order is IC-optimal (Cordasco, Rosenberg and Sims 2011, theorem 2.1).",
    Theorem.SUM_OF_TREES: "The workflow is trees side by side, and the order takes the best part of"
    " a tree each time. Such an order is IC-optimal (Cordasco, Malewicz and Rosenberg 2007, theorem"
    " 3.2).",
    Theorem.EXACT: "Every set of tasks that can have run was looked at.",
    Theorem.PARTS: "It meets a bound that follows from bounds of its parts.",
}

_RULES = {
    Rule.SERIES: "These parts run one after the other: every task of a part waits for all tasks"
    " of the part before. So the best of each part, in turn, is the best of all.",
    Rule.SUM: "These pieces lie side by side, and no task waits for a task of another piece. No"
    " order enables more tasks than the best mixture of the pieces.",
    Rule.DUAL: "With all arcs reversed this is the part below. A bound of one follows from a bound"
    " of the other.",
    Rule.LEAST: "Each part below is a bound of the same tasks. At every step the least of them"
    " holds.",
    Rule.FEWER_ARCS: "The part below has the same tasks and fewer arcs. Fewer arcs never enable"
    " fewer tasks, so its bound holds here too.",
    Rule.BLOCKS: "An order that meets the bound runs these blocks in this order. Each one has"
    " priority over the next: to run it first never leaves fewer eligible tasks at any step. Or the"
    " next one waits for all of it.",
    Rule.PART: "The bound of this part comes from a theorem about its shape, from looking at every"
    " set of tasks that can have run, or from maximum flows, which may leave room below it.",
}
_LINKS = {
    Sign.PRIORITY: "This block has priority over the next one.",
    Sign.SERIES: "All tasks of the next block wait for all tasks of this one.",
}
_SHAPES = {
    "N": "a zigzag of {0} tasks, each with its own child and that of its neighbour",
    "W": "{0} tasks with {1} children each, neighbours share one",
    "M": "{0} tasks with {1} parents each, neighbours share one",
    "C": "a ring of {0} tasks and their children",
    "K": "{1} tasks that all wait for the same {0} tasks",
    "Clique": "{0} tasks, each two of them with one child",
    "Clique*": "{0} tasks, each two of them with one parent",
    "T": "a tree of {0} tasks and {1} children",
    "B": "{0} tasks and {1} children",
    "G": "{0} tasks",
}


def proof_keys(subject: Subject, why: ProofStep | None) -> Keys:
    """Return what is proved about the order "auto", and *why* the ceiling holds."""
    certified, proof = subject.certified, subject.plan.proof
    is_optimal = proof.is_ic_optimal or (certified is not None and certified.is_ic_optimal)
    if proof.is_ic_optimal and proof.theorem is not None:
        optimal = "IC-optimal: no order has more eligible tasks at any step."
        words = f"{optimal} {_REASONS[proof.theorem]}"
    else:
        words = proof_sentence(proof, certified) + unbounded(subject.plan, certified)
    least, mean, area = certified or (None, None, None)
    return {
        "status": "ic-optimal" if is_optimal else "unproved",
        "words": subject.called(words),
        "min_ratio": least,
        "mean_ratio": mean,
        "area_ratio": area,
        "tree": None if why is None else _branch(why, subject.called),
        "is_cut": why is not None and _is_cut(why),
    }


def _branch(step: ProofStep, called: Callable[[str], str] = str) -> Keys:
    """Return a step with its parts; *called* puts the file's word for a task into a sentence."""
    parts = [_branch(part, called) for part in _flat(step)]
    return {
        "rule": step.rule.name.lower().replace("_", "-"),
        "words": called(_RULES[step.rule]),
        "name": called(shape_words(step.name)) if step.name else None,
        "count": step.count,
        "parts": _links(step.chain, called) if step.chain else parts,
    }


def _flat(step: ProofStep) -> Iterator[ProofStep]:
    """Yield the parts of a step; a part with the same rule gives its own parts instead.

    A sum of sums is a sum, and so for parts in series and for the least of bounds.
    """
    for part in step.parts:
        is_same = part.rule is step.rule and step.rule in (Rule.SUM, Rule.SERIES, Rule.LEAST)
        if is_same and part.count == 1 and not part.name:
            yield from _flat(part)
        else:
            yield part


def _links(chain: Chain, called: Callable[[str], str]) -> list[Keys]:
    last = None if chain.is_cut else chain.links[-1]
    return [
        {
            "rule": "block",
            "words": called("This block is the last one." if link is last else _LINKS[link.sign]),
            "name": called(shape_words(link.block)),
            "count": link.count,
            "parts": [],
        }
        for link in chain.links
    ]


def shape_words(name: str) -> str:
    """Return the name of a block with its meaning.

    >>> shape_words("W(1,250)")
    'W(1,250): one task with 250 children'
    """
    family, _, numbers = name.removesuffix(")").partition("(")
    if family not in _SHAPES or not numbers:
        return name
    if numbers == "1" and family == "N":
        return f"{name}: one task with one child"
    first, _, second = numbers.partition(",")
    if first == "1" and family in "WM":
        ends = "children" if family == "W" else "parents"
        return f"{name}: one task with {second} {ends}"
    return f"{name}: {_SHAPES[family].format(first, second)}"


def _is_cut(step: ProofStep) -> bool:
    """Whether a part of the tree is left out."""
    own = step.is_cut or (step.chain is not None and step.chain.is_cut) or step.name == "..."
    return own or any(map(_is_cut, step.parts))
