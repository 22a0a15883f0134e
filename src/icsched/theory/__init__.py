"""The theory of IC-scheduling: shortcuts, blocks, priorities, duality, the order, and memory."""

from icsched.theory.blocks import BlockGroup, Kind, family_name
from icsched.theory.decompose import Decomposition, decompose
from icsched.theory.duality import dual_order
from icsched.theory.memory import (
    LimitedOrder,
    lean_fft_order,
    lean_mesh_order,
    lean_order,
    lean_tree_order,
    memory_curve,
    order_within,
)
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
    "LimitedOrder",
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
    "lean_fft_order",
    "lean_mesh_order",
    "lean_order",
    "lean_tree_order",
    "memory_curve",
    "order_within",
    "prioritize",
    "priority",
    "shortcuts",
    "without_shortcuts",
]
