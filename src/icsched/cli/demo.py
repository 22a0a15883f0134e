"""`icsched demo`: the guided tour."""

import sys

from icsched import families, pebble
from icsched.cli import output
from icsched.orders import prioritize
from icsched.pebble import Verdict


def demo() -> None:
    """Show what a good order does to a real workflow."""
    for part in (_airsn, _referee, _sdss):
        sys.stdout.write(part())
        sys.stdout.flush()


def _airsn() -> str:
    dag = families.airsn(250)
    plan = prioritize(dag)
    ours, fifo = plan.schedule.eligible, pebble.eligibility_profile(dag, dag.fifo_order)
    contest = pebble.compare(dag, plan.order, dag.fifo_order)
    return f"""\
AIRSN 250, a brain-imaging workflow: {len(dag)} jobs, {dag.arc_count} dependencies.
A worker that asks while no job is eligible leaves empty-handed. How many jobs are
eligible as the run goes on, from the first job (left) to the last (right)?

{output.charts({"first come, first served": fifo, "icsched": ours})}
{output.lead_sentence(contest, ours, fifo)}

"""


def _referee() -> str:
    small = families.airsn(6)
    orders = {
        "first come, first served": small.fifo_order,
        "longest path first": pebble.critical_path_order(small),
        "icsched": prioritize(small).order,
    }
    verdicts = {label: pebble.verify(small, order) for label, order in orders.items()}
    lines = [f"  {label:24}  {_finding(verdict)}\n" for label, verdict in verdicts.items()]
    head = f"Can any order do better? The exact referee on AIRSN 6 ({len(small)} jobs) says:\n"
    return head + "".join(lines) + "\n"


def _finding(verdict: Verdict) -> str:
    if verdict.ic_optimal:
        return "IC-optimal, nothing beats it at any step"
    jobs = output.counted(verdict.step or 0, "job")
    return f"after {jobs} it has {verdict.eligible} eligible, {verdict.best_eligible} are possible"


def _sdss() -> str:
    dag = families.sdss()
    jobs = len(prioritize(dag).order)
    return f"""\
SDSS, a search for galaxy clusters, has {jobs:,} jobs; it was ordered while you read this.

Next: icsched make airsn 250 -o airsn.dag, icsched show airsn.dag, icsched prio airsn.dag
"""
