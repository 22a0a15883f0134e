"""Put the tasks of a workflow in an order that keeps workers busy."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
    from icsched import families, pebble, sim, theory
    from icsched.dag import Dag
    from icsched.errors import (
        ArgumentError,
        CycleError,
        EngineError,
        FormatError,
        GraphError,
        IcschedError,
        RunError,
    )
    from icsched.formats import read, write
    from icsched.history import read_run_times
    from icsched.orders import LimitedOrder, Plan, order_within, prioritize, simulate
    from icsched.pebble import Schedule, eligibility_profile, verify
    from icsched.run_times import RunTimeTable
    from icsched.serve import (
        BatchServer,
        Cluster,
        ClusterServer,
        Sorter,
        best_cluster,
        plan_clusters,
    )
    from icsched.sim import HTCondor, Machine, Machines, Pool, Simulation, Times, Workers
    from icsched.theory import Batch, Proof, best_batch
    from icsched.theory.certificate import bound
    from icsched.workflow import Workflow

__all__ = [
    "ArgumentError",
    "Batch",
    "BatchServer",
    "Cluster",
    "ClusterServer",
    "CycleError",
    "Dag",
    "EngineError",
    "FormatError",
    "GraphError",
    "HTCondor",
    "IcschedError",
    "LimitedOrder",
    "Machine",
    "Machines",
    "Plan",
    "Pool",
    "Proof",
    "RunError",
    "RunTimeTable",
    "Schedule",
    "Simulation",
    "Sorter",
    "Times",
    "Workers",
    "Workflow",
    "best_batch",
    "best_cluster",
    "bound",
    "eligibility_profile",
    "families",
    "order_within",
    "pebble",
    "plan_clusters",
    "prioritize",
    "read",
    "read_run_times",
    "sim",
    "simulate",
    "theory",
    "verify",
    "write",
]

_HOMES = {  # where each export lives
    "icsched.dag": "Dag",
    "icsched.errors": (
        "ArgumentError CycleError EngineError FormatError GraphError IcschedError RunError"
    ),
    "icsched.formats": "read write",
    "icsched.history": "read_run_times",
    "icsched.orders": "LimitedOrder Plan order_within prioritize simulate",
    "icsched.pebble": "Schedule eligibility_profile verify",
    "icsched.run_times": "RunTimeTable",
    "icsched.serve": "BatchServer Cluster ClusterServer Sorter best_cluster plan_clusters",
    "icsched.sim": "HTCondor Machine Machines Pool Simulation Times Workers",
    "icsched.theory": "Batch Proof best_batch",
    "icsched.theory.certificate": "bound",
    "icsched.workflow": "Workflow",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
_PACKAGES = frozenset(
    [
        "audit",
        "errors",
        "families",
        "formats",
        "history",
        "orders",
        "pebble",
        "serve",
        "sim",
        "study",
        "theory",
    ]
)


def __getattr__(name: str) -> object:
    """Import an export on first use, so that `import icsched` is fast."""
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    elif name in _PACKAGES:
        value = import_module(f"icsched.{name}")
    elif name == "__version__":
        value = import_module("importlib.metadata").version("icsched")
    else:
        raise AttributeError(f"module 'icsched' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
