"""A plan beside first come, first served, in words."""

from icsched.answers.compared import Compared
from icsched.render.words import counted

PEER = "first come, first served"


def lead_sentence(compared: Compared) -> str:
    """Say how the order compares with first come, first served."""
    contest = compared.contest
    (ahead, lead), (behind, lag) = contest.largest_lead, contest.largest_lag
    if lead == lag == 0:
        return f"It has as many eligible as {PEER} at every step."
    average = f"{contest.area_ratio:.2f} times as many on average."
    best = f"At best: {_at(compared, ahead)}\n" if lead > 0 else ""
    if lag == 0:
        return f"{best}It is never behind, with {average}"
    return f"{best}At worst: {_at(compared, behind)}\nIt has {average}"


def _at(compared: Compared, step: int) -> str:
    ours, fifo = int(compared.eligible[step]), int(compared.fifo_eligible[step])
    difference = f"{abs(ours - fifo):,} {'more' if ours > fifo else 'fewer'}"
    has = f"after {counted(step, 'job')} it has {counted(ours, 'eligible job')}"
    return f"{has}, {difference} than {PEER}."
