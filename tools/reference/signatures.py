"""Signatures for people: types as the source writes them, so that aliases keep their names."""

import ast
import inspect
import math
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cached_property
from textwrap import dedent
from typing import Any

Kind = inspect.Parameter
SIMPLE = (bool, int, float, str, tuple, type(None))


def summary(thing: object) -> str:
    """Return the first line of the documentation as Markdown; for a constant, its value."""
    if isinstance(thing, SIMPLE):
        return f"`{thing!r}`"
    return (inspect.getdoc(thing) or "").partition("\n")[0].replace("``", "`")


def call_of(name: str, thing: Callable[..., Any], *, bound: bool = False) -> str:
    """Return `name(arguments) -> type` of a function; a *bound* one shows no self.

    >>> def area(dag: "Dag", *, sizes: list[int] | None = None) -> int: ...
    >>> call_of("area", area)
    'area(dag: Dag, *, sizes: list[int] | None = None) -> int'
    """
    types = _types(thing)
    parameters = list(inspect.signature(thing).parameters.values())[bound:]
    result = types.get("return", "None")
    tail = "" if result == "None" else f" -> {result}"
    return f"{name}({_arguments(parameters, types)}){tail}"


def class_call_of(name: str, kind: type) -> str:
    """Return `name(arguments)` of a class whose `__init__` somebody wrote; else the name."""
    is_called = not hasattr(kind, "__members__") and not getattr(kind, "_is_protocol", False)
    types = _types(kind.__init__) if is_called else {}  # type: ignore[misc]
    if not types:  # a dataclass, whose fields say what it takes; or nobody is to make an object
        return name
    parameters = list(inspect.signature(kind).parameters.values())
    return f"{name}({_arguments(parameters, types)})"


def fields_of(kind: type) -> list[str]:
    """Return the public fields of a dataclass with types and defaults; none of other classes."""
    if not is_dataclass(kind):
        return []
    types = {key: word for base in reversed(kind.__mro__) for key, word in _types(base).items()}
    public = [field for field in fields(kind) if field.name[0] != "_"]
    return [f"{field.name}: {types[field.name]}{_field_default(field)}" for field in public]


def _field_default(field: Field[Any]) -> str:
    if field.default is not MISSING:
        return f" = {_default(field.default)}"
    return "" if field.default_factory is MISSING else " = ..."


def member_of(kind: type, name: str) -> tuple[str, str]:
    """Return a public member of a class, as it is used, and its first sentence."""
    value = inspect.getattr_static(kind, name)
    function = getattr(value, "__func__", value)
    if isinstance(value, property | cached_property):
        getter = value.fget if isinstance(value, property) else value.func
        type_ = _types(getter).get("return")  # type: ignore[arg-type]
        return f"{name}: {type_}" if type_ else name, summary(value)
    if not inspect.isfunction(function):
        return f"{name} = {_default(value)}", ""
    bound = not isinstance(value, staticmethod)
    return call_of(name, function, bound=bound), summary(function)


def attributes_of(kind: type) -> list[str]:
    """Return the public attributes that the body of a class states; none if they are fields."""
    if is_dataclass(kind) or issubclass(kind, tuple):
        return []
    return [f"{name}: {type_}" for name, type_ in _types(kind).items() if name[0] != "_"]


def members_of(kind: type) -> list[str]:
    """Return the names of the public members that a class defines itself, in its order.

    Fields are left out: `fields_of` has them.
    """
    known = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
    if hasattr(kind, "__members__"):
        known |= set(kind.__members__)
    return [name for name in vars(kind) if name[0] != "_" and name not in known]


def inherited_by(kind: type) -> list[str]:
    """Return the names of the public methods that a class has from other classes of icsched."""
    bases = [base for base in kind.__mro__[1:] if base.__module__.startswith("icsched")]
    names = {name for base in bases for name in vars(base) if name[0] != "_"}
    return sorted(
        name for name in names - set(vars(kind)) if inspect.isfunction(getattr(kind, name))
    )


def _types(thing: Callable[..., Any] | type) -> dict[str, str]:
    """Return the annotations of a function's arguments or a class's fields, as written."""
    try:
        node = ast.parse(dedent(inspect.getsource(thing))).body[0]
    except (OSError, TypeError):  # builtins have no source
        return {}
    if isinstance(node, ast.ClassDef):
        told = [one for one in node.body if isinstance(one, ast.AnnAssign)]
        return {ast.unparse(one.target): _written(one.annotation) for one in told}
    found = [one for one in ast.walk(node.args) if isinstance(one, ast.arg) and one.annotation]
    types = {one.arg: _written(one.annotation) for one in found}
    return types | ({"return": _written(node.returns)} if node.returns else {})


def _written(annotation: ast.expr | None) -> str:
    """Return an annotation as text, without the quotes of a name that comes later."""
    is_quoted = isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)
    word = str(annotation.value) if is_quoted else ast.unparse(annotation)
    return word.replace("T_co", "T")  # which of the two it is only matters to type checkers


def _arguments(parameters: list[inspect.Parameter], types: dict[str, str]) -> str:
    """Return the arguments with a bare star or slash where Python wants one."""
    words: list[str] = []
    seen = None
    for parameter in parameters:
        if seen is Kind.POSITIONAL_ONLY and parameter.kind is not seen:
            words.append("/")
        starred = (Kind.KEYWORD_ONLY, Kind.VAR_POSITIONAL)
        if parameter.kind is Kind.KEYWORD_ONLY and seen not in starred:
            words.append("*")
        seen = parameter.kind
        words.append(_argument(parameter, types.get(parameter.name, "")))
    return ", ".join([*words, "/"] if seen is Kind.POSITIONAL_ONLY else words)


def _argument(parameter: inspect.Parameter, type_: str) -> str:
    """Return one argument: its name, its type and its default."""
    stars = {Kind.VAR_POSITIONAL: "*", Kind.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    word = f"{stars}{parameter.name}" + (f": {type_}" if type_ else "")
    if parameter.default is Kind.empty:
        return word
    return f"{word}{' = ' if type_ else '='}{_default(parameter.default)}"


def _default(value: object) -> str:
    """Return a default: short values as Python writes them, others as dots."""
    if isinstance(value, float) and math.isinf(value):
        return "inf"
    return repr(value) if isinstance(value, SIMPLE) and len(repr(value)) < 30 else "..."
