"""What `icsched demo` prints at each stop of the tour."""

from icsched.answers.demo import Airsn, Gained, Judged, Sdss, Stop
from icsched.pebble import Verdict
from icsched.render.charts import profile_chart
from icsched.render.compared import PEER, lead_sentence
from icsched.render.words import counted


def text(stop: Stop) -> str:
    """Return the text of one stop of the tour."""
    if isinstance(stop, Airsn):
        return _airsn(stop)
    if isinstance(stop, Gained):
        return _gained(stop)
    return _judged(stop) if isinstance(stop, Judged) else _sdss(stop)


def _airsn(stop: Airsn) -> str:
    dag = stop.compared.plan.dag
    profiles = {
        PEER: stop.compared.fifo_eligible,
        "critical path": stop.critical_path,
        "prio": stop.compared.eligible,
    }
    return f"""\
AIRSN 250, a brain-imaging workflow: {len(dag)} jobs, {dag.arc_count} dependencies.
A worker that asks while no job is eligible leaves empty-handed. How many jobs are
eligible as the run goes on, from the first job (left) to the last (right)?

{profile_chart(profiles)}
The order prio:
{lead_sentence(stop.compared)}

"""


def _gained(stop: Gained) -> str:
    """Say what is gained; the figures for real workflows are those of docs/gains.md."""
    lines = [
        f"  {order:13}  {ratio.median:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]\n"
        for order, ratio in stop.times.items()
        if ratio is not None
    ]
    return f"""\
Simulated, with {stop.batch} requests in the time of a job: time over {PEER}'s
{"".join(lines)}\
AIRSN is a good case. Over 22 real workflows, prio and critical path both save 1.5% on
average if run times are unknown. If they are known, critical path saves 6.4%, and auto,
which icsched prio takes by default, 6.6% (docs/gains.md).

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
