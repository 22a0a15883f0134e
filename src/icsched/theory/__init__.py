"""The theory of IC-scheduling: shortcuts, blocks, priorities, duality, bounds, batches, memory."""

from importlib import import_module
from typing import TYPE_CHECKING

from icsched.theory.analysis import (
    Analysis,
    analyse,
    confirmed,
    proved_by_theorem,
    settled_by_referee,
)
from icsched.theory.blocks import (
    BlockGroup,
    Decomposition,
    Kind,
    decompose,
    family_name,
    shortcuts,
    without_shortcuts,
)
from icsched.theory.memory import lean_order
from icsched.theory.proof import Chain, Link, Proof, ProofStep, Rule, Sign, Theorem
from icsched.theory.strategies import (
    diagonal_shell_order,
    dual_order,
    is_parent_oriented,
    square_shell_order,
)

if TYPE_CHECKING:
    from icsched.theory.batch import (
        Batch,
        batch_can_gain,
        best_batch,
        has_small_union,
        small_union_dag,
    )
    from icsched.theory.priorities import (
        BlockProfile,
        has_dual_priority_over,
        has_priority_over,
        interleaving,
        priority,
    )
    from icsched.theory.reticulation import (
        best_profile,
        closure,
        has_persistent_priority_over,
        is_reticulated,
        is_universal_donor,
    )

__all__ = [
    "Analysis",
    "Batch",
    "BlockGroup",
    "BlockProfile",
    "Chain",
    "Decomposition",
    "Kind",
    "Link",
    "Proof",
    "ProofStep",
    "Rule",
    "Sign",
    "Theorem",
    "analyse",
    "batch_can_gain",
    "best_batch",
    "best_profile",
    "closure",
    "confirmed",
    "decompose",
    "diagonal_shell_order",
    "dual_order",
    "family_name",
    "has_dual_priority_over",
    "has_persistent_priority_over",
    "has_priority_over",
    "has_small_union",
    "interleaving",
    "is_parent_oriented",
    "is_reticulated",
    "is_universal_donor",
    "lean_order",
    "priority",
    "proved_by_theorem",
    "settled_by_referee",
    "shortcuts",
    "small_union_dag",
    "square_shell_order",
    "without_shortcuts",
]

_ROOMS = {  # rooms that no order needs: each is imported when one of its names is used
    "batch": "Batch batch_can_gain best_batch has_small_union small_union_dag",
    "priorities": ("BlockProfile has_dual_priority_over has_priority_over interleaving priority"),
    "reticulation": (
        "best_profile closure has_persistent_priority_over is_reticulated is_universal_donor"
    ),
}


def __getattr__(name: str) -> object:
    for room, names in _ROOMS.items():
        if name in names.split():
            return getattr(import_module(f"icsched.theory.{room}"), name)
    raise AttributeError(f"module 'icsched.theory' has no attribute {name!r}")
