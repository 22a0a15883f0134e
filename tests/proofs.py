"""Proofs in short, for tests."""

from icsched import Plan
from icsched.report.proofs import proof_keys


def chain_of(plan: Plan) -> object:
    """Return the chain of blocks that proves a plan, as JSON has it."""
    return proof_keys(plan.proof)["chain"]
