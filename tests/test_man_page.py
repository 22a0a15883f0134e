"""The manual page is what the help says, and troff finds nothing wrong with it."""

import re
import shutil
import subprocess

import pytest

from icsched.commands.app import app
from tools.man_page import PAGE, man_page

COMMANDS = [name for name in app if not name.startswith("-")]


def shown(columns: int) -> str:
    """Return the page as `man` shows it, without bold and underlined letters."""
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-P-cbou", "-ww", f"-rLL={columns}n", PAGE],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


def test_the_manual_page_is_fresh():
    assert man_page() == PAGE.read_text(), "stale man/icsched.1: run make docs"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_manual_page_has_a_section_with_every_option_of_a_command(command):
    section = shown(80).partition(f"   icsched {command}\n")[2]
    section = re.split(r"\n   icsched |\nEXIT STATUS", section)[0]
    names = {
        name
        for argument in app[command].assemble_argument_collection()
        for name in argument.names
        if name != "*"
    }

    assert f"Example: icsched {command}" in section
    for name in names:
        assert re.search(rf"(?m)^       (-\w, )?{re.escape(name)}(,| |$)", section)


def test_an_option_has_its_value_and_its_default():
    page = " ".join(shown(80).split())

    assert "--via priority|vars Give priorities by PRIORITY lines" in page
    assert "--interval number Mean time between batches of requests. By default 1." in page
    assert "SHELL bash|zsh|fish Shell that will read the script. It must be given." in page


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_groff_shows_the_page_at_any_width_without_a_warning(columns):
    lines = shown(columns).splitlines()

    assert max(map(len, lines)) <= columns
    assert not [line for line in lines if re.search(r"[a-z]-$", line)], "words are parted"
    assert not [line for line in lines[3:-3] if re.search(r"[a-z,.]  ", line[14:])], "wide blanks"
