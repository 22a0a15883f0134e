"""`icsched demo`: the guided tour."""

import sys

import numpy as np

from icsched import families, pebble
from icsched.pebble import Profile, Schedule

_BARS = " ▁▂▃▄▅▆▇█"


def demo() -> None:
    """Show what a good order does to a real workflow."""
    sys.stdout.write(_tour())


def _tour() -> str:
    dag = families.airsn(250, "handle")
    fifo = Schedule(dag, pebble.fifo_order(dag))
    better = Schedule(dag, pebble.critical_path_order(dag))
    contest = pebble.compare(dag, better.order, fifo.order)
    step, lead = contest.largest_lead
    ceiling = int(max(better.eligible.max(), fifo.eligible.max()))
    return f"""\
AIRSN 250, a brain-imaging workflow: {len(dag)} jobs, {dag.arc_count} dependencies.
A worker that asks while no job is eligible leaves empty-handed. How many jobs are
eligible as the run goes on, from the first job (left) to the last (right)?

  first come, first served  {_chart(fifo.eligible, ceiling)}
  longest path first        {_chart(better.eligible, ceiling)}

After {step} jobs the first has {fifo.eligible[step]} eligible, the second \
{better.eligible[step]}: {lead} more.
The second is {"never" if contest.never_below else "sometimes"} behind, and has \
{contest.area_ratio:.2f} times as many eligible on average.

{_referee_says()}
Next: icsched make --list, icsched make airsn 250 -o airsn.dag, icsched --help
"""


def _chart(profile: Profile, ceiling: int, *, columns: int = 48) -> str:
    """Draw a profile as one row of bars; each column shows its lowest step, where runs stall."""
    lowest = [part.min() for part in np.array_split(profile[:-1], columns)]
    return "".join(_BARS[-(-int(low) * 8 // ceiling)] for low in lowest)


def _referee_says() -> str:
    small = families.airsn(6, "handle")
    orders = {
        "first come, first served": pebble.fifo_order(small),
        "longest path first": pebble.critical_path_order(small),
    }
    lines = [f"Can any order do better? The exact referee on AIRSN 6 ({len(small)} jobs) says:"]
    for label, order in orders.items():
        verdict = pebble.verify(small, order)
        finding = (
            "IC-optimal, nothing beats it at any step"
            if verdict.ic_optimal
            else f"not optimal: after {verdict.step} jobs {verdict.eligible} are eligible,"
            f" {verdict.best_eligible} would be possible"
        )
        lines.append(f"  {label:24}  {finding}")
    return "\n".join(lines) + "\n"
