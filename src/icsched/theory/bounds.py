"""Bounds that no order of a dag exceeds, with proofs, and the best orders found.

A profile is an array of counts: how many nonsources are enabled after 0, 1, 2, ... nonsinks have
run. Sinks enable nothing, so they run last. A bound is at least the profile of every order. An
order whose profile meets a bound at every step is IC-optimal.

Each `Step` says why a bound holds. The steps of a dag are a tree, whose leaves need no other bound.
`proof_of` and `steps_of` shorten the tree to a readable proof: rules, and names of parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.theory.analysis import Analysis, chain_of_blocks
from icsched.theory.blocks import Kind, family_name
from icsched.theory.envelopes import Envelope
from icsched.theory.pieces import Pieces
from icsched.theory.profiles import Counts
from icsched.theory.proof import EXACT, Chain, Link, Proof, ProofStep, Rule, Sign, Theorem


@dataclass(frozen=True, eq=False)
class BoundedOrder:
    """A dag with the best order found for it, and a bound.

    `order` has all nonsinks, first to run first. `reached` is its profile. `bound` is at least the
    profile of every order; `step` proves this.
    """

    dag: Dag
    order: Ids
    reached: Counts
    bound: Counts
    step: Step

    @property
    def is_met(self) -> bool:
        """Whether the order meets the bound at every step, so that it is IC-optimal."""
        return np.array_equal(self.reached, self.bound)


@dataclass(frozen=True, eq=False)
class Series:
    """Parts one after the other: every sink of a part is a parent of every source of the next.

    So a part starts when all earlier parts are done, and bounds follow one another. Each part comes
    with the id in the whole of each of its ids.
    """

    parts: tuple[tuple[Ids, BoundedOrder], ...]


@dataclass(frozen=True, eq=False)
class Sum:
    """Pieces side by side: each nonsink runs in one piece, and each nonsource counts in one piece.

    A piece has only the arcs from its runs to its counts. Without the other arcs a set of tasks
    enables the same or more. So the bound is the max-plus convolution of the bounds of the pieces.
    Equal pieces are bounded once.
    """

    pieces: tuple[tuple[Pieces, BoundedOrder], ...]


@dataclass(frozen=True, eq=False)
class Dual:
    """A bound that follows from a bound of the dag with all arcs reversed."""

    bounded: BoundedOrder


@dataclass(frozen=True, eq=False)
class Least:
    """Several bounds of the same dag; at each step the least of them."""

    bounds: tuple[BoundedOrder, ...]


@dataclass(frozen=True, eq=False)
class Without:
    """The bound of the dag without some arcs, which are rows of parent and child."""

    arcs: NDArray[np.int32]
    bounded: BoundedOrder


# "exact": all possible sets of executed tasks were visited. "tree": in a bipartite tree, the
# program of Malewicz and Rosenberg 2006 finds the best set of each size.
Leaf = Literal["exact", "tree"]

# An Analysis is a sum whose pieces are its blocks, all with IC-optimal orders. In an Envelope each
# enabled task distributes its gain among the tasks that it needs.
Step = Series | Sum | Analysis | Dual | Least | Without | Envelope | Leaf


MOST_PARTS = 12
MOST_DEPTH = 8


def proof_of(bounded: BoundedOrder) -> Proof:
    """Return the proof that the order of *bounded*, which meets its bound, is IC-optimal.

    >>> from icsched.theory.recursion import QUICK, bounded_order
    >>> proof_of(bounded_order(Dag({"a": [], "b": [], "c": ["a", "b"]}), QUICK)).steps.name
    'M(1,2)'
    """
    if bounded.step == "exact":
        return EXACT
    steps = steps_of(bounded)
    if steps.rule is Rule.BLOCKS:
        return Proof(Theorem.PARTS, steps.chain)
    return Proof(Theorem.PARTS, steps=steps)


def steps_of(bounded: BoundedOrder, depth: int = 0) -> ProofStep:
    """Return the steps that prove the bound of *bounded*, even if its order does not meet it."""
    if depth > MOST_DEPTH:
        return ProofStep(Rule.PART, name="...")
    dag = bounded.dag
    match bounded.step:
        case Series(parts):
            return _series_steps(parts, depth)
        case Sum(pieces) if pieces:
            steps = tuple(
                replace(steps_of(piece, depth + 1), count=len(copies))
                for copies, piece in pieces[:MOST_PARTS]
            )
            return ProofStep(Rule.SUM, parts=steps, is_cut=len(pieces) > MOST_PARTS)
        case Analysis() as analysis:
            return _block_steps(analysis)
        case Dual(part):
            return ProofStep(Rule.DUAL, parts=(steps_of(part, depth + 1),))
        case Without(_, part):
            return ProofStep(Rule.FEWER_ARCS, parts=(steps_of(part, depth + 1),))
        case Least(bounds):
            return ProofStep(Rule.LEAST, parts=tuple(steps_of(b, depth + 1) for b in bounds))
        case _ if not dag.arc_count:
            return ProofStep(Rule.PART, name=f"{len(dag)} {'task' if len(dag) == 1 else 'tasks'}")
        case leaf:
            kind = Kind.FOREST if leaf == "tree" else Kind.RULED
            return ProofStep(Rule.PART, name=family_name(dag, kind))


def _block_steps(analysis: Analysis) -> ProofStep:
    """Return the steps of the blocks: one after the other by priority, or else as a sum."""
    if analysis.is_linear and len(analysis.parts) > 1:
        return ProofStep(Rule.BLOCKS, chain=chain_of_blocks(analysis))
    groups = analysis.blocks
    if len(analysis.parts) == 1:
        return ProofStep(Rule.PART, name=groups[0].family)
    parts = tuple(ProofStep(Rule.PART, group.count, group.family) for group in groups[:MOST_PARTS])
    return ProofStep(Rule.SUM, parts=parts, is_cut=len(groups) > MOST_PARTS)


def _series_steps(parts: Sequence[tuple[Ids, BoundedOrder]], depth: int) -> ProofStep:
    """Return the parts and the junctions between them; blocks alone are a chain."""
    runs = groupby(_parts_and_junctions([part for _, part in parts], depth))
    shown = [(step, sum(1 for _ in equal)) for step, equal in islice(runs, MOST_PARTS + 1)]
    is_cut, shown = len(shown) > MOST_PARTS, shown[:MOST_PARTS]
    if any(step.rule not in {Rule.BLOCKS, Rule.PART} for step, _ in shown):
        steps = tuple(replace(step, count=count) for step, count in shown)
        return ProofStep(Rule.SERIES, parts=steps, is_cut=is_cut)
    links: list[Link] = []
    for step, count in shown:
        if step.chain is None:
            links.append(Link(step.name or "", count, Sign.SERIES))
        else:
            links += [
                *step.chain.links[:-1],
                replace(step.chain.links[-1], sign=Sign.SERIES),
            ] * count
    if not is_cut:
        links[-1] = replace(links[-1], sign=Sign.PRIORITY)
    return ProofStep(Rule.BLOCKS, chain=Chain(tuple(links), is_cut))


def _parts_and_junctions(parts: Sequence[BoundedOrder], depth: int) -> Iterator[ProofStep]:
    """Yield a step for each part that has arcs, and for each junction of two parts.

    A junction is the block in which all sources of the later part wait for all sinks of the part.
    """
    for part, later in zip(parts, [*parts[1:], None], strict=True):
        if part.dag.arc_count:
            yield steps_of(part, depth + 1)
        if later is not None:
            sources, sinks = len(part.dag.sinks), len(later.dag.sources)
            name = f"K({sources},{sinks})"
            if sources == 1:
                name = "N(1)" if sinks == 1 else f"W(1,{sinks})"
            elif sinks == 1:
                name = f"M(1,{sources})"
            yield ProofStep(Rule.PART, name=name)
