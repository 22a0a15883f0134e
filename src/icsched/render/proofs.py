"""Proofs in words: the sentence of reports and the strings of JSON."""

from icsched.theory.proof import Chain, Link, Proof, ProofStep, Rule, Sign, Theorem

_THEOREM = {
    Theorem.BLOCKS: "theorem 2.1",
    Theorem.SUM_OF_TREES: "theorem 3.2",
    Theorem.EXACT: "exact",
    Theorem.PARTS: "bounds of parts",
}
_BETWEEN = {Rule.SERIES: " | ", Rule.SUM: " + "}
_SIGN = {Sign.PRIORITY: " > ", Sign.SERIES: " | "}


def proof_keys(proof: Proof) -> dict[str, object]:
    """Return a proof as JSON shows it; shares of a certified bound are not computed yet.

    >>> proof_keys(Proof(Theorem.EXACT))["method"]
    'exact'
    """
    return {
        "status": "ic-optimal" if proof.is_ic_optimal else "unproved",
        "method": _method(proof),
        "chain": _shown(proof),
        "min_ratio": None,
        "mean_ratio": None,
    }


def proof_sentence(proof: Proof) -> str:
    """Say what is proved about an order.

    >>> proof_sentence(Proof())
    'Nothing is proved about this order.'
    """
    if proof.no_order_is_ic_optimal:
        area = "; this one has the most eligible jobs on average"
        return f"No order is IC-optimal{area if proof.has_largest_area else ''} (exact)."
    if not proof.is_ic_optimal:
        return "Nothing is proved about this order."
    links = _shown(proof)
    chain = f": {links}" if links else ""
    return f"IC-optimal, no order has more eligible jobs at any step ({_method(proof)}{chain})."


def _method(proof: Proof) -> str | None:
    if proof.theorem is None:
        return None
    name = _THEOREM[proof.theorem]
    if proof.no_order_is_ic_optimal:
        area = ", this has the largest area"
        return f"{name}: no order is ic-optimal{area if proof.has_largest_area else ''}"
    return name


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
