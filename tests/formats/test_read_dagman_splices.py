"""SPLICE, pins, and cycles through splices."""

import pytest

from icsched.workflow import Remark
from tests.formats.said import PAIR, done, places, priorities

UNHEEDED = "DAGMan ignores DONE inside a splice"


# SPLICE


def test_a_splice_brings_its_jobs_under_its_name(read):
    r"""
    a -> S+p -> S+q -> b
    """
    workflow = read(
        "PARENT a CHILD S\nJOB a x\nSPLICE S in.dag\nJOB b x\nPARENT S CHILD b\n", {"in.dag": PAIR}
    )

    assert workflow.names == ("a", "b", "S+p", "S+q")
    assert workflow.dag.to_mapping() == {"a": [], "b": ["S+q"], "S+p": ["a"], "S+q": ["S+p"]}
    assert workflow.has_splices


def test_a_splice_as_parent_means_its_last_jobs_and_as_child_its_first(read):
    r"""
    S+p  S+q        T+p  T+q
      \  /    PARENT S CHILD T joins S+r and S+s with T+p and T+q
    S+r  S+s
    """
    fan = "JOB p x\nJOB q x\nJOB r x\nJOB s x\nPARENT p q CHILD r s\n"

    workflow = read("SPLICE S in.dag\nSPLICE T in.dag\nPARENT S CHILD T\n", {"in.dag": fan})

    parents = workflow.dag.to_mapping()
    assert parents["T+p"] == parents["T+q"] == ["S+r", "S+s"]
    assert parents["T+r"] == ["T+p", "T+q"]
    assert parents["S+p"] == []
    assert workflow.scope.joins == 3  # one in each splice and one between them


def test_splices_inside_splices_have_all_their_names(read):
    workflow = read(
        "SPLICE A mid.dag\n",
        {"mid.dag": "JOB m x\nSPLICE B in.dag\nPARENT m CHILD B\n", "in.dag": PAIR},
    )

    assert workflow.dag.to_mapping() == {"A+m": [], "A+B+p": ["A+m"], "A+B+q": ["A+B+p"]}


def test_a_file_may_be_spliced_several_times(read):
    workflow = read(
        "SPLICE S in.dag\nSPLICE T in.dag\nPARENT S CHILD T\n",
        {"in.dag": PAIR + "PRIORITY p 3\n"},
    )

    assert workflow.dag.to_mapping() == {
        "S+p": [],
        "S+q": ["S+p"],
        "T+p": ["S+q"],
        "T+q": ["T+p"],
    }
    assert priorities(workflow) == {"S+p": 3, "T+p": 3}


def test_the_directory_of_a_splice_is_that_of_its_files_and_jobs(read):
    workflow = read(
        "JOB a a.sub\nSPLICE S in.dag DIR d\n",
        {
            "d/in.dag": "JOB p p.sub\nJOB q q.sub DIR e\nSPLICE T inner.dag dir f\n",
            "d/f/inner.dag": "JOB r r.sub\n",
        },
    )

    assert places(workflow) == {
        "a": "a.sub",
        "S+p": "d/p.sub",
        "S+q": "d/e/q.sub",
        "S+T+r": "d/f/r.sub",
    }


def test_a_priority_for_all_stays_inside_its_file(read):
    workflow = read(
        "JOB a x\nSPLICE S in.dag\nSPLICE T more.dag\nPRIORITY ALL_NODES 3\n",
        {"in.dag": PAIR, "more.dag": f"{PAIR}PRIORITY ALL_NODES 4\nPRIORITY q 5\n"},
    )

    assert priorities(workflow) == {"a": 3, "T+p": 4, "T+q": 5}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("PRIORITY S 3", "expected a job, got S, a splice"),
        ("RETRY S 3", "expected a job, got S, a splice"),
        ("DONE S", "expected a job, got S, a splice"),
        ("VARS S k=v", "expected a job, got S, a splice"),
        ("PRIORITY S+p 3", "unknown job S+p"),
        ("PARENT a CHILD S+p", "unknown job S+p"),
        ("JOB S x", "expected a new name, got S, which is taken"),
        ("SPLICE S in.dag", "expected a new name, got S, which is taken"),
        ("SPLICE a in.dag", "expected a new name, got a, which is taken"),
    ],
)
def test_the_jobs_of_a_splice_are_out_of_reach_of_the_file_that_has_it(complaint, line, problem):
    text = f"JOB a x\nSPLICE S in.dag\n{line}\n"
    line_number = 2 if line.startswith("JOB") else 3  # jobs come before splices

    assert complaint(text, {"in.dag": PAIR}) == f"wf.dag:{line_number}: {problem}"


def test_after_an_inclusion_splices_are_unknown_and_their_jobs_known(read, complaint):
    """DAGMan takes splices apart at the end of every file, of an included one too."""
    text = "JOB a x\nSPLICE S in.dag\nINCLUDE /dev/null\n"

    workflow = read(f"{text}PARENT a CHILD S+p\nPRIORITY S+q 3\n", {"in.dag": PAIR})
    everywhere = read(f"{text}PRIORITY ALL_NODES 4\n")

    assert workflow.dag.to_mapping() == {"a": [], "S+p": ["a"], "S+q": ["S+p"]}
    assert priorities(workflow) == {"S+q": 3}
    assert priorities(everywhere) == {"a": 4, "S+p": 4, "S+q": 4}
    assert complaint(f"{text}PARENT a CHILD S\n") == (
        "wf.dag:4: expected a job, got S, a splice that DAGMan no longer knows by name after an"
        " INCLUDE: put INCLUDE after the lines that name splices"
    )
    assert complaint(f"{text}PARENT a CHILD T\n") == "wf.dag:4: unknown job T"
    assert complaint(f"{text}SPLICE S in.dag\n").endswith("got S, which is taken")


def test_an_included_file_sees_the_splices_of_the_file_around_it(read):
    workflow = read(
        "JOB a x\nSPLICE S in.dag\nINCLUDE more.dag\n",
        {"in.dag": PAIR, "more.dag": "PARENT a CHILD S\n"},
    )

    assert workflow.dag.to_mapping() == {"a": [], "S+p": ["a"], "S+q": ["S+p"]}


@pytest.mark.parametrize("line", ["PARENT S CHILD a", "PARENT a CHILD S", "WEAK PARENT S CHILD a"])
def test_an_empty_splice_has_no_jobs_to_depend_on(complaint, line):
    assert complaint(f"JOB a x\nSPLICE S in.dag\n{line}\n", {"in.dag": "# none\n"}) == (
        "wf.dag:3: expected jobs, got empty splices"
    )


def test_an_empty_splice_beside_a_job_adds_nothing(read):
    workflow = read(
        "JOB a x\nJOB b x\nSPLICE S in.dag\nPARENT S a CHILD b\n", {"in.dag": "# none\n"}
    )

    assert workflow.dag.to_mapping() == {"a": [], "b": ["a"]}


@pytest.mark.parametrize(
    "inner", ["JOB p x DONE\nJOB q x\n", f"{PAIR}DONE p\n", f"DONE \\\np\n{PAIR}"]
)
def test_what_is_done_in_a_splice_is_not_done_and_remarked(read, inner):
    workflow = read("\nSPLICE S in.dag\n", {"in.dag": inner})

    assert done(workflow) == set()
    assert workflow.remarks == (Remark("wf.dag", 2, UNHEEDED),)


def test_a_splice_in_which_nothing_is_done_is_not_remarked(read):
    assert read("SPLICE S in.dag\n", {"in.dag": f"{PAIR}RETRY p 3\n"}).remarks == ()


def test_a_splice_has_no_final_node(complaint):
    assert complaint("JOB a x\nSPLICE S in.dag\n", {"in.dag": "FINAL f x\n"}) == (
        "wf.dag:2: splice S: FINAL of in.dag cannot be used in a splice"
    )


def test_remarks_name_the_file_they_are_about(read):
    workflow = read("SPLICE S in.dag\n", {"in.dag": f"{PAIR}MAXJOBS big 3\n"})

    (remark,) = workflow.remarks
    assert (remark.path, remark.line) == ("in.dag", 4)


# Pins

OUT = "JOB p x\nJOB q x\n"
IN = "JOB r x\nJOB s x\n"
CONNECT = "SPLICE S out.dag\nSPLICE T in.dag\nCONNECT S T\n"


@pytest.mark.parametrize(
    ("out", "into", "parents"),
    [
        ("PIN_OUT p 1\nPIN_OUT q 2", "PIN_IN r 1\nPIN_IN s 2", {"T+r": ["S+p"], "T+s": ["S+q"]}),
        ("PIN_OUT q 1\npin-out p 2", "PIN_IN s 2\npin_in r 1", {"T+r": ["S+q"], "T+s": ["S+p"]}),
        (
            "PIN_OUT p 1\nPIN_OUT q 1",
            "PIN_IN r 1\nPIN_IN s 1",
            {"T+r": ["S+p", "S+q"], "T+s": ["S+p", "S+q"]},
        ),
        (
            "PIN_OUT p 1\nPIN_OUT p 2\nPIN_OUT q 2",
            "PIN_IN r 1\nPIN_IN s 2",
            {"T+r": ["S+p"], "T+s": ["S+p", "S+q"]},
        ),
    ],
)
def test_each_pin_out_is_connected_with_the_pin_in_of_its_number(read, out, into, parents):
    workflow = read(CONNECT, {"out.dag": f"{OUT}{out}\n", "in.dag": f"{into}\n{IN}"})

    assert workflow.dag.to_mapping() == {"S+p": [], "S+q": [], **parents}


def test_only_first_jobs_need_a_pin(read):
    workflow = read(
        CONNECT,
        {"out.dag": f"{OUT}PIN_OUT p 1\n", "in.dag": f"{IN}PARENT r CHILD s\nPIN_IN r 1\n"},
    )

    assert workflow.dag.to_mapping() == {"S+p": [], "S+q": [], "T+r": ["S+p"], "T+s": ["T+r"]}


@pytest.mark.parametrize(
    ("out", "into", "problem"),
    [
        (
            "PIN_OUT p 1\nPIN_OUT q 2",
            "PIN_IN r 1\nPIN_IN s 1",
            "expected as many pins out as in, got 2 of S and 1 of T",
        ),
        (
            "PIN_OUT p 1\nPIN_OUT q 3",
            "PIN_IN r 1\nPIN_IN s 2",
            "splice S: expected PIN_OUT 2, got none",
        ),
        ("PIN_OUT p 1", "PIN_IN r 2147483647", "splice T: expected PIN_IN 1, got none"),
        ("", "PIN_IN r 1", "splice S: expected PIN_OUT 1, got none"),
        ("PIN_OUT p 1", "", "splice T: expected PIN_IN 1, got none"),
        ("PIN_OUT p 1", "PIN_IN r 1", "expected a PIN_IN for T+s, which has no parents"),
    ],
)
def test_pins_that_do_not_match_are_refused(complaint, out, into, problem):
    assert complaint(CONNECT, {"out.dag": f"{OUT}{out}\n", "in.dag": f"{IN}{into}\n"}) == (
        f"wf.dag:3: {problem}"
    )


def test_only_splices_are_connected(complaint):
    files = {"out.dag": f"{OUT}PIN_OUT p 1\n"}

    assert complaint("SPLICE S out.dag\nCONNECT S T\n", files) == (
        "wf.dag:2: expected a splice, got T"
    )
    assert complaint("JOB a x\nSPLICE S out.dag\nCONNECT S a\n", files) == (
        "wf.dag:3: expected a splice, got a"
    )


# Cycles


def test_a_cycle_inside_a_splice_has_its_line_there(complaint):
    text = complaint("JOB a x\nSPLICE S in.dag\n", {"in.dag": f"{PAIR}\nPARENT q CHILD p\n"})

    assert text in {
        "in.dag:3: dependency cycle: S+p -> S+q -> S+p",
        "in.dag:5: dependency cycle: S+q -> S+p -> S+q",
    }


def test_a_cycle_deep_inside_has_its_line_there(complaint):
    files = {"mid.dag": "SPLICE T in.dag\n", "in.dag": "JOB p x\n\nPARENT p CHILD p\n"}

    assert complaint("JOB a x\nSPLICE S mid.dag\n", files) == (
        "in.dag:3: dependency cycle: S+T+p -> S+T+p"
    )


def test_a_cycle_through_a_splice_has_the_line_of_one_of_its_steps(complaint):
    """a -> S+p -> S+q -> a."""
    text = "JOB a x\nSPLICE S in.dag\nPARENT a CHILD S\nPARENT S CHILD a\n"

    assert complaint(text, {"in.dag": PAIR}) in {
        "wf.dag:3: dependency cycle: a -> S+p -> S+q -> a",
        "in.dag:3: dependency cycle: S+p -> S+q -> a -> S+p",
        "wf.dag:4: dependency cycle: S+q -> a -> S+p -> S+q",
    }
