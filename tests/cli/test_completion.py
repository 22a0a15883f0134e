"""Completion in real shells, as a user's Tab key asks for it."""

from functools import partial

import pytest

from icsched.families import FAMILIES
from icsched.formats import FORMATS
from icsched.orders import ORDERS
from icsched.run.engines import ENGINES
from tests.cli.shells import OFFERED, script_of


@pytest.fixture(params=sorted(OFFERED))
def offered(request, tmp_path):
    """Return what each shell offers for the last of some words; zsh offers only one word."""
    return partial(OFFERED[request.param], tmp_path, script_of(request.param))


@pytest.fixture(params=["bash", "fish"])
def all_offered(request, tmp_path):
    """Return the same for the shells that say all that they offer."""
    return partial(OFFERED[request.param], tmp_path, script_of(request.param))


def test_commands_and_options_are_completed(offered):
    assert offered("ver") == {"verify"}
    assert offered("verify", "--cert") == {"--certificate"}


@pytest.mark.parametrize(
    ("words", "start", "name"),
    [
        (["show", "wf.dag", "--order"], "fi", "fifo"),
        (["plot", "curves", "--order"], "fi", "fifo"),
        (["convert", "a", "b", "--to"], "peg", "pegasus"),
        (["run", "--engine"], "lo", "local"),
        (["make"], "air", "airsn"),
        (["simulate", "--batch-law"], "ge", "geometric"),
    ],
    ids=["orders", "orders-of-plots", "formats", "engines", "families", "choices"],
)
def test_a_name_is_completed(words, start, name, offered):
    assert offered(*words, start) == {name}


@pytest.mark.parametrize(
    ("words", "table"),
    [
        (["show", "wf.dag", "--order"], ORDERS),
        (["convert", "a", "b", "--to"], FORMATS),
        (["run", "--engine"], ENGINES),
        (["make"], FAMILIES),
    ],
    ids=["orders", "formats", "engines", "families"],
)
def test_all_names_of_a_table_are_offered(words, table, all_offered):
    assert all_offered(*words, "") == set(table)


def test_files_are_completed(offered, tmp_path):
    (tmp_path / "montage.dag").write_text("")

    assert offered("show", "mon") == {"montage.dag"}
    assert offered("show", "--run-times", "mon") == {"montage.dag"}


@pytest.mark.parametrize("shell", ["zsh", "fish"])  # bash takes a word apart at =
def test_a_value_after_an_equals_sign_is_completed(shell, tmp_path):
    offered = partial(OFFERED[shell], tmp_path, script_of(shell))
    (tmp_path / "montage.dag").write_text("")

    assert offered("show", "--order=fi") == {"--order=fifo"}
    assert offered("show", "--run-times=mon") == {"--run-times=montage.dag"}
