"""The order of a plan as plain dicts, in the form that other workflow engines take.

Each function takes a plan and returns something for each task name. icsched imports none of these
engines: a user hands the values over where the tasks are defined. docs/engines.md has an example
for each.
"""

from typing import TypedDict

from icsched import checks
from icsched.errors import ArgumentError
from icsched.graph_inputs import T
from icsched.orders import Plan

FEW_LEVELS = 32  # with more levels HyperQueue takes longer: 2.3 times as long if all are different


class ParslSpecification(TypedDict):
    """What ``parsl_resource_specification`` takes for a task."""

    priority: int


class AirflowArguments(TypedDict):
    """What an operator of Airflow takes, beside its own arguments."""

    priority_weight: int
    weight_rule: str


def hyperqueue_priorities(plan: Plan[T], *, levels: int = FEW_LEVELS) -> dict[T, int]:
    """Return the `priority` of each task for HyperQueue, where a larger one runs first.

    Tasks share at most *levels* levels, from *levels* - 1 down to 0, each with about as many tasks.
    Raises ArgumentError unless *levels* is at least 1.

    >>> from icsched import prioritize
    >>> hyperqueue_priorities(prioritize({"a": [], "b": ["a"], "c": ["a"]}, "fifo"), levels=2)
    {'a': 1, 'b': 1, 'c': 0}
    """
    names = _ordered(plan)
    most = checks.whole_number("levels", levels, least=1)
    used = min(most, len(names))
    return {name: used - 1 - place * used // len(names) for place, name in enumerate(names)}


def parsl_specifications(
    plan: Plan[T], *, higher_first: bool = False
) -> dict[T, ParslSpecification]:
    """Return the ``parsl_resource_specification`` of each task for Parsl.

    The HighThroughputExecutor runs a lower priority first. The executors of TaskVine and Work Queue
    run a higher one first: *higher_first* is for them.

    >>> from icsched import prioritize
    >>> parsl_specifications(prioritize({"a": [], "b": ["a"]}, "fifo"))
    {'a': {'priority': 1}, 'b': {'priority': 2}}
    """
    names = _ordered(plan)
    return {
        name: {"priority": len(names) - place if higher_first else place + 1}
        for place, name in enumerate(names)
    }


def luigi_priorities(plan: Plan[T]) -> dict[T, int]:
    """Return the `priority` of each task for Luigi, where a larger one runs first.

    Luigi raises the priority of a task to that of the tasks that need it. Here parents have larger
    priorities than their children, so Luigi raises none.

    >>> from icsched import prioritize
    >>> luigi_priorities(prioritize({"b": ["a"], "a": []}, "fifo"))
    {'a': 2, 'b': 1}
    """
    names = _ordered(plan)
    return {name: len(names) - place for place, name in enumerate(names)}


def airflow_arguments(plan: Plan[T]) -> dict[T, AirflowArguments]:
    """Return the arguments of each task's operator for Airflow, where a larger weight runs first.

    The weight rule "absolute" makes Airflow take weights as they are. Its own rule adds the weights
    of all tasks further down.

    >>> from icsched import prioritize
    >>> airflow_arguments(prioritize({"a": []}, "fifo"))
    {'a': {'priority_weight': 1, 'weight_rule': 'absolute'}}
    """
    return {
        name: {"priority_weight": weight, "weight_rule": "absolute"}
        for name, weight in luigi_priorities(plan).items()
    }


def _ordered(plan: Plan[T]) -> list[T]:
    if not isinstance(plan, Plan):
        raise ArgumentError(f"expected a Plan, as prioritize returns it, got {plan!r}")
    return plan.names
