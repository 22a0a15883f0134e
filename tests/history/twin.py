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
    found = twin_of(data)
    return [(a["name"], a["start"], a["end"], a["suspended"], a["ending"]) for a in found]


def twin_cores(data: bytes) -> list[tuple[float | None, float | None]]:
    """Return the cores that each attempt asked for, and those that it held."""
    return [(a["asked"], a["held"]) for a in twin_of(data)]


def twin_of(data: bytes) -> list[dict]:
    names: dict[tuple[str, str], str] = {}
    attempts: list[dict] = []
    managers = set()
    lines = whole_lines(data)
    told: dict | None = None  # the attempt of which the lines of a body tell
    number = "000"
    for line, below in pairwise([*lines, ""]):
        if told and line[:1] in ("\t", " "):
            note_cores(told, number, line)
            continue
        told = None
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
            before = [attempt["ending"] for attempt in attempts if attempt["job"] == job]
            follow(int(number), job, moment, below, names, attempts)
            mine = [attempt for attempt in attempts if attempt["job"] == job]
            if mine and [attempt["ending"] for attempt in mine] != before:
                told = mine[-1]
    return attempts


def note_cores(attempt: dict, number: str, line: str) -> None:
    """Note the cores that a line of an event tells; what was told before stays."""
    words = line.split()
    if number == "001" and len(words) == 3 and words[:2] == ["Cpus", "="]:
        attempt["held"] = number_in(words[2])
    elif number in ("004", "005") and words[:1] == ["Partitionable"]:
        attempt["table"] = True
    elif number in ("004", "005") and attempt.get("table") and words[:2] == ["Cpus", ":"]:
        for key, word in zip(("held", "asked"), reversed(words[2:]), strict=False):
            attempt[key] = number_in(word) if attempt[key] is None else attempt[key]


def number_in(word: str) -> float | None:
    return float(word) if word.isdigit() else None


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
    kept = {"suspended": 0.0, "stopped": None, "ending": "RUNNING", "asked": None, "held": None}
    return {"job": job, "name": name, "start": start, "end": None, **kept}


def close(attempt: dict, moment: float | None, ending: str) -> None:
    if moment is not None:
        end_suspension(attempt, moment)
    attempt["end"], attempt["ending"] = moment, ending


def end_suspension(attempt: dict, moment: float) -> None:
    if attempt["stopped"] is not None:
        attempt["suspended"] += max(moment - attempt["stopped"], 0)
        attempt["stopped"] = None
