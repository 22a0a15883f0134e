"""The game, played plainly: what the player of a page must show."""

import re
from pathlib import Path


def read_arcs(file: Path) -> dict[str, list[str]]:
    """Children by name, in the order of a DAGMan file, read without icsched."""
    text = file.read_text(encoding="utf-8")
    children: dict[str, list[str]] = {name: [] for name in re.findall(r"^JOB (\S+)", text, re.M)}
    for above, below in re.findall(r"^PARENT (.+) CHILD (.+)$", text, re.M):
        for name in above.split():
            children[name] += below.split()
    return children


def profile(children: dict[str, list[str]], order: list[str]) -> list[int]:
    """Eligible tasks after 0, 1, ... executions; every task must be eligible when it runs."""
    missing = dict.fromkeys(children, 0)
    for below in children.values():
        for name in below:
            missing[name] += 1
    eligible = {name for name, count in missing.items() if count == 0}
    counts = [len(eligible)]
    for name in order:
        eligible.remove(name)
        for child in children[name]:
            missing[child] -= 1
            if missing[child] == 0:
                eligible.add(child)
        counts.append(len(eligible))
    return counts
