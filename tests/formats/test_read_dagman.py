"""Every command of DAGMan's language: what is read of it, and what is refused and where.

Lines, other files and hostile input have tests of their own beside this file.
"""

import pytest

import icsched
from icsched import FormatError
from icsched.formats.dagman import Remark, read_dagman, read_submission

DIAMOND = """\
JOB a a.sub
JOB b b.sub
JOB c c.sub
JOB d d.sub
PARENT a CHILD b c
PARENT b c CHILD d
"""
PRE = "SCRIPT PRE: the job waits for its script before DAGMan considers its priority"


def priorities(workflow) -> dict[str, int]:
    """What the files give each job; jobs to which they give nothing are left out."""
    given = zip(workflow.names, workflow.priorities.tolist(), workflow.has_priority, strict=True)
    return {name: value for name, value, is_given in given if is_given}


def done(workflow) -> set[str]:
    return {name for name, is_done in zip(workflow.names, workflow.done, strict=True) if is_done}


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
    (placed,) = workflow.nodes()

    assert (placed.name, placed.node.submit, placed.directory) == ("a", submit, directory)
    assert (placed.node.noop, placed.node.done, placed.has_description) == (noop, is_done, False)
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

    assert workflow.whole.to_mapping() == {"a": [], "b": ["a"]}
    assert workflow.dag.to_mapping() == {"b": []}


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
    placed = next(workflow.nodes())

    assert workflow.names == ("a", "b")
    assert (placed.node.submit, placed.directory, placed.has_description) == ("", directory, True)
    assert (placed.node.noop, placed.node.done) == (noop, is_done)


def test_what_stands_in_a_submit_description_is_no_command(read):
    workflow = read("JOB a {\nJOB b x\nPARENT a CHILD a\nBOGUS\nx = \\\n}\nJOB c x\n")

    assert workflow.names == ("a", "c")


@pytest.mark.parametrize("command", ["SUBMIT-DESCRIPTION", "submit_description"])
@pytest.mark.parametrize("body", ["{\n executable = x\n}", "@=END\n executable = x\n@END"])
def test_a_submit_description_of_its_own_serves_many_jobs(read, command, body):
    workflow = read(f"JOB a d\n{command} d {body}\nJOB b d NOOP\nJOB c d.sub\n")

    described = {placed.name: placed.has_description for placed in workflow.nodes()}
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
    placed = next(workflow.nodes())

    assert workflow.whole.to_mapping() == {"s": ["a"], "a": []}
    assert (placed.node.kind, placed.node.submit, placed.directory) == ("SUBDAG", "in.dag", "d")
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


# PARENT


def test_every_parent_of_a_line_is_a_parent_of_every_child(read):
    workflow = read("JOB a x\nJOB b x\nJOB c x\nJOB d x\nJOB e x\nPARENT a b CHILD c d e\n")

    assert workflow.dag.arcs.tolist() == [[0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4]]


def test_dependencies_may_come_before_the_jobs(read):
    workflow = read("PARENT b CHILD a\nJOB a x\nJOB b x\n")

    assert workflow.dag.to_mapping() == {"a": ["b"], "b": []}


@pytest.mark.parametrize(
    "lines",
    [
        "PARENT a CHILD b",
        "PARENT a CHILD b b",
        "PARENT a a CHILD b",
        "PARENT a CHILD b\nPARENT a CHILD b",
        "parent a child b",
        "PARENT a CHILD CHILD b",
        "PARENT a CHILD b child b",
        "WEAK PARENT a CHILD CHILD CHILD b",
        "WEAK PARENT a CHILD b",
        "weak parent a child b",
        "WEAK\tPARENT\ta\tCHILD\tb",
        "WEAK PARENT a CHILD b b\nPARENT a a CHILD b",
    ],
)
def test_a_dependency_counts_once_however_it_is_given(read, lines):
    assert read(f"JOB a x\nJOB b x\n{lines}\n").dag.arcs.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("line", "joins"),
    [
        ("PARENT a b CHILD c d", 1),
        ("WEAK PARENT a b CHILD c d", 1),
        ("PARENT a b CHILD c", 0),
        ("PARENT a CHILD c d", 0),
        ("PARENT a a CHILD c d", 0),  # to DAGMan that is one parent
        ("WEAK PARENT a b CHILD c c", 0),
        ("PARENT a b CHILD c d\nPARENT a CHILD b\nPARENT a b CHILD c d", 2),
    ],
)
def test_lines_of_several_parents_and_children_are_counted(read, line, joins):
    assert read(f"JOB a x\nJOB b x\nJOB c x\nJOB d x\n{line}\n").joins == joins


# Commands about jobs


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("", {}),
        ("PRIORITY a 3", {"a": 3}),
        ("priority a 0", {"a": 0}),
        ("PRIORITY a -3\nPRIORITY b +4", {"a": -3, "b": 4}),
        ("PRIORITY a 007", {"a": 7}),
        ("PRIORITY a 3x", {"a": 3}),
        ("PRIORITY a 2147483647\nPRIORITY b -2147483648", {"a": 2**31 - 1, "b": -(2**31)}),
        ("PRIORITY a 3\nPRIORITY a 4", {"a": 4}),
        ("PRIORITY a 3\nPRIORITY a 4x\nPRIORITY b 5y\nPRIORITY b 6", {"a": 4, "b": 6}),
        ("PRIORITY ALL_NODES 5", {"a": 5, "b": 5}),
        ("PRIORITY all_nodes 5\nPRIORITY a 3", {"a": 3, "b": 5}),
        ("PRIORITY a 3\nPRIORITY All_Nodes 5", {"a": 5, "b": 5}),
        (
            "PRIORITY a 1\nPRIORITY ALL_NODES 2\nPRIORITY b 3\nPRIORITY ALL_NODES 4",
            {"a": 4, "b": 4},
        ),
    ],
)
def test_the_last_priority_wins_whether_for_one_job_or_for_all(read, lines, expected):
    assert priorities(read(f"JOB a x\nJOB b x\n{lines}\n")) == expected
    assert priorities(read(f"{lines}\nJOB a x\nJOB b x\n")) == expected


@pytest.mark.parametrize(
    "line",
    [
        "SCRIPT POST a check",
        "script post a check $JOB $RETURN",
        "SCRIPT HOLD a check",
        "SCRIPT DEFER 4 60 POST a check",
        "SCRIPT DEBUG log STDOUT POST a check",
        "SCRIPT DEBUG log all DEFER 4 0 HOLD a check 'x",
        "SCRIPT POST ALL_NODES check",
        "SCRIPT POST a PARENT a CHILD b",
        "RETRY a 3",
        "RETRY a 0",
        "retry a 3 unless-exit 2",
        "RETRY a 3 UNLESS_EXIT -2",
        "RETRY ALL_NODES 3",
        "ABORT-DAG-ON a 3",
        "abort_dag_on a -1",
        "ABORT-DAG-ON a 3 RETURN 0",
        "ABORT-DAG-ON all_nodes 3 return 255",
        "PRE_SKIP a 0",
        "pre-skip a 255",
        "PRE_SKIP ALL_NODES 3",
        "TOLERANCE a 3",
        "tolerance a 20%",
        "TOLERANCE a 15 %",
        "TOLERANCE a 15 % fail-fast",
        "TOLERANCE a 3 FAIL-FAST",
        "TOLERANCE ALL_NODES 3 wait",
        "CATEGORY a big",
        "CATEGORY a +big",
        "CATEGORY ALL_NODES big",
        "SAVE_POINT_FILE a",
        "save-point-file a there.save",
        'SAVE_POINT_FILE a "the re.save"',
    ],
)
def test_commands_about_a_job_change_no_dependency_and_no_priority(read, line):
    workflow = read(f"{line}\nJOB a x\nJOB b x\n{line}\n")

    assert workflow.dag.to_mapping() == {"a": [], "b": []}
    assert (done(workflow), priorities(workflow), workflow.remarks) == (set(), {}, ())


@pytest.mark.parametrize(
    "pairs",
    [
        'k="v"',
        'k="v" l="w x" m=""',
        '+k="v"',
        'k = "v"',
        'k= "v"  l ="w"',
        'k="v"l="w"',
        'k="PARENT a CHILD b"',
        r'k="say \"hi\" \\" l="w"',
        'PREPEND k="v"',
        'append k="v"',
        "k=v",
        "k=v l=w",
        "k = v",
        "PREPEND k=v",
        "k='v w'",
        "k='say \"hi\"'",
        "k=\"it's\" l='w'",
    ],
)
@pytest.mark.parametrize("name", ["a", "ALL_NODES"])
def test_variables_are_read_in_the_grammar_of_either_parser(read, name, pairs):
    workflow = read(f"JOB a x\nJOB b x\nVARS {name} {pairs}\n")

    assert workflow.dag.to_mapping() == {"a": [], "b": []}


@pytest.mark.parametrize(
    ("lines", "remark"),
    [
        ("SCRIPT PRE a check", Remark("wf.dag", 2, PRE)),
        ("script pre ALL_NODES check", Remark("wf.dag", 2, PRE)),
        ("SCRIPT DEFER 1 2 PRE a check", Remark("wf.dag", 2, PRE)),
        ("SCRIPT PRE a x\nSCRIPT POST a x\nSCRIPT PRE b x", Remark("wf.dag", 2, PRE, count=2)),
        (
            "\nMAXJOBS big 3",
            Remark(
                "wf.dag",
                3,
                "MAXJOBS big 3: a job held back by the limit lets later ones pass, and comes back"
                " out of order",
            ),
        ),
    ],
)
def test_what_disturbs_an_order_is_remarked_with_its_line(read, lines, remark):
    assert read(f"JOB a x\n{lines}\nJOB b x\n").remarks == (remark,)


# Commands about the whole


@pytest.mark.parametrize(
    "line",
    [
        "CONFIG dagman.config",
        'config "dag man.config"',
        "DOT wf.dot",
        "DOT wf.dot UPDATE DONT-OVERWRITE INCLUDE head.dot",
        "NODE_STATUS_FILE status",
        "NODE_STATUS_FILE status 30 ALWAYS-UPDATE",
        "node-status-file status always_update",
        "JOBSTATE_LOG log",
        "SET_JOB_ATTR k = v",
        'set-job-attr k = "PARENT a CHILD b"',
        "ENV SET A=1;B='2",
        "ENV GET A B",
        "MAXJOBS big 0",
    ],
)
def test_commands_about_the_whole_change_no_job(read, line):
    assert read(f"JOB a x\n{line}\nJOB b x\n").dag.to_mapping() == {"a": [], "b": []}


def test_configuration_files_are_remembered(read):
    workflow = read('CONFIG one.config\nCONFIG "/etc/two two.config"\n')

    assert workflow.configs == ("one.config", "/etc/two two.config")


def test_a_file_that_dagman_is_told_not_to_run_is_refused(complaint):
    assert complaint("JOB a x\nREJECT\n") == (
        "wf.dag:2: the file says REJECT: DAGMan will not run it"
    )


@pytest.mark.parametrize(
    "line", ["NODE a x", "JOBS a x", "CHILD a PARENT b", "{", "\u00a0", "\x1c"]
)
def test_an_unknown_command_is_refused_or_skipped_with_a_remark(read, complaint, line):
    assert complaint(f"JOB a x\n{line}\n") == f"wf.dag:2: unknown command, got {line!r}"

    workflow = read(f"JOB a x\n{line}\n", lenient=True)
    assert workflow.names == ("a",)
    assert workflow.remarks == (Remark("wf.dag", 2, f"unknown command skipped: {line}"),)


def test_leniency_skips_unknown_commands_only(complaint):
    assert complaint("JOB a\n", lenient=True).startswith("wf.dag:1: expected JOB name")


# Refusing

JOB = "JOB name submit-file [DIR directory] [NOOP] [DONE]"
SUBDAG = "SUBDAG EXTERNAL name dag-file [DIR directory] [NOOP] [DONE]"
SPLICE = "SPLICE name dag-file [DIR directory]"
PARENT = "PARENT names CHILD names"
SCRIPT = (
    "SCRIPT [DEFER status seconds] [DEBUG file STDOUT|STDERR|ALL] PRE|POST|HOLD name executable"
    " [arguments]"
)
RETRY = "RETRY name count [UNLESS-EXIT code]"
ABORT = "ABORT-DAG-ON name code [RETURN 0..255]"
VARS = 'VARS name [PREPEND|APPEND] key="value" ...'
TOLERANCE = "TOLERANCE name count[%] [FAIL-FAST|WAIT]"
DOT = "DOT file [UPDATE|DONT-UPDATE] [OVERWRITE|DONT-OVERWRITE] [INCLUDE file]"
STATUS = "NODE_STATUS_FILE file [seconds] [ALWAYS-UPDATE]"


@pytest.mark.parametrize(
    ("expected", "lines"),
    [
        (JOB, ["JOB", "job b", "JOB b x DIR", "JOB b x DOEN", "JOB b x NOOP y", 'JOB b ""']),
        (JOB, ["JOB b x y", 'JOB b "x" y', "JOB b {\n} BOGUS", "JOB b {\n} DIR", "JOB b = x"]),
        ("FINAL name submit-file [DIR directory] [NOOP]", ["FINAL", "FINAL f", "FINAL f x y"]),
        ("SERVICE name submit-file [DIR directory] [NOOP]", ["SERVICE", "service s"]),
        ("PROVISIONER name submit-file [DIR directory] [NOOP]", ["PROVISIONER p"]),
        (SUBDAG, ["SUBDAG", "SUBDAG s in.dag", "SUBDAG EXTERNAL s", "SUBDAG EXTERNAL s x y"]),
        (SPLICE, ["SPLICE", "SPLICE s", "SPLICE s in.dag DIR", "SPLICE s in.dag NOOP"]),
        ("INCLUDE dag-file", ["INCLUDE", "INCLUDE one.dag two.dag"]),
        ("SUBMIT-DESCRIPTION name { ... }", ["SUBMIT-DESCRIPTION", "SUBMIT-DESCRIPTION d x"]),
        (PARENT, ["PARENT", "PARENT a", "PARENT a CHILD", "PARENT CHILD a", "PARENT a a"]),
        (PARENT, ["PARENT a CHILD a CHILD", "PARENT a CHILD CHILD", "PARENT CHILD CHILD a"]),
        (PARENT, ["WEAK PARENT a", "WEAK PARENT a CHILD", "PARENT a CH\u0131LD a"]),
        (f"WEAK {PARENT}", ["WEAK", "WEAK a CHILD a"]),
        (SCRIPT, ["SCRIPT", "SCRIPT PRE", "SCRIPT PRE a", "SCRIPT a x", "SCRIPT DURING a x"]),
        (SCRIPT, ["SCRIPT DEFER PRE a x", "SCRIPT DEFER 1 PRE a x", "SCRIPT DEFER 1 2 a x"]),
        (SCRIPT, ["SCRIPT DEBUG log PRE a x", "SCRIPT DEBUG log NONE PRE a x"]),
        (RETRY, ["RETRY", "RETRY a", "RETRY a -1", "RETRY a x", "RETRY a 3 UNLESS-EXIT"]),
        (RETRY, ["RETRY a 3 4", "RETRY a 3 UNLESS-EXIT x", "RETRY a 2147483648"]),
        (ABORT, ["ABORT-DAG-ON", "ABORT-DAG-ON a", "ABORT_DAG_ON a x", "ABORT-DAG-ON a 3 4"]),
        (ABORT, ["ABORT-DAG-ON a 3 RETURN", "ABORT-DAG-ON a 3 RETURN 256"]),
        (ABORT, ["ABORT-DAG-ON a 3 RETURN -1"]),
        (VARS, ["VARS", "VARS a", "VARS a k", "VARS a k=", 'VARS a ="v"', 'VARS a k="v']),
        (VARS, ["VARS a 'k=\"v\"'", 'VARS a "k="v""', "VARS a k'='v", 'VARS a "k"="v"']),
        (VARS, ['VARS a +="v"', 'VARS a queue="1"', 'VARS a QueueSize="1"', "VARS a PREPEND"]),
        ("PRIORITY name integer", ["PRIORITY", "PRIORITY a", "PRIORITY a x", "PRIORITY a 3 4"]),
        ("PRIORITY name integer", ["PRIORITY a 2147483648", "PRIORITY a -2147483649"]),
        ("PRIORITY name integer", ["PRIORITY a 99999999999999999999", "PRIORITY ALL_NODES"]),
        ("PRE_SKIP name 0..255", ["PRE_SKIP", "PRE_SKIP a", "PRE_SKIP a 256", "PRE-SKIP a -1"]),
        (TOLERANCE, ["TOLERANCE", "TOLERANCE a", "TOLERANCE a -1", "TOLERANCE a 3 SOON"]),
        (
            TOLERANCE,
            ["TOLERANCE a %", "TOLERANCE a 3% %", "TOLERANCE a 3 % %", "TOLERANCE a 3 % x"],
        ),
        ("CATEGORY name category", ["CATEGORY", "CATEGORY a", "CATEGORY a big small"]),
        ("MAXJOBS category count", ["MAXJOBS", "MAXJOBS big", "MAXJOBS big -1", "MAXJOBS b 1 2"]),
        ("DONE name", ["DONE", "DONE a a"]),
        ("SAVE_POINT_FILE name [file]", ["SAVE_POINT_FILE", "SAVE_POINT_FILE ALL_NODES"]),
        ("SAVE_POINT_FILE name [file]", ["SAVE_POINT_FILE a one two"]),
        ("CONNECT splice splice", ["CONNECT", "CONNECT s", "CONNECT s t u"]),
        ("PIN_IN name number", ["PIN_IN", "PIN_IN a", "PIN_IN a 0", "PIN_IN a x", "PIN_IN a 1 2"]),
        ("PIN_OUT name number", ["PIN_OUT", "PIN_OUT a", "PIN-OUT a -1"]),
        (DOT, ["DOT", "DOT wf.dot INCLUDE"]),
        (STATUS, ["NODE_STATUS_FILE", "NODE_STATUS_FILE status x"]),
        ("JOBSTATE_LOG file", ["JOBSTATE_LOG", "JOBSTATE_LOG one two"]),
        ("REJECT alone on its line", ["REJECT a"]),
    ],
)
def test_a_bad_line_is_refused_with_what_was_expected_and_what_came(complaint, expected, lines):
    for line in lines:
        got = " ".join(line.split())
        assert complaint(f"JOB a x\n# comment\n{line}\n") == (
            f"wf.dag:3: expected {expected}, got {got!r}"
        )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("JOB a y", "job a is already on line 1"),
        ("JOB PARENT x", "expected a job name, got the reserved word PARENT"),
        ("JOB child x", "expected a job name, got the reserved word child"),
        ("JOB All_Nodes x", "expected a job name, got the reserved word All_Nodes"),
        ("FINAL Parent x", "expected a job name, got the reserved word Parent"),
        ("JOB b+c x", "expected a job name without '+', got b+c"),
        ("SUBDAG EXTERNAL b+c x.dag", "expected a job name without '+', got b+c"),
        (
            "JOB b in.dag.condor.sub",
            "expected SUBDAG EXTERNAL for a nested workflow, got JOB b in.dag.condor.sub",
        ),
        ("FINAL a x", "expected a new name, got a, which is taken"),
        ("SPLICE a in.dag", "expected a new name, got a, which is taken"),
        ("PARENT a CHILD b", "unknown job b"),
        ("PARENT A CHILD a", "unknown job A"),
        ("WEAK PARENT a CHILD b", "unknown job b"),
        ("PARENT ALL_NODES CHILD a", "unknown job ALL_NODES"),
        ("PRIORITY b 3", "unknown job b"),
        ("PRIORITY b 3x", "unknown job b"),
        ("DONE b", "unknown job b"),
        ("DONE ALL_NODES", "unknown job ALL_NODES"),
        ("RETRY b 3", "unknown job b"),
        ("SCRIPT PRE b x", "unknown job b"),
        ('VARS b k="v"', "unknown job b"),
        ("VARS b k=v", "unknown job b"),
        ("CATEGORY b big", "unknown job b"),
        ("ABORT-DAG-ON b 3", "unknown job b"),
        ("PRE_SKIP b 3", "unknown job b"),
        ("TOLERANCE b 3", "unknown job b"),
        ("SAVE_POINT_FILE b", "unknown job b"),
        ("PIN_IN b 1", "unknown job b"),
        ("CONNECT a b", "expected a splice, got a"),
    ],
)
def test_a_name_that_does_not_fit_is_refused(complaint, line, problem):
    assert complaint(f"JOB a x\n\n{line}\n", {"in.dag": ""}) == f"wf.dag:3: {problem}"


def test_a_name_must_be_new_among_all_nodes_of_a_file_in_any_order(complaint):
    assert complaint("JOB a x\nJOB f x\nFINAL f x\n").endswith("got f, which is taken")
    assert complaint("SPLICE a in.dag\nJOB a x\n", {"in.dag": ""}).endswith("a, which is taken")


@pytest.mark.parametrize(
    "line",
    [
        "JOB b 'x.sub'",  # the old parser keeps the quotes
        "JOB b x.sub DIR 'd'",
    ],
)
def test_what_the_two_parsers_of_dagman_read_differently_is_refused(complaint, line):
    assert complaint(f"{line}\n") == (
        f"wf.dag:1: expected quotes and = that all versions of DAGMan read alike, got {line!r}"
    )


def test_a_long_line_is_cut_short_in_a_complaint(complaint):
    line = "JOB b x " + 100 * "y"

    assert complaint(f"{line}\n") == f"wf.dag:1: expected {JOB}, got {line[:56] + ' ...'!r}"


def test_an_error_holds_its_place_and_problem(read):
    with pytest.raises(FormatError) as caught:
        read("\n\nJOB a\n")

    error = caught.value
    assert (error.path, error.line) == ("wf.dag", 3)
    assert error.problem == f"expected {JOB}, got 'JOB a'"
    assert isinstance(error, ValueError)


# Cycles


@pytest.mark.parametrize(
    ("lines", "cycles"),
    [
        ("PARENT b CHILD b", {"5: dependency cycle: b -> b"}),
        ("WEAK PARENT b CHILD b", {"5: dependency cycle: b -> b"}),
        (
            "PARENT b CHILD a",
            {"4: dependency cycle: a -> b -> a", "5: dependency cycle: b -> a -> b"},
        ),
        (
            "PARENT b CHILD c\nPARENT c CHILD a",
            {
                "4: dependency cycle: a -> b -> c -> a",
                "5: dependency cycle: b -> c -> a -> b",
                "6: dependency cycle: c -> a -> b -> c",
            },
        ),
    ],
)
def test_a_cycle_is_printed_as_a_cycle_with_the_line_of_its_first_step(complaint, lines, cycles):
    text = f"JOB a x\nJOB b x\nJOB c x\nPARENT a CHILD b\n{lines}\n"

    assert complaint(text).removeprefix("wf.dag:") in cycles


def test_jobs_that_are_done_may_not_be_on_a_cycle_either(complaint):
    """DAGMan looks for cycles before it looks at what is done."""
    text = "JOB a x DONE\nJOB b x\nPARENT a CHILD b\nPARENT b CHILD a\n"

    assert "dependency cycle" in complaint(text)
