"""Reports on real terminals of several widths, and in locales of ASCII."""

import json
import re
import subprocess

import pytest

from icsched import families
from icsched.formats import write_dagman
from tests.cli.conftest import SCRIPT
from tests.cli.terminal import shown

WIDTHS = [40, 60, 80, 100, 200]
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
LONG_NAME = "a_name_that_is_longer_than_any_narrow_terminal"


@pytest.fixture
def airsn(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_dagman(families.airsn(5), "airsn.dag")
    return "airsn.dag"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """What a pipe gets of `icsched simulate`, which has sentences and a table."""
    folder = tmp_path_factory.mktemp("plain")
    write_dagman(families.airsn(5), folder / "airsn.dag")
    command = [SCRIPT, "simulate", "airsn.dag", "--runs", "20"]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stdout


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_report_fits_the_terminal_and_no_word_is_broken(columns, airsn, plain):
    found = shown([SCRIPT, "simulate", airsn, "--runs", "20"], columns, NO_COLOR="1")

    assert max(map(len, found.splitlines())) <= columns
    assert words(found) <= words(plain)


def words(text: str) -> set[str]:
    """The words of a report, without the colon of a row made a list."""
    return {word.strip(":") for word in re.findall(r"[!-~]+", text)}


def test_a_table_that_does_not_fit_becomes_a_list_of_its_rows(airsn, plain):
    narrow = shown([SCRIPT, "simulate", airsn, "--runs", "20"], 40, NO_COLOR="1")
    head, first = re.search(r"^(order  +time.*)\n(auto  .*)$", plain, re.MULTILINE).groups()
    titles, cells = (re.split(r"  +", row) for row in (head, first))
    listed = narrow.partition("order auto\n")[2].partition("order critical-path\n")[0]

    assert " ".join(listed.split()) == " ".join(
        f"{title}: {cell}" for title, cell in zip(titles[1:], cells[1:], strict=True)
    )


@pytest.mark.parametrize("columns", [80, 70])
def test_the_table_of_orders_stays_a_table(columns, airsn):
    command = [SCRIPT, "simulate", airsn, "--order", "critical-path-steps", "--runs", "20"]
    found = shown(command, columns, NO_COLOR="1")

    assert re.search(
        r"^order  +time  +found nothing  +utilisation\ncritical-path-steps  +[\d.]+ ", found, re.M
    )


def test_a_long_name_stays_whole_where_lines_are_wrapped(tmp_path):
    path = tmp_path / "wf.dag"
    path.write_text(f"JOB {LONG_NAME} a.sub\nJOB b b.sub\nPARENT {LONG_NAME} CHILD b\n")

    assert LONG_NAME in shown([SCRIPT, "cluster", path, "--size", "2"], 40)


def test_json_is_one_line_on_any_terminal(airsn):
    found = shown([SCRIPT, "show", airsn, "--json"], 40)

    assert found.count("\n") == 1
    assert json.loads(found)["jobs"] == 38


def test_a_pipe_gets_the_lines_unwrapped(airsn, icsched_process):
    found = icsched_process("show", airsn, COLUMNS="40")

    assert "38 jobs, 45 dependencies" in found.out
    assert max(map(len, found.out.splitlines())) > 40


def test_an_error_on_a_narrow_terminal_is_wrapped_too():
    command = f"{SCRIPT} make no-family-has-this-name 2>&1 >/dev/null || true"
    found = shown(["bash", "-c", command], 40, NO_COLOR="1")

    assert len(found.splitlines()) > 1
    assert max(map(len, found.splitlines())) <= 40


@pytest.mark.parametrize(
    ("environment", "has_colour"),
    [
        ({}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_a_proof_is_green_where_the_terminal_has_colour(environment, has_colour, airsn):
    found = shown([SCRIPT, "verify", airsn], 80, **environment)

    assert found.startswith("\x1b[1;32mIC-optimal\x1b[0m: " if has_colour else "IC-optimal: ")
    assert ESCAPE.sub("", found).startswith("IC-optimal: no order of airsn.dag (38 jobs)")


def test_a_pipe_has_colour_only_if_the_user_asks_for_it(airsn, icsched, monkeypatch):
    usual = icsched("verify", airsn).out
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        with monkeypatch.context() as environment:
            environment.setenv(name, "1")
            asked = icsched("verify", airsn).out

        assert asked == usual.replace("IC-optimal", "\x1b[1;32mIC-optimal\x1b[0m", 1)


def test_a_locale_of_ascii_gets_names_escaped(tmp_path, icsched_process):
    path = tmp_path / "wf.dag"
    path.write_text("JOB é a.sub\n")

    assert icsched_process("batch", path, "--take", "1", LC_ALL="C").out.startswith("\\xe9\n")


def test_help_is_in_ascii_where_the_locale_wants_it():
    assert shown([SCRIPT, "--help"], 80, LC_ALL="C").isascii()


def test_json_is_valid_in_any_encoding(tmp_path, icsched_process):
    path = tmp_path / "wf.dag"
    path.write_text("JOB é😀 a.sub\n")
    found = icsched_process("batch", path, "--take", "1", "--json", PYTHONIOENCODING="latin-1")

    assert json.loads(found.out)["take"] == ["é😀"]
