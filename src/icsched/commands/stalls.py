"""The stalls of a recorded run, in words."""

from icsched.history import Stalls
from icsched.messages import named
from icsched.words import number


def stall_lines(found: Stalls) -> list[str]:
    """Say what was lost in all, then in the worst periods, each with what all waited for."""
    if not found.lost:
        return ["Stalls: none; whenever a slot was free, a job could be taken."]
    seconds = number(found.seconds, 0 if found.seconds >= 100 else 1)
    lines = [
        f"Stalls: for {seconds} s slots were free and no job could be taken;"
        f" {100 * found.share:.1f}% of the slots' time was lost."
    ]
    for stall in found.longest:
        period = f"{number(stall.start, 0)} to {number(stall.end, 0)} s"
        job = f", all waited for {named(stall.waited_for)}" if stall.waited_for else ""
        lines.append(f"{period}: {number(stall.lost, 0)} slot seconds lost{job}")
    return lines
