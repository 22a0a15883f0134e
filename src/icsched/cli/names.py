"""Names in tables, which help lists and shells complete, each with its sentence."""

from collections.abc import Callable, Sequence
from typing import Any

from cyclopts import Parameter

from icsched.tables import Table


def names_of(table: Table[Any]) -> Callable[[object], dict[str, str]]:
    """Return a completer of the names that can be used; a shell that asks loads the entries."""
    return lambda _context: {entry.name: entry.sentence for entry in table.usable()}


def one_of(table: Table[Any]) -> Parameter:
    """Return what an option is that takes names of a table; help and completion list the names."""

    def known(default: str | Sequence[str]) -> str:
        usual = default if isinstance(default, str) else ", ".join(default)
        return f"{usual}. Names: {table.described()}"

    return Parameter(show_default=known, completer=names_of(table))
