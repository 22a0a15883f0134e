"""While a workflow is read, a terminal shows which file; the same for all formats."""

import os
import pty
import subprocess

import pytest

FILES = {
    "wf.csv": "task,parents\na,\nb,a\n",
    "wf.dot": "digraph { a -> b }",
    "wf.json": '{"workflow": {"specification": {"tasks": [{"id": "a"}]}}}',
    "wf.dax": '<adag><job id="a" name="x"/></adag>',
}


@pytest.mark.parametrize("file", FILES)
def test_a_terminal_shows_the_file_that_is_read(script, put, file):
    put({file: FILES[file]})
    terminal, end = pty.openpty()
    subprocess.run(
        [script, "show", file, "--json"],
        stdout=subprocess.PIPE,
        stderr=end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        check=True,
        timeout=60,
    )
    os.write(end, b"over")
    shown = b""
    while not shown.endswith(b"over"):
        shown += os.read(terminal, 4096)
    os.close(end)
    os.close(terminal)

    assert f"reading {file}".encode() in shown


def test_nothing_is_shown_where_standard_error_is_not_a_terminal(script, put):
    put({"wf.csv": FILES["wf.csv"]})
    done = subprocess.run([script, "show", "wf.csv", "--json"], capture_output=True, check=True)

    assert done.stderr == b""
