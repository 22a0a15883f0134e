"""Answers as plain data and as data frames; other packages are imported only when needed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, is_dataclass
from enum import Enum
from importlib import import_module
from typing import Any

from icsched.errors import not_installed

MOST_SHOWN = 8  # values of a list that a repr shows


def brief(thing: object, **facts: object) -> str:
    """Return a repr of one line: the class, and *facts* by name.

    >>> brief(Answer(), tasks=3, order=Listed(range(10)))
    'Answer(tasks=3, order=[0, 1, 2, 3, 4, 5, 6, 7, ... 10 in all])'
    """
    words = (f"{name}={value!r}" for name, value in facts.items())
    return f"{type(thing).__name__}({', '.join(words)})"


class Listed:
    """Has the repr of a list; only the first values of a long list."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self._values[:MOST_SHOWN]))
        count = len(self._values)
        return f"[{shown}, ... {count:,} in all]" if count > MOST_SHOWN else f"[{shown}]"


class Rounded:
    """Has the repr of a number with four digits, which are enough to look at."""

    def __init__(self, value: float) -> None:
        self._value = value

    def __repr__(self) -> str:
        return f"{self._value:.4g}"


def changed(model: Any, *always: str) -> str:
    """Return a repr of a dataclass: the fields *always*, and those that are not as by default.

    >>> from icsched import Pool
    >>> changed(Pool(interval=60, batch=16), "interval", "batch")
    'Pool(interval=60.0, batch=16.0)'
    """
    values = {each.name: (getattr(model, each.name), each.default) for each in fields(model)}
    told = {
        name: _short(own)
        for name, (own, usual) in values.items()
        if name in always or _differ(own, usual)
    }
    return brief(model, **told)


def _differ(own: object, usual: object) -> bool:
    return not (own is usual or (isinstance(own, int | float | str) and own == usual))


def _short(value: Any) -> Any:
    listed = value.tolist() if hasattr(value, "tolist") else value
    return Listed(listed) if isinstance(listed, list | tuple) else value


def names_of(ids: str) -> Any:
    """Return a field of an answer: the names of the tasks whose ids the field *ids* has.

    Answers that differ only in names are equal. `Answer.to_dict` shows the names in place of ids.
    """
    return field(default=(), compare=False, repr=False, metadata={"names_of": ids})


class Shown:
    """What notebooks show as a table of the main facts, and a small picture."""

    def _repr_html_(self) -> str:
        """Return the facts and the picture as HTML; names cannot act on the page."""
        # Imported by name, because it is in a layer above; only notebooks need it.
        return str(import_module("icsched.report.notebook").html(self))


class Answer:
    """A frozen dataclass that becomes plain data.

    >>> from icsched import best_batch
    >>> best_batch({"a": [], "b": ["a"]}, [], 1).to_dict()["take"]
    ['a']
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as lists, numbers, strings and None, with tasks by name.

        JSON can hold this if it can hold the names.
        """
        return keys_of(self)


class Tabular(Answer):
    """An answer that is a table too.

    >>> from icsched import Schedule
    >>> Schedule({"a": [], "b": ["a"]}, ["a", "b"]).to_pandas().to_dict("list")
    {'task': ['a', 'b'], 'priority': [2, 1], 'eligible': [1, 0]}
    """

    def to_pandas(self) -> Any:
        """Return a data frame with the lists of `to_dict` as columns; raises EngineError.

        The class documents the rows. pandas must be installed.
        """
        return data_frame({key: row for key, row in self.to_dict().items() if type(row) is list})


def data_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return *columns* as a pandas DataFrame; raises EngineError without pandas.

    >>> data_frame({"task": ["a", "b"]})["task"].tolist()
    ['a', 'b']
    """
    try:
        import pandas as pd  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise not_installed("pandas", "pandas") from None
    return pd.DataFrame(columns)


# Plain data has the fields of a dataclass. The metadata of a field may change this. NOT_IN_JSON
# leaves the field out. json_by(function) replaces its value by the result of the function. INLINE
# replaces it by the fields of its own dataclass. A field `from_` becomes the key "from".
NOT_IN_JSON: Mapping[str, object] = {"json": None}


def json_by(function: Callable[[Any], object]) -> Mapping[str, object]:
    """Return the metadata of a field whose value *function* converts for JSON."""
    return {"json": function}


def keys_of(answer: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as plain data, in the same order."""
    data: dict[str, Any] = {}
    for each in fields(answer):
        value, function = getattr(answer, each.name), each.metadata.get("json", plain)
        if "names_of" in each.metadata:
            data |= {each.metadata["names_of"]: list(value)} if value else {}
        elif function is keys_of:
            data |= keys_of(value)
        elif function is not None:
            data[each.name.rstrip("_")] = function(value)
    return data


INLINE: Mapping[str, object] = {"json": keys_of}


def plain(value: Any) -> Any:
    """Return a value as plain data; an enum becomes its name in small letters.

    A list that begins with a text must have only texts; it may have a million.
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return keys_of(value)
    if isinstance(value, Enum):
        return value.name.lower()
    if hasattr(value, "tolist"):  # numpy is slow to import
        return value.tolist()
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)  # of a TaskId too: msgspec takes only plain integers
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return list(value) if value and isinstance(value[0], str) else list(map(plain, value))
    return value
