"""`icsched prio` and priorities, splices, submit files, and how files are read."""

import json
import os
import socket
import subprocess

import pytest

from tests.cli.prio_write.sections import BEGIN, BLOCK, END, ONE, ONE_BLOCK, PAIR_AND_FORK, names
from tests.unstamped import unstamped

# Priorities, joins and jobs that are done


def test_priorities_of_the_file_are_overridden_and_that_is_said(answer, put, folder):
    put({"wf.dag": f"{PAIR_AND_FORK}PRIORITY b 9\n"})

    notes = answer("wf.dag", "-o", "out.dag")["notes"]

    assert notes == [
        "priorities that the files gave 1 job: overridden (--keep-existing keeps them)"
    ]
    assert unstamped((folder / "out.dag").read_text()).endswith(BLOCK)


def test_or_kept_when_asked(answer, put, folder):
    put({"wf.dag": f"{PAIR_AND_FORK}PRIORITY b 9\nPRIORITY e 8\n"})

    notes = answer("wf.dag", "-o", "out.dag", "--keep-existing")["notes"]

    assert notes == [
        "priorities that the files gave 2 jobs: kept, so that the run will not follow the order"
        " above where they differ"
    ]
    assert unstamped((folder / "out.dag").read_text()).endswith(
        f"{BEGIN}PRIORITY c 5\nPRIORITY a 4\nPRIORITY d 2\n{END}"
    )


def test_kept_priorities_below_those_of_icsched_are_counted(answer, put):
    """icsched numbers c, a, b, d, e from 5 to 1: 4 is too low for c alone."""
    put({"wf.dag": f"{PAIR_AND_FORK}PRIORITY c 4\nPRIORITY e 4\n"})

    notes = answer("wf.dag", "-o", "out.dag", "--keep-existing")["notes"]

    assert notes == [
        "priorities that the files gave 2 jobs: kept, so that the run will not follow the order"
        " above where they differ; 1 of them lower than icsched's, so that these jobs run later"
    ]


def test_a_line_of_several_parents_and_children_makes_numbers_negative(answer, put):
    put({"wf.dag": "JOB a x\nJOB b x\nJOB c x\nJOB d x\nPARENT a b CHILD c d\n"})

    said = answer("wf.dag", "--in-place")

    assert said["priorities"] == {"a": -1, "b": -2, "c": -3, "d": -4}
    assert said["notes"] == [
        "priorities count down from -1: DAGMan adds join nodes of its own for 1 PARENT line of"
        " several parents and children, and these join nodes must run first"
    ]


def test_and_still_lower_below_a_negative_priority_for_all(answer, put):
    """The node between may get the -100 too, and must not wait behind a job."""
    fan = "JOB a x\nJOB b x\nJOB c x\nJOB d x\nPARENT a b CHILD c d\n"
    put({"wf.dag": f"{fan}PRIORITY ALL_NODES -100\n"})

    said = answer("wf.dag", "--in-place")

    assert said["priorities"] == {"a": -101, "b": -102, "c": -103, "d": -104}
    assert said["notes"][-1].startswith("priorities count down from -101: ")


@pytest.mark.usefixtures("workflow")
def test_jobs_that_are_done_are_not_ordered(answer, put):
    r"""
    a    c*
    |   / \      Once c is done, a, d and e are eligible; a frees one more.
    b  d   e
    """
    put({"wf.dag.rescue001": "DONE c\n"})

    said = answer("wf.dag", "-o", "out.dag")

    assert (said["jobs"], said["done"]) == (4, 1)
    assert said["order"][0] == "a"
    assert said["priorities"][said["order"][0]] == 4
    assert "c" not in said["order"]
    assert said["notes"] == ["1 job done by wf.dag.rescue001; 4 jobs left to order"]
    whole = answer("wf.dag", "--no-rescue")
    assert (whole["jobs"], whole["done"], whole["notes"]) == (5, 0, [])


def test_jobs_that_are_done_have_the_highest_priorities_for_the_day_they_run_again(
    icsched, put, folder
):
    put({"wf.dag": "JOB a x\nJOB b x DONE\n"})

    assert icsched("prio", "--order", "prio", "wf.dag", "-o", "out.dag").code == 0

    assert unstamped((folder / "out.dag").read_text()).endswith(
        f"{BEGIN}PRIORITY b 2\nPRIORITY a 1\n{END}"
    )


# Splices


SPLICED = {"wf.dag": "JOB a x\nSPLICE S in.dag\nPARENT a CHILD S\n", "in.dag": "JOB p x\n"}


def test_jobs_of_splices_are_ordered_in_place_and_restored(icsched, answer, put, folder):
    put(SPLICED)

    said = answer("wf.dag", "--in-place")

    assert said["order"] == ["a", "S+p"]
    assert [entry["file"] for entry in said["written"]] == ["wf.dag.icsched", "wf.dag"]
    assert unstamped((folder / "wf.dag").read_text()) == (
        f"{SPLICED['wf.dag']}{BEGIN}INCLUDE wf.dag.icsched\nPRIORITY a 2\nPRIORITY S+p 1\n{END}"
    )
    assert said["notes"][0].endswith("keep that file beside wf.dag, and the section last in wf.dag")

    restored = icsched("prio", "--order", "prio", "wf.dag", "--remove").out
    assert restored == "restored wf.dag\nremoved wf.dag.icsched.\n"
    assert names(folder) == {"wf.dag", "in.dag", "wf.dag.bak"}


def test_a_flattened_copy_needs_no_other_file(answer, put, folder):
    put(SPLICED)

    said = answer("wf.dag", "-o", "flat.dag", "--flatten")

    assert said["written"] == [{"file": "flat.dag", "backup": None}]
    assert said["notes"] == ["one file without splices and includes; job S+p is called S-p in it"]
    assert unstamped((folder / "flat.dag").read_text()) == (
        f"JOB a x\nJOB S-p x\nPARENT a CHILD S-p\n{BEGIN}PRIORITY a 2\nPRIORITY S-p 1\n{END}"
    )
    assert names(folder) == {"wf.dag", "in.dag", "flat.dag"}


def test_a_flattened_copy_keeps_priorities_when_asked(icsched, put, folder):
    put({**SPLICED, "in.dag": "JOB p x\nPRIORITY p 9\n"})

    assert (
        icsched(
            "prio", "--order", "prio", "wf.dag", "-o", "flat.dag", "--flatten", "--keep-existing"
        ).code
        == 0
    )

    assert unstamped((folder / "flat.dag").read_text()).endswith(
        f"PRIORITY S-p 9\n{BEGIN}PRIORITY a 2\n{END}"
    )


# Submit files


def test_submit_files_take_priorities_by_variables_and_give_them_back(answer, put, folder):
    put({"wf.dag": f"{ONE}JOB b {{\nqueue\n}}\n", "x.sub": "queue\n"})

    said = answer("wf.dag", "--in-place", "--via", "vars")

    assert said["written"] == [
        {"file": "x.sub", "backup": "x.sub.bak"},
        {"file": "wf.dag", "backup": "wf.dag.bak"},
    ]
    assert said["notes"] == [
        "submit files take their priority from the variable jobpriority",
        "1 job without a submit file got PRIORITY lines",
    ]
    assert (
        unstamped((folder / "x.sub").read_text())
        == f"{BEGIN}priority = $(jobpriority)\n{END}queue\n"
    )
    assert 'VARS a jobpriority="2"\nPRIORITY b 1\n' in (folder / "wf.dag").read_text()

    assert [entry["file"] for entry in answer("wf.dag", "--remove")["written"]] == [
        "x.sub",
        "wf.dag",
    ]
    assert (folder / "x.sub").read_text() == "queue\n"


def test_going_back_to_priority_lines_cleans_the_submit_files(answer, put, folder):
    put({"wf.dag": ONE, "x.sub": "queue\n"})
    answer("wf.dag", "--in-place", "--via", "vars")

    answer("wf.dag", "--in-place")

    assert (folder / "x.sub").read_text() == "queue\n"
    assert unstamped((folder / "wf.dag").read_text()) == ONE + ONE_BLOCK


def test_a_missing_submit_file_is_one_line_and_changes_nothing(icsched, put, folder):
    put({"wf.dag": ONE})

    result = icsched("prio", "--order", "prio", "wf.dag", "--in-place", "--via", "vars")

    assert (result.code, result.complaint) == (
        1,
        "wf.dag:1: job a: no such file: x.sub",
    )
    assert (folder / "wf.dag").read_text() == ONE


def test_a_submit_file_that_is_a_pipe_is_not_waited_for(script, put, folder):
    put({"wf.dag": ONE})
    os.mkfifo(folder / "x.sub")

    def run(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [script, "prio", "wf.dag", *words],
            capture_output=True,
            encoding="utf-8",
            timeout=20,  # instead of for ever
            check=False,
        )
        return done.returncode, done.stderr

    assert run("--remove") == (0, "")
    assert run("--in-place", "--via", "vars") == (
        1,
        "icsched: wf.dag:1: job a: expected an ordinary file, got x.sub\n",
    )


# Several files and standard input


def test_several_files_are_ordered_as_one_workflow(icsched, answer, put, folder):
    put({"one.dag": ONE, "two.dag": "JOB a x\nJOB b x\nJOB c x\nPARENT b CHILD a c\n"})

    said = answer("one.dag", "two.dag", "--in-place")

    assert said["order"] == ["1.b", "0.a", "1.a", "1.c"]
    assert [entry["file"] for entry in said["written"]] == ["one.dag", "two.dag"]
    assert unstamped((folder / "one.dag").read_text()) == f"{ONE}{BEGIN}PRIORITY a 3\n{END}"
    assert unstamped((folder / "two.dag").read_text()).endswith(
        f"{BEGIN}PRIORITY b 4\nPRIORITY a 2\nPRIORITY c 1\n{END}"
    )
    assert icsched("prio", "--order", "prio", "one.dag", "two.dag", "--remove").out == (
        "restored one.dag\nrestored two.dag\n"
    )


@pytest.mark.parametrize("words", [("-", "--json"), ("--json", "-")])
def test_a_workflow_may_come_from_standard_input(script, words):
    done = subprocess.run(
        [script, "prio", "--order", "prio", *words],
        input=PAIR_AND_FORK,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["order"] == ["c", "a", "b", "d", "e"]


def test_a_workflow_from_standard_input_may_go_to_a_file(script, folder):
    done = subprocess.run(
        [script, "prio", "--order", "prio", "-", "-o", "out.dag"],
        input=PAIR_AND_FORK,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert unstamped((folder / "out.dag").read_text()) == PAIR_AND_FORK + BLOCK


def test_standard_input_may_be_a_socket(script):
    """So it is for commands that are run over ssh."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(PAIR_AND_FORK.encode())
        ours.shutdown(socket.SHUT_WR)
        done = subprocess.run(
            [script, "prio", "-", "--json"],
            stdin=theirs,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    assert (done.returncode, done.stderr) == (0, "")


def test_names_of_files_need_not_be_utf_8(icsched_process, folder):
    name = b"caf\xe9.dag".decode(errors="surrogateescape")
    (folder / name).write_text(ONE)

    result = icsched_process("prio", "--order", "prio", name, "--in-place", "--json")

    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out)["written"][0]["file"].startswith("caf")


# How files are read


def test_unknown_commands_are_refused_or_skipped(icsched, put, folder):
    put({"wf.dag": f"{ONE}FROBNICATE a\n"})

    result = icsched("prio", "--order", "prio", "wf.dag", "--in-place")
    assert (result.code, result.complaint) == (1, "wf.dag:2: unknown command, got 'FROBNICATE a'")

    result = icsched("prio", "--order", "prio", "wf.dag", "--in-place", "--lenient")
    assert result.code == 0
    assert "icsched show wf.dag tells what may disturb this order.\n" in result.out
    assert unstamped((folder / "wf.dag").read_text()) == f"{ONE}FROBNICATE a\n{ONE_BLOCK}"


def test_files_are_found_from_the_workflows_own_directory_when_asked(icsched, answer, put):
    put({"sub/wf.dag": "SPLICE S in.dag\n", "sub/in.dag": ONE})

    result = icsched("prio", "--order", "prio", "sub/wf.dag")
    assert result.code == 1
    assert result.complaint.endswith("go there, or give --usedagdir)")
    assert answer("sub/wf.dag", "--usedagdir")["order"] == ["S+a"]


def test_a_cycle_is_one_line_with_its_place(icsched, put):
    put({"wf.dag": f"{ONE}\nPARENT a CHILD a\n"})

    result = icsched("prio", "--order", "prio", "wf.dag", "--in-place")

    assert (result.code, result.complaint) == (1, "wf.dag:3: dependency cycle: a -> a")
