"""Order a workflow's tasks so that unpredictable workers never leave empty-handed."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from icsched import families, sim, theory
    from icsched.dag import Dag
    from icsched.errors import (
        ArgumentError,
        ClusterError,
        CycleError,
        EngineError,
        FormatError,
        GameError,
        GraphError,
        IcschedError,
        LimitError,
        MemberError,
        MemoryLimitError,
        ScheduleError,
        SimulationError,
        StateError,
        UnknownTaskError,
    )
    from icsched.formats import read, write, write_dagman
    from icsched.orders import LimitedOrder, Plan, memory_curve, order_within, prioritize
    from icsched.pebble import (
        Comparison,
        Schedule,
        Verdict,
        area,
        compare,
        critical_path_order,
        eligibility_profile,
        enabled_profile,
        fifo_order,
        ic_optimal_order,
        level_order,
        lifo_order,
        maximum_area_order,
        memory_profile,
        optimal_profile,
        priority_order,
        random_order,
        verify,
    )
    from icsched.serve import (
        BatchedGame,
        BatchServer,
        ClientGame,
        Cluster,
        ClusterServer,
        IdealGame,
        Sorter,
        best_cluster,
        plan_clusters,
    )
    from icsched.sim import Pool, Simulation, Times, Workers, simulate
    from icsched.theory import Proof, lean_order
    from icsched.theory.batches import Batch, best_batch
    from icsched.workflow import Workflow

__all__ = [
    "ArgumentError",
    "Batch",
    "BatchServer",
    "BatchedGame",
    "ClientGame",
    "Cluster",
    "ClusterError",
    "ClusterServer",
    "Comparison",
    "CycleError",
    "Dag",
    "EngineError",
    "FormatError",
    "GameError",
    "GraphError",
    "IcschedError",
    "IdealGame",
    "LimitError",
    "LimitedOrder",
    "MemberError",
    "MemoryLimitError",
    "Plan",
    "Pool",
    "Proof",
    "Schedule",
    "ScheduleError",
    "Simulation",
    "SimulationError",
    "Sorter",
    "StateError",
    "Times",
    "UnknownTaskError",
    "Verdict",
    "Workers",
    "Workflow",
    "area",
    "best_batch",
    "best_cluster",
    "compare",
    "critical_path_order",
    "eligibility_profile",
    "enabled_profile",
    "families",
    "fifo_order",
    "ic_optimal_order",
    "lean_order",
    "level_order",
    "lifo_order",
    "maximum_area_order",
    "memory_curve",
    "memory_profile",
    "optimal_profile",
    "order_within",
    "plan_clusters",
    "prioritize",
    "priority_order",
    "random_order",
    "read",
    "sim",
    "simulate",
    "theory",
    "verify",
    "write",
    "write_dagman",
]

_HOMES = {  # where each export lives
    "icsched.dag": "Dag",
    "icsched.errors": """
        ArgumentError ClusterError CycleError EngineError FormatError GameError GraphError
        IcschedError LimitError MemberError MemoryLimitError ScheduleError SimulationError
        StateError UnknownTaskError
    """,
    "icsched.formats": "Workflow read read_workflow write_dagman",
    "icsched.orders": "LimitedOrder Plan memory_curve order_within prioritize",
    "icsched.pebble": """
        Comparison Schedule Verdict area compare critical_path_order eligibility_profile
        enabled_profile fifo_order ic_optimal_order level_order lifo_order maximum_area_order
        memory_profile optimal_profile priority_order random_order verify
    """,
    "icsched.serve": """
        BatchedGame BatchServer ClientGame Cluster ClusterServer IdealGame Sorter best_cluster
        plan_clusters residual
    """,
    "icsched.sim": "Pool Simulation Times Workers simulate",
    "icsched.theory": "Proof lean_order",
    "icsched.theory.batches": "Batch best_batch",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Import what is asked for, and keep it: `import icsched` alone costs next to nothing."""
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    elif name in __all__:
        value = import_module(f"icsched.{name}")
    else:
        raise AttributeError(f"module 'icsched' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
