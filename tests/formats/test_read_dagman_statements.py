"""Dependencies, and commands about jobs and about the whole."""

import pytest

from icsched.workflow import Remark
from tests.formats.said import done, priorities

PRE = "SCRIPT PRE: the job waits for its script before DAGMan considers its priority"


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
    assert read(f"JOB a x\nJOB b x\nJOB c x\nJOB d x\n{line}\n").scope.joins == joins


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
