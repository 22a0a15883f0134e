"""The events of a log: lines of text, JSON objects, or both in one file.

DAGMan may write JSON into a file into which the rest of HTCondor writes text, so each event is
recognised on its own. What is not a whole event is passed over: the log of a run that is going on
ends anywhere, and a disk that was full leaves gaps.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from heapq import merge
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from icsched.history.stamps import STAMP, Clock


class Kind(IntEnum):
    """The events that say something about attempts, by HTCondor's numbers."""

    SUBMIT = 0
    EXECUTE = 1
    EVICTED = 4
    TERMINATED = 5
    SHADOW_EXCEPTION = 7
    ABORTED = 9
    SUSPENDED = 10
    UNSUSPENDED = 11
    HELD = 12
    POST_SCRIPT = 16
    RECONNECT_FAILED = 24
    CLUSTER_SUBMIT = 35


# Plain numbers: looking up members of an enum takes a tenth of the time of reading a log.
_SUBMISSIONS = frozenset({int(Kind.SUBMIT), int(Kind.CLUSTER_SUBMIT)})
_RESULTS = frozenset({int(Kind.TERMINATED), int(Kind.POST_SCRIPT)})
_EXECUTE = int(Kind.EXECUTE)

Job = tuple[int, int]  # cluster and proc


class Event(NamedTuple):
    """An event of a job: `text` is a DAG node or a slot, `is_good` a successful end."""

    kind: int
    job: Job
    time: float
    text: str = ""
    is_good: bool = False


NOOP_PROC = 2**31 - 1  # DAGMan's proc for a node that it does not submit
SCHEDD = "schedd@"  # begins the slot of a job that runs beside the queue, as DAGMan itself does
_NODE = "DAG Node: "

# Lines of a body are indented, so a line that begins so is the first of an event. Of the body, all
# that matters is in its first line. Both lines must be whole. The numbers are those of `Kind`.
_HEAD = (
    rb"(0(?:0[014579]|1[0126]|24|35)) \((\d{1,10})\.(\d{1,10})\.\d{1,10}\) "
    + STAMP
    + rb" ([^\n]*)(?=\n([^\n]*)\n)"
)
_FIRST_EVENT = re.compile(_HEAD)
_LATER_EVENT = re.compile(rb"\n" + _HEAD)
# The header of HTCondor's global event log is an event of the job -1.
_ANY_EVENT = re.compile(rb"^\d{3} \(-?\d{1,10}\.-?\d{1,10}\.-?\d{1,10}\) " + STAMP, re.MULTILINE)
_SLOT_NAME = b"\tSlotName: "

# One object in one line, or one whose inner lines are indented, as HTCondor writes them. Nothing
# is looked at twice, however many objects have no end.
_OBJECT = rb"(\{(?:[^\n]*\}(?=[ \t\r]*(?:\n|\Z))|[ \t\r]*\n(?:[^{}\n][^\n]*\n|\n)*+\}))"
_FIRST_OBJECT = re.compile(_OBJECT)
_LATER_OBJECT = re.compile(rb"\n" + _OBJECT)


def has_text_event(data: bytes) -> bool:
    """Whether *data* has the first line of an event, of any number."""
    return _ANY_EVENT.search(data) is not None


def events_in(data: bytes) -> Iterator[Event]:
    """Yield the events in *data* that say something about attempts, in their order."""
    clock = Clock()
    text = _text_events(data, clock)
    if data.startswith(b"{") or b"\n{" in data:
        both = merge(text, _json_events(data, clock), key=itemgetter(0))
        return (event for _, event in both)
    return (event for _, event in text)


def _matches(
    first: re.Pattern[bytes], later: re.Pattern[bytes], data: bytes
) -> Iterator[re.Match[bytes]]:
    """Yield what *first* finds at the beginning and *later* finds after line ends.

    A pattern that begins with a line end is searched for several times faster than one with ^.
    """
    found = first.match(data)
    return chain([found] if found else [], later.finditer(data))


# Text


def _text_events(data: bytes, clock: Clock) -> Iterator[tuple[int, Event]]:
    for match in _matches(_FIRST_EVENT, _LATER_EVENT, data):
        number, cluster, proc, *stamp, line, below = match.groups()
        time = clock.posix(*stamp)
        if time is None:
            continue
        kind, job = int(number), (int(cluster), int(proc))
        if kind in _SUBMISSIONS:
            yield match.start(), Event(kind, job, time, _node(below.decode(errors="replace")))
        elif kind == _EXECUTE:
            yield match.start(), Event(kind, job, time, _text_slot(line, below))
        elif kind not in _RESULTS:
            yield match.start(), Event(kind, job, time)
        elif b") " in below:  # else cut off: how the job ended is not known
            is_good = b"(return value 0)" in below
            yield match.start(), Event(kind, job, time, "", is_good)


def _node(line: str) -> str:
    """Return the DAG node that a submit event names, or nothing."""
    return line.strip().removeprefix(_NODE) if _NODE in line else ""


def _text_slot(line: bytes, below: bytes) -> str:
    if below.startswith(_SLOT_NAME):
        return below[len(_SLOT_NAME) :].strip().decode(errors="replace")
    return _slot_at(line.partition(b"host: ")[2].decode(errors="replace"))


def _slot_at(address: str) -> str:
    """Return the slot of a job of which only the address of a daemon is known."""
    host = re.split("[?>\r]", address.removeprefix("<"), maxsplit=1)[0].strip()
    return f"{SCHEDD}{host}" if "sock=schedd" in address else host


# JSON


class _JsonEvent(msgspec.Struct):
    EventTypeNumber: int
    Cluster: int
    Proc: int
    EventTime: str
    LogNotes: str = ""
    SlotName: str = ""
    ExecuteHost: str = ""
    TerminatedNormally: bool = False
    ReturnValue: int = -1


def objects(data: bytes, kind: Any) -> Iterator[tuple[int, Any]]:
    """Yield the place and content of each JSON object in *data* that is of the type *kind*."""
    decoder = msgspec.json.Decoder(kind)
    for match in _matches(_FIRST_OBJECT, _LATER_OBJECT, data):
        try:
            yield match.start(), decoder.decode(match[1])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue


def _json_events(data: bytes, clock: Clock) -> Iterator[tuple[int, Event]]:
    for place, found in objects(data, _JsonEvent):
        time = clock.read(found.EventTime)
        if time is None or found.EventTypeNumber not in _KINDS:
            continue
        is_good = found.TerminatedNormally and found.ReturnValue == 0
        job = found.Cluster, found.Proc
        yield place, Event(found.EventTypeNumber, job, time, _json_text(found), is_good)


def _json_text(event: _JsonEvent) -> str:
    if event.EventTypeNumber != Kind.EXECUTE:
        return _node(event.LogNotes)
    return event.SlotName or _slot_at(event.ExecuteHost)


_KINDS = frozenset(Kind)
