"""Workflows of several files: INCLUDE, SPLICE, pins, several at once, rescue files."""

import os
from pathlib import Path

import pytest

from icsched import FormatError
from icsched.formats.dagman import Remark, read_submission

PAIR = "JOB p x\nJOB q x\nPARENT p CHILD q\n"
INSIDE_ITSELF = "expected a file that is not inside itself, got"
NO_SUCH_FILE = "no such file or directory"
UNHEEDED = "DAGMan ignores DONE inside a splice"


def priorities(workflow) -> dict[str, int]:
    """What the files give each job; jobs to which they give nothing are left out."""
    given = zip(workflow.names, workflow.priorities.tolist(), workflow.has_priority, strict=True)
    return {name: value for name, value, is_given in given if is_given}


def done(workflow) -> set[str]:
    return {name for name, is_done in zip(workflow.names, workflow.done, strict=True) if is_done}


def places(workflow) -> dict[str, str]:
    """Where each job's submit file is looked for."""
    return {p.name: str(Path(p.directory, p.node.submit)) for p in workflow.nodes()}


# INCLUDE


def test_an_included_file_is_read_as_if_it_stood_there(read):
    workflow = read(
        "JOB a x\nINCLUDE more.dag\nPARENT b CHILD c\nJOB c x\n",
        {"more.dag": "JOB b x DONE\nPARENT a CHILD b\nPRIORITY c 3\n"},
    )

    assert workflow.whole.to_mapping() == {"a": [], "c": ["b"], "b": ["a"]}
    assert (done(workflow), priorities(workflow)) == ({"b"}, {"c": 3})


def test_included_jobs_are_known_only_after_their_inclusion(complaint):
    more = {"more.dag": "JOB b x\n"}

    assert complaint("JOB a x\nPARENT a CHILD b\nINCLUDE more.dag\n", more) == (
        "wf.dag:2: unknown job b"
    )
    assert complaint("PRIORITY b 3\nINCLUDE more.dag\n", more) == "wf.dag:1: unknown job b"
    assert complaint("WEAK PARENT b CHILD b\nINCLUDE more.dag\n", more).endswith("unknown job b")


def test_all_nodes_means_those_known_so_far(read):
    text = "JOB a x\n{}INCLUDE more.dag\n{}"
    more = {"more.dag": "JOB b x\n"}

    before = read(text.format("PRIORITY ALL_NODES 3\n", ""), more)
    after = read(text.format("", "PRIORITY ALL_NODES 3\n"), more)
    inside = read(text.format("", ""), {"more.dag": "PRIORITY ALL_NODES 3\nJOB b x\n"})

    assert priorities(before) == {"a": 3}
    assert priorities(after) == priorities(inside) == {"a": 3, "b": 3}


@pytest.mark.parametrize(
    "line",
    [
        "include more.dag",
        'INCLUDE "more.dag"',
        "INCLUDE './more.dag'",
        "INCLUDE ./more.dag",
        "INCLUDE 'a file.dag'",
        'INCLUDE "a file.dag"',
        "INCLUDE it's.dag",
    ],
)
def test_the_name_of_an_included_file_may_be_written_in_several_ways(read, line):
    files = dict.fromkeys(["more.dag", "a file.dag", "it's.dag"], "JOB b x\n")

    assert read(f"{line}\n", files).names == ("b",)


@pytest.mark.parametrize(
    "line",
    [
        "SPLICE S 'in.dag'",
        'SPLICE S "in.dag"',
        "SPLICE S 'in.dag' DIR .",
        "SPLICE S 'a file.dag' DIR 'a folder'",
        'SPLICE S "a file.dag" DIR "a folder"',
        "SPLICE S it's.dag",
    ],
)
def test_the_name_of_a_spliced_file_may_be_written_in_several_ways(read, line):
    files = dict.fromkeys(["in.dag", "a folder/a file.dag", "it's.dag"], "JOB b x\n")

    assert read(f"{line}\n", files).names == ("S+b",)


@pytest.mark.parametrize("line", ["INCLUDE mo'r'e.dag", 'SPLICE S mo"r"e.dag', 'INCLUDE "more.dag'])
def test_quotes_that_versions_of_dagman_read_differently_are_refused(complaint, line):
    assert complaint(f"{line}\n").startswith("wf.dag:1: expected ")


def test_an_error_in_an_included_file_has_its_line_there(complaint):
    assert complaint("\nINCLUDE more.dag\n", {"more.dag": "\n\nPRIORITY b 3\n"}) == (
        "more.dag:3: unknown job b"
    )


def test_a_file_included_twice_defines_its_jobs_twice(complaint):
    assert complaint("INCLUDE more.dag\nINCLUDE more.dag\n", {"more.dag": "\nJOB b x\n"}) == (
        "more.dag:2: expected a new name, got b, which is taken"
    )


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
    assert workflow.joins == 3  # one in each splice and one between them


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


# Files that are not there, or should not be


@pytest.mark.parametrize("command", ["INCLUDE", "SPLICE S"])
def test_a_missing_file_is_named_with_the_line_that_wants_it(complaint, command):
    assert complaint(f"\n{command} no.dag\n") == f"wf.dag:2: no.dag: {NO_SUCH_FILE}"


@pytest.mark.parametrize("command", ["INCLUDE", "SPLICE S"])
def test_a_file_that_stands_beside_the_one_that_names_it_gets_a_hint(put, command):
    """DAGMan looks for it in the directory in which it was started."""
    put({"sub/wf.dag": f"{command} more.dag\n", "sub/more.dag": "JOB b x\n"})

    with pytest.raises(FormatError) as caught:
        read_submission("sub/wf.dag")

    assert str(caught.value) == (
        f"sub/wf.dag:1: more.dag: {NO_SUCH_FILE} (DAGMan looks from the directory you submit in;"
        " the file is beside the one that names it: go there, or give --usedagdir)"
    )


@pytest.mark.parametrize("command", ["INCLUDE", "SPLICE S"])
def test_the_null_device_is_an_empty_file(read, command):
    assert read(f"JOB a x\n{command} /dev/null\n").names == ("a",)


@pytest.mark.parametrize("command", ["INCLUDE", "SPLICE S"])
@pytest.mark.parametrize("file", ["pipe", "folder", "/dev/zero", "sub/pipe"])
def test_what_is_no_ordinary_file_is_refused_without_a_look(complaint, folder, command, file):
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    (folder / "sub").symlink_to(".")

    assert complaint(f"{command} {file}\n") == f"wf.dag:1: {file}: expected an ordinary file"


def test_what_is_there_but_no_ordinary_file_gets_no_hint(put):
    put({"sub/wf.dag": "INCLUDE folder\n", "sub/folder/file": ""})

    with pytest.raises(FormatError) as caught:
        read_submission("sub/wf.dag", use_dag_directory=True)

    assert str(caught.value) == "sub/wf.dag:1: sub/folder: expected an ordinary file"


@pytest.mark.parametrize("command", ["INCLUDE", "SPLICE S"])
@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"wf.dag": "wf.dag"}, "wf.dag:1: {} wf.dag"),
        ({"wf.dag": "./wf.dag"}, "wf.dag:1: {} ./wf.dag"),
        ({"wf.dag": "one.dag", "one.dag": "wf.dag"}, "one.dag:1: {} wf.dag"),
        (
            {"wf.dag": "one.dag", "one.dag": "two.dag", "two.dag": "one.dag"},
            "two.dag:1: {} one.dag",
        ),
    ],
)
def test_a_file_inside_itself_is_refused(complaint, command, files, place):
    texts = {name: f"{command} {target}\n" for name, target in files.items()}

    assert complaint(texts["wf.dag"], texts) == place.format(INSIDE_ITSELF)


def test_a_file_may_be_inside_two_others(read):
    workflow = read(
        "SPLICE A one.dag\nSPLICE B two.dag\n",
        {"one.dag": "SPLICE C in.dag\n", "two.dag": "SPLICE C in.dag\n", "in.dag": "JOB p x\n"},
    )

    assert workflow.names == ("A+C+p", "B+C+p")


# Where names of files are taken from


def test_files_are_found_from_the_working_directory(put):
    put(
        {"sub/wf.dag": "SPLICE S in.dag\n", "in.dag": "JOB here x\n", "sub/in.dag": "JOB there x\n"}
    )

    assert read_submission("sub/wf.dag").names == ("S+here",)


def test_or_from_the_directory_that_is_given(put):
    put({"wf.dag": "SPLICE S in.dag\nJOB a x DIR d\n", "sub/in.dag": "JOB p x\n"})

    workflow = read_submission("wf.dag", directory="sub")

    assert workflow.names == ("a", "S+p")
    assert places(workflow) == {"a": "sub/d/x", "S+p": "sub/x"}


def test_or_from_the_directory_of_each_file(put):
    put(
        {
            "sub/wf.dag": "JOB a a.sub\nSPLICE S in/in.dag\nINCLUDE more/more.dag\n",
            "sub/in/in.dag": "JOB p p.sub\n",
            "sub/more/more.dag": "JOB b b.sub\nINCLUDE last.dag\n",
            "sub/more/last.dag": "JOB c c.sub\nCONFIG c.config\n",
        }
    )

    workflow = read_submission("sub/wf.dag", use_dag_directory=True)

    assert workflow.names == ("a", "b", "c", "S+p")  # splices come at the end of a file
    assert workflow.configs == ("sub/more/c.config",)
    assert places(workflow)["a"] == "sub/a.sub"
    assert places(workflow)["S+p"] == "sub/in/p.sub"


@pytest.mark.parametrize(
    "line",
    [
        "JOB a x DIR d",
        'JOB a "x" DIR "d"',
        "JOB a {\n} DIR d",
        "JOB a x NOOP DIR d",
        "SUBDAG EXTERNAL a in.dag DIR d",
        "FINAL a x DIR d",
    ],
)
def test_then_a_job_may_have_no_directory_of_its_own(put, line):
    """DAGMan is in the directory of the file and refuses to go to another."""
    put({"wf.dag": f"JOB b x\n\n{line}\n", "out.dag": "JOB b x\nSPLICE S wf.dag\n"})

    for name in ["wf.dag", "out.dag"]:
        with pytest.raises(FormatError) as caught:
            read_submission(name, use_dag_directory=True)

        assert str(caught.value) == (
            "wf.dag:3: DIR of a job cannot be used with --usedagdir: leave out one of the two"
        )
    assert read_submission("wf.dag")


# Several files


def test_jobs_of_several_files_are_called_by_the_files_place(put):
    put(
        {
            "one.dag": "JOB a x\nJOB b x\nPARENT a CHILD b\nPRIORITY b 3\nDONE a\n",
            "two.dag": "JOB a x\nWEAK PARENT a CHILD c\nJOB c {\n}\nRETRY a 3\n",
        }
    )

    workflow = read_submission(["one.dag", "two.dag"])

    assert workflow.whole.to_mapping() == {"0.a": [], "0.b": ["0.a"], "1.a": [], "1.c": ["1.a"]}
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

    assert workflow.whole.to_mapping() == {
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
    assert workflow.dag.to_mapping() == {"c": []}
    assert len(workflow.whole) == 3


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


def test_a_file_that_many_jobs_name_is_among_the_files_once(put):
    put({"wf.dag": "JOB a x.sub\nJOB b x.sub\nJOB c y.sub\n"})

    assert list(read_submission("wf.dag").files) == ["wf.dag", "x.sub", "y.sub"]
