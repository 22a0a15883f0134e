"""Write the Python of pages and docstrings as modules, for mypy: typed_examples.py DIRECTORY.

A page is one module, whose blocks come in order, as a user would type them. Each docstring is a
function of the module of its file. The lines are those of the pages and files.
"""

import ast
import re
import sys
from collections.abc import Iterator
from doctest import DocTestParser
from pathlib import Path

ROOT = Path(__file__).parent.parent
_IMPORTS = (ast.Import, ast.ImportFrom)
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# What a docstring shows is there in its example, even where it may be None in another.
_SHOWN = '# mypy: disable-error-code="union-attr"'


def page_program(page: str) -> str:
    """Return the Python of *page*, on the lines that it has there; "" if there is none."""
    lines = [""] * page.count("\n")
    for block in _BLOCK.finditer(page):
        first, code = page.count("\n", 0, block.start(1)), block[1]
        found = [(first + at, words) for at, words in _examples(code)]
        _fill(lines, found or [(first, code.splitlines())])
    return "\n".join([*lines, ""]) if any(lines) else ""


def module_program(name: str, source: str) -> str:
    """Return the examples of a module's docstrings, with all names that the module knows.

    It is "" if there are no examples.
    """
    tree = ast.parse(source)
    lines = [""] * source.count("\n")
    for first, text in _docstrings(tree):
        found = [(first + at, [f"    {one}" for one in words]) for at, words in _examples(text)]
        if found:
            lines[found[0][0] - 1] = f"def _{found[0][0]}() -> None:"
            _fill(lines, found)
    if not any(lines):
        return ""
    imports = [ast.unparse(node) for node in tree.body if isinstance(node, _IMPORTS)]
    lines[0] = "; ".join([*imports, f"from {name} import {', '.join(_names(tree))}"])
    return "\n".join([*lines, _SHOWN, ""])


def _examples(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each example of a docstring or block: its line, from 0, and its lines."""
    for one in DocTestParser().get_examples(text):
        yield one.lineno, one.source.splitlines()


def _fill(lines: list[str], found: list[tuple[int, list[str]]]) -> None:
    for at, words in found:
        lines[at : at + len(words)] = words


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield each docstring with its first line, from 0."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node, clean=False)
            if text is not None:
                yield node.body[0].lineno - 1, text


def _names(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module defines itself."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (one.id for one in targets if isinstance(one, ast.Name))


def programs() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each module."""
    for page in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))):
        yield f"page_{page.stem.lower().replace('-', '_')}.py", page_program(page.read_text())
    for file in sorted(ROOT.glob("src/icsched/**/*.py")):
        name = ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)
        yield f"{name.replace('.', '_')}.py", module_program(name, file.read_text())


def main(directory: Path) -> None:
    """Write the modules that have something to check, and remove all others."""
    directory.mkdir(parents=True, exist_ok=True)
    made = {name: text for name, text in programs() if text}
    for file in directory.glob("*.py"):
        if file.name not in made:
            file.unlink()
    for name, text in made.items():
        (directory / name).write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
