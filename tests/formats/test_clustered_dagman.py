"""Clusters written as DAGMan workflows: jobs, dependencies, merged features, and refusals."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import Dag, FormatError
from icsched.errors import ScheduleError
from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.submission import Submission, read_submission
from icsched.formats.dagman.writer import dagman_text
from tests.strategies import dags_with_orders

SUB = "executable = tool\noutput = $(JOB).out\nqueue\n"
DIAMOND = "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\nJOB d x.sub\nPARENT a CHILD b c\n"
DIAMOND += "PARENT b c CHILD d\n"
PAIR = "JOB a x.sub\nJOB b x.sub\nPARENT a CHILD b\n"


@pytest.fixture
def cluster(put) -> Callable[..., str]:
    """Write clusters, named by their jobs ("ab c"), of a text as out.dag; return that file."""

    def writer(text: str, clusters: str, files: dict[str, str] | None = None) -> str:
        put({"wf.dag": text, "x.sub": SUB, **(files or {})})
        workflow = read_submission("wf.dag")
        write_clustered(workflow, by_name(workflow, clusters), "out.dag")
        return Path("out.dag").read_text()

    return writer


@pytest.fixture
def complaint(cluster) -> Callable[..., str]:
    """Try to write what cannot be written; return what is said of it."""

    def complain(text: str, clusters: str, files: dict[str, str] | None = None) -> str:
        with pytest.raises(FormatError) as caught:
            cluster(text, clusters, files)
        assert not Path("out.dag").exists()
        assert not Path("out.dag.clusters").exists()
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return complain


def by_name(workflow: Submission, clusters: str) -> list[list[int]]:
    """Ids of jobs with names of one letter, or with commas between them."""
    ids = {str(name): task for task, name in enumerate(workflow.dag.names)}
    return [
        [ids[name] for name in (filter(None, group.split(",")) if "," in group else group)]
        for group in clusters.split()
    ]


def lines(text: str, command: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(f"{command} ")]


def submit(name: str = "cluster_0001") -> dict[str, str]:
    text = Path(f"out.dag.clusters/{name}.sub").read_text()
    return dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)


def members(name: str = "cluster_0001") -> str:
    return Path(f"out.dag.clusters/{name}.members").read_text()


# Jobs and dependencies


def test_a_cluster_is_one_job_and_a_cluster_of_one_is_the_job_itself(cluster):
    r"""
      a
     / \
    b   c      a and b together, c and d alone: c waits for the cluster, d for it and c.
     \ /
      d
    """
    text = cluster(DIAMOND, "ab c d")

    assert lines(text, "JOB") == [
        "JOB c x.sub",
        "JOB d x.sub",
        "JOB cluster_0001 out.dag.clusters/cluster_0001.sub",
    ]
    assert lines(text, "PARENT") == ["PARENT cluster_0001 CHILD c d", "PARENT c CHILD d"]
    assert lines(text, "PRIORITY") == ["PRIORITY cluster_0001 3", "PRIORITY c 2", "PRIORITY d 1"]


def test_a_dependency_between_clusters_is_said_once(cluster):
    """b -> c, b -> d and a -> c, a -> d all lead from one cluster to the other."""
    text = cluster("".join(f"JOB {n} x.sub\n" for n in "abcd") + "PARENT a b CHILD c d\n", "ab cd")

    assert lines(text, "PARENT") == ["PARENT cluster_0001 CHILD cluster_0002"]
    assert read_submission("out.dag").first_arc_said_twice() is None


def cut(order: Sequence[int], cuts: Sequence[int]) -> list[list[int]]:
    ends = [0, *sorted({at for at in cuts if 0 < at < len(order)}), len(order)]
    return [list(order[a:b]) for a, b in pairwise(ends) if a < b]


@settings(max_examples=60)
@given(dags_with_orders(most_tasks=10), st.lists(st.integers(1, 9), max_size=6))
def test_what_is_written_reads_back_as_the_quotient(tmp_path_factory, dag_and_order, cuts):
    """Jobs and arcs of the file are those of the quotient, found arc by arc."""
    dag, order = dag_and_order
    named = Dag.from_arcs(len(dag), dag.arcs.tolist(), names=[f"j{t}" for t in range(len(dag))])
    folder = tmp_path_factory.mktemp("quotient")
    (folder / "task.sub").write_text(SUB)
    (folder / "wf.dag").write_text(dagman_text(named).replace("task.sub", f"task.sub DIR {folder}"))
    clusters = cut(order, cuts)

    write_clustered(read_submission(folder / "wf.dag"), clusters, folder / "out.dag")

    found = read_submission(folder / "out.dag")
    names = [
        f"j{tasks[0]}" if len(tasks) == 1 else f"cluster_{number:04}"
        for number, tasks in enumerate(clusters, 1)
    ]
    owner = {task: names[n] for n, tasks in enumerate(clusters) for task in tasks}
    quotient = {(owner[a], owner[b]) for a, b in dag.arcs.tolist() if owner[a] != owner[b]}
    assert set(found.names) == set(names)
    assert {(found.names[a], found.names[b]) for a, b in found.dag.arcs.tolist()} == quotient
    assert [found.names[t] for t in (-found.priorities).argsort(kind="stable")] == names
    assert found.scope.joins == 0
    for name, tasks in zip(names, clusters, strict=True):
        if len(tasks) > 1:
            text = (folder / "out.dag.clusters" / f"{name}.members").read_text()
            listed = [line.split(" ")[1] for line in lines(text, "member")]
            assert listed == [f"j{task}" for task in tasks]


def test_a_name_that_is_taken_is_not_given_again(cluster):
    text = cluster("JOB cluster_0001 x.sub\nJOB b x.sub\nJOB c x.sub\n", "cluster_0001, b,c")

    assert [line.split()[1] for line in lines(text, "JOB")] == [
        "cluster_0001",
        "clusters_of_cluster_0002",
    ]


def test_jobs_of_splices_run_under_their_own_names_in_their_own_directories(cluster):
    text = cluster(
        "SPLICE S in.dag DIR deep\nJOB z x.sub\nPARENT S CHILD z\n",
        "S+p,S+q z",
        {
            "deep/in.dag": 'JOB p y.sub DIR er\nJOB q y.sub\nVARS p v="inner"\nVARS q v="q"\n',
            "deep/er/y.sub": "executable = ../t\narguments = $(JOB) $(v)\nqueue\n",
            "deep/y.sub": "executable = t\narguments = $(JOB) $(v)\nqueue\n",
        },
    )

    assert lines(text, "PARENT") == ["PARENT cluster_0001 CHILD z"]
    assert [line for line in members().splitlines() if not line.startswith(("input", "out"))] == [
        *("member S+p", "directory deep/er/", "error out.dag.clusters/cluster_0001.1.err"),
        *("executable deep/er/../t", "argument S+p", "argument inner", "run"),
        *("member S+q", "directory deep/", "error out.dag.clusters/cluster_0001.2.err"),
        *("executable deep/t", "argument S+q", "argument q", "run"),
        "end",
    ]


def test_jobs_that_are_done_are_left_out(cluster, put):
    put({"wf.dag.rescue001": "DONE a\n"})
    text = cluster(DIAMOND, "bc d")

    assert lines(text, "JOB")[0] == "JOB d x.sub"
    assert lines(members(), "member") == ["member b", "member c"]
    assert read_submission("out.dag").names == ("d", "cluster_0001")


# What is kept and what is merged


def test_all_that_is_said_of_a_job_alone_is_kept_but_its_priority(cluster):
    said = [
        *("SCRIPT PRE c before.sh $JOB", "SCRIPT POST c after.sh", "RETRY c 3 UNLESS-EXIT 2"),
        *('VARS c x="1"', "ABORT-DAG-ON c 9", "CATEGORY c few", "PRE_SKIP c 7"),
    ]
    kept = "JOB c odd.sub DIR there NOOP"
    text = cluster(
        f"JOB a x.sub\nJOB b x.sub\n{kept}\nPRIORITY c 50\nMAXJOBS few 1\nFINAL f x.sub\n"
        "CONFIG some.conf\nSUBDAG EXTERNAL s s.dag\n" + "".join(f"{line}\n" for line in said),
        "ab c s",
    )

    assert lines(text, "JOB")[0] == kept
    assert [line for line in text.splitlines() if line in said] == said
    assert {"SUBDAG EXTERNAL s s.dag", "MAXJOBS few 1", "FINAL f x.sub", "CONFIG some.conf"} <= set(
        text.splitlines()
    )
    assert lines(text, "PRIORITY")[1] == "PRIORITY c 2"


def test_inline_and_named_descriptions_are_read(cluster):
    cluster(
        "SUBMIT-DESCRIPTION d {\n executable = named\n arguments = $(x)\n}\nJOB a d\n"
        'JOB b {\n executable = inline\n arguments = 1 \\\n 2\n}\nVARS a x="3"\n',
        "ab",
    )

    assert [line for line in members().splitlines() if line.startswith(("exec", "arg"))] == [
        *("executable named", "argument 3"),
        *("executable inline", "argument 1", "argument 2"),
    ]


def test_the_largest_retry_counts_for_the_cluster(cluster):
    text = cluster(f"{PAIR}RETRY ALL_NODES 1 UNLESS-EXIT 4\nRETRY b 3 UNLESS-EXIT 4\n", "ab")

    assert lines(text, "RETRY") == ["RETRY cluster_0001 3 UNLESS-EXIT 4"]


def test_what_is_said_alike_of_all_jobs_is_said_of_the_cluster(cluster):
    text = cluster(
        f"{PAIR}CATEGORY ALL_NODES few\nMAXJOBS few 2\nABORT-DAG-ON ALL_NODES 3 RETURN 1\n", "ab"
    )

    assert lines(text, "CATEGORY") == ["CATEGORY cluster_0001 few"]
    assert lines(text, "ABORT-DAG-ON") == ["ABORT-DAG-ON cluster_0001 3 RETURN 1"]


def test_requests_are_the_largest_and_requirements_all(cluster):
    """2 GB is 2048 MB, and 3000000 of disk are KB: more than 2 GB."""
    files = {
        "x.sub": "executable = t\nrequest_memory = 1500\nrequest_disk = 3000000\nrequest_cpus = 1\n"
        "requirements = A || B\nqueue\n",
        "y.sub": "executable = t\nrequest_memory = 2 GB\nrequest_disk = 2GB\nrequest_cpus = 4\n"
        "requirements = C\nrequest_gpus = 1\nqueue\n",
    }
    cluster("JOB a x.sub\nJOB b y.sub\nJOB c x.sub\n", "abc", files)

    made = submit()
    assert made["request_memory"] == "2 GB"
    assert made["request_disk"] == "3000000"
    assert (made["request_cpus"], made["request_gpus"]) == ("4", "1")
    assert made["requirements"] == "(A || B) && (C)"


def test_commands_and_attributes_that_all_members_share_are_kept_and_macros_are_not(cluster):
    sub = 'universe = local\nexecutable = t\n+Project = "$(DOLLAR)x"\nrank = Memory\nmine = 3\n'
    sub += "arguments = $(mine)\npriority = 7\nlog = my.log\nqueue\n"
    text = cluster(f'{PAIR}VARS a unused="1"\nVARS b unused="2"\n', "ab", {"x.sub": sub})

    made = submit()
    assert made["+project"] == '"$(DOLLAR)x"'
    assert (made["universe"], made["rank"]) == ("local", "Memory")
    assert not {"mine", "unused", "priority", "arguments2"} & set(made)
    assert made["log"] == "out.dag.clusters/cluster_0001.events"
    assert "VARS" not in text


def test_a_cluster_says_its_size_also_if_its_members_are_clusters_themselves(cluster):
    """Two members of sizes 4 and 5 are two jobs to the cluster of them."""
    files = {
        f"{name}.sub": f"executable = t\n+IcschedClusterSize = {size}\nqueue\n"
        for name, size in (("x", 4), ("y", 5))
    }
    cluster("JOB a x.sub\nJOB b y.sub\n", "ab", files)

    assert submit()["+IcschedClusterSize"] == "2"


def test_a_job_that_does_nothing_does_nothing_in_a_cluster_too(cluster):
    cluster("JOB a x.sub\nJOB b nowhere.sub NOOP\nJOB c x.sub\n", "abc")

    assert lines(members(), "member") == ["member a", "member c"]


# Refusals: one line each, and nothing is written

SAID = {
    "SCRIPT PRE b p.sh": "SCRIPT cannot be used for a job in a cluster of several, got SCRIPT PRE",
    "SCRIPT POST ALL_NODES p.sh": "SCRIPT cannot be used for a job in a cluster of several",
    "PRE_SKIP b 1": "PRE_SKIP cannot be used for a job in a cluster of several, got PRE_SKIP b 1",
    "SAVE_POINT_FILE b": "SAVE_POINT_FILE cannot be used for a job in a cluster of several",
    "TOLERANCE b 1": "TOLERANCE cannot be used for a job in a cluster of several",
    "CATEGORY b few": "expected the same of the jobs a and b in one cluster, got CATEGORY b few",
    "ABORT-DAG-ON a 3": "expected the same of the jobs a and b in one cluster, got ABORT-DAG-ON",
    "RETRY a 1\nRETRY b 1 UNLESS-EXIT 2": "expected RETRY without UNLESS-EXIT as in the same",
    "WEAK PARENT a CHILD b": "WEAK parents cannot be used in clusters",
}


@pytest.mark.parametrize("said", SAID)
def test_what_a_cluster_cannot_do_for_a_job_is_refused_with_its_line(complaint, said):
    """PAIR has three lines."""
    last = 4 + said.count("\n")

    assert complaint(f"{PAIR}{said}\n", "ab").startswith(f"wf.dag:{last}: {SAID[said]}")


def test_a_nested_workflow_is_refused_in_a_cluster(complaint):
    assert complaint("JOB a x.sub\nSUBDAG EXTERNAL b b.dag\n", "ab") == (
        "wf.dag:2: job b: expected a JOB in a cluster of several, got a nested workflow (SUBDAG)"
    )


SHARES = "expected files on a file system that the pool shares: a cluster transfers none"
DESCRIBED = {
    "universe = docker": "expected one of the universes vanilla, local, scheduler in a cluster of",
    "docker_image = x": "expected a job that runs on the machine as it is, got docker_image = x",
    "transfer_input_files = a, b": SHARES,
    "transfer_output_files = a": SHARES,
    "should_transfer_files = YES": "expected should_transfer_files = NO in a cluster of several",
    "kill_sig = 2": "expected SIGTERM to be what ends a job, got kill_sig = 2",
    "success_exit_code = 3": "expected success to be exit code 0, got success_exit_code = 3",
    "arguments = $(Cluster)": "expected a value that can be known now, got $(Cluster)",
    "arguments = $(ENVY)": "expected a value for $(ENVY) in the submit description or in VARS, go",
    "arguments = $$(Memory)": "expected a value that can be known now, got $$(Memory)",
    "arguments = $RANDOM_CHOICE(1,2)": "expected a value that can be known now, got $RANDOM_CHOI",
    'arguments = a "b" c': 'expected \\" for a quote, or all in quotes, got a "b" c',
    "environment = A": "expected NAME=VALUE in the environment, got 'A'",
    "transfer_executable = false": "expected an absolute name of an executable that is not trans",
    "executable =": "expected an executable, got none",
}


@pytest.mark.parametrize("line", DESCRIBED)
def test_a_description_that_only_htcondor_can_follow_is_refused_with_its_line(complaint, line):
    got = complaint(PAIR, "ab", {"x.sub": f"executable = t\n{line}\nqueue\n"})

    at = {"executable =": 1, "transfer_executable = false": 1}.get(line, 2)
    assert got.startswith(f"x.sub:{at}: job a: {DESCRIBED[line]}")


UNREADABLE = {
    "executable = t\nqueue 2\n": "x.sub:2: expected queue for one job, got queue 2",
    "executable = t\nqueue x in (1 2)\n": "x.sub:2: expected queue for one job, got queue x in",
    "executable = t\n": "wf.dag:1: job a: x.sub: expected one queue statement, got none",
    "executable = t\nqueue\nqueue\n": "wf.dag:1: job a: x.sub: expected one queue statement, got 2",
    "if true\nendif\nqueue\n": "x.sub:1: expected key = value or queue, which is all",
    "include : other\nqueue\n": "x.sub:1: expected key = value or queue, which is all",
    "arguments @=end\na\n@end\nqueue\n": "x.sub:1: expected key = value or queue, which is all",
    "arguments = a \\\n# why\nb\nqueue\n": "x.sub:2: expected the rest of the line 1, got '# why'",
    "arguments = a \\": "x.sub:1: expected another line after the \\ at the end of this one",
    "arguments = \0\n": "x.sub:1: expected text, got a NUL byte",
}


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_description_that_cannot_be_read_is_refused(complaint, text):
    assert complaint(PAIR, "ab", {"x.sub": text}).startswith(UNREADABLE[text])


DIFFERENT = {
    ("rank = 1", "rank = 2"): "y.sub:2: job b: expected rank = 1, as job a of the same cluster",
    ("rank = 1", ""): "x.sub:2: job a: rank cannot be used: job b of its cluster has none",
    ("", "+Foo = 1"): "y.sub:2: job b: my.foo cannot be used: job a of its cluster has none",
    ("", "universe = local"): "y.sub:2: job b: expected universe = vanilla, as job a of the same",
    ("request_memory = 1", "request_memory = x + 1"): "y.sub:2: job b: expected a number for req",
}


@pytest.mark.parametrize("both", DIFFERENT)
def test_members_that_ask_for_different_things_are_refused(complaint, both):
    one, other = (f"executable = t\n{line}\nqueue\n" for line in both)
    text = "JOB a x.sub\nJOB b y.sub\n"

    assert complaint(text, "ab", {"x.sub": one, "y.sub": other}).startswith(DIFFERENT[both])


def test_a_missing_submit_file_is_named_with_its_job(complaint):
    assert complaint("JOB a x.sub\nJOB b no.sub\n", "ab") == (
        "wf.dag:2: job b: no.sub: no such file or directory"
    )


@pytest.mark.parametrize(
    ("clusters", "problem"),
    [
        ([[0, 1]], "expected 4 tasks, got 2"),
        ([[0, 1, 2, 1]], "task 'b' occurs twice"),
        ([[1, 0], [2, 3]], "runs 'b' before its parent 'a'"),
        ([[1, 3], [0, 2]], "runs 'b' before its parent 'a'"),
        ([[0], [], [1, 2, 3]], "cluster 2: expected tasks, got none"),
    ],
)
def test_clusters_that_are_no_legal_order_are_refused(put, clusters, problem):
    put({"wf.dag": DIAMOND, "x.sub": SUB})
    with pytest.raises(ScheduleError) as caught:
        write_clustered(read_submission("wf.dag"), clusters, "out.dag")

    assert problem in str(caught.value)
    assert not Path("out.dag").exists()
