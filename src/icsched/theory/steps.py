"""The steps behind the bound of a dag, as a proof: a short tree of rules and names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice

from icsched.dag import Dag
from icsched.theory.analysis import Analysis, chain_of_blocks
from icsched.theory.blocks import Kind, family_name
from icsched.theory.bounds import (
    Blocks,
    BoundedOrder,
    Copies,
    Dual,
    Exact,
    Least,
    Part,
    Series,
    Sum,
    Tree,
    Without,
)
from icsched.theory.proof import EXACT, Chain, Link, Proof, ProofStep, Rule, Sign, Theorem

MOST_PARTS = 12
MOST_DEPTH = 8


def proof_of(bounded: BoundedOrder) -> Proof:
    """Return the proof that the order of *bounded*, which meets its bound, is IC-optimal.

    >>> from icsched.theory.recursion import QUICK, bounded_order
    >>> proof_of(bounded_order(Dag({"a": [], "b": [], "c": ["a", "b"]}), QUICK)).steps.name
    'M(1,2)'
    """
    if isinstance(bounded.step, Exact):
        return EXACT
    steps = steps_of(bounded)
    if steps.rule is Rule.BLOCKS:
        return Proof(Theorem.PARTS, steps.chain)
    return Proof(Theorem.PARTS, steps=steps)


def steps_of(bounded: BoundedOrder, depth: int = 0) -> ProofStep:
    """Return why the bound of *bounded* holds, whether an order meets it or not.

    >>> from icsched.theory.recursion import QUICK, bounded_order
    >>> steps_of(bounded_order(Dag({"a": [], "b": [], "c": ["a", "b"]}), QUICK)).name
    'M(1,2)'
    """
    step = bounded.step
    if depth > MOST_DEPTH:
        return ProofStep(Rule.PART, name="...")
    match step:
        case Series(parts):
            return _series(parts, depth)
        case Sum(pieces) if pieces:
            return _sum(pieces, depth)
        case Blocks(analysis):
            return _blocks(analysis)
        case Dual(part):
            return ProofStep(Rule.DUAL, parts=(steps_of(part, depth + 1),))
        case Without(_, part):
            return ProofStep(Rule.FEWER_ARCS, parts=(steps_of(part, depth + 1),))
        case Least(bounds):
            return ProofStep(Rule.LEAST, parts=tuple(steps_of(b, depth + 1) for b in bounds))
    return ProofStep(Rule.PART, name=_name(bounded.dag, is_tree=isinstance(step, Tree)))


def _sum(pieces: Iterable[Copies], depth: int) -> ProofStep:
    """Return a step of several pieces, the first of them shown."""
    shown = list(islice(pieces, MOST_PARTS + 1))
    parts = tuple(
        replace(steps_of(copies.bounded, depth + 1), count=len(copies))
        for copies in shown[:MOST_PARTS]
    )
    return ProofStep(Rule.SUM, parts=parts, is_cut=len(shown) > MOST_PARTS)


def _series(parts: Sequence[Part], depth: int) -> ProofStep:
    """Return the parts and the junctions between them; blocks alone are a chain."""
    runs = groupby(_in_turn(parts, depth))
    shown = [(step, sum(1 for _ in equal)) for step, equal in islice(runs, MOST_PARTS + 1)]
    is_cut, shown = len(shown) > MOST_PARTS, shown[:MOST_PARTS]
    if all(step.rule in {Rule.BLOCKS, Rule.PART} for step, _ in shown):
        return ProofStep(Rule.BLOCKS, chain=Chain(tuple(_links(shown, is_cut=is_cut)), is_cut))
    steps = tuple(replace(step, count=count) for step, count in shown)
    return ProofStep(Rule.SERIES, parts=steps, is_cut=is_cut)


def _in_turn(parts: Sequence[Part], depth: int) -> Iterator[ProofStep]:
    """Yield a step for each part that has arcs, and for each junction of two parts."""
    for place, part in enumerate(parts):
        dag = part.bounded.dag
        if dag.arc_count:
            yield steps_of(part.bounded, depth + 1)
        if place + 1 < len(parts):
            name = _junction_name(len(dag.sinks), len(parts[place + 1].bounded.dag.sources))
            yield ProofStep(Rule.PART, name=name)


def _junction_name(sinks: int, sources: int) -> str:
    """Return the name of the block in which all of *sources* wait for all of *sinks*."""
    if sinks == 1:
        return "N(1)" if sources == 1 else f"W(1,{sources})"
    return f"M(1,{sinks})" if sources == 1 else f"K({sinks},{sources})"


def _links(shown: Sequence[tuple[ProofStep, int]], *, is_cut: bool) -> Iterator[Link]:
    """Yield the links of a chain whose parts follow one another in a series."""
    for place, (step, count) in enumerate(shown):
        is_last = place + 1 == len(shown) and not is_cut
        after = Sign.PRIORITY if is_last else Sign.SERIES
        if step.chain is None:
            yield Link(step.name or "", count, after)
            continue
        for _ in range(count):
            yield from step.chain.links[:-1]
            yield replace(step.chain.links[-1], sign=after)


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
        return f"{len(dag)} {'task' if len(dag) == 1 else 'tasks'}"
    return family_name(dag, Kind.FOREST if is_tree else Kind.RULED)
