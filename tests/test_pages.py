"""Every command on every page runs, and prints what the page says."""

from pathlib import Path

import pytest

from tests.pages import Block, holds, outputs, runnable

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
RUN = [page for page in PAGES if runnable(page.read_text())]


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_the_commands_of_a_page_print_what_it_says(page, tmp_path):
    blocks = runnable(page.read_text())
    ran = outputs(blocks, tmp_path, {"COLUMNS": "100", "ICSCHED_SOURCES": str(ROOT)})
    for block, printed in zip(blocks, ran, strict=True):
        for expected in block.printed:
            assert holds(printed, expected), f"{page.name}:{block.line} prints:\n{printed}"


def test_a_block_that_is_not_run_says_why():
    page = "<!-- not run: no pool -->\n\n```sh\nfalse\n```\n\n```sh\ntrue\n```\n"

    assert [block.commands for block in runnable(page)] == ["true\n"]


def test_text_that_nothing_prints_is_an_error():
    with pytest.raises(ValueError, match="line 5: no block before this text is run"):
        runnable("<!-- not run: no pool -->\n```sh\nfalse\n```\n```text\nhello\n```\n")


def test_a_page_stops_at_a_command_that_fails(tmp_path):
    blocks = [Block(1, "echo a\n"), Block(5, "echo b; false\n"), Block(9, "echo c\n")]

    with pytest.raises(RuntimeError, match=r"line 5: exit code 1:\nb\n$"):
        outputs(blocks, tmp_path, {})


@pytest.mark.parametrize(
    ("printed", "expected", "is_there"),
    [
        ("a\nb\nc\n", "b\nc\n", True),
        ("a\nb\nc\n", "a\nc\n", False),
        ("a\nb\nc\n", "a\n...\nc\n", True),
        ("ab\n", "b\n", False),
        ("a\n", "a\nb\n", False),
    ],
)
def test_a_text_is_part_of_what_was_printed(printed, expected, is_there):
    assert holds(printed, expected) == is_there
