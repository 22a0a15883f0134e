"""The options of commands as tables, from what cyclopts knows about the commands."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import Parameter as Kind
from typing import get_args, get_origin

from cyclopts.argument import Argument

from icsched.commands.app import app

HEAD = ["| option | value | default | meaning |", "| --- | --- | --- | --- |"]
VALUES = {int: "whole number", float: "number", bool: ""}
WORDS = {  # what a text is, by the words of its help; the first that fits
    r"separated by commas|as for --done": "list",
    r"Directory": "directory",
    r"Address": "address",
    r"[Nn]ame of|Format of": "name",
    r"[Ff]ile\b": "file",
    r"this many": "whole number",
}
_DEFAULT = re.compile(r"[;:] ([^;:]+?) by default\.$")
_WORD = re.compile(r"(?<![\w`-])(--?[a-z][\w-]*|@?[A-Z]{3,}(?:\.[\w-]+)?|@-|-(?= for ))(?![\w`])")
_REPEATS = " It can be given several times."  # the column of values says so
_NAMES = frozenset(["HTML", "JSON", "PRIORITY", "SUBDAG", "EXTERNAL", "SVG", "PNG"])


@dataclass(frozen=True)
class Option:
    """One row of a table: what an argument or option is called, takes, and means."""

    names: str
    value: str
    default: str
    meaning: str
    group: str

    @property
    def row(self) -> str:
        """The row as Markdown."""
        return f"| {self.names} | {self.value} | {self.default} | {self.meaning} |"


@dataclass(frozen=True)
class Shared:
    """A group of options that several commands have: `like` is one command that has it."""

    link: str
    like: str
    group: str
    home: str = ""  # the command whose section has the table; empty if it stands before them
    own: Sequence[str] = ()  # options of the group that belong to that one command

    def options(self) -> list[Option]:
        """Return the options of the group."""
        kept = (option for option in options_of(self.like) if option.group == self.group)
        return [option for option in kept if option.names not in self.own]


SHARED = {
    "all commands": Shared(
        "[as in all commands](#options-that-commands-share)",
        "show",
        "",
        own=("`--json`", "`--tables`"),
    ),
    "the pool": Shared("[the pool](#the-pool)", "simulate", "Pool", "simulate"),
    "run times": Shared("[run times](#run-times)", "simulate", "Times", "simulate"),
    "statistics": Shared("[statistics](#statistics)", "simulate", "Statistics", "simulate"),
}


def options_of(command: str) -> list[Option]:
    """Return the arguments and options of a command, in the order of its code."""
    found = app[command].assemble_argument_collection(parse_docstring=True)
    return [_option(argument) for argument in found if argument.names != ("*",)]


def commands() -> list[str]:
    """Return the names of all commands, in the order of help."""
    return [name for name in app if not name.startswith("-")]


def table_of(command: str) -> list[str]:
    """Return the table of a command: options of its own, then the names of shared ones."""
    options, rows = options_of(command), []
    for shared in SHARED.values():
        common = [option for option in shared.options() if option in options]
        options = [option for option in options if option not in common]
        if common and shared.home != command:
            rows.append(f"| {', '.join(_short(one) for one in common)} | | | {shared.link} |")
    return [*HEAD, *(option.row for option in options), *rows]


def tables() -> dict[str, list[str]]:
    """Return the lines of each table by the words of its mark."""
    groups = {name: [*HEAD, *_rows(shared.options())] for name, shared in SHARED.items()}
    return groups | {command: table_of(command) for command in commands() if options_of(command)}


def with_tables(page: str) -> str:
    """Return *page* with a fresh table between each mark and its end; every table has one mark."""
    for name, lines in tables().items():
        before, mark, rest = page.partition(f"<!-- options of {name} -->\n")
        _, end, after = rest.partition("<!-- end -->\n")
        if not end:
            raise ValueError(f"docs/cli.md: expected marks around the options of {name}")
        page = "".join([before, mark, *(f"{line}\n" for line in lines), end, after])
    return page


def _rows(options: Sequence[Option]) -> list[str]:
    return [option.row for option in options]


def _short(option: Option) -> str:
    """Return the name to list an option by: the last one, which is the long one."""
    return option.names.rpartition(", ")[2]


def _option(argument: Argument) -> Option:
    """Return an argument of cyclopts as a row; its group is empty unless the code names one."""
    names = sorted(argument.names, key=len)
    is_many = argument.field_info.kind is Kind.VAR_POSITIONAL
    words = [f"`{name}{' ...' if is_many else ''}`" for name in names]
    meaning = " ".join((argument.parameter.help or "").split()).replace(_REPEATS, "")
    told = _DEFAULT.search(meaning)
    default = (told[1] if " " in told[1] else f"`{told[1]}`") if told else _default(argument)
    text = f"{meaning[: told.start()]}." if told else meaning
    group = next((one.name for one in argument.parameter.group), "")  # type: ignore[union-attr]
    usual = group in ("Arguments", "Parameters")
    return Option(", ".join(words), _value(argument), default, marked(text), "" if usual else group)


def _default(argument: Argument) -> str:
    """Return the default of an option; empty if there is none, or none that says anything."""
    value = argument.field_info.default
    if argument.required:
        return "must be given"
    if isinstance(value, tuple):
        value = value[0] if value else None
    if value is None or value is False or value in ("", Kind.empty, math.inf):
        return ""
    return f"`{value:,.12g}`" if isinstance(value, int | float) else f"`{value}`"


def _value(argument: Argument) -> str:
    """Return what an option takes: its choices, or the kind of value; nothing for a switch."""
    choices = argument.get_choices()
    if choices:
        return ", ".join(f"`{choice}`" for choice in choices)
    if argument.field_info.kind is not Kind.KEYWORD_ONLY:
        return ""
    hints = (argument.hint, *get_args(argument.hint))
    plain = next((VALUES[hint] for hint in hints if hint in VALUES), None)
    word = _word(argument.parameter.help or "") if plain is None else plain
    return f"{word}; several times" if get_origin(argument.hint) is Sequence else word


def _word(meaning: str) -> str:
    """Return what a text is: a name, a file, a list or another word of `WORDS`."""
    found = (word for pattern, word in WORDS.items() if re.search(pattern, meaning))
    return next(found, "text") + (
        " or `@FILE`" if re.search("@FILE|as for --done", meaning) else ""
    )


def marked(text: str) -> str:
    """Return a help text with options and stand-ins as code.

    >>> marked("With -o: as --in-place, into FILE.bak; see @FILE.")
    'With `-o`: as `--in-place`, into `FILE.bak`; see `@FILE`.'
    """
    escaped = text.replace("|", "\\|").replace("*", "\\*")
    return _WORD.sub(lambda found: found[0] if found[0] in _NAMES else f"`{found[0]}`", escaped)
