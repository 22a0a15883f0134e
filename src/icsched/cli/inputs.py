"""What commands share: the files of a workflow, how they are read, and whole numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated

from cyclopts import Parameter, Token

from icsched.answers.reading import ReadingOptions
from icsched.answers.streams import STANDARD_INPUT
from icsched.cli.names import names_of
from icsched.errors import ArgumentError
from icsched.formats import FORMATS

_FILES = "Workflow file; several DAGMan files that are submitted together; - for standard input."
FileName = Annotated[str, Parameter(help=_FILES)]

_FORMAT_HELP = next(one.metadata for one in fields(ReadingOptions) if one.name == "format")
# The class says the options and their help; here is how they look on the command line.
FormatWord = Annotated[str | None, Parameter(completer=names_of(FORMATS))]


@Parameter(name="*", negative="", show_default=False)
@dataclass(frozen=True)
class FileOptions(ReadingOptions):
    """How files are read."""

    format: FormatWord = field(default=None, metadata=_FORMAT_HELP)


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
