"""`icsched convert`."""

import csv
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched.commands.convert import safe_names
from icsched.formats.dagman.writer import is_job_name
from icsched.formats.table import format_by_suffix

NO_COMMANDS = "not kept: commands of all tasks, because of this: "
KEEPS = {"run_time": "run_times", "size": "sizes", "priority": "priorities"}
FORK = "JOB a x.sub DONE\nJOB b x.sub\nJOB c x.sub\nPARENT a CHILD b c\n"


def test_a_workflow_is_written_in_the_format_of_the_suffix(put, icsched):
    put({"wf.dag": FORK})

    assert icsched("convert", "wf.dag", "wf.dot").code == 0
    assert '"a" -> "b"' in Path("wf.dot").read_text()


def test_what_the_new_format_cannot_hold_is_named(put, icsched):
    put({"wf.dag": FORK})

    found = icsched("convert", "wf.dag", "wf.edges", "--json")

    assert json.loads(found.out) == {
        "schema": 1,
        "file": "wf.dag",
        "output": "wf.edges",
        "from": "dagman",
        "to": "edges",
        "tasks": 3,
        "arcs": 2,
        "lost": ["done", "commands"],
        "left_out": [],
        "commands_unreadable": None,
        "renamed": {},
        "remarks": [],
    }
    line = "not kept: which tasks are done, which format edges cannot hold"
    assert line in icsched("convert", "wf.dag", "wf.edges", "--force").out


def test_statements_and_requests_that_icsched_does_not_convert_are_named(put, icsched):
    put(
        {
            "wf.dag": "JOB a x.sub\nJOB b x.sub\nPARENT a CHILD b\nRETRY b 3\nPRIORITY a 1\n"
            'CATEGORY b big\nMAXJOBS big 2\nVARS ALL_NODES words="hi"\nDONE a\n',
            "x.sub": "executable = /bin/echo\narguments = $(words)\nlog = x.log\n"
            "request_memory = 4G\nrequirements = HasFoo\nqueue\n",
        }
    )

    found = icsched("convert", "wf.dag", "out.dag")

    kept_not = "MAXJOBS, RETRY, CATEGORY, requirements"
    assert found.out.splitlines()[1:3] == [
        "not kept: memory that tasks need, which format dagman cannot hold",
        f"not kept: {kept_not}, which icsched does not convert",
    ]
    assert "'hi'" in Path("out.dag").read_text()
    assert "not kept" not in icsched("convert", "out.dag", "again.dag").out


def test_one_command_that_cannot_be_read_costs_those_of_all_tasks_and_that_is_said(put, icsched):
    put({"wf.dag": "JOB a x.sub\nJOB b no.sub\n", "x.sub": "executable = /bin/true\nqueue\n"})

    found = icsched("convert", "wf.dag", "out.dag")

    why = "wf.dag:2: job b: no.sub: no such file or directory"
    assert found.out.splitlines()[1] == f"{NO_COMMANDS}{why}"


def test_names_that_the_new_format_cannot_hold_are_changed_and_told(put, icsched):
    """Jobs of a splice have a + in their names, which no JOB line takes."""
    put({"wf.dag": "SPLICE S in.dag\nJOB S_a x.sub\nPARENT S CHILD S_a\n", "in.dag": "JOB a x\n"})

    found = icsched("convert", "wf.dag", "out.dag", "--json")

    assert json.loads(found.out)["renamed"] == {"S+a": "S_a_2"}
    assert "PARENT S_a_2 CHILD S_a" in Path("out.dag").read_text()
    assert "'S+a' -> S_a_2" in icsched("convert", "wf.dag", "out.dag", "--force").out


def test_the_text_goes_to_standard_output_and_the_report_does_not(put, icsched):
    put({"wf.dag": FORK})

    found = icsched("convert", "wf.dag", "-", "--to", "dot")

    assert found.out.startswith("digraph")
    assert found.err.startswith("standard output: 3 jobs, 2 dependencies, dagman to dot\n")


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["wf.dag", "wf.dag"], 2, "wf.dag is a file of the workflow: use another name"),
        (["wf.dag", "-"], 2, "- as OUTPUT needs --to, and cannot be used with --json"),
        (["wf.dag"], 2, 'Command "convert" parameter OUTPUT requires an argument.'),
        (["absent.dag", "o.dot"], 1, "absent.dag: no such file or directory"),
        (["wf.dag", "o.dat"], 2, "o.dat: no format has this suffix: name one by --to"),
    ],
)
def test_a_wrong_request_is_one_line_and_writes_nothing(
    put, folder, icsched, words, code, complaint
):
    put({"wf.dag": FORK})

    found = icsched("convert", *words)

    assert (found.code, found.complaint) == (code, complaint)
    assert [path.name for path in folder.iterdir()] == ["wf.dag"]


def test_a_file_that_is_there_is_replaced_by_force_alone(put, icsched):
    put({"wf.dag": FORK, "wf.dot": "mine"})

    refused = icsched("convert", "wf.dag", "wf.dot")

    assert (refused.code, refused.complaint) == (1, "wf.dot: file exists: --force replaces it")
    assert Path("wf.dot").read_text() == "mine"
    assert icsched("convert", "wf.dag", "wf.dot", "--force").code == 0
    assert Path("wf.dot").read_text().startswith("digraph")


GAPS = (
    "task,parents,run_time,size,priority,done,command\na,,2,7,5,true,/bin/x 1\nb,a,,,,,/bin/x 2\n"
)
SAID = {
    "dot": "run_time=2, size=7, priority=5",
    "dag": "PRIORITY a 5\n",
    "json": '"runtimeInSeconds": 2.0',
    "yml": "runtime: 2.0",
    "dax": 'runtime="2.0"',
}


@pytest.mark.parametrize("suffix", SAID)
def test_only_what_the_file_says_is_written(put, icsched, suffix):
    """Of b it says nothing but the command: neither a mean nor a 0 may come of that."""
    put({"in.csv": GAPS})

    found = icsched("convert", "in.csv", f"out.{suffix}")
    back = icsched("convert", f"out.{suffix}", "back.csv")

    assert (found.code, back.code) == (0, 0)
    assert SAID[suffix] in Path(f"out.{suffix}").read_text()
    rows = list(csv.DictReader(Path("back.csv").read_text().splitlines()))
    assert [row["command"] for row in rows] == ["/bin/x 1", "/bin/x 2"]
    for column, value in {"run_time": "2", "size": "7", "priority": "5"}.items():
        pair = [row.get(column, "") for row in rows]
        is_kept = KEEPS[column] in format_by_suffix(f"o.{suffix}").keeps
        # Where files have sizes, a task without an output has a result of 0 bytes.
        none = "0" if column == "size" and suffix in ("json", "yml") else ""
        assert pair == ([value, none] if is_kept else ["", ""]), column
    assert "mean" not in found.out
    assert "0 bytes" not in found.out


def test_a_job_without_a_nice_number_of_its_own_comes_after_those_above_it(put, icsched):
    """Slurm would put a job without --nice before all others; DAGMan gives it the priority 0."""
    put({"in.csv": "task,parents,priority\na,,5\nb,,\nc,,-1\n"})

    assert icsched("convert", "in.csv", "out.sh").code == 0
    assert re.findall(r"--nice=(\d+)", Path("out.sh").read_text()) == ["0", "5", "6"]


def test_a_program_that_is_not_a_full_path_is_found_where_the_job_runs(put, icsched):
    """DAGMan would take a bare name as a file beside the DAG file."""
    put({"in.csv": "task,parents,command\na,,prog 1\nb,,./prog 2\nc,,/bin/prog 3\n"})

    icsched("convert", "in.csv", "out.dag")

    text = Path("out.dag").read_text()
    env = "/usr/bin/env"
    assert re.findall(r"  executable = (.*)", text) == [env, env, "/bin/prog"]
    words = ["'prog' '1'", "'./prog' '2'", "'3'"]
    assert re.findall(r'My.Arguments = "(.*)"', text) == words


def test_commands_that_cannot_be_written_are_lost_and_nothing_else(put, icsched):
    put({"in.csv": "task,parents,priority,command\na,,5,\"echo 'x\ny'\"\nb,a,4,echo\n"})

    found = icsched("convert", "in.csv", "out.dag")

    assert found.code == 0
    assert found.out.splitlines()[1].startswith(
        f"{NO_COMMANDS}job 'a': expected a command of one line, got "
    )
    assert "executable" not in Path("out.dag").read_text()
    assert "PRIORITY a 5\nPRIORITY b 4\n" in Path("out.dag").read_text()


@pytest.mark.parametrize("suffix", ["csv", "dax", "dot", "json", "sh", "yml"])
def test_commands_that_are_not_utf_8_are_lost_and_nothing_else(put, icsched, suffix):
    put({"wf.dag": b"JOB a {\n executable = /bin/x\n arguments = caf\xe9\n}\nPRIORITY a 5\n"})

    found = icsched("convert", "wf.dag", f"out.{suffix}")

    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines()[1].startswith(
        "not kept: commands of all tasks, because of this: "
    )
    assert "caf" not in Path(f"out.{suffix}").read_text()


def test_done_tasks_without_a_command_are_told_where_they_will_run(put, icsched):
    put({"wf.dag": "JOB a absent.sub DONE\nJOB b {\n executable = /bin/x\n}\nPARENT a CHILD b\n"})

    found = icsched("convert", "wf.dag", "out.sh")

    assert "not kept: which tasks are done" in found.out
    assert found.out.endswith("out.sh: tasks that are done have no command\n")


@pytest.mark.parametrize("option", ["--to", "--format"])
def test_an_unknown_format_is_one_line_with_the_known_ones(put, icsched, option):
    put({"wf.dag": FORK})

    found = icsched("convert", "wf.dag", "out.dag", option, "cwl")

    assert found.code == 2
    assert found.complaint.startswith(f"{option}: expected dagman, ")
    assert found.complaint.endswith(", got 'cwl'")


def test_the_format_can_be_given_by_name(put, icsched):
    """The suffix alone would make a Graphviz file of it."""
    put({"wf.dot": FORK})

    assert icsched("convert", "wf.dot", "out.dag", "--format", "dagman").code == 0


@given(st.lists(st.text(alphabet="ab +_\\é'=", max_size=4), unique=True))
def test_safe_names_are_taken_unique_and_kept_where_they_can_be(names):
    safe = safe_names(names, is_job_name)

    assert len(set(safe)) == len(names)
    assert all(map(is_job_name, safe))
    for old, new in zip(names, safe, strict=True):
        assert new == old or not is_job_name(old)


def test_a_hundred_thousand_names_that_become_the_same_are_told_apart():
    names = [f"a{' ' * (n % 300)}+{' ' * (n // 300)}" for n in range(90_000)]

    assert len(set(safe_names(names, is_job_name))) == 90_000


@pytest.mark.parametrize(
    ("output", "placeholder"), [("new.dag", "task.sub"), ("new.sh", "task.sh")]
)
def test_placeholders_for_unknown_commands_are_told(icsched, put, folder, output, placeholder):
    put({"wf.edges": "a b\n"})

    found = icsched("convert", "wf.edges", output)

    assert placeholder in (folder / output).read_text()
    told = (
        f"{output}: no commands are known: every task runs {placeholder}, which is yours to write"
    )
    assert told in found.out.splitlines()


def test_nothing_is_told_of_placeholders_if_commands_are_known(icsched, put):
    put({"wf.csv": "task,parents,command\na,,true\n"})

    assert "no commands" not in icsched("convert", "wf.csv", "new.dag").out
