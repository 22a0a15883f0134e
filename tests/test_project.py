"""The project keeps its word: documents, exports and determinism."""

import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from inspect import isfunction
from pathlib import Path
from types import ModuleType

import pytest

import icsched
from icsched import families
from icsched.commands.app import app
from icsched.formats import write_dagman
from tools import write_docs

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("changelog.d/*.md")])
NUMBERED_PAPER = re.compile(r"(?i)\bpapers? \d{3}\b")
LONGEST_LINE = 100


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


def prose(page: Path) -> list[tuple[int, str]]:
    """The lines that can be broken, with their numbers: no tables, no code and no comments."""
    lines, is_code = [], False
    text = re.sub(
        r"<!-- setup.*?-->", lambda found: "\n" * found[0].count("\n"), page.read_text(), flags=re.S
    )
    for number, line in enumerate(text.splitlines(), 1):
        is_fence = line.lstrip().startswith("```")
        is_code ^= is_fence
        if not (is_fence or is_code or line.lstrip().startswith("|")):
            lines.append((number, line))
    return lines


def run(command: str, **options) -> str:
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", **options.pop("env", {})}
    done = subprocess.run(
        ["bash", "-euc", command], env=environment, capture_output=True, text=True, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_generated_pages_are_fresh():
    for name, page in write_docs.PAGES.items():
        assert (ROOT / "docs" / name).read_text() == page(), f"stale docs/{name}: run make docs"


def test_every_export_exists_once_in_order_and_is_documented():
    assert icsched.__all__ == sorted(set(icsched.__all__))
    for name in icsched.__all__:
        assert getattr(icsched, name).__doc__, name


def modules() -> Iterator[tuple[ModuleType, str, ModuleType]]:
    """Yield the package, the name and the module itself for every module of icsched."""
    for found in pkgutil.walk_packages(icsched.__path__, "icsched."):
        package, _, name = found.name.rpartition(".")
        if name != "__main__":
            module = importlib.import_module(found.name)
            yield importlib.import_module(package), name, module


def test_importing_a_module_gives_the_module():
    """`import icsched.batch as b` would give a function if the package had one of that name."""
    assert [
        module.__name__
        for package, name, module in modules()
        if getattr(package, name) is not module
    ] == []


def test_no_function_is_named_like_its_module():
    """Only commands are: a module of `cli` has the command that it is named after."""
    functions = [(module, getattr(module, name, None)) for _, name, module in modules()]

    assert [
        module.__name__
        for module, function in functions
        if isfunction(function) and function.__module__ == module.__name__
        if not module.__name__.startswith("icsched.commands.")
    ] == []


def test_an_export_is_what_its_module_has_and_nothing_else_is_there():
    for name in icsched.__all__:
        assert name in dir(icsched)
        if name in icsched._HOME_OF:
            home = importlib.import_module(icsched._HOME_OF[name])
            assert getattr(icsched, name) is getattr(home, name)
    with pytest.raises(AttributeError, match="module 'icsched' has no attribute 'nothing'"):
        _ = icsched.nothing


@pytest.mark.parametrize("command", [name for name in app if not name.startswith("-")])
def test_every_command_has_help_with_an_example_and_a_place_in_the_docs(command):
    assert f"Example: icsched {command}" in run(f"icsched {command} --help")
    assert f"## icsched {command}" in (ROOT / "docs" / "cli.md").read_text()
    assert any(f"icsched {command}" in block for block in blocks("docs/cli.md", "sh"))


def section(page: str, command: str) -> str:
    text = (ROOT / "docs" / page).read_text()
    return text.partition(f"## icsched {command}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("command", [name for name in app if not name.startswith("-")])
def test_the_docs_have_exactly_the_options_that_the_help_has(command):
    documented = re.findall(r"^\| (`-.*?|`[A-Z].*?) \| ", section("cli.md", command), re.MULTILINE)
    offered = run(f"icsched {command} --help", env={"COLUMNS": "200"})

    assert options(" ".join(documented)) == options(" ".join(option_columns(offered)))


def option_columns(help_text: str) -> list[str]:
    """What the help says before its explanations: the options and their aliases."""
    return re.findall(r"^│ [* ]*(-.*?)(?:  |$)", help_text, re.MULTILINE)


def options(text: str) -> set[str]:
    return set(re.findall(r"--[a-z][a-z-]*", text)) - {"--help", "--version"}


@pytest.mark.parametrize(
    "command",
    [
        "prio mesh.dag",
        "show mesh.dag",
        "simulate mesh.dag --runs 20",
        "report mesh.dag",
        "batch mesh.dag --take 2",
        "cluster mesh.dag --size 2",
        "verify mesh.dag --order @order.txt",
    ],
)
def test_the_docs_have_exactly_the_keys_that_the_json_has(command, folder):
    write_dagman(families.mesh(3), folder / "mesh.dag")
    (folder / "order.txt").write_text("".join(f"{task}\n" for task in range(6)))
    table = (
        section("json.md", command.split()[0])
        .partition("| key of `--json` |")[2]
        .partition("\n\n")[0]
    )
    cells = re.findall(r"^\| (`.*?) \| ", table, re.MULTILINE)
    documented = {key for cell in cells for key in re.findall(r"`(\w+)", cell)}

    assert {"schema"} | documented == set(json.loads(run(f"icsched {command} --json")))


def test_the_docs_and_the_help_have_the_commands_in_the_same_order():
    shown = re.findall(r"^│ ([a-z]+) ", run("icsched --help"), re.MULTILINE)
    documented = re.findall(
        r"^## icsched (\w+)", (ROOT / "docs" / "cli.md").read_text(), re.MULTILINE
    )

    assert documented == shown == [name for name in app if not name.startswith("-")]


def test_the_readme_names_every_command():
    readme = (ROOT / "README.md").read_text()
    commands = re.findall(r"^\| `icsched (\w+)` ", readme, re.MULTILINE)

    assert commands == [name for name in app if not name.startswith("-")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_pages_lead_to_files(page):
    """Sphinx checks the links among pages of the guide; this one sees the other pages too."""
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text())
    files = [link for link in links if "://" not in link]

    home = (
        ROOT if page.parent.name == "changelog.d" else page.parent
    )  # CHANGELOG.md takes them over

    assert [link for link in files if not (home / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_of_pages_are_short(page):
    """Only rows of tables and lines of code may be longer: Markdown cannot break them."""
    long = [f"{page.name}:{number}" for number, line in prose(page) if len(line) > LONGEST_LINE]

    assert long == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_names_a_paper_by_number_alone(page):
    """Nobody outside can look up such a number; the glossary has authors, titles and DOIs."""
    assert NUMBERED_PAPER.findall(page.read_text()) == []


@pytest.mark.parametrize("folder", ["src", "cpp", "tests", "tools", "bench"])
def test_no_source_names_a_paper_by_number_alone(folder):
    files = [
        file for ending in ("py", "cpp", "hpp") for file in (ROOT / folder).rglob(f"*.{ending}")
    ]

    assert files
    assert [file for file in files if NUMBERED_PAPER.search(file.read_text())] == []


@pytest.mark.parametrize(
    "command",
    [
        "icsched demo -o tour && rm -r tour",
        "icsched make random-layered 60 6 --seed 3",
        "icsched make random-linear-composition 5",
        "icsched make",
        "icsched batch montage.dag --take 9 --json",
        "icsched cluster montage.dag --capacities 3,7 --clusterer lean --json",
        "icsched simulate montage.dag --order prio --order random --runs 60 --json",
        "icsched report montage.dag --json",
    ],
)
def test_the_output_is_the_same_on_any_hash_seed(command, folder):
    write_dagman(families.montage(5, 5), folder / "montage.dag")
    outputs = [run(command, env={"PYTHONHASHSEED": seed}) for seed in ("0", "1", "2")]

    assert outputs[0] == outputs[1] == outputs[2]
    assert outputs[0]
