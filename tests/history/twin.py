"""A reader of text logs that is slow and plain: line by line, one attempt after the other."""

import re
from datetime import UTC, datetime
from itertools import pairwise

HEAD = re.compile(r"(\d{3}) \((\d{1,10})\.(\d{1,10})\.\d{1,10}\) (\S+ \S+) (.*)")
ENDS = {4: "EVICTED", 7: "EVICTED", 12: "EVICTED", 24: "EVICTED"}


def whole_lines(data: bytes) -> list[str]:
    """What stands before the last line end."""
    return data.decode(errors="replace").split("\n")[:-1]


def twin_attempts(data: bytes) -> list[tuple[str, float | None, float | None, float, str]]:
    """Return name, POSIX start and end, seconds suspended, and ending of each attempt.

    Stamps have a year and no zone, and are in UTC.
    """
    names: dict[tuple[str, str], str] = {}
    attempts: list[dict] = []
    managers = set()
    lines = whole_lines(data)
    for line, below in pairwise(lines):
        match = HEAD.match(line)
        if match:
            number, cluster, proc, stamp, _ = match.groups()
            job = str(int(cluster)), str(int(proc))
            moment = datetime.fromisoformat(stamp).replace(tzinfo=UTC).timestamp()
            if number == "000":
                managers.discard(job)
            is_unnamed = names.get(job, ".".join(job)) == ".".join(job)
            if number == "001" and "sock=schedd" in line and is_unnamed:
                managers.add(job)
            if job in managers:
                continue
            follow(int(number), job, moment, below, names, attempts)
    return [(a["name"], a["start"], a["end"], a["suspended"], a["ending"]) for a in attempts]


def follow(number, job, moment, below, names, attempts) -> None:
    mine = [attempt for attempt in attempts if attempt["job"] == job]
    running = [attempt for attempt in mine if attempt["ending"] == "RUNNING"]
    if number == 0:
        node = below.strip()
        names[job] = node[10:] if node.startswith("DAG Node: ") else ".".join(job)
    elif number == 1:
        for attempt in running:
            close(attempt, None, "EVICTED")
        attempts.append(new(job, names, moment))
    elif number == 5 and ("return value" in below or "signal" in below):
        if not running:
            running = [new(job, names, None)]
            attempts += running
        close(running[0], moment, "DONE" if "return value 0)" in below else "FAILED")
    elif number in ENDS and running:
        close(running[0], moment, ENDS[number])
    elif number == 9 and running:
        close(running[0], moment, "REMOVED")
    elif number == 9 and mine and mine[-1]["ending"] == "EVICTED" and mine[-1]["end"] is not None:
        if 0 <= moment - mine[-1]["end"] <= 10:
            mine[-1]["ending"] = "REMOVED"
    elif number == 10 and running:
        running[0]["stopped"] = moment
    elif number == 11 and running:
        end_suspension(running[0], moment)


def new(job, names, start) -> dict:
    name = names.setdefault(job, ".".join(job))
    kept = {"suspended": 0.0, "stopped": None, "ending": "RUNNING"}
    return {"job": job, "name": name, "start": start, "end": None, **kept}


def close(attempt: dict, moment: float | None, ending: str) -> None:
    if moment is not None:
        end_suspension(attempt, moment)
    attempt["end"], attempt["ending"] = moment, ending


def end_suspension(attempt: dict, moment: float) -> None:
    if attempt["stopped"] is not None:
        attempt["suspended"] += max(moment - attempt["stopped"], 0)
        attempt["stopped"] = None
