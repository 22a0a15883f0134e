"""HTCondor's event logs and histories, as events.

An event log has lines of text, JSON objects, or both in one file: DAGMan may write JSON into a file
into which the rest of HTCondor writes text, so each event is recognised on its own. What is not a
whole event is passed over: the log of a run that is going on ends anywhere, and a disk that was
full leaves gaps. What `condor_history` knows of jobs that left the queue becomes events, too.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from enum import IntEnum
from heapq import merge
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from icsched.errors import FormatError
from icsched.history.condor_resources import (
    NO_RESOURCES,
    Resources,
    of_ad,
    of_json,
    of_slot,
    of_table,
)
from icsched.history.past_run import FIRST_YEAR

# Date, hours and minutes, seconds, parts of a second, zone: all forms of text and JSON logs.
STAMP = rb"(\d\d/\d\d|\d{4}-\d\d-\d\d)[ T](\d\d:\d\d):(\d\d)(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?"

_STAMP = re.compile(STAMP)
_HALF_A_YEAR = 6  # months: a larger step back is a new year, a smaller one a clock set back
_JANUARY, _DECEMBER = 1, 12
_FIRST_DAYS, _LAST_DAYS = 2, 30  # up to this day of January, from this day of December on


class Clock:
    """Turns the stamps of one log, in their order, into POSIX times.

    A stamp without a zone is in the local time of this machine. Stamps without a year begin in the
    year of the stamp before, or in 2000; the year grows where December is followed by January. It
    shrinks where the first days of January are followed by the last days of December: an event of
    the old year that was written late.

    >>> clock = Clock()
    >>> clock.posix(b"1970-01-02", b"00:00", b"01", b".5", b"Z")
    86401.5
    """

    def __init__(self) -> None:
        self._minutes: dict[tuple[bytes, bytes, bytes | None], float | None] = {}
        self._year = FIRST_YEAR
        self._month, self._day = 0, 0

    def posix(
        self, date: bytes, minute: bytes, second: bytes, part: bytes | None, zone: bytes | None
    ) -> float | None:
        """Return the POSIX time of the parts of a stamp; None if there is no such moment."""
        key = date, minute, zone
        if key not in self._minutes:
            self._minutes[key] = self._minute(*(part.decode() for part in (*key[:2], zone or b"")))
        start = self._minutes[key]
        if start is None:
            return None
        return start + int(second) + (float(part) if part else 0.0)

    def read(self, text: str) -> float | None:
        """Return the POSIX time of a whole stamp, or None."""
        match = _STAMP.fullmatch(text.encode("ascii", "replace"))
        return self.posix(*match.groups()) if match else None

    def _minute(self, date: str, minute: str, zone: str) -> float | None:
        try:
            if len(date) == len("MM/DD"):
                self._note_date(int(date[:2]), int(date[3:]))
                date = f"{self._year:04}-{self._month:02}-{self._day:02}"
            else:
                self._year, self._month, self._day = map(int, date.split("-"))
            return datetime.fromisoformat(f"{date}T{minute}{zone}").timestamp()
        except (ValueError, OverflowError, OSError):  # no such day, or beyond what the system knows
            return None

    def _note_date(self, month: int, day: int) -> None:
        """Note the date of a stamp without a year; a new or an old year may have begun."""
        is_next = month + _HALF_A_YEAR <= self._month
        is_new_year = self._month == _JANUARY and self._day <= _FIRST_DAYS
        is_late = (
            is_new_year and month == _DECEMBER and day >= _LAST_DAYS
        )  # written in the new year
        if is_next or is_late:
            self._year += 1 if is_next else -1
            self._minutes.clear()
        self._month, self._day = month, day


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
_EXECUTE, _EVICTED = int(Kind.EXECUTE), int(Kind.EVICTED)
_WITH_RESOURCES = frozenset({_EXECUTE, _EVICTED, int(Kind.TERMINATED)})

Job = tuple[int, int]  # cluster and proc


class Event(NamedTuple):
    """An event of a job: `text` is a DAG node or a slot, `is_good` a successful end.

    `resources` may differ between two logs of one event, so they do not tell events apart.
    """

    kind: int
    job: Job
    time: float
    text: str = ""
    is_good: bool = False
    resources: Resources = NO_RESOURCES

    def same(self, time: float) -> "Event":
        """Return what tells this event apart from others, at another *time*."""
        return self._replace(time=time, resources=NO_RESOURCES)


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
    events = _text_events(data, clock)
    if data.startswith(b"{") or b"\n{" in data:
        events = merge(events, _json_events(data, clock), key=itemgetter(0))
    return (event for _, event in events)


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
            held = of_slot(data, match.end())
            yield match.start(), Event(kind, job, time, _text_slot(line, below), resources=held)
        elif kind == _EVICTED:
            held = of_table(data, match.end())
            yield match.start(), Event(kind, job, time, resources=held)
        elif kind not in _RESULTS:
            yield match.start(), Event(kind, job, time)
        elif b") " in below:  # else cut off: how the job ended is not known
            is_good = b"(return value 0)" in below
            held = of_table(data, match.end())
            yield match.start(), Event(kind, job, time, "", is_good, held)


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
    ExecuteProps: Any = None  # attributes of any type must not make an event unreadable
    Cpus: Any = None
    Memory: Any = None
    Disk: Any = None
    GPUs: Any = None
    RequestCpus: Any = None
    RequestMemory: Any = None
    RequestDisk: Any = None
    RequestGPUs: Any = None


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
        text = _node(found.LogNotes)
        if found.EventTypeNumber == _EXECUTE:
            text = found.SlotName or _slot_at(found.ExecuteHost)
        job = found.Cluster, found.Proc
        held = of_json(found) if found.EventTypeNumber in _WITH_RESOURCES else NO_RESOURCES
        yield place, Event(found.EventTypeNumber, job, time, text, is_good, held)


_KINDS = frozenset(Kind)


# Histories

_DAGMAN_UNIVERSE = 7  # the scheduler universe, where DAGMan itself runs
_COMPLETED = 4  # of JobStatus
_MOST_SECONDS = 253_402_300_799  # the last second of the year 9999


class _Ad(msgspec.Struct):
    """Attributes of a job; any may be missing, because users choose them."""

    ClusterId: int | None = None
    ProcId: int = 0
    DAGNodeName: str = ""
    JobUniverse: int = 0
    QDate: float = 0
    JobStartDate: float = 0
    JobCurrentStartDate: float = 0
    CompletionDate: float = 0
    EnteredCurrentStatus: float = 0
    RemoteWallClockTime: float = 0
    CommittedSuspensionTime: float = 0
    NumJobStarts: int = 1
    JobStatus: int = 0
    ExitCode: int | None = None
    LastRemoteHost: str = ""
    RequestCpus: Any = None
    RequestMemory: Any = None
    RequestDisk: Any = None
    RequestGPUs: Any = None
    CpusProvisioned: Any = None
    MemoryProvisioned: Any = None
    DiskProvisioned: Any = None
    GPUsProvisioned: Any = None


def history_events(path: str, data: bytes) -> list[Event]:
    """Return the events of the last attempt of each job in *data*, earliest job first.

    The history has the times of the last attempt alone. Raises FormatError if it has no job.
    """
    ads = [ad for ad in _ads(data) if _is_useful(ad)]
    if not ads:
        raise FormatError(path, None, "expected jobs with ClusterId and CompletionDate, got none")
    ads.sort(key=lambda ad: (_start(ad), ad.ClusterId, ad.ProcId))
    return [event for ad in ads for event in _events(ad)]


def _ads(data: bytes) -> list[_Ad]:
    try:
        return msgspec.json.decode(data, type=list[_Ad])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return [ad for _, ad in objects(data, _Ad)]  # several lists, one object a line, a cut list


def _is_useful(ad: _Ad) -> bool:
    is_dagman = ad.JobUniverse == _DAGMAN_UNIVERSE and not ad.DAGNodeName
    moments = (ad.QDate, ad.JobStartDate, ad.JobCurrentStartDate, _end(ad), ad.RemoteWallClockTime)
    is_sane = all(0 <= moment < _MOST_SECONDS for moment in moments)
    return ad.ClusterId is not None and not is_dagman and is_sane and _end(ad) > 0


def _end(ad: _Ad) -> float:
    return ad.CompletionDate or ad.EnteredCurrentStatus


def _start(ad: _Ad) -> float:
    """Return when the last attempt started, or 0."""
    is_alone = ad.NumJobStarts <= 1
    first = ad.JobStartDate if is_alone else 0.0
    counted = _end(ad) - ad.RemoteWallClockTime if is_alone and ad.RemoteWallClockTime else 0.0
    return ad.JobCurrentStartDate or first or counted


def _events(ad: _Ad) -> Iterator[Event]:
    assert ad.ClusterId is not None  # noqa: S101  # _is_useful has seen to it
    job, start, end = (ad.ClusterId, ad.ProcId), _start(ad), _end(ad)
    yield Event(Kind.SUBMIT, job, ad.QDate or start or end, ad.DAGNodeName)
    if start:
        yield Event(Kind.EXECUTE, job, start, ad.LastRemoteHost, resources=of_ad(ad))
        if 0 < ad.CommittedSuspensionTime <= end - start:
            yield Event(Kind.SUSPENDED, job, start)
            yield Event(Kind.UNSUSPENDED, job, start + ad.CommittedSuspensionTime)
    if ad.CompletionDate and ad.JobStatus in (0, _COMPLETED):
        yield Event(Kind.TERMINATED, job, end, "", ad.ExitCode == 0)
    elif start:
        yield Event(Kind.ABORTED, job, end)
