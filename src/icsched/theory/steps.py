"""The steps that settled a dag as a proof: a short tree of rules and names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby, islice

from icsched.dag import Dag
from icsched.theory.analysis import Analysis
from icsched.theory.blocks import Kind, family_name
from icsched.theory.conclusion import chain_of_blocks
from icsched.theory.proof import EXACT, Proof, ProofStep, Rule, Theorem
from icsched.theory.settled import Blocks, Dual, Exact, Least, Series, Settled, Sum, Tree, Without

MOST_PARTS = 12
MOST_DEPTH = 8


def proof_of(settled: Settled) -> Proof:
    """Return the proof that the order of *settled*, which meets its bound, is IC-optimal.

    >>> from icsched.theory.settle import QUICK, settle
    >>> proof_of(settle(Dag({"a": [], "b": [], "c": ["a", "b"]}), QUICK)).steps.name
    'M(1,2)'
    """
    if isinstance(settled.step, Exact):
        return EXACT
    return Proof(Theorem.PARTS, steps=_step(settled, 0))


def _step(settled: Settled, depth: int) -> ProofStep:
    step = settled.step
    if depth > MOST_DEPTH:
        return ProofStep(Rule.PART, name="...")
    match step:
        case Series(parts):
            kept = [part.settled for part in parts if len(part.settled.dag) > 1]
            equal = ((next(group), 1 + sum(1 for _ in group)) for _, group in groupby(kept, id))
            return _several(Rule.SERIES, equal, depth)
        case Sum(pieces) if pieces:
            equal = ((piece.settled, len(piece.tasks)) for piece in pieces)
            return _several(Rule.SUM, equal, depth)
        case Blocks(analysis):
            return _blocks(analysis)
        case Dual(part):
            return ProofStep(Rule.DUAL, parts=(_step(part, depth + 1),))
        case Without(_, part):
            return ProofStep(Rule.FEWER_ARCS, parts=(_step(part, depth + 1),))
        case Least(bounds):
            return ProofStep(Rule.LEAST, parts=tuple(_step(b, depth + 1) for b in bounds))
    return ProofStep(Rule.PART, name=_name(settled.dag, is_tree=isinstance(step, Tree)))


def _several(rule: Rule, equal: Iterable[tuple[Settled, int]], depth: int) -> ProofStep:
    """Return a step of several parts, the first of them shown; one part stands for itself."""
    shown = list(islice(equal, MOST_PARTS + 1))
    parts = tuple(
        replace(_step(part, depth + 1), count=count) for part, count in shown[:MOST_PARTS]
    )
    if rule is Rule.SERIES and len(parts) == 1 and parts[0].count > 1:
        parts = replace(parts[0], count=1), replace(parts[0], count=parts[0].count - 1)
    return ProofStep(rule, parts=parts, is_cut=len(shown) > MOST_PARTS)


def _blocks(analysis: Analysis) -> ProofStep:
    """Return the blocks: one after the other by priority, or else as a sum."""
    groups = analysis.blocks
    if len(groups) == 1 and groups[0].count == 1:
        return ProofStep(Rule.PART, name=groups[0].family)
    if analysis.is_linear:
        return ProofStep(Rule.BLOCKS, chain=chain_of_blocks(analysis))
    parts = tuple(ProofStep(Rule.PART, group.count, group.family) for group in groups[:MOST_PARTS])
    return ProofStep(Rule.SUM, parts=parts, is_cut=len(groups) > MOST_PARTS)


def _name(dag: Dag, *, is_tree: bool) -> str:
    """Return the name of a part that no block names."""
    if not dag.arc_count:
        return f"{len(dag)} tasks"
    return family_name(dag, Kind.FOREST if is_tree else Kind.RULED)
