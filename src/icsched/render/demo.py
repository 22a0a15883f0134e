"""What `icsched demo` prints at each stop of the tour."""

from collections.abc import Sequence
from functools import singledispatch
from shlex import quote

from icsched.answers.demo import Made, Ordered, Proved, Simulated, Stop
from icsched.pebble import Verdict
from icsched.render.compared import PEER, lead_sentence
from icsched.render.layout import listing, paragraph
from icsched.render.proofs import proof_sentence
from icsched.render.visible import named
from icsched.render.words import counted, size


@singledispatch
def text(stop: Stop) -> str:
    """Return the text of one stop of the tour."""
    raise NotImplementedError(stop)


@text.register
def _(stop: Made) -> str:
    dag = stop.workflow.dag
    return paragraph("1. Make a workflow:") + paragraph(
        f"AIRSN 250, a brain-imaging workflow: {size(len(dag), dag.arc_count)}. Its run times are"
        " invented: 10 to 60 seconds by kind of job, and 30% more or less."
    )


@text.register
def _(stop: Ordered) -> str:
    why = "A worker that asks while no job is eligible leaves empty-handed."
    found = lead_sentence(stop.compared).replace("\n", " ")
    return f"\n{paragraph('2. Order it:')}{paragraph(f'{why} The order prio: {found}')}"


@text.register
def _(stop: Proved) -> str:
    proof = proof_sentence(stop.compared.plan.proof, stop.compared.certified)
    rows = [(label, _finding(verdict)) for label, verdict in stop.verdicts.items()]
    referee = f"The exact referee on AIRSN 6 ({counted(stop.jobs, 'job')}) says:"
    head = paragraph("3. Prove it: can any order do better?")
    return f"\n{head}{paragraph(proof)}{paragraph(referee)}{listing(rows, indent='  ')}"


def _finding(verdict: Verdict) -> str:
    if verdict.ic_optimal:
        return "IC-optimal, nothing beats it at any step"
    jobs = counted(verdict.step or 0, "job")
    return f"after {jobs} it has {verdict.eligible} eligible, {verdict.best_eligible} are possible"


@text.register
def _(stop: Simulated) -> str:
    """Say what is gained; the figures for real workflows are those of docs/gains.md."""
    head = paragraph("4. Simulate it:")
    how = f"On {stop.workers} workers, with the run times: time over {PEER}'s, 95% intervals."
    rows = [
        (order, f"{ratio.median:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]")
        for order, ratio in stop.times.items()
    ]
    truth = (
        "AIRSN is a good case. In simulations of 22 real workflows, prio and critical path both"
        " save 1.5% on average if run times are unknown. If they are known, critical path saves"
        " 6.4%, and auto, which icsched prio takes by default, 6.6% (docs/gains.md)."
    )
    return f"\n{head}{paragraph(how)}{listing(rows, indent='  ')}{paragraph(truth)}"


def ending(written: Sequence[str], program: str = "icsched") -> str:
    """Say which files the tour wrote, and what to try next; *program* starts icsched."""
    workflow, times, page = (quote(named(path)) for path in written)
    files = "".join(f"  {named(path)}\n" for path in written)
    start = quote(named(program))
    tried = [f"{start} show {workflow}", f"{start} prio {workflow} --run-times {times}"]
    commands = "".join(f"  {line}\n" for line in tried)
    head = paragraph("5. Keep it:")
    return f"\n{head}The tour wrote:\n{files}Open {page} in a browser. Next:\n{commands}"
