"""The `icsched` command: parse, dispatch, and turn errors into one line and an exit code.

Exit code 0 means done, 1 an error of the user's, 2 bad usage, 130 an end by Ctrl-C, 143 an end of a
run by SIGTERM; a command may return another code as its answer. Bugs keep their traceback. This
module imports little, so that `--version` is quick and Ctrl-C is caught early.
"""

import os
import signal
import sys
from collections.abc import Sequence
from io import RawIOBase, TextIOWrapper
from typing import TextIO


def version_line() -> str:
    """Return the name and the version of the package."""
    import icsched

    return f"icsched {icsched.__version__}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line with *arguments*, by default the process's, and exit."""
    _fill_closed_streams()
    sys.stdout, sys.stderr = _whole(sys.stdout), _whole(sys.stderr)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def _fill_closed_streams() -> None:
    """Open a file for each standard stream that the process was started without.

    Otherwise the next file to be opened would get the number of that stream, and its output.
    Reading from such an input and writing to such an output fails; error messages are lost.
    """
    for handle, flags in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(handle)
        except OSError:
            os.open(os.devnull, flags)  # gets the lowest free number, which is this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115  until the process ends
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115


def _whole(stream: TextIO) -> TextIO:
    """Return a stream like *stream* on which each write puts out every byte or raises OSError.

    With PYTHONUNBUFFERED the stream writes to a raw file. A raw file may take only a part of the
    bytes, as on a full disk, and Python silently drops the others. A buffer tries again.
    """
    raw: object = getattr(stream, "buffer", None)
    if not isinstance(raw, RawIOBase):
        return stream
    return open(
        stream.fileno(),
        "w",
        buffering=1,  # one line at a time, so that output is as prompt as the user wants
        encoding=stream.encoding,
        errors=stream.errors,
        closefd=False,
    )


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        return _run(arguments)
    except KeyboardInterrupt as error:
        return 143 if error.args == (signal.SIGTERM,) else 130


def _run(arguments: Sequence[str]) -> int:
    from icsched.commands.terminal import remember
    from icsched.errors import ArgumentError, IcschedError

    code = 0
    remember(arguments)
    try:
        code = _dispatch(_with_streams(arguments))
        sys.stdout.flush()
    except ArgumentError as error:
        return _complain(error, 2)
    except IcschedError as error:
        return _complain(error, 1)
    except UnicodeEncodeError:  # a name that a file holds as bytes of UTF-8
        if sys.getfilesystemencoding() == "utf-8":
            raise
        return _complain("the locale has no such name of a file: set PYTHONUTF8=1", 1)
    except (BrokenPipeError, SystemExit):  # nobody reads our output; rich then exits
        _discard(sys.stdout)
    except OSError as error:  # standard output: errors of other files are FormatError
        _discard(sys.stdout)
        return _complain(f"standard output: {error.strerror}", 1)
    return code


def _dispatch(words: list[str]) -> int:
    """Run the command that *words* name, and return its exit code.

    Raises ArgumentError for words that the command does not accept.
    """
    if words == ["--version"]:
        sys.stdout.write(f"{version_line()}\n")
        return 0
    if words in (["doctor"], ["doctor", "--json"]):  # works even if cyclopts is broken
        from icsched.commands.doctor import checkup

        return checkup(as_json=len(words) > 1)
    from cyclopts import CycloptsError

    from icsched.commands.app import app, complaint
    from icsched.errors import ArgumentError

    try:
        found = app(
            words,
            exit_on_error=False,
            print_error=False,
            result_action="return_value",
        )
    except CycloptsError as error:
        raise ArgumentError(complaint(error)) from error
    return found if isinstance(found, int) else 0


# Options that name a file to write
_OUTPUTS = ("-o", "--output", "--pool-file", "--write-certificate")


def _with_streams(arguments: Sequence[str]) -> list[str]:
    """Return *arguments* with the name of a standard stream for each lone hyphen.

    A hyphen may also be the value of an option in the same word: `--output=-`, `-o=-` and `-o-`.
    Raises ArgumentError if standard input would be read twice.
    """
    from icsched.commands.terminal import STANDARD_INPUT, STANDARD_OUTPUT
    from icsched.errors import ArgumentError

    words: list[str] = []
    before = ""
    for word in arguments:
        option, equals, value = word.partition("=")
        if word == "-":
            words.append(STANDARD_OUTPUT if before in _OUTPUTS else STANDARD_INPUT)
        elif option.startswith("--") and equals and value == "-":
            stream = STANDARD_OUTPUT if option in _OUTPUTS else STANDARD_INPUT
            words.append(f"{option}={stream}")
        elif word in ("-o-", "-o=-"):
            words.append(f"--output={STANDARD_OUTPUT}")
        else:
            words.append(word)
        before = word
    values = [word.partition("=")[2] if word.startswith("--") else word for word in words]
    inputs = [value for value in values if value in (STANDARD_INPUT, f"@{STANDARD_INPUT}", "@-")]
    if len(inputs) > 1 and words[0] != "convert":  # writes what a second hyphen names
        raise ArgumentError("only one of FILE and the options can be read from standard input")
    return words


def _discard(stream: TextIO) -> None:
    """Point *stream* at nothing, so that flushing it at exit cannot fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _complain(error: Exception | str, code: int) -> int:
    from icsched.commands.terminal import say
    from icsched.messages import escaped

    message = " ".join(line.strip() for line in escaped(str(error)).splitlines())
    try:
        say(f"icsched: {message}\n", stream=sys.stderr)
        sys.stderr.flush()
    except OSError:  # the exit code still says that there was an error
        _discard(sys.stderr)
    return code
