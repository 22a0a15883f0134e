"""Moments as HTCondor writes them, as POSIX times."""

import re
from datetime import UTC, datetime, timedelta, timezone

# Date, hours and minutes, seconds, parts of a second, zone: all forms of text and JSON logs.
STAMP = rb"(\d\d/\d\d|\d{4}-\d\d-\d\d)[ T](\d\d:\d\d):(\d\d)(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?"

_STAMP = re.compile(STAMP)
_FIRST_YEAR = 2000  # of logs without years; a leap year, because they may have 29 February
_DAY = timedelta(days=1).total_seconds()  # more than the offset of any time zone
YEARLESS = (  # when logs without years begin, as POSIX times
    datetime(_FIRST_YEAR - 1, 12, 1, tzinfo=UTC).timestamp() - _DAY,
    datetime(_FIRST_YEAR + 1, 1, 1, tzinfo=UTC).timestamp() + _DAY,
)
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
        self._year = _FIRST_YEAR
        self._month, self._day = 0, 0

    def posix(
        self, date: bytes, minute: bytes, second: bytes, part: bytes | None, zone: bytes | None
    ) -> float | None:
        """Return the POSIX time of the parts of a stamp; None if there is no such moment."""
        key = date, minute, zone
        if key not in self._minutes:
            self._minutes[key] = self._minute(date.decode(), minute.decode(), zone)
        start = self._minutes[key]
        if start is None:
            return None
        return start + int(second) + (float(part) if part else 0.0)

    def read(self, text: str) -> float | None:
        """Return the POSIX time of a whole stamp, or None."""
        match = _STAMP.fullmatch(text.encode("ascii", "replace"))
        return self.posix(*match.groups()) if match else None

    def _minute(self, date: str, minute: str, zone: bytes | None) -> float | None:
        try:
            if len(date) == len("MM/DD"):
                month, day = int(date[:2]), int(date[3:])
                self._note_date(month, day)
            else:
                self._year, month, day = int(date[:4]), int(date[5:7]), int(date[8:])
                self._month, self._day = month, day
            hours, minutes = int(minute[:2]), int(minute[3:])
            moment = datetime(self._year, month, day, hours, minutes, tzinfo=_zone(zone))
            return moment.timestamp()
        except (ValueError, OverflowError, OSError):  # no such day, or beyond what the system knows
            return None

    def _note_date(self, month: int, day: int) -> None:
        if month + _HALF_A_YEAR <= self._month:
            self._year += 1
            self._minutes.clear()
        elif self._is_late(month, day):
            self._year -= 1
            self._minutes.clear()
        self._month, self._day = month, day

    def _is_late(self, month: int, day: int) -> bool:
        """Whether an event is of the old year, days after New Year, and not of the next winter."""
        is_new_year = self._month == _JANUARY and self._day <= _FIRST_DAYS
        return is_new_year and month == _DECEMBER and day >= _LAST_DAYS


def _zone(text: bytes | None) -> timezone | None:
    """Return the zone that a stamp ends with; None is local time."""
    if text is None:
        return None
    if text == b"Z":
        return UTC
    digits = text.replace(b":", b"")
    offset = timedelta(hours=int(digits[1:3]), minutes=int(digits[3:5]))
    return timezone(-offset if digits.startswith(b"-") else offset)
