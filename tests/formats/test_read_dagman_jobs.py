"""Jobs of one DAGMan file: their names, options and descriptions, and other nodes."""

import pytest

import icsched
from icsched.formats.dagman.entry import read_dagman
from icsched.formats.dagman.submission import read_submission
from tests.formats.said import done, priorities

DIAMOND = """\
JOB a a.sub
JOB b b.sub
JOB c c.sub
JOB d d.sub
PARENT a CHILD b c
PARENT b c CHILD d
"""


# JOB


def test_jobs_get_their_ids_in_the_order_of_their_lines(read):
    r"""
      a
     / \
    b   c
     \ /
      d
    """
    workflow = read(DIAMOND)

    assert workflow.names == ("a", "b", "c", "d")
    assert workflow.dag.arcs.tolist() == [[0, 1], [0, 2], [1, 3], [2, 3]]


def test_a_path_or_a_string_is_read(read, folder):
    workflow = read(DIAMOND)

    assert icsched.read(folder / "wf.dag").dag == icsched.read("wf.dag").dag == workflow.dag
    assert read_dagman("wf.dag").dag == read_submission(folder / "wf.dag").dag


@pytest.mark.parametrize(
    ("line", "submit", "directory", "noop", "is_done"),
    [
        ("JOB a x.sub", "x.sub", "", False, False),
        ("job a x.sub", "x.sub", "", False, False),
        ("JOB a x.sub DIR d", "x.sub", "d", False, False),
        ("JOB a x.sub NOOP", "x.sub", "", True, False),
        ("JOB a x.sub DONE", "x.sub", "", False, True),
        ("JOB a x.sub DIR d NOOP DONE", "x.sub", "d", True, True),
        ("JOB a x.sub DONE NOOP DIR d", "x.sub", "d", True, True),
        ("JOB a x.sub NOOP DIR d DONE", "x.sub", "d", True, True),
        ("JoB a x.sub dir d nOOp Done", "x.sub", "d", True, True),
        ("JOB a x.sub done noop dir d", "x.sub", "d", True, True),
        ("JOB a x.sub DIR done", "x.sub", "done", False, False),
        ("JOB a noop", "noop", "", False, False),
        ("JOB a dir/x.sub", "dir/x.sub", "", False, False),
        ('JOB a "x.sub"', "x.sub", "", False, False),
        ('JOB a "my job.sub"', "my job.sub", "", False, False),
        ('JOB a "my job.sub" DIR "my dir" DONE', "my job.sub", "my dir", False, True),
        ("JOB a 'my job.sub' NOOP", "my job.sub", "", True, False),  # the new parser takes it
        ("JOB a a=b.sub", "a=b.sub", "", False, False),
    ],
)
def test_a_job_has_a_submit_file_and_options_in_any_order_and_case(
    read, line, submit, directory, noop, is_done
):
    workflow = read(f"{line}\n")
    (job,) = workflow.jobs()

    assert (job.name, job.node.submit, job.directory) == ("a", submit, directory)
    assert (job.node.noop, job.node.done, job.has_description) == (noop, is_done, False)
    assert done(workflow) == ({"a"} if is_done else set())


@pytest.mark.parametrize(
    "name", ["A", "a.b", "a#1", "a//b", "1", "-", "a\\b", "é", "工作", "JOB", "CHILDREN", "x{"]
)
def test_a_job_may_have_nearly_any_name(read, name):
    workflow = read(f"JOB {name} x\nJOB a x\nPARENT a CHILD {name}\nPRIORITY {name} 3\n")

    assert workflow.names == (name, "a")
    assert workflow.dag.to_mapping() == {name: ["a"], "a": []}
    assert priorities(workflow) == {name: 3}


def test_commands_are_read_in_any_case_and_names_as_they_are(read):
    workflow = read("job a x\nJob A x\nparent a Child A\n")

    assert workflow.dag.to_mapping() == {"a": [], "A": ["a"]}


def test_jobs_that_are_done_are_in_the_whole_but_not_in_what_remains(read):
    r"""
    a*
    |          * done
    b
    """
    workflow = read("JOB a x DONE\nJOB b x\nPARENT a CHILD b\n")

    assert workflow.dag.to_mapping() == {"a": [], "b": ["a"]}
    assert done(workflow) == {"a"}


def test_a_line_says_that_a_job_is_done(read):
    assert done(read("DONE b\nJOB a x\nJOB b x\ndone a\n")) == {"a", "b"}


# Inline submit descriptions


@pytest.mark.parametrize(
    ("text", "directory", "noop", "is_done"),
    [
        ("JOB a {\n executable = x\n queue\n}", "", False, False),
        ("job a {\n}", "", False, False),
        ("JOB a {\n} DIR d NOOP DONE", "d", True, True),
        ("JOB a {\n} done dir d", "d", False, True),
        ("JOB a {\n\n# }\n  // }\n arguments = { }\n } NOOP", "", True, False),
        ("JOB a @=END\n executable = x\n}\n@END", "", False, False),
        ("JOB a @=END\n@ENDING\n @END DONE", "", False, True),
        ("JOB a @=x\n@X\n@x\tDIR d", "d", False, False),
        ('JOB a {\n} DIR "my dir"', "my dir", False, False),
        ("JOB a \\\n  {\n queue\n} DONE", "", False, True),
    ],
)
def test_a_job_may_bring_its_submit_description(read, text, directory, noop, is_done):
    workflow = read(f"{text}\nJOB b x\n")
    job = next(workflow.jobs())

    assert workflow.names == ("a", "b")
    assert (job.node.submit, job.directory, job.has_description) == ("", directory, True)
    assert (job.node.noop, job.node.done) == (noop, is_done)


def test_what_stands_in_a_submit_description_is_no_command(read):
    workflow = read("JOB a {\nJOB b x\nPARENT a CHILD a\nBOGUS\nx = \\\n}\nJOB c x\n")

    assert workflow.names == ("a", "c")


@pytest.mark.parametrize("command", ["SUBMIT-DESCRIPTION", "submit_description"])
@pytest.mark.parametrize("body", ["{\n executable = x\n}", "@=END\n executable = x\n@END"])
def test_a_submit_description_of_its_own_serves_many_jobs(read, command, body):
    workflow = read(f"JOB a d\n{command} d {body}\nJOB b d NOOP\nJOB c d.sub\n")

    described = {job.name: job.has_description for job in workflow.jobs()}
    assert described == {"a": True, "b": True, "c": False}


@pytest.mark.parametrize(
    "opening", ["JOB b {", "JOB b @=END", "FINAL f {", "SUBMIT-DESCRIPTION d {"]
)
def test_a_submit_description_must_end(complaint, opening):
    assert complaint(f"JOB a x\n{opening}\nqueue\n") == (
        "wf.dag:2: expected the end of the submit description that begins here"
    )


# Other nodes


def test_a_workflow_inside_is_one_job(read):
    """DAGMan looks at the inner file only when its turn comes."""
    workflow = read("SUBDAG EXTERNAL s in.dag DIR d NOOP DONE\nJOB a x\nPARENT a CHILD s\n")
    job = next(workflow.jobs())

    assert workflow.dag.to_mapping() == {"s": ["a"], "a": []}
    assert (job.node.kind, job.node.submit, job.directory) == ("SUBDAG", "in.dag", "d")
    assert done(workflow) == {"s"}


@pytest.mark.parametrize("kind", ["FINAL", "PROVISIONER", "SERVICE"])
@pytest.mark.parametrize("rest", ["f x.sub", "f x.sub DIR d NOOP", "f {\nqueue\n}"])
def test_nodes_that_dagman_runs_on_its_own_account_are_no_jobs(read, kind, rest):
    workflow = read(f'JOB a x\n{kind} {rest}\nSCRIPT POST f y\nVARS f k="v"\n')

    assert workflow.names == ("a",)
    assert workflow.remarks == ()


@pytest.mark.parametrize("kind", ["FINAL", "PROVISIONER", "SERVICE"])
@pytest.mark.parametrize("line", ["PARENT a CHILD f", "PARENT f CHILD a", "PARENT a CHILD a f"])
def test_a_node_that_is_no_job_has_no_dependencies(complaint, kind, line):
    assert complaint(f"JOB a x\n{kind} f x\n{line}\n") == (
        f"wf.dag:3: expected a job, got f, a {kind} node"
    )


@pytest.mark.parametrize("kind", ["FINAL", "SERVICE"])
@pytest.mark.parametrize("line", ["PRIORITY f 3", "PRIORITY f 3x", "RETRY f 3", "DONE f"])
def test_a_node_that_is_no_job_refuses_what_only_jobs_have(complaint, kind, line):
    assert complaint(f"{kind} f x\n\n{line}\n") == (
        f"wf.dag:3: expected a job, got f, a {kind} node, which takes no {line.split()[0]}"
    )


@pytest.mark.parametrize("kind", ["FINAL", "PROVISIONER"])
def test_there_is_one_final_and_one_provisioner_node(complaint, kind):
    assert complaint(f"{kind} f x\n{kind} g x\n") == (
        f"wf.dag:2: expected one {kind} node, got another: g"
    )


def test_there_may_be_several_service_nodes(read):
    assert read("SERVICE s x\nSERVICE t x\nJOB a x\n").names == ("a",)
