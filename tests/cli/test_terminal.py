"""Reports on real terminals of several widths, and in encodings of ASCII."""

import json
import re
import subprocess

import pytest

from icsched import families
from icsched.formats import write_dagman
from tests.cli.conftest import SCRIPT
from tests.cli.terminal import shown

WIDTHS = [70, 80, 100, 200]
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
    found = shown([SCRIPT, "simulate", airsn, "--runs", "20"], columns)

    assert max(map(len, found.splitlines())) <= columns
    assert words(found) <= words(plain)


def words(text: str) -> set[str]:
    """The words of a report, without the colon of a row made a list."""
    return {word.strip(":") for word in re.findall(r"[!-~]+", text)}


@pytest.mark.parametrize("columns", [80, 70])
def test_the_table_of_orders_stays_a_table(columns, airsn):
    command = [SCRIPT, "simulate", airsn, "--order", "critical-path-steps", "--runs", "20"]
    found = shown(command, columns)

    assert re.search(
        r"^order  +time  +found nothing  +utilisation\ncritical-path-steps  +[\d.]+ ", found, re.M
    )


def test_a_long_name_stays_whole_where_lines_are_wrapped(tmp_path):
    path = tmp_path / "wf.dag"
    path.write_text(f"JOB {LONG_NAME} a.sub\nJOB b b.sub\nPARENT {LONG_NAME} CHILD b\n")

    assert LONG_NAME in shown([SCRIPT, "batch", path, "--take", "1"], 40)


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
    found = shown(["bash", "-c", command], 40)

    assert len(found.splitlines()) > 1
    assert max(map(len, found.splitlines())) <= 40


def test_a_report_on_a_terminal_has_no_escape_sequences(airsn):
    assert "\x1b" not in shown([SCRIPT, "verify", airsn], 80)


def test_an_encoding_of_ascii_gets_names_escaped(tmp_path, icsched_process):
    path = tmp_path / "wf.dag"
    path.write_text("JOB é a.sub\n")

    found = icsched_process("batch", path, "--take", "1", PYTHONIOENCODING="ascii")

    assert found.out.startswith("\\xe9\n")


def test_help_is_in_ascii_where_the_encoding_is():
    assert shown([SCRIPT, "--help"], 80, PYTHONIOENCODING="ascii").isascii()


def test_json_is_valid_in_any_encoding(tmp_path, icsched_process):
    path = tmp_path / "wf.dag"
    path.write_text("JOB é😀 a.sub\n")
    found = icsched_process("batch", path, "--take", "1", "--json", PYTHONIOENCODING="latin-1")

    assert json.loads(found.out)["take"] == ["é😀"]
