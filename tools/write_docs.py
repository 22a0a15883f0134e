"""Write docs/api.md and docs/families.md from the code; a test checks that they are fresh."""

import inspect
from pathlib import Path

import icsched
from icsched import families

DOCS = Path(__file__).parent.parent / "docs"


def summary(thing: object) -> str:
    """Return the first line of the documentation."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def api_page() -> str:
    """Everything `icsched` exports, a line each; details are in the docstrings."""
    rows = [f"| `{name}` | {summary(getattr(icsched, name))} |" for name in icsched.__all__]
    members = [
        f"| `Dag.{name}` | {summary(value)} |"
        for name, value in vars(icsched.Dag).items()
        if not name.startswith("_")
    ]
    return "\n".join(
        [
            "# Library",
            "",
            "What `import icsched` gives; `help(icsched.NAME)` says more, with an example.",
            "",
            "| name | what it is |",
            "| --- | --- |",
            *rows,
            "",
            "## Dag",
            "",
            "| member | what it is |",
            "| --- | --- |",
            *members,
            "",
        ]
    )


def families_page() -> str:
    """All families, a line each."""
    rows = [
        f"| `{family.usage}` | `{family.function.__name__}` | {family.summary} |"
        for family in families.FAMILIES.values()
    ]
    return "\n".join(
        [
            "# Families",
            "",
            "Each is a function in `icsched.families` and a name for `icsched make`; arguments in",
            "brackets have defaults. Random families take `seed=` and `--seed`.",
            "",
            "| icsched make | function | what it is |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )


PAGES = {"api.md": api_page, "families.md": families_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page())
