"""Proofs in words: the sentence of reports and the strings of JSON."""

from math import floor
from typing import NamedTuple

from icsched.orders import Plan
from icsched.theory.proof import Chain, Link, Proof, ProofStep, Rule, Sign, Theorem

# Larger workflows, in jobs and dependencies together, are not compared: it would take seconds.
MOST_COMPARED = 200_000


class Certified(NamedTuple):
    """An order over a bound: the least and the mean ratio of all steps, and that of the areas."""

    min_ratio: float
    mean_ratio: float
    bound_area_ratio: float

    @property
    def is_ic_optimal(self) -> bool:
        """Whether the order meets the bound at every step."""
        return self.min_ratio == 1


def certified_plan(plan: Plan) -> Certified | None:
    """Compare a plan with a bound; None for a large workflow with an order that is not proved."""
    if plan.proof.is_ic_optimal:
        return Certified(1.0, 1.0, 1.0)
    if len(plan.order) + plan.schedule.dag.arc_count > MOST_COMPARED:
        return None
    found = plan.certificate
    return Certified(found.min_ratio, found.mean_ratio, found.area_ratio)


_THEOREM = {
    Theorem.BLOCKS: "theorem 2.1",
    Theorem.SUM_OF_TREES: "theorem 3.2",
    Theorem.EXACT: "exact",
    Theorem.PARTS: "bounds of parts",
}
_PAPER: dict[Theorem | None, str] = {
    Theorem.BLOCKS: "Cordasco et al. 2011, ",
    Theorem.SUM_OF_TREES: "Cordasco et al. 2007, ",
}
_BETWEEN = {Rule.SERIES: " | ", Rule.SUM: " + "}
_SIGN = {Sign.PRIORITY: " > ", Sign.SERIES: " | "}


def proof_keys(proof: Proof, certified: Certified | None = None) -> dict[str, object]:
    """Return a proof as JSON shows it, with the ratios of a certified bound if they are known.

    >>> proof_keys(Proof(Theorem.EXACT))["method"]
    'exact'
    """
    is_optimal = proof.is_ic_optimal or (certified is not None and certified.is_ic_optimal)
    met = "bound" if is_optimal and not proof.is_ic_optimal else None
    return {
        "status": "ic-optimal" if is_optimal else "unproved",
        "method": met or _method(proof),
        "chain": _shown(proof),
        **(certified._asdict() if certified else dict.fromkeys(Certified._fields)),
    }


def proof_sentence(proof: Proof, certified: Certified | None = None) -> str:
    """Say what is proved about an order, and how close it comes to a bound if that is known.

    >>> proof_sentence(Proof())
    'Nothing is proved about this order.'
    """
    share = "" if certified is None else certified_sentence(certified)
    if proof.no_order_is_ic_optimal:
        area = "; this one has the most eligible jobs on average"
        exact = f"No order is IC-optimal{area if proof.has_largest_area else ''} (exact)."
        return f"{exact}\n{share}" if share else exact
    if not proof.is_ic_optimal:
        return share or "Nothing is proved about this order."
    if proof.theorem is Theorem.BLOCKS and proof.chain == Chain(()):
        return "IC-optimal: all orders are alike, because no job waits for another."
    chain = f": {links}" if (links := _shown(proof)) else ""
    by = f"{_PAPER.get(proof.theorem, '')}{_method(proof)}{chain}"
    return f"IC-optimal, no order has more eligible jobs at any step ({by})."


def brief_sentence(proof: Proof, certified: Certified | None = None) -> str:
    """Say what is proved about an order, but not how an IC-optimal one was proved.

    >>> brief_sentence(Proof(Theorem.EXACT))
    'IC-optimal: no order has more eligible jobs at any step (proved).'
    """
    if proof.is_ic_optimal or (certified is not None and certified.is_ic_optimal):
        return "IC-optimal: no order has more eligible jobs at any step (proved)."
    return proof_sentence(proof, certified)


def unbounded(plan: Plan, certified: Certified | None) -> str:
    """Say that a large workflow was not compared with a bound; empty if it was."""
    if certified is not None or not len(plan.order):
        return ""
    return (
        " The workflow is too large to compare it with a bound here:"
        " icsched verify --write-certificate does that."
    )


def certified_sentence(certified: Certified) -> str:
    """Say how close an order comes to a bound that no order exceeds; no ratio is rounded up."""
    if certified.is_ic_optimal:
        return "IC-optimal, no order has more eligible jobs at any step (certified)."
    least, mean = percent(certified.min_ratio), percent(certified.mean_ratio)
    return (
        f"At every step at least {least} of the eligible jobs that any order could have,"
        f" {mean} on average (certified)."
    )


def percent(ratio: float) -> str:
    """Return a percentage that does not say more than *ratio*.

    >>> percent(0.9996), percent(0.931)
    ('99.9%', '93.1%')
    """
    return f"{floor(ratio * 1000 + 1e-9) / 10:.1f}%"


def _method(proof: Proof) -> str | None:
    if proof.theorem is None:
        return None
    none = ": no order is ic-optimal" if proof.no_order_is_ic_optimal else ""
    area = ", this has the largest area" if proof.has_largest_area else ""
    return f"{_THEOREM[proof.theorem]}{none}{area}"


def _shown(proof: Proof) -> str | None:
    if proof.steps is not None:
        return _step(proof.steps)
    return None if proof.chain is None else _chain(proof.chain)


def _step(step: ProofStep, inside: Rule | None = None) -> str:
    """Return the parts in the form A | B x 2 + dual(C), and `>` between blocks by priority.

    >>> leaf = ProofStep(Rule.PART, 2, "W(1,2)")
    >>> _step(ProofStep(Rule.SUM, parts=(leaf, ProofStep(Rule.DUAL, parts=(leaf,)))))
    'W(1,2) x 2 + dual(W(1,2) x 2)'
    """
    if step.rule is Rule.PART:
        text = step.name or ""
    elif step.rule is Rule.BLOCKS:
        text = _chain(step.chain or Chain(()))
    elif step.rule in _BETWEEN:
        text = _BETWEEN[step.rule].join(_step(part, step.rule) for part in step.parts)
        text += _BETWEEN[step.rule] + "..." if step.is_cut else ""
    else:
        inner = ", ".join(_step(part) for part in step.parts)
        text = inner if step.rule is Rule.FEWER_ARCS else f"{step.rule.name.lower()}({inner})"
    is_mixed = step.rule in {Rule.SERIES, Rule.SUM, Rule.BLOCKS} and any(c in text for c in "|+>")
    if is_mixed and (step.count > 1 or inside is not None):
        text = f"({text})"
    return text if step.count == 1 else f"{text} x {step.count}"


def _chain(chain: Chain) -> str:
    """Return the blocks in the form W(1,2) > W(2,2) x 3 > ..., with | in a series.

    >>> _chain(Chain((Link("W(1,2)", 2, Sign.PRIORITY), Link("N(1)", 1, Sign.PRIORITY))))
    'W(1,2) x 2 > N(1)'
    """
    text = "".join(_name(link) + _SIGN[link.sign] for link in chain.links)
    return text + "..." if chain.is_cut else text.removesuffix(_SIGN[Sign.PRIORITY])


def _name(link: Link) -> str:
    return link.block if link.count == 1 else f"{link.block} x {link.count}"
