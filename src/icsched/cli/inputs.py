"""Options that commands share: how files are read, and whole numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cyclopts import Parameter, Token

from icsched.answers.reading import Reading
from icsched.cli.output import Flag
from icsched.errors import ArgumentError


@Parameter(name="*")
@dataclass(frozen=True)
class FileOptions(Reading):
    """How the files of a workflow are read.

    Parameters
    ----------
    lenient
        Skip unknown commands instead of refusing them.
    usedagdir
        Look for files from the directory of the DAGMan file, as condor_submit_dag -usedagdir does.
    no_rescue
        Take all jobs, even those that the newest rescue file says are done.

    """

    lenient: Flag = False
    usedagdir: Flag = False
    no_rescue: Flag = False


USUAL = FileOptions()  # as condor_submit_dag reads files without options


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
