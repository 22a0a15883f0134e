"""Files of any kind that tell of past runs: which kind, and what they say."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from itertools import islice
from math import inf

from icsched import files
from icsched.errors import ArgumentError, FormatError
from icsched.history.ads import history_events
from icsched.history.attempts import Attempts
from icsched.history.events import Event, events_in, has_text_event
from icsched.history.past_run import PastRun

Path = str | os.PathLike[str]


class Content(Enum):
    """What a file is, by its content."""

    LOG = auto()
    HISTORY = auto()
    TABLE = auto()


_LOOKED_AT = 1 << 16  # bytes at the beginning that tell what a file is
_JSON = re.compile(rb"\s*(?:\[\s*[{\]]|\{)")
_PARTS = re.compile(rb":\d\d\.\d")
_XML = re.compile(rb"\s*<(?:\?xml|!|c>|classads>)")


def content_of(path: str, data: bytes) -> Content:
    """Return what the file is; raises FormatError for XML."""
    start = data[:_LOOKED_AT].removeprefix(b"\xef\xbb\xbf")
    if _XML.match(start):
        raise FormatError(path, 1, "expected text or JSON, got XML")
    if has_text_event(start) or b'"EventTypeNumber"' in start:
        return Content.LOG
    return Content.HISTORY if _JSON.match(start) else Content.TABLE


def read_log(paths: Path | Iterable[Path]) -> PastRun:
    """Return what HTCondor's logs or its history at *paths* say about a past run.

    Each file is a job event log, as text or JSON, or what `condor_history -json` or `-jsonl`
    wrote. The order of the files does not matter: they are read by the time of their first event,
    so that rotated logs follow each other. An event that is in two files counts once, with the
    finer of its stamps. Broken and unknown events are passed over. Takes O(bytes) time.

    Raises FormatError for a file that cannot be read, or that is no log; ArgumentError without
    any path.
    """
    listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not listed:
        raise ArgumentError("paths: expected at least one file")
    named = [os.fspath(path) for path in listed]
    return parsed_run([(path, files.read_bytes(path)) for path in named])


def parsed_run(sources: Sequence[tuple[str, bytes]]) -> PastRun:
    """Return what files say, given as paths with their content; see `read_log`.

    Stamps of whole seconds leave ties. Among these, log.2 comes before log.1 and before log.
    """
    by_name = sorted(sources, key=lambda source: _parts(source[0]), reverse=True)
    logs = [_Log(path, data) for path, data in by_name]
    attempts = Attempts()
    seen = _Seen(logs) if len(logs) > 1 else None
    for log in sorted(logs, key=lambda log: (log.begins, log.ends)):
        found = log.events() if seen is None else seen.new(log.events())
        attempts.follow(log.path, found)
    return attempts.past_run()


def _parts(path: str) -> list[tuple[int, str]]:
    """Return *path* in parts that compare as its words and numbers do: log.10 after log.9."""
    words = re.split("([0-9]+)", path)
    return [(len(word.lstrip("0")) if n % 2 else 0, word) for n, word in enumerate(words)]


class _Log:
    """A file with events, and the times of the first and last of them."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self._data = path, data
        self._content = content_of(path, data)
        if self._content is Content.TABLE:
            raise FormatError(path, None, "expected an event log or a history of HTCondor")
        self._ads = history_events(path, data) if self._content is Content.HISTORY else []
        self.begins = min((event.time for event in islice(self.events(), 1)), default=inf)
        last = self._ads[-1:] or events_in(data[-_LOOKED_AT:])
        self.ends = max((event.time for event in last), default=inf)

    @property
    def may_have_parts(self) -> bool:
        """Whether a stamp in the file may have parts of a second."""
        return self._content is Content.HISTORY or bool(_PARTS.search(self._data))

    def events(self) -> Iterator[Event]:
        """Yield the events of the file, from the first one on."""
        return iter(self._ads) if self._ads else events_in(self._data)


class _Seen:
    """The events of the files before.

    HTCondor may write one event with parts of a second into one log and without into another. Then
    the event has the finer stamp, wherever it is read.
    """

    def __init__(self, logs: Iterable[_Log]) -> None:
        self._exact: set[Event] = set()
        self._finer = _finer_times(logs)

    def new(self, events: Iterable[Event]) -> Iterator[Event]:
        """Yield the events that no earlier file had, and note them."""
        here = []
        met: Counter[Event] = Counter()
        for read in events:
            event = self._finest(read, met)
            if event not in self._exact:
                here.append(event)
                yield event
        self._exact.update(here)

    def _finest(self, event: Event, met: Counter[Event]) -> Event:
        """Return *event* with its finest stamp; *met* counts the like events of one file.

        The first, second and so on of like events within a second get the stamps in their order.
        """
        coarse = _floor(event)
        times = self._finer.get(coarse, [])
        place = met[coarse] if times else 0
        if times:
            met[coarse] += 1
        is_finest = event.time % 1 or place >= len(times)
        return event if is_finest else event._replace(time=times[place])


def _finer_times(logs: Iterable[_Log]) -> dict[Event, list[float]]:
    """Return the different stamps with parts of a second, by the event without these parts."""
    found: defaultdict[Event, set[float]] = defaultdict(set)
    for log in logs:
        for event in log.events() if log.may_have_parts else ():
            if event.time % 1:
                found[_floor(event)].add(event.time)
    return {event: sorted(times) for event, times in found.items()}


def _floor(event: Event) -> Event:
    return event._replace(time=event.time // 1) if event.time % 1 else event
