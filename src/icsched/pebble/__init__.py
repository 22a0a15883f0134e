"""The pebble game on a dag: orders, their profiles and the exact referee."""

from icsched.pebble.baselines import (
    RunTimes,
    checked_run_times,
    critical_path_order,
    fifo_order,
    level_order,
    lifo_order,
    priority_order,
    random_order,
    remaining_paths,
)
from icsched.pebble.profile import (
    Comparison,
    Profile,
    Schedule,
    area,
    check_order,
    checked_sizes,
    compare,
    eligibility_profile,
    enabled_profile,
    memory_profile,
)
from icsched.pebble.referee import (
    Verdict,
    ic_optimal_order,
    maximum_area_order,
    optimal_profile,
    verify,
)
from icsched.pebble.residual import HasOrder, Order

__all__ = [
    "Comparison",
    "HasOrder",
    "Order",
    "Profile",
    "RunTimes",
    "Schedule",
    "Verdict",
    "area",
    "check_order",
    "checked_run_times",
    "checked_sizes",
    "compare",
    "critical_path_order",
    "eligibility_profile",
    "enabled_profile",
    "fifo_order",
    "ic_optimal_order",
    "level_order",
    "lifo_order",
    "maximum_area_order",
    "memory_profile",
    "optimal_profile",
    "priority_order",
    "random_order",
    "remaining_paths",
    "verify",
]
