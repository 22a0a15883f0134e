"""What the library answers: expressions, and their values as plain data."""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from enum import Enum

import icsched
from tools.golden.shown import json_lines, steady

TIMED = "seconds"  # a mapping of this name has times of a clock


def value_lines(expression: str, path: str | None, folder: str) -> list[str]:
    """Return what *expression* is, in lines; `wf` in it is the workflow of *path*."""
    try:
        names: dict[str, object] = {"icsched": icsched}
        if path is not None and "wf" in expression:
            names["wf"] = icsched.read(path)
        value = plain(eval(expression, names))  # noqa: S307  our tables
        return json_lines(json.loads(steady(json.dumps(value), folder)))
    except Exception as error:
        return [steady(f"{type(error).__name__}: {error}", folder)]


def plain(value: object) -> object:
    """Return *value* as what JSON knows."""
    if value is None or isinstance(value, bool | int | float | str):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Enum):
        return value.name
    for method in ("to_dict", "to_mapping", "tolist"):
        if hasattr(value, method):
            return plain(getattr(value, method)())
    if dataclasses.is_dataclass(value):
        found = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
        return plain({name: item for name, item in found.items() if not name.startswith("_")})
    if isinstance(value, Mapping):
        return {
            str(name): plain(item)
            for name, item in value.items()
            if not (name == TIMED and isinstance(item, Mapping))
        }
    if isinstance(value, Iterable):
        return [plain(item) for item in value]
    return type(value).__name__ if callable(value) else repr(value)
