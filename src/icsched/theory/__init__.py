"""The theory of IC-scheduling: shortcuts, blocks, priorities, duality and the order."""

from icsched.theory.blocks import BlockGroup, Kind, family_name
from icsched.theory.decompose import Decomposition, decompose
from icsched.theory.duality import dual_order
from icsched.theory.order import STRATEGIES, Analysis, Plan, Proof, prioritize
from icsched.theory.priority import (
    BlockProfile,
    NamedBlock,
    convolution,
    has_priority_by_theorem,
    has_priority_over,
    priority,
)
from icsched.theory.shortcuts import shortcuts, without_shortcuts
from icsched.theory.sums import interleaving

__all__ = [
    "STRATEGIES",
    "Analysis",
    "BlockGroup",
    "BlockProfile",
    "Decomposition",
    "Kind",
    "NamedBlock",
    "Plan",
    "Proof",
    "convolution",
    "decompose",
    "dual_order",
    "family_name",
    "has_priority_by_theorem",
    "has_priority_over",
    "interleaving",
    "prioritize",
    "priority",
    "shortcuts",
    "without_shortcuts",
]
