"""The pebble game on a dag: orders, their profiles and the exact referee."""

from icsched.pebble.orders import (
    checked_run_times,
    critical_path_order,
    fifo_order,
    level_order,
    lifo_order,
    priority_order,
    random_order,
)
from icsched.pebble.profile import (
    Comparison,
    Order,
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

__all__ = [
    "Comparison",
    "Order",
    "Profile",
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
    "verify",
]
