"""Pools as plain data and as JSON files, and default pools.

A file has one object: ``{"schema": 1, "kind": "workers", "count": 4, "delay": 5}``. The kind is
"batches" for a `Pool`, "workers" for `Workers`, "recorded" for `Recorded` and "machines" for
`Machines`. The other keys are the fields of that class. A missing key has its default. null means
infinity, or the default for *speeds*, *max_jobs*, *max_idle* and *htcondor*. Each of *machines* is
an object with its resources and, if there are several, their *count*:
``{"count": 12, "cores": 8, "memory_bytes": 68719476736}``.
"""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

from icsched import checks
from icsched.arrays import Floats
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError, SimulationError
from icsched.files import read_text
from icsched.pebble import remaining_paths
from icsched.sim.machines import HTCondor, Machine, Machines
from icsched.sim.model import LARGEST, AnyPool, Pool, Recorded, Workers

MANY_TASKS = 100_000  # from this size on fewer pools are tried

SCHEMA = 1
LARGEST_FILE = 2**27  # characters; enough for a million visits

_KINDS: dict[str, type[AnyPool]] = {
    "batches": Pool,
    "workers": Workers,
    "recorded": Recorded,
    "machines": Machines,
}
REPLAY_ERROR = "replay_error"  # the fit of the pool, added by `icsched learn`
RUNNING_ERROR = "running_error"  # the same for the number of running jobs over time
FAR_OFF = 0.2  # a pool with a larger error does not reproduce its own log
FAR_OFF_RUNNING = 0.5  # nor does one on which so many more or fewer jobs run at a moment
_ERRORS = (REPLAY_ERROR, RUNNING_ERROR)
_LISTS = ("speeds", "starts", "ends")
_MAY_BE_INFINITE = ("leave", "deadline", "ends")
_MAY_BE_ABSENT = ("speeds", "max_jobs", "max_idle", "htcondor")
_FLAGS = ("waiting", "exact_cores")
_NO_JSON = re.compile(r"-?\bInfinity\b|\bNaN\b")


def pool_to_dict(pool: AnyPool) -> dict[str, object]:
    """Return *pool* as plain data, which `pool_of` turns back into the same pool.

    >>> pool_to_dict(Recorded([0, 2], [5, math.inf]))["ends"]
    [5.0, None]
    """
    kind = next(kind for kind, made in _KINDS.items() if isinstance(pool, made))
    values = {field.name: _plain(getattr(pool, field.name)) for field in fields(pool)}
    return {"schema": SCHEMA, "kind": kind, **values}


def _plain(value: object) -> object:
    if isinstance(value, Machine):
        return {"count": value.count, **value.resources}
    if isinstance(value, HTCondor):
        return vars(value).copy()
    listed = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(listed, list | tuple):
        return [_plain(each) for each in listed]
    return None if listed == math.inf else listed


def pool_of(data: object) -> AnyPool:
    """Return the pool of data from `pool_to_dict`; raises ArgumentError for other data.

    Raises SimulationError for recorded visits that all end.

    >>> pool_of({"schema": 1, "kind": "workers", "count": 2}).delay
    0.0
    """
    if not isinstance(data, Mapping):
        raise ArgumentError(f"expected an object with the keys schema and kind, got {_short(data)}")
    if type(data.get("schema")) is not int or data["schema"] != SCHEMA:
        raise ArgumentError(f"schema: expected {SCHEMA}, got {_short(data.get('schema'))}")
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ArgumentError(f"kind: expected {', '.join(_KINDS)}, got {_short(kind)}")
    for name in _ERRORS:
        error = data.get(name, 0.0)
        if type(error) not in (int, float) or not math.isfinite(error):
            raise ArgumentError(f"{name}: expected a number, got {_short(error)}")
    given = {name: data[name] for name in data if name not in ("schema", "kind", *_ERRORS)}
    _check_keys(_KINDS[kind], given)
    values = {name: _value(name, value) for name, value in given.items()}
    if kind == "recorded":
        _check_visits(values)
    return _KINDS[kind](**values)


def read_pool(path: str | os.PathLike[str]) -> AnyPool:
    """Return the pool of a JSON file; raises FormatError if the file has none."""
    return read_pool_data(path)[0]


def read_pool_data(path: str | os.PathLike[str]) -> tuple[AnyPool, Mapping[str, object]]:
    """Return the pool of a JSON file, and the data of the file; raises as `read_pool` does."""
    import msgspec

    name = os.fspath(path)
    data = read_text(path)
    if not data.strip():
        raise FormatError(name, None, "expected a JSON object, got an empty file")
    if len(data) > LARGEST_FILE:
        problem = f"expected a pool of at most {LARGEST_FILE:,} characters, got {len(data):,}"
        raise FormatError(name, None, problem)
    try:
        found = msgspec.json.decode(data)
        return pool_of(found), found
    except (msgspec.MsgspecError, RecursionError) as error:
        got = _unknown_number(data) or str(error)
        raise FormatError(name, None, f"expected a pool as JSON, got {got}") from error
    except (ArgumentError, SimulationError) as error:
        raise FormatError(name, None, str(error)) from error


def _unknown_number(data: str) -> str:
    """Return a message about a number in *data* that JSON does not allow; "" if there is none."""
    found = _NO_JSON.search(data)
    advice = "write null for infinity" if found and found[0] != "NaN" else "write a number"
    return f"{found[0]}, which JSON does not have: {advice}" if found else ""


def _check_visits(values: Mapping[str, list[float]]) -> None:
    """Raise an error in terms of the file, where null means infinity."""
    if not values["starts"]:
        raise ArgumentError("starts: expected at least one visit of a worker, got an empty list")
    if values["ends"] and max(values["ends"]) < math.inf:
        raise SimulationError(
            "ends: expected at least one worker who stays, with the end null;"
            f" got workers who have all left at {max(values['ends']):g}"
        )


def _check_keys(kind: type[AnyPool | HTCondor], given: Mapping[object, object]) -> None:
    known = {field.name: field.default is MISSING for field in fields(kind)}
    for name in given:
        if name not in known:
            raise ArgumentError(f"expected the keys {', '.join(known)}, got {_short(name)}")
    for name, is_needed in known.items():
        if is_needed and name not in given:
            raise ArgumentError(f"{name}: expected a value, got none")


def _value(name: str, value: object) -> Any:
    """Return the value of a field, after a check of its type."""
    if value is None and name in _MAY_BE_ABSENT:
        return None
    if name == "machines":
        return _machines(value)
    if name == "htcondor":
        return _htcondor(value)
    if name in _LISTS:
        return _numbers(name, value)
    if name == "batch_law":
        if not isinstance(value, str):
            raise ArgumentError(f"{name}: expected a word, got {_short(value)}")
        checks.one_of(name, _word(value), ("geometric", "exponential", "fixed"))
        return value
    if name in _FLAGS:
        if not isinstance(value, bool):
            raise ArgumentError(f"{name}: expected true or false, got {_short(value)}")
        return value
    return _number(name, value, may_be_infinite=name in _MAY_BE_INFINITE)


def _machines(value: object) -> list[Machine]:
    if not isinstance(value, list | tuple):
        raise ArgumentError(f"machines: expected a list of objects, got {_short(value)}")
    return [_machine(each) for each in value]


def _machine(data: object) -> Machine:
    if not isinstance(data, Mapping):
        raise ArgumentError(f"machines: expected a list of objects, got one with {_short(data)}")
    numbers = {
        _word(str(name)): _number(_word(str(name)), value, may_be_infinite=False)
        for name, value in data.items()
    }
    count: Any = numbers.pop("count", 1)
    return Machine(numbers, count)


def _htcondor(data: object) -> HTCondor:
    if not isinstance(data, Mapping):
        raise ArgumentError(f"htcondor: expected an object, got {_short(data)}")
    _check_keys(HTCondor, data)
    return HTCondor(**{name: _value(name, value) for name, value in data.items()})


def _numbers(name: str, value: object) -> list[float]:
    if not isinstance(value, list | tuple):
        raise ArgumentError(f"{name}: expected a list of numbers, got {_short(value)}")
    infinite = name in _MAY_BE_INFINITE
    return [_number(name, each, may_be_infinite=infinite) for each in value]


def _number(name: str, value: object, *, may_be_infinite: bool) -> float:
    if value is None and may_be_infinite:
        return math.inf
    if type(value) not in (int, float) or not -LARGEST <= value <= LARGEST:  # type: ignore[operator]
        raise ArgumentError(f"{name}: expected a number up to {LARGEST:g}, got {_short(value)}")
    return value  # type: ignore[return-value]


def _short(value: object) -> str:
    """Return *value* as JSON, shortened if long."""
    words = {None: "null", True: "true", False: "false"}
    if value is None or isinstance(value, bool):
        return words[value]
    if isinstance(value, list | tuple | dict):
        return "an object" if isinstance(value, dict) else f"a list of {len(value):,}"
    return _word(repr(value)) if not isinstance(value, int) or abs(value) < LARGEST else "more"


def _word(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def usual_pools(dag: Dag, times: Floats) -> list[AnyPool]:
    """Return different pools, scaled to the width of *dag* and to its mean run time.

    Four pools have fixed workers: an eighth, a quarter and half of the width, and the work divided
    by the longest path (balanced). Three pools have batches of mean size 1, 16 and 64 whose
    requests are lost if no task is eligible. Large dags get three of these. The most informative
    pools come first, because a small budget is only enough for some.

    >>> chains = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"]})
    >>> [pool.count for pool in usual_pools(chains, np.ones(4)) if isinstance(pool, Workers)]
    [2]
    """
    width = int(np.bincount(dag.levels).max())
    mean = float(times.mean())
    balanced = max(2, round(float(times.sum() / remaining_paths(dag, times).max())))
    quarter = max(2, width // 4)
    pools: list[AnyPool] = [
        Workers(balanced),
        Pool(interval=mean * 16 / balanced, batch=16),
        Workers(quarter),
        Workers(max(2, width // 8)),
        Workers(max(2, width // 2)),
        Pool(interval=mean / balanced, batch=1),
        Pool(interval=mean * 64 / quarter, batch=64),
    ]
    return list(dict.fromkeys(pools[:3] if len(dag) >= MANY_TASKS else pools))
