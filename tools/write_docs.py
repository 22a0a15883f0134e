"""Write api.md and families.md in docs, and the tables of cli.md and formats.md; tests check."""

import importlib
import inspect
from collections.abc import Iterable
from pathlib import Path

import icsched
from icsched import errors, families
from icsched.formats import FORMATS
from icsched.formats.entry import KEPT
from tools.reference.options import with_tables

DOCS = Path(__file__).parent.parent / "docs"
ALIASES = ("typing", "types")  # modules of type aliases, which have no documentation of their own
# families has its own page
PACKAGES = ("orders", "theory", "pebble", "sim", "compare", "serve", "formats")


def summary(thing: object) -> str:
    """Return the first line of the documentation; for a constant its value or its class's line."""
    if isinstance(thing, tuple):
        return f"`{thing}`"
    return (inspect.getdoc(thing) or "").partition("\n")[0].replace("|", "\\|")


def table(head: str, rows: Iterable[tuple[str, object]]) -> list[str]:
    """Return a table of names and what they are, as lines."""
    lines = [f"| `{name}` | {summary(thing)} |" for name, thing in rows]
    return [f"| {head} | what it is |", "| --- | --- |", *lines, ""]


def members(prefix: str, kind: type) -> list[tuple[str, object]]:
    """Return the public members of a class, by name."""
    return [(f"{prefix}.{name}", value) for name, value in vars(kind).items() if name[0] != "_"]


def package_section(name: str) -> list[str]:
    """Return what a package exports and `icsched` does not, as lines."""
    package = importlib.import_module(f"icsched.{name}")
    exports = [(export, getattr(package, export)) for export in package.__all__]
    rows = [
        (export, thing)
        for export, thing in exports
        if export not in icsched.__all__ and type(thing).__module__ not in ALIASES
    ]
    return [f"## icsched.{name}", "", summary(package), "", *table("name", rows)] if rows else []


def error_section() -> list[str]:
    """Return all errors, as lines."""
    kinds = [thing for thing in vars(errors).values() if inspect.isclass(thing)]
    named = [(kind.__name__, kind) for kind in kinds if issubclass(kind, errors.IcschedError)]
    head = "Every error that icsched raises on purpose is here, and is an `IcschedError`."
    return ["## icsched.errors", "", head, "", *table("name", named)]


def api_page() -> str:
    """Everything that icsched exports, one name on each line; docstrings say more."""
    exports = [(name, getattr(icsched, name)) for name in icsched.__all__]
    return "\n".join(
        [
            "# Library",
            "",
            "`import icsched` gives these names. `help(icsched.NAME)` says more, with an example.",
            "",
            *table("name", exports),
            "## Dag",
            "",
            *table("member", members("Dag", icsched.Dag)),
            *error_section(),
            *(line for name in PACKAGES for line in package_section(name)),
        ]
    )


def formats_table() -> list[str]:
    """Return what icsched can do with each of its own formats, as lines."""
    head = "| format | files | read | write | order back | kept beside names and arcs |"
    rows = [head, "| --- | --- | --- | --- | --- | --- |"]
    for entry in (entry for name, entry in FORMATS.items() if FORMATS.is_own(name)):
        can = [bool(ability) for ability in (entry.read, entry.text, entry.changes)]
        kept = ", ".join(f"`{word}`" for word in KEPT if word in entry.keeps)
        suffixes = ", ".join(f"`{suffix}`" for suffix in entry.suffixes)
        cells = [f"`{entry.name}`: {entry.sentence}", suffixes, *("yes" if c else "" for c in can)]
        rows.append(f"| {' | '.join([*cells, kept])} |")
    return rows


def formats_page() -> str:
    """Return the page of formats as it is, with a fresh table between its two marks."""
    page = (DOCS / "formats.md").read_text()
    before, begin, rest = page.partition("<!-- table of formats -->\n")
    _, end, after = rest.partition("<!-- end of table -->\n")
    return "".join([before, begin, *(f"{row}\n" for row in formats_table()), end, after])


def families_page() -> str:
    """All families, one on each line."""
    rows = [
        f"| `{family.usage}` | `{family.function.__name__}` | {family.summary} |"
        for family in families.FAMILIES.values()
    ]
    return "\n".join(
        [
            "# Families",
            "",
            "Each family is a function in `icsched.families`, and a name for `icsched make`.",
            "Arguments in brackets have defaults. Random families take `seed=` and `--seed`.",
            "[glossary.md](glossary.md#the-papers) has the papers.",
            "",
            "| icsched make | function | what it is |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )


def cli_page() -> str:
    """Return the page of commands as it is, with fresh tables of options between its marks."""
    return with_tables((DOCS / "cli.md").read_text())


PAGES = {
    "api.md": api_page,
    "cli.md": cli_page,
    "families.md": families_page,
    "formats.md": formats_page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page())
