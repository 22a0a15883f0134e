"""What commands share: the files of a workflow, how they are read, and whole numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter, Token

from icsched.answers.streams import STANDARD_INPUT
from icsched.errors import ArgumentError
from icsched.formats.dagman import DagmanOptions


def _as_typed(_type: object, tokens: Sequence[Token]) -> str:
    """Return a name as the user typed it: a Path would drop `./`, and a slash at the end."""
    return tokens[0].value


if TYPE_CHECKING:
    PathName: TypeAlias = str
else:  # shells complete what is a Path
    PathName = Annotated[Path, Parameter(converter=_as_typed)]

_FILES = "Workflow file; several DAGMan files that are submitted together; - for standard input."
FileName = Annotated[PathName, Parameter(help=_FILES)]


@Parameter(name="*", negative="", show_default=False)
@dataclass(frozen=True)
class FileOptions(DagmanOptions):
    """How files are read; the class that it extends has the options and their help."""


USUAL = FileOptions()  # as condor_submit_dag reads files without options


def _whole_number(_type: object, tokens: Sequence[Token]) -> int:
    """Return the whole number that an option has; cyclopts itself would round fractions."""
    word = tokens[0].value
    try:
        return int(word)
    except ValueError:  # cyclopts names the option
        raise ValueError(f"expected a whole number, got {word!r}") from None


WHOLE = Parameter(converter=_whole_number)  # for every option that is an int


def check_streams(*words: str | None) -> None:
    """Raise ArgumentError if more than one of *words*, files and @FILEs, is standard input."""
    if sum(word in (STANDARD_INPUT, f"@{STANDARD_INPUT}", "@-") for word in words) > 1:
        raise ArgumentError("only one of FILE and the options can be read from standard input")


def refuse(problems: Mapping[str, bool]) -> None:
    """Raise ArgumentError for the first problem whose value is true."""
    for problem, holds in problems.items():
        if holds:
            raise ArgumentError(problem)
