"""Pages say what code says: options of commands, and signatures of the library."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pytest

import icsched
from tools.reference.api import GROUPS, api_page, exports_of
from tools.reference.options import SHARED, commands, options_of, table_of, tables, with_tables
from tools.reference.signatures import (
    call_of,
    class_call_of,
    fields_of,
    inherited_by,
    member_of,
    members_of,
)

ROOT = Path(__file__).parent.parent


def test_a_table_of_options_has_types_choices_and_defaults():
    """Worked by hand from the code of `icsched batch`; the rest of its options are shared."""
    assert table_of("batch") == [
        "| option | value | default | meaning |",
        "| --- | --- | --- | --- |",
        "| `--take` | whole number | must be given | How many jobs to hand out, 1 or more; "
        "all eligible jobs if there are fewer. |",
        "| `--done` | list or `@FILE` |  | Jobs that have run: names separated by commas, or "
        "`@FILE` with one name on each line (`@-` for standard input). Jobs that the files or the "
        "newest rescue file say are done need not be listed. |",
        "| `--running` | list or `@FILE` |  | Jobs that were handed out and have not ended, given "
        "as for `--done`. They are not handed out again, and what they will enable counts. |",
        "| `--json` |  |  | Print one JSON object instead of a report. |",
        "| `FILES ...`, `--lenient`, `--usedagdir`, `--no-rescue` | | | "
        "[as in all commands](#options-that-commands-share) |",
    ]


def test_a_page_without_a_mark_for_a_table_is_an_error():
    page = (ROOT / "docs" / "cli.md").read_text()
    with pytest.raises(ValueError, match="expected marks around the options of prio"):
        with_tables(page.replace("<!-- options of prio -->\n", ""))


def test_every_option_has_a_meaning_and_a_place_in_the_table_of_its_command():
    for command in commands():
        rows = "\n".join(table_of(command))
        rows += "\n".join(
            option.row for one in SHARED.values() if one.home == command for option in one.options()
        )
        for option in options_of(command):
            assert option.meaning.endswith("."), (command, option)
            assert option.names in rows or option.names.rpartition(", ")[2] in rows


def test_a_default_that_the_help_says_stands_in_the_column_of_defaults():
    """The help says "; 16 by default" and "; one for each core by default"."""
    pool, study = tables()["the pool"], tables()["study"]

    assert "| `--batch` | number | `16` | Mean number of requests in a batch. |" in pool
    assert any("| whole number | one for each core |" in row for row in study)


def test_a_row_with_another_default_than_the_shared_one_stands_on_its_own():
    """`prio` has the order auto where other commands have prio."""
    assert "| `--order` | name or `@FILE` | `auto` |" in "\n".join(table_of("prio"))
    assert "| `--order` |" not in "\n".join(table_of("show"))


class Base:
    def to_text(self) -> str:
        """Return it as text."""


@dataclass(frozen=True)
class Walk(Base):
    """A walk."""

    steps: "tuple[int, ...]"
    name: str = "home"
    notes: dict[str, float] = field(default_factory=dict)
    _seen: int = 0

    @classmethod
    def of(cls, steps: Sequence[int], *, fast: bool = False) -> "Walk":
        """Return a walk of *steps*. It says more here."""

    @cached_property
    def length(self) -> int | None:
        """How long it is.

        In steps.
        """


class Server:
    def __init__(self, graph: object, /, *tasks: int, order: str | None = None) -> None: ...

    def stop(self) -> None:
        """Stop."""


def test_a_dataclass_is_told_by_its_public_fields_with_types_and_defaults():
    assert class_call_of("Walk", Walk) == "Walk"
    assert fields_of(Walk) == [
        "steps: tuple[int, ...]",
        "name: str = 'home'",
        "notes: dict[str, float] = ...",
    ]


def test_members_are_told_as_they_are_used_with_the_first_line_of_their_documentation():
    assert members_of(Walk) == ["of", "length"]
    assert member_of(Walk, "of") == (
        "of(steps: Sequence[int], *, fast: bool = False) -> Walk",
        "Return a walk of *steps*. It says more here.",
    )
    assert member_of(Walk, "length") == ("length: int | None", "How long it is.")
    assert inherited_by(Walk) == []  # only classes of icsched count
    assert inherited_by(icsched.Batch) == ["to_dict"]


def test_a_class_with_a_constructor_of_its_own_shows_its_arguments():
    told = class_call_of("Server", Server)

    assert told == "Server(graph: object, /, *tasks: int, order: str | None = None)"
    assert member_of(Server, "stop") == ("stop()", "Stop.")


def test_a_type_keeps_the_name_that_the_source_gives_it():
    """`Graph` is Any when Python runs: only the source knows the word."""
    told = call_of("bound", icsched.bound)

    assert told == "bound(graph: Graph) -> Bound"


def test_every_export_and_every_package_stands_in_one_group():
    exported = [name for group in GROUPS for name in group.exports.split()]
    packages = [name for group in GROUPS for name in group.packages.split()]
    modules = {"families", "pebble", "sim", "theory"}
    problems = {name for name in icsched.__all__ if name.endswith("Error")}

    assert sorted(exported) == sorted(set(icsched.__all__) - modules - problems)
    assert sorted(packages) == sorted(icsched._PACKAGES)
    assert problems <= set(exports_of("errors"))


def test_the_page_has_an_item_for_every_export():
    items = {
        line.split("`")[1].partition("(")[0] for line in api_page().splitlines() if "- `" in line
    }
    packages = [name for group in GROUPS for name in group.packages.split() if name != "families"]

    assert {name for package in packages for name in exports_of(package)} <= items
    assert {name for group in GROUPS for name in group.exports.split()} <= items


GLOSSARY = (ROOT / "docs" / "glossary.md").read_text().partition("## The papers")[0]
WORDS = re.findall(r"^\| (?!word|---)([^|]+?) \|", GLOSSARY, re.MULTILINE)


def test_the_glossary_has_each_word_once():
    words = [word for entry in WORDS for word in entry.split(", ")]

    assert len(words) > 80
    assert sorted(words) == sorted(set(words))


def test_pages_use_every_word_of_the_glossary():
    others = [page for page in ROOT.glob("docs/*.md") if page.name != "glossary.md"]
    told = " ".join(" ".join(page.read_text().split()) for page in others).lower()

    missing = [word for entry in WORDS for word in entry.split(", ") if word.lower() not in told]
    assert missing == []
