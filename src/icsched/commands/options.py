"""Options that commands share: files, names from tables, numbers and flags."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter, Token

from icsched.errors import ArgumentError
from icsched.tables import Table


def _as_typed(_type: object, tokens: Sequence[Token]) -> str:
    """Return a name as the user typed it: a Path would drop `./`, and a slash at the end."""
    return tokens[0].value


if TYPE_CHECKING:
    PathName: TypeAlias = str
else:  # shells complete what is a Path
    PathName = Annotated[Path, Parameter(converter=_as_typed)]

_FILES = "Workflow file; several DAGMan files that are submitted together; - for standard input."
FileName = Annotated[PathName, Parameter(help=_FILES)]


def _whole_number(_type: object, tokens: Sequence[Token]) -> int:
    """Return the whole number that an option has; cyclopts itself would round fractions."""
    word = tokens[0].value
    try:
        return int(word)
    except ValueError:  # cyclopts names the option
        raise ValueError(f"expected a whole number, got {word!r}") from None


WHOLE = Parameter(converter=_whole_number)  # for every option that is an int


def refuse(problems: Mapping[str, bool]) -> None:
    """Raise ArgumentError for the first problem whose value is true."""
    for problem, holds in problems.items():
        if holds:
            raise ArgumentError(problem)


def names_of(table: Table[Any]) -> Callable[[object], dict[str, str]]:
    """Return a completer of the names that can be used; a shell that asks loads the entries."""
    return lambda _context: {entry.name: entry.sentence for entry in table.usable()}


def known_in(table: Table[Any], *, or_file: bool = False) -> Callable[[object, Any], None]:
    """Return a validator of names of a table; if *or_file*, @FILE is as good as a name."""

    def check(_type: object, value: str | Sequence[str] | None) -> None:
        for name in [value] if isinstance(value, str) else value or ():
            is_file = or_file and name.startswith("@")
            if not is_file and table.get(name) is None:
                raise ValueError(table.expected(name, "@FILE" if or_file else ""))

    return check


def one_of(table: Table[Any], *, or_file: bool = False) -> Parameter:
    """Return what an option is that takes names of a table; help and completion list the names."""

    def known(default: str | Sequence[str]) -> str:
        usual = default if isinstance(default, str) else ", ".join(default)
        return f"{usual}. Names: {table.described()}"

    check = known_in(table, or_file=or_file)
    return Parameter(show_default=known, completer=names_of(table), validator=check)


Flag = Annotated[bool, Parameter(negative="", show_default=False)]
Json = Annotated[bool, Parameter(name="--json", negative="", show_default=False)]


def _check_named(_type: object, value: str | None) -> None:
    if value == "":
        raise ValueError("expected a name, got ''")  # the complaint names the option


WRITTEN = Parameter(validator=_check_named)  # for every option that names what is written
OutputName = Parameter(name=["--output", "-o"], validator=_check_named)

RUN_TIMES_HELP = (
    "File with mean seconds of jobs: a table, an event log of HTCondor, its history, or a workflow"
    " with run times, such as a trace of WfCommons. It can be given several times."
    " Jobs may be missing."
)
RunTimeFiles = Annotated[
    Sequence[PathName], Parameter(negative="", show_default=False, help=RUN_TIMES_HELP)
]
