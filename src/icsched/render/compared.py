"""A plan beside first come, first served, in bars and words."""

from icsched.answers.compared import Compared
from icsched.render.charts import profile_chart
from icsched.render.words import counted

PEER = "first come, first served"


def bars(compared: Compared, name: str) -> str:
    """Draw both profiles, that of the plan under *name*."""
    return profile_chart({PEER: compared.fifo_eligible, name: compared.eligible})


def lead_sentence(compared: Compared) -> str:
    """Say how the order compares with first come, first served."""
    contest = compared.contest
    (ahead, lead), (behind, lag) = contest.largest_lead, contest.largest_lag
    if lead == lag == 0:
        return f"It has as many eligible as {PEER} at every step."
    average = f"{contest.area_ratio:.2f} times as many on average."
    if lag == 0:
        return f"{_at(compared, ahead)}\nIt is never behind, with {average}"
    first = f"{_at(compared, ahead)}\n" if lead > 0 else ""
    return f"{first}{_at(compared, behind)} It is never further behind.\nIt has {average}"


def _at(compared: Compared, step: int) -> str:
    ours, fifo = compared.eligible[step], compared.fifo_eligible[step]
    return f"After {counted(step, 'job')} it has {ours:,} eligible, {PEER} {fifo:,}."
