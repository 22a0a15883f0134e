"""The manual page of icsched, from the same help as `icsched COMMAND --help`."""

import re
from io import StringIO
from pathlib import Path

from rich.console import Console, ConsoleOptions

from icsched.cli.app import app

PAGE = Path(__file__).parent.parent / "man" / "icsched.1"
CODES = {
    "0": "Done.",
    "1": "An error in a file, or a task that cannot be done; prio --check: a file is out of date.",
    "2": "A bad argument.",
    "3": "icsched verify: the order is not IC-optimal.",
    "130": "Stopped by Ctrl-C.",
}
VARIABLES = {
    "NO_COLOR": "If set, nothing is coloured.",
    "FORCE_COLOR, CLICOLOR_FORCE": "If set, output is coloured even if it is not on a terminal.",
    "COLUMNS": "The width of the terminal.",
    "LC_ALL, LC_CTYPE, LANG": "In the locales C and POSIX, output is in ASCII.",
}


class Entries:
    """Takes the options and arguments of one command out of its help."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def __call__(self, _console: Console, _options: ConsoleOptions, panel: object) -> None:
        """Keep the entries of a panel: their names, and what is said about them."""
        for entry in panel.entries:  # type: ignore[attr-defined]
            names = [*entry.positive_names, *entry.positive_shorts] or [entry.positional_label]
            choices = f" Choices: {', '.join(entry.choices)}." if entry.choices else ""
            self.found.append((", ".join(names), _plain(entry.description) + choices))


def _plain(text: object) -> str:
    """Return the text of a description on one line."""
    console = Console(file=StringIO(), width=10_000, force_terminal=False, color_system=None)
    console.print(text or "", markup=False, highlight=False, end="")
    return " ".join(console.file.getvalue().split())  # type: ignore[attr-defined]


def entries(command: str) -> list[tuple[str, str]]:
    """Return the arguments and options of a command with their help, without --help."""
    found, usual = Entries(), app.help_formatter
    app.help_formatter = found
    try:
        app.help_print([command], console=Console(file=StringIO()))
    finally:
        app.help_formatter = usual
    return [entry for entry in found.found if "--help" not in entry[0]]


def commands() -> list[str]:
    """Return the names of all commands, in the order of help."""
    return [name for name in app if not name.startswith("-")]


def roff(text: str) -> str:
    r"""Return *text* for troff: hyphens that can be copied, no lines that look like requests.

    >>> print(roff("--order\n.x"))
    \-\-order
    \&.x
    """
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^(?=[.'])", r"\\&", escaped)


def listed(rows: list[tuple[str, str]]) -> list[str]:
    """Return names with what is said about each one below it."""
    return [line for name, text in rows for line in (".TP", f".B {roff(name)}", roff(text))]


def command_lines(command: str) -> list[str]:
    """Return the section of one command."""
    paragraphs = [" ".join(part.split()) for part in app[command].help.split("\n\n")]
    told = [line for part in paragraphs for line in (".PP", roff(part))][1:]
    return [f'.SS "icsched {command}"', *told, *listed(entries(command))]


def man_page() -> str:
    """Return the whole page."""
    name = app.help.rstrip(".")
    lines = [
        '.\\" Written by tools/man_page.py from the help of the commands.',
        '.TH ICSCHED 1 "" icsched "User Commands"',
        ".SH NAME",
        f"icsched \\- {roff(name[0].lower() + name[1:])}",
        ".SH SYNOPSIS",
        ".B icsched",
        ".I COMMAND",
        "[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]",
        ".SH COMMANDS",
        *(line for command in commands() for line in command_lines(command)),
        ".SH EXIT STATUS",
        *listed(list(CODES.items())),
        ".SH ENVIRONMENT",
        *listed(list(VARIABLES.items())),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(man_page())
