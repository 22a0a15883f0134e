"""Write tests/public_api.txt: each public name with its signature. A test checks the file."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import icsched

FILE = Path(__file__).parent.parent / "tests" / "public_api.txt"
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def packages() -> list[str]:
    """Return the documented packages: icsched, and those that `icsched.NAME` gives."""
    return ["icsched", *(f"icsched.{name}" for name in sorted(icsched._PACKAGES))]


def exports(package: str) -> list[str]:
    """Return the names that a package exports: `__all__`, else the classes of its own."""
    module = import_module(package)
    own = [
        name
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == package and name[0] != "_"
    ]
    return sorted(getattr(module, "__all__", own))


def signature(value: object) -> str:
    """Return names, kinds and defaults of parameters; types are left out, mypy checks them."""
    try:
        whole = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):  # some builtin classes have none
        return "(...)"
    empty = inspect.Parameter.empty
    bare = [each.replace(annotation=empty) for each in whole.parameters.values()]
    shown = str(whole.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return ADDRESS.sub("", shown)


def member_line(name: str, member: object) -> str:
    """Return a member of a class: a method with its signature, anything else by its name."""
    if isinstance(member, staticmethod | classmethod):
        member = member.__func__
    return f"{name}{signature(member)}" if inspect.isfunction(member) else name


def members(kind: type) -> Iterator[str]:
    """Yield the public members of a class, inherited ones of icsched included, by name."""
    found: dict[str, object] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("icsched"):
            found |= dict.fromkeys(vars(base).get("__annotations__", {}))
            found |= vars(base)
    for name in sorted(found):
        if name[0] != "_":
            yield member_line(name, found[name])


def export_lines(package: str, name: str) -> Iterator[str]:
    """Yield the lines of one exported name; an export of `icsched` is told there alone."""
    value = getattr(import_module(package), name)
    shown = f"{package}.{name}"
    if package != "icsched" and name in icsched.__all__:
        yield f"{shown} = icsched.{name}"
    elif inspect.isclass(value):
        yield f"{shown}{signature(value)}"
        yield from (f"    .{line}" for line in members(value))
    else:
        yield f"{shown}{signature(value)}" if inspect.isroutine(value) else shown


def public_api() -> str:
    """Return the whole file."""
    pairs = [(package, name) for package in packages() for name in exports(package)]
    return "".join(f"{line}\n" for pair in pairs for line in export_lines(*pair))


if __name__ == "__main__":
    FILE.write_text(public_api())
