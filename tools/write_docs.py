"""Write api.md and families.md in docs, and the tables of cli.md and formats.md; tests check."""

from pathlib import Path

from icsched import families
from icsched.formats import FORMATS
from icsched.formats.port import KEPT
from tools.reference.api import api_page
from tools.reference.options import with_tables

DOCS = Path(__file__).parent.parent / "docs"


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
