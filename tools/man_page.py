"""The manual page of icsched, from the same help as `icsched COMMAND --help`."""

import re
from collections.abc import Iterable
from pathlib import Path

from icsched.commands.app import app
from tools.reference.options import Option, commands, options_of

PAGE = Path(__file__).parent.parent / "man" / "icsched.1"
CODES = {
    "0": "Done.",
    "1": "A bad file, or a task that cannot be done; `prio --check`: a file is out of date.",
    "2": "A bad argument.",
    "3": "`icsched verify`: the order is not IC-optimal.",
    "4": "`icsched verify`: not decided.",
    "130": "Stopped by Ctrl-C.",
    "143": "`icsched run`: stopped by SIGTERM.",
}
VARIABLES = {
    "`NO_COLOR`": "If set, help is not coloured.",
    "`COLUMNS`": "The width of the terminal.",
    "`PYTHONUTF8`": "If 1, names of files are in UTF-8 in every locale.",
}
USUAL = {
    "`-h`, `--help`": "Print the help of icsched, or of a command.",
    "`--version`": "Print the version of icsched.",
}
_SEVERAL = "; several times"


def roff(text: str) -> str:
    r"""Return *text* for troff: hyphens that can be copied, no lines that look like requests.

    >>> print(roff("--order\n.x"))
    \-\-order
    \&.x
    """
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^(?=[.'])", r"\\&", escaped)


def marked(text: str) -> str:
    r"""Return a line of Markdown for troff: code becomes bold.

    >>> print(marked(r"`-o` \* 2"))
    \fB\-o\fR * 2
    """
    return re.sub(r"`([^`]*)`", r"\\fB\1\\fR", roff(re.sub(r"\\([|*])", r"\1", text)))


def listed(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return names with what is said about each one below it."""
    return [line for name, text in rows for line in (".TP", marked(name), marked(text))]


def entry(option: Option) -> tuple[str, str]:
    """Return what an option is called and takes, and what is said about it."""
    value = option.value.removesuffix(_SEVERAL).replace("`, `", "|")
    repeats = " It can be given several times." if option.value.endswith(_SEVERAL) else ""
    told = {"": "", "must be given": " It must be given."}
    default = told.get(option.default, f" By default {option.default}.")
    return f"{option.names} {value}".rstrip(), option.meaning + repeats + default


def paragraphs(command: str) -> list[str]:
    """Return the paragraphs of a command's help; the last one is an example."""
    return [" ".join(part.split()) for part in app[command].help.split("\n\n")]


def command_lines(command: str) -> list[str]:
    """Return the section of one command."""
    *told, example = paragraphs(command)
    shown = example.replace("Example: ", "Example: `", 1) + "`"
    lines = [line for part in [*map(roff, told), marked(shown)] for line in (".PP", part)]
    return [f'.SS "icsched {command}"', *lines[1:], *listed(map(entry, options_of(command)))]


def man_page() -> str:
    """Return the whole page; no word is parted, because names of options must not be."""
    name = app.help.rstrip(".")
    lines = [
        '.\\" Written by tools/man_page.py from the help of the commands.',
        '.TH ICSCHED 1 "" icsched "User Commands"',
        ".nh",
        ".ad l",
        ".SH NAME",
        f"icsched \\- {roff(name[0].lower() + name[1:])}",
        ".SH SYNOPSIS",
        ".B icsched",
        ".I COMMAND",
        "[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]",
        ".SH DESCRIPTION",
        *listed((f"`{command}`", paragraphs(command)[0]) for command in commands()),
        ".SH OPTIONS",
        *listed(USUAL.items()),
        ".SH COMMANDS",
        *(line for command in commands() for line in command_lines(command)),
        ".SH EXIT STATUS",
        *listed(CODES.items()),
        ".SH ENVIRONMENT",
        *listed(VARIABLES.items()),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(man_page())
