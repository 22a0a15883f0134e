"""Resources in HTCondor's events: what a job asked for, and what its slot held for the job.

An execute event has properties of the slot, such as ``Cpus = 8``. The event that ends an attempt
has a table "Partitionable Resources". Events as JSON and histories have attributes. icsched calls
the resources cores, memory_bytes, disk_bytes and gpus; others keep the name that HTCondor prints,
in lower case.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from icsched.sim.machines import CORES, MEMORY

Amounts = Mapping[str, float]

MOST_KINDS = 16  # of resources in all logs together: each takes two columns
_LARGEST = 1e15  # larger numbers are no amounts


@dataclass(frozen=True, eq=False)
class Resources:
    """What a job asked for and what its slot held; `unread` counts what is no amount."""

    requested: Amounts = field(default_factory=dict)
    allocated: Amounts = field(default_factory=dict)
    unread: int = 0


NO_RESOURCES = Resources()

_KIB, _MIB = 2.0**10, 2.0**20
DISK, GPUS = "disk_bytes", "gpus"
USUAL = (CORES, MEMORY, DISK, GPUS)  # before resources that an administrator invented
_BY_WORD = {  # HTCondor's word in lower case: our name, and how many of our units one is
    "cpus": (CORES, 1.0),
    "memory": (MEMORY, _MIB),
    "disk": (DISK, _KIB),
    "gpus": (GPUS, 1.0),
}
_SECONDS = "s"  # a time that the job took, in the same table: no resource
_UNITS = {"": 1.0, "KB": _KIB, "MB": _MIB}

# Text. The lines of a body are indented, and each of them must be whole.
_END_OF_BODY = re.compile(rb"\n(?![\t ])")
_PROPERTY = re.compile(rb"\n[\t ]+([Cc]pus|[Mm]emory|[Dd]isk|G[Pp][Uu]s) = ([^\n]*)")
_TITLE = b"\n\tPartitionable Resources :"
_ROW = re.compile(r"\s*([A-Za-z]\w{0,63})(?: \((\w+)\))?\s*:(.*)")
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?")
_COLUMNS = ("Usage", "Request", "Allocated")
_LONGEST = 1 << 14  # bytes of a body that is read
_REMEMBERED = 1024  # texts: those of one workflow are much alike


def of_slot(data: bytes, start: int) -> Resources:
    r"""Return what a slot holds by the lines after *start*, the end of an event's first line.

    >>> of_slot(b"001 ...\n\tSlotName: slot1_3@ep\n\tCpus = 8\n...\n", 7).allocated
    {'cores': 8.0}
    """
    found = _PROPERTY.findall(data, start, _end_of_body(data, start))
    return _of_properties(tuple(found)) if found else NO_RESOURCES


@lru_cache(_REMEMBERED)
def _of_properties(found: Sequence[tuple[bytes, bytes]]) -> Resources:
    allocated, unread = dict[str, float](), 0
    for word, text in found:
        name, unit = _BY_WORD[word.decode().lower()]
        value = _amount(text.decode(errors="replace").strip(), unit)
        if value is None:
            unread += 1
        else:
            allocated[name] = value
    return Resources(allocated=allocated, unread=unread)


def of_table(data: bytes, start: int) -> Resources:
    r"""Return the table "Partitionable Resources" in the lines that follow *start*, if any.

    >>> head = b"005 ...\n\tPartitionable Resources :    Usage  Request Allocated \n"
    >>> of_table(head + b"\t   Cpus                 :        0        1         8 \n...\n", 7)
    Resources(requested={'cores': 1.0}, allocated={'cores': 8.0}, unread=0)
    """
    over = _end_of_body(data, start)
    title = data.find(_TITLE, start, over)
    return NO_RESOURCES if title < 0 else _of_rows(data[title + len(_TITLE) : over])


@lru_cache(_REMEMBERED)
def _of_rows(rows: bytes) -> Resources:
    """Return the table that begins with the names of its columns."""
    title, *lines = rows.decode(errors="replace").split("\n")
    columns = [word for word in title.split() if word in _COLUMNS]
    requested, allocated, unread = dict[str, float](), dict[str, float](), 0
    for line in lines:
        row = _ROW.fullmatch(line)
        if row is None:  # the table is over
            break
        if row[2] == _SECONDS:
            continue
        found = _cells(columns, row[3])
        name, unit = _named(row[1], row[2] or "")
        for column, into in (("Request", requested), ("Allocated", allocated)):
            if column in found:
                value = None if name is None else _amount(found[column], unit)
                if value is None or name is None:
                    unread += 1
                else:
                    into[name] = value
    return Resources(requested, allocated, unread)


def _end_of_body(data: bytes, start: int) -> int:
    """Return where the indented lines after *start* end, or a bound of what is read of them."""
    most = start + _LONGEST
    end = _END_OF_BODY.search(data, start + 1, most)
    return end.start() if end else data.rfind(b"\n", start, most)


def _cells(columns: list[str], text: str) -> dict[str, str]:
    """Return the cell of each column in a row; the cells on the left may be empty."""
    cells = text.split()[: len(columns)]
    numbers = []
    for cell in cells:
        if '"' in cell:  # names of devices that were assigned
            break
        numbers.append(cell)
    return dict(zip(columns[-len(numbers) :], numbers, strict=True)) if numbers else {}


def _named(word: str, unit: str) -> tuple[str | None, float]:
    """Return our name of a resource and its unit; None if the unit is unknown."""
    name, _ = _BY_WORD.get(word.lower(), (word.lower(), 1.0))
    return (name, _UNITS[unit]) if unit in _UNITS else (None, 1.0)


def _amount(text: str, unit: float) -> float | None:
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value * unit if value < _LARGEST else None


# Attributes


def of_attributes(requested: Mapping[str, object], allocated: Mapping[str, object]) -> Resources:
    """Return resources by HTCondor's words; values that are no amounts count as unread.

    An attribute may be missing (None), or an expression of the user, which says nothing.

    >>> of_attributes({"Cpus": 1, "Memory": None}, {"Cpus": 8, "Memory": 1024}).allocated
    {'cores': 8.0, 'memory_bytes': 1073741824.0}
    """
    asked, asked_unread = _amounts(requested)
    held, held_unread = _amounts(allocated)
    return Resources(asked, held, asked_unread + held_unread)


def _amounts(values: Mapping[str, object]) -> tuple[dict[str, float], int]:
    found, unread = dict[str, float](), 0
    for word, value in values.items():
        if value is None or isinstance(value, str):
            continue
        name, unit = _BY_WORD[word.lower()]
        if not isinstance(value, bool) and isinstance(value, int | float) and 0 <= value < _LARGEST:
            found[name] = float(value) * unit
        else:
            unread += 1
    return found, unread


def of_json(found: Any) -> Resources:
    """Return the resources of an event as JSON, whose struct has the attributes."""
    properties = found.ExecuteProps if isinstance(found.ExecuteProps, dict) else {}
    words = ("Cpus", "Memory", "Disk", "GPUs")
    allocated = {word: properties.get(word, getattr(found, word)) for word in words}
    return of_attributes({word: getattr(found, f"Request{word}") for word in words}, allocated)


def of_ad(ad: Any) -> Resources:
    """Return the resources of a job in a history, whose struct has the attributes."""
    words = ("Cpus", "Memory", "Disk", "GPUs")
    asked = {word: getattr(ad, f"Request{word}") for word in words}
    return of_attributes(asked, {word: getattr(ad, f"{word}Provisioned") for word in words})
