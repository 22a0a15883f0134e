"""What is refused in one DAGMan file, with its line."""

import pytest

from icsched import FormatError

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
