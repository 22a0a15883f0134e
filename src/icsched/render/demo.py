"""What `icsched demo` prints at each stop of the tour."""

from icsched.answers.demo import Airsn, Judged, Sdss, Stop
from icsched.pebble import Verdict
from icsched.render.compared import bars, lead_sentence
from icsched.render.words import counted


def text(stop: Stop) -> str:
    """Return the text of one stop of the tour."""
    if isinstance(stop, Airsn):
        return _airsn(stop)
    return _judged(stop) if isinstance(stop, Judged) else _sdss(stop)


def _airsn(stop: Airsn) -> str:
    dag = stop.compared.plan.dag
    return f"""\
AIRSN 250, a brain-imaging workflow: {len(dag)} jobs, {dag.arc_count} dependencies.
A worker that asks while no job is eligible leaves empty-handed. How many jobs are
eligible as the run goes on, from the first job (left) to the last (right)?

{bars(stop.compared, "prio")}
{lead_sentence(stop.compared)}

"""


def _judged(stop: Judged) -> str:
    lines = [f"  {label:24}  {_finding(verdict)}\n" for label, verdict in stop.verdicts.items()]
    head = f"Can any order do better? The exact referee on AIRSN 6 ({stop.jobs} jobs) says:\n"
    return head + "".join(lines) + "\n"


def _finding(verdict: Verdict) -> str:
    if verdict.ic_optimal:
        return "IC-optimal, nothing beats it at any step"
    jobs = counted(verdict.step or 0, "job")
    return f"after {jobs} it has {verdict.eligible} eligible, {verdict.best_eligible} are possible"


def _sdss(stop: Sdss) -> str:
    return f"""\
SDSS, a search for galaxy clusters, has {stop.jobs:,} jobs; it was ordered while you read this.

Next: icsched make airsn 250 -o airsn.dag, icsched show airsn.dag, icsched prio airsn.dag
"""
