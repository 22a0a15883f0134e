"""How icsched names itself in commands that it suggests."""

import pytest

from icsched.commands.terminal import program


@pytest.mark.parametrize(
    ("called", "named"),
    [
        ("/on/path/icsched", "icsched"),
        ("/elsewhere/icsched", "/elsewhere/icsched"),
        ("/elsewhere/pytest", "icsched"),
    ],
)
def test_a_program_outside_the_path_is_named_by_its_path(monkeypatch, called, named):
    monkeypatch.setenv("PATH", "/on/path:/bin")
    monkeypatch.setattr("sys.argv", [called])

    assert program() == named
