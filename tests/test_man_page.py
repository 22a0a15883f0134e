"""The manual page is what the help says, and troff finds nothing wrong with it."""

import shutil
import subprocess

import pytest

from tools.man_page import PAGE, commands, entries, man_page


def test_the_manual_page_is_fresh():
    assert man_page() == PAGE.read_text(), "stale man/icsched.1: run make docs"


def test_the_manual_page_has_every_command_and_every_option():
    page = PAGE.read_text()
    for command in commands():
        section = page.partition(f'.SS "icsched {command}"\n')[2].partition("\n.S")[0]

        assert f"Example: icsched {command}" in section
        for names, _ in entries(command):
            assert ".B " + names.replace("-", "\\-") in section


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
def test_groff_has_no_warning_about_the_manual_page():
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", "-z", PAGE], capture_output=True, text=True, check=True
    )

    assert done.stderr == ""
