"""Workflows as DAGMan files: done jobs, priorities and commands."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import icsched
from icsched import Dag, FormatError, Workflow
from icsched.formats import FORMATS
from icsched.workflow import Command, OwnSource
from tests.formats.round_trips import WORDS, check_same, workflows

DAGMAN = FORMATS["dagman"]
KEPT = frozenset({"done", "priorities"})


def one(command: Command) -> str:
    return DAGMAN.text(Workflow(Dag({"a": []}), [False], source=OwnSource([command])))


def test_a_command_is_a_submit_description_inside_the_file():
    command = Command(
        ("/bin/sort", "-k", "a b", "it's", 'x"y', "", "$HOME"),
        directory="data",
        environment=(("LANG", "C"), ("MSG", "a b")),
        stdin="data/in.txt",
        stdout="data/out.txt",
        stderr="/err.txt",
    )

    assert one(command) == (
        "JOB a {\n"
        "  executable = /bin/sort\n"
        "  My.Arguments = \"'-k' 'a b' 'it''s' 'x\\\"y' '' '$(DOLLAR)HOME'\"\n"
        "  environment = \"'LANG=C' 'MSG=a b'\"\n"
        "  initialdir = data\n"
        "  input = in.txt\n"
        "  output = out.txt\n"
        "  error = /err.txt\n"
        "  transfer_executable = false\n"
        "  should_transfer_files = NO\n"
        "}\n"
    )


def test_a_command_of_two_lines_is_refused():
    with pytest.raises(FormatError, match="job 'a': expected a command of one line"):
        one(Command(("echo", "a\nb")))


ARGUMENTS = st.lists(st.text(st.characters(exclude_characters="\0\n\r", codec="utf-8")), max_size=4)


@given(ARGUMENTS)
def test_words_are_read_again_as_they_were(tmp_path_factory, words):
    path = tmp_path_factory.mktemp("w") / "wf.dag"
    path.write_text(one(Command(("./sort", *words))))

    assert icsched.read(path).commands[0].argv == ("/usr/bin/env", "./sort", *words)


@pytest.mark.parametrize("where", ["directory", "stdin", "stdout", "stderr"])
def test_a_value_that_would_continue_its_line_is_refused(where):
    with pytest.raises(FormatError, match="job 'a': expected a command of one line, got"):
        one(Command(("/bin/true",), **{where: "out\\"}))


@pytest.mark.parametrize("file", [" out", "out ", "\tout"])
@pytest.mark.parametrize(
    ("where", "key"),
    [("directory", "initialdir"), ("stdin", "input"), ("stdout", "output"), ("stderr", "error")],
)
def test_a_name_that_htcondor_would_strip_is_refused(where, key, file):
    with pytest.raises(FormatError) as caught:
        one(Command(("/bin/true",), **{where: file}))

    assert caught.value.problem == (f"job 'a': {key}: expected no blanks at the ends, got {file!r}")


def test_done_jobs_priorities_and_a_task_that_runs_nothing_are_written():
    workflow = Workflow(
        Dag({"a": [], "b": ["a"]}),
        [True, False],
        priorities=[0, 7],
        source=OwnSource([None] * 2),
    )

    assert DAGMAN.text(workflow, title="t") == (
        "# t\nJOB a task.sub NOOP\nJOB b task.sub NOOP\nPARENT a CHILD b\nPRIORITY b 7\nDONE a\n"
    )


ENDS = WORDS.filter(lambda word: not word.rstrip().endswith("\\"))  # in no backslash


@given(workflows(st.text(alphabet="abAB01_-", min_size=1, max_size=5), KEPT, ENDS))
def test_done_jobs_and_priorities_are_read_again(tmp_path_factory, workflow):
    path = tmp_path_factory.mktemp("w") / "wf.dag"
    path.write_text(DAGMAN.text(workflow))

    found = icsched.read(path)

    check_same(found, workflow, {"done"})
    given = workflow.residual.priorities
    if given is not None and given.any():
        assert found.residual.priorities.tolist() == given.tolist()


@given(workflows(st.sampled_from("abcdef"), {"commands", "streams"}, ENDS))
def test_files_with_commands_have_the_same_jobs_and_arcs(tmp_path_factory, workflow):
    path = tmp_path_factory.mktemp("w") / "wf.dag"
    path.write_text(DAGMAN.text(workflow))

    assert icsched.read(path).dag == workflow.dag


@pytest.mark.usefixtures("folder")
def test_a_stream_outside_the_directory_of_its_job_is_the_same_file_when_read(folder):
    """HTCondor sees files from initialdir, icsched from the directory of the workflow file."""
    command = Command(("/bin/cat",), "data", stdin="in.txt", stdout="data/out.txt")
    work = Workflow(Dag({"a": []}), [False], source=OwnSource([command]))

    Path("wf.dag").write_text(DAGMAN.text(work, path="wf.dag"))

    (found,) = icsched.read("wf.dag").commands
    assert (folder / found.stdin, found.stdout) == (folder / "in.txt", "data/out.txt")
