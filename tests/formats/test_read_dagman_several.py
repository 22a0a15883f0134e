"""Several files that are submitted together, and rescue files."""

import pytest

from icsched import FormatError
from icsched.formats.dagman.submission import read_submission
from tests.formats.said import PAIR, done, priorities

# Several files


def test_jobs_of_several_files_are_called_by_the_files_place(put):
    put(
        {
            "one.dag": "JOB a x\nJOB b x\nPARENT a CHILD b\nPRIORITY b 3\nDONE a\n",
            "two.dag": "JOB a x\nWEAK PARENT a CHILD c\nJOB c {\n}\nRETRY a 3\n",
        }
    )

    workflow = read_submission(["one.dag", "two.dag"])

    assert workflow.dag.to_mapping() == {"0.a": [], "0.b": ["0.a"], "1.a": [], "1.c": ["1.a"]}
    assert (done(workflow), priorities(workflow)) == ({"0.a"}, {"0.b": 3})
    assert [root.path for root in workflow.roots] == ["one.dag", "two.dag"]


@pytest.mark.parametrize("line", ["RETRY ALL_NODES 2", "PRIORITY all_nodes 7"])
def test_all_nodes_is_refused_in_several_files_as_by_dagman(put, line):
    put({"one.dag": f"JOB a x\n{line}\n", "two.dag": "JOB a x\n"})

    with pytest.raises(FormatError) as caught:
        read_submission(["one.dag", "two.dag"])
    assert str(caught.value) == (
        "one.dag:2: ALL_NODES cannot be used when several files are submitted together:"
        " name the jobs instead"
    )


def test_a_missing_file_is_told_before_the_lines_of_another(put):
    put({"one.dag": "JOB a\n"})

    with pytest.raises(FormatError, match=r"^two\.dag: no such file or directory$"):
        read_submission(["one.dag", "two.dag"])


def test_splices_of_several_files_are_called_by_the_files_place_too(put):
    put({"one.dag": "SPLICE S in.dag\n", "two.dag": "SPLICE S in.dag\nJOB a x\n", "in.dag": PAIR})

    workflow = read_submission(["one.dag", "two.dag"])

    assert workflow.dag.to_mapping() == {
        "0.S+0.p": [],
        "0.S+0.q": ["0.S+0.p"],
        "1.a": [],
        "1.S+1.p": [],
        "1.S+1.q": ["1.S+1.p"],
    }


def test_a_file_does_not_know_the_jobs_of_another(put):
    put({"one.dag": "JOB a x\n", "two.dag": "JOB b x\n\nPARENT a CHILD b\n"})

    with pytest.raises(FormatError) as caught:
        read_submission(["one.dag", "two.dag"])

    assert str(caught.value) == "two.dag:3: unknown job a"


def test_one_file_in_a_list_is_one_file(put):
    put({"wf.dag": "JOB a x\n"})

    assert read_submission(["wf.dag"]).names == ("a",)


# Rescue files


def test_the_newest_rescue_file_says_what_is_done(read):
    r"""
    a* -> b* -> c
    """
    workflow = read(
        "JOB a x\nJOB b x\nJOB c x\nPARENT a CHILD b\nPARENT b CHILD c\n",
        {
            "wf.dag.rescue002": "DONE c\n",
            "wf.dag.rescue010": "# Rescue DAG file\n\nDONE a\nDONE b\n\nRETRY c 2 UNLESS-EXIT 3\n",
            "wf.dag.rescue9": "DONE c\n",
            "wf.dag.rescue011.old": "DONE c\n",
            "other.dag.rescue099": "DONE c\n",
            "wf.dag_multi.rescue099": "DONE 0.c\n",
        },
    )

    assert workflow.rescue == "wf.dag.rescue010"
    assert done(workflow) == {"a", "b"}
    assert workflow.done.tolist() == [True, True, False]
    assert len(workflow.dag) == 3


def test_rescue_files_are_left_aside_when_asked(read):
    workflow = read("JOB a x\n", {"wf.dag.rescue001": "DONE a\n"}, rescue=False)

    assert (workflow.rescue, done(workflow)) == (None, set())


def test_a_rescue_file_reaches_the_jobs_of_splices(read):
    """Unlike DONE inside a splice, DAGMan heeds this: splices are taken apart by then."""
    workflow = read(
        "SPLICE S in.dag\n", {"in.dag": PAIR, "wf.dag.rescue001": "DONE S+p\nPRIORITY S+q 3\n"}
    )

    assert (done(workflow), priorities(workflow)) == ({"S+p"}, {"S+q": 3})
    assert workflow.remarks == ()


def test_a_rescue_file_of_several_files_names_jobs_by_the_files_place(put):
    put({"one.dag": "JOB a x\n", "two.dag": "JOB a x\n", "one.dag_multi.rescue001": "DONE 1.a\n"})

    workflow = read_submission(["one.dag", "two.dag"])

    assert workflow.rescue == "one.dag_multi.rescue001"
    assert done(workflow) == {"1.a"}


def test_a_rescue_file_stands_beside_its_workflow(put):
    put({"sub/wf.dag": "JOB a x\n", "sub/wf.dag.rescue001": "DONE a\n"})

    assert read_submission("sub/wf.dag").rescue == "sub/wf.dag.rescue001"


def test_a_rescue_file_of_another_workflow_is_refused(complaint):
    assert complaint("JOB a x\n", {"wf.dag.rescue001": "# made by\n\nDONE b\n"}) == (
        "wf.dag.rescue001:3: unknown job b (DAGMan refuses this file, too; --no-rescue ignores it)"
    )
