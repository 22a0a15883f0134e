"""What tasks need of a machine, in the words that files have for it: resources, amounts, units."""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from icsched.arrays import Floats
from icsched.workflow import Workflow

# Requests of HTCondor by what comes after "request_"; any other name is that of a resource.
_OF_HTCONDOR = {"cpus": "cores", "memory": "memory_bytes", "disk": "disk_bytes", "gpus": "gpus"}
_ATTRIBUTES = {f"request{word}": f"request_{word}" for word in _OF_HTCONDOR}
# Profiles of Pegasus.
PROFILES = {
    "cores": "cores",
    "memory": "memory_bytes",
    "diskspace": "disk_bytes",
    "gpus": "gpus",
}
KIB, MIB = 1 << 10, 1 << 20
# Bytes of a number without a unit, in HTCondor.
_UNITS = {"memory_bytes": MIB, "disk_bytes": KIB}

_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_COUNT = re.compile(rf"{_NUMBER}(?:[eE][+-]?[0-9]{{1,9}})?")
_BYTES = re.compile(rf"({_COUNT.pattern})[ \t]*(?:([KMGTP])?(?:i?B)?)", re.IGNORECASE)
# HTCondor reads three decimals and ignores the others.
_HTCONDOR_BYTES = re.compile(
    r"(\+?[0-9]+(?:\.[0-9]{0,3})?|\.[0-9]{1,3})[0-9]*[ \t]*(?:([KMGT])B?)?", re.IGNORECASE
)
_NEGATIVE = re.compile(rf"-[ \t]*{_BYTES.pattern}", re.IGNORECASE)
_NOTHING = ("", "undefined")
# HTCondor takes these for mistakes and ignores them, as all names of one letter.
_IGNORED = ("cpu", "gpu")

HIDDEN = "only the engine can work this out"
COUNT = "a finite number of 0 or more"
AMOUNT = "a finite number of bytes, such as 4096 or 1.5G"


def count_in(words: str) -> float:
    """Return how many there are of a resource; a ValueError says what was expected.

    >>> count_in("4"), count_in(" 0.5 ")
    (4.0, 0.5)
    """
    found = _COUNT.fullmatch(words.strip())
    return _finite(float(found[0]) if found else math.inf, COUNT)


def bytes_in(words: str, unit: int = 1) -> float:
    """Return a number of bytes; *unit* has those of a number alone.

    K, M, G, T and P are powers of 1,024, also as KB or KiB. A ValueError says what was expected.

    >>> bytes_in("4096"), bytes_in("1.5 KB"), bytes_in("2", 2**20), bytes_in("2B", 2**20)
    (4096.0, 1536.0, 2097152.0, 2.0)
    """
    text = words.strip()
    found = _BYTES.fullmatch(text)
    if not found:
        raise ValueError(AMOUNT)
    is_alone = found.end(1) == len(text)
    return _finite(float(found[1]) * (unit if is_alone else _power(found[2])), AMOUNT)


def _power(letter: str | None) -> int:
    return int(1024 ** (" KMGTP".index(letter.upper()) if letter else 0))


def _finite(value: float, expected: str) -> float:
    if not math.isfinite(value):
        raise ValueError(expected)
    return value


# Requests of HTCondor


def requested(key: str) -> str | None:
    """Return the resource that a setting of a submit description asks for; None if it asks none.

    *key* is as `Description` has it. The attribute of a job (``+RequestCpus``) is one too. HTCondor
    ignores request_cpu, request_gpu and names of one letter.

    >>> requested("request_memory"), requested("my.requestcpus"), requested("request_licences")
    ('memory_bytes', 'cores', 'licences')
    >>> requested("request_cpu"), requested("request_x")
    (None, None)
    """
    name = _ATTRIBUTES.get(key.removeprefix("my."), key)
    word = name.removeprefix("request_")
    if word == name or len(word) < 2 or word in _IGNORED:
        return None
    return _OF_HTCONDOR.get(word, word)


def asked(resource: str, words: str, *, is_attribute: bool = False) -> float | None:
    """Return how much a request of HTCondor's asks for; NaN for nothing, None for an expression.

    Memory is in MiB and disk in KiB if *words* have no unit, and HTCondor rounds both up, after
    three decimals. It rounds neither the attribute of a job nor a number with an exponent, and
    these have no unit. Raises ValueError for a number that cannot be.

    >>> asked("memory_bytes", "1.5G") == 1.5 * 2**30, asked("memory_bytes", "0.5") == 2**20
    (True, True)
    >>> asked("memory_bytes", "1.0009") == 2**20, asked("disk_bytes", "1.5e0")
    (True, 1536.0)
    >>> asked("cores", "ifthenelse(x, 1, 2)"), asked("gpus", "undefined")
    (None, nan)
    """
    if words.lower() in _NOTHING:
        return math.nan
    if _NEGATIVE.fullmatch(words):
        raise ValueError(COUNT)
    unit = _UNITS.get(resource, 1)
    if resource in _UNITS and not is_attribute and (found := _HTCONDOR_BYTES.fullmatch(words)):
        value = _finite(float(found[1]) * (_power(found[2]) if found[2] else unit), COUNT)
        return float(math.ceil(math.floor(value) / unit)) * unit
    return _finite(float(words), COUNT) * unit if _COUNT.fullmatch(words) else None


def request_of(resource: str, amount: float) -> tuple[str, str]:
    """Return the setting of a submit description that asks for an amount of a resource, rounded up.

    >>> request_of("memory_bytes", 2.0**21), request_of("cores", 2.0), request_of("licences", 1.0)
    (('request_memory', '2'), ('request_cpus', '2'), ('request_licences', '1'))
    """
    words = {name: word for word, name in _OF_HTCONDOR.items()}
    return f"request_{words.get(resource, resource)}", whole(amount / _UNITS.get(resource, 1))


# Profiles of Pegasus


def profiles_of_needs(keys: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return which of these profiles say how much of a resource a job needs, by resource.

    A profile is a namespace and a key. Pegasus passes condor profiles on to HTCondor, and puts its
    own profiles only where there is none.

    >>> profiles_of_needs([("condor", "request_cpus"), ("pegasus", "cores"), ("env", "cores")])
    {'cores': ('condor', 'request_cpus')}
    """
    found: dict[str, tuple[str, str]] = {}
    for space, key in keys:
        if space == "condor" and (resource := requested(key.lower())):
            found[resource] = space, key
        elif space == "pegasus" and key in PROFILES:
            found.setdefault(PROFILES[key], (space, key))
    return found


def profile_amount(resource: str, space: str, words: str) -> float | None:
    """Return how much a profile asks for; NaN for nothing, None for an expression of HTCondor's.

    Memory and disk space of Pegasus are in MiB without a unit. Raises ValueError.

    >>> profile_amount("disk_bytes", "pegasus", "3") == profile_amount("disk_bytes", "condor", "3M")
    True
    """
    if space == "condor":
        return asked(resource, words.strip())
    return bytes_in(words, MIB) if resource in _UNITS else count_in(words)


def needs_profiles(needs: Mapping[str, float]) -> list[tuple[str, str, str]]:
    """Return namespace, key and value of the profiles that ask for amounts, rounded up.

    Profiles of Pegasus have whole MiB; disk space between these becomes a request of HTCondor's.

    >>> needs_profiles({"memory_bytes": 2.0**30, "licences": 2.0})
    [('pegasus', 'memory', '1024'), ('condor', 'request_licences', '2')]
    """
    own = {resource: key for key, resource in PROFILES.items()}
    return [
        ("pegasus", own[of], whole(amount / (MIB if of in _UNITS else 1)))
        if of in own and not (of in _UNITS and amount % MIB)
        else ("condor", *request_of(of, amount))
        for of, amount in needs.items()
    ]


def whole(amount: float) -> str:
    """Return an amount, rounded up, as text; engines take whole numbers."""
    return str(math.ceil(amount))


# Columns


def amounts_by_task(tasks: int, amounts: Mapping[int, float]) -> Floats:
    """Return amounts by task as an array, NaN for others."""
    values = np.full(tasks, np.nan)
    values[list(amounts)] = list(amounts.values())
    return values


def needs_by_task(workflow: Workflow) -> list[dict[str, float]]:
    """Return what each task needs, by resource, without what is not known.

    >>> from icsched.dag import Dag
    >>> dag = Dag({"a": [], "b": []})
    >>> needs = {"cores": np.array([2.0, np.nan]), "gpus": np.array([1.0, 0.0])}
    >>> needs_by_task(Workflow(dag, needs=needs))
    [{'cores': 2.0, 'gpus': 1.0}, {'gpus': 0.0}]
    """
    rows: list[dict[str, Any]] = [{} for _ in range(len(workflow.dag))]
    for resource, amounts in workflow.needs.items():
        for row, amount in zip(rows, amounts.tolist(), strict=True):
            if amount == amount:
                row[resource] = amount
    return rows
