"""`icsched prio`: the order written into files, taken out again, and laid out in tables."""

import json
import os
import socket
import subprocess

import pytest

from tests.unstamped import unstamped

PAIR_AND_FORK = """\
JOB a x.sub
JOB b x.sub
JOB c x.sub
JOB d x.sub
JOB e x.sub
PARENT a CHILD b
PARENT c CHILD d e
"""
BEGIN = "# icsched: begin. Made by icsched; icsched prio --remove takes it out.\n"
END = "# icsched: end.\n"
BLOCK = f"{BEGIN}PRIORITY c 5\nPRIORITY a 4\nPRIORITY b 3\nPRIORITY d 2\nPRIORITY e 1\n{END}"
NOTHING = "nothing to change: the files say so already"
NO_BLOCK = "nothing to change: no section of icsched's"
THROTTLE = (
    "submit with condor_submit_dag -maxjobs N, where N is near the number of slots:"
    " without a throttle, jobs may start out of order.\n"
)
ONE = "JOB a x.sub\n"
ONE_BLOCK = f"{BEGIN}PRIORITY a 1\n{END}"


@pytest.fixture
def workflow(put, folder):
    r"""
    a    c
    |   / \      c a b d e is best: c frees two jobs, a only one.
    b  d   e
    """
    put({"wf.dag": PAIR_AND_FORK})
    return folder / "wf.dag"


@pytest.fixture
def answer(icsched):
    """Run `icsched prio --json`; return what it says."""

    def runner(*words: str) -> dict:
        order = () if "--order" in words else ("--order", "prio")
        result = icsched("prio", *order, *words, "--json")
        assert (result.code, result.err) == (0, "")
        return json.loads(result.out)

    return runner


def names(folder) -> set[str]:
    return {path.name for path in folder.iterdir()}


# Where the order goes


def test_without_a_place_to_write_nothing_is_written(icsched, workflow, folder):
    assert icsched("prio", "--order", "prio", "wf.dag").code == 0

    assert names(folder) == {"wf.dag"}
    assert workflow.read_text() == PAIR_AND_FORK


def test_a_copy_has_the_order_and_the_file_stays(icsched, workflow, folder):
    result = icsched("prio", "--order", "prio", "wf.dag", "-o", "out.dag")

    assert (result.code, result.err) == (0, "")
    assert result.out.endswith(f"by that.\nwrote out.dag\n{THROTTLE}")
    assert unstamped((folder / "out.dag").read_text()) == PAIR_AND_FORK + BLOCK
    assert workflow.read_text() == PAIR_AND_FORK
    assert names(folder) == {"wf.dag", "out.dag"}


def test_a_copy_of_a_file_with_an_order_has_the_new_order(icsched, put, folder):
    put({"wf.dag": PAIR_AND_FORK + ONE_BLOCK})

    assert icsched("prio", "--order", "prio", "wf.dag", "--output", "out.dag").code == 0

    assert unstamped((folder / "out.dag").read_text()) == PAIR_AND_FORK + BLOCK


@pytest.mark.parametrize("words", [["-o", "-"], ["--output=-"], ["--output", "/dev/stdout"]])
def test_a_copy_may_go_to_standard_output_and_the_report_elsewhere(
    icsched_process, workflow, folder, words
):
    result = icsched_process("prio", "--order", "prio", "wf.dag", *words)

    assert (result.code, unstamped(result.out)) == (0, PAIR_AND_FORK + BLOCK)
    assert result.err.startswith("wf.dag: 5 jobs, 3 dependencies, ordered by prio")
    assert names(folder) == {"wf.dag"}
    assert workflow.read_text() == PAIR_AND_FORK


def test_a_copy_may_go_from_standard_input_to_standard_output(script):
    done = subprocess.run(
        [script, "prio", "--order", "prio", "-", "-o", "-"],
        input=PAIR_AND_FORK,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert (done.returncode, unstamped(done.stdout)) == (0, PAIR_AND_FORK + BLOCK)


ALL_KINDS = {
    "wf.dag": "JOB a x.sub\nJOB b y.sub DIR d\nSPLICE S in.dag\nINCLUDE more.dag\n"
    "SUBDAG EXTERNAL t sub.dag\nCONFIG my.config\n",
    "in.dag": "JOB p x.sub\n",
    "more.dag": "RETRY a 3\n",
    "sub.dag": ONE,
    "x.sub": "queue\n",
    "d/y.sub": "queue\n",
    "my.config": "",
    "wf.dag.rescue001": "DONE a\n",
}


@pytest.mark.parametrize("name", [*ALL_KINDS, "d/../more.dag", "link.dag"])
@pytest.mark.parametrize("words", [[], ["--flatten"]])
def test_a_copy_never_replaces_a_file_of_the_workflow(icsched, put, folder, name, words):
    put(ALL_KINDS)
    (folder / "link.dag").symlink_to("in.dag")

    result = icsched("prio", "--order", "prio", "wf.dag", "-o", name, *words)

    assert (result.code, result.complaint) == (
        2,
        f"{name} is a file of the workflow: use another name, or --in-place",
    )
    assert {file: (folder / file).read_text() for file in ALL_KINDS} == ALL_KINDS
    assert not (folder / f"{name}.icsched").exists()


def test_a_copy_that_finds_files_beside_it_stays_beside_the_file(icsched, put, folder):
    put({"sub/wf.dag": ONE})

    result = icsched("prio", "--order", "prio", "sub/wf.dag", "--usedagdir", "-o", "out.dag")
    beside = icsched("prio", "--order", "prio", "sub/wf.dag", "--usedagdir", "-o", "./sub/out.dag")

    assert (result.code, result.complaint) == (
        2,
        "with --usedagdir -o must be in the directory of sub/wf.dag",
    )
    assert beside.code == 0
    assert unstamped((folder / "sub" / "out.dag").read_text()) == ONE + ONE_BLOCK
    assert not (folder / "out.dag").exists()


def test_a_workflow_without_jobs_has_nothing_to_order(icsched, put):
    put({"wf.dag": "# nothing yet\n"})

    result = icsched("prio", "--order", "prio", "wf.dag")

    assert (result.code, result.out, result.err) == (0, "wf.dag: no jobs to order\n", "")


def test_in_place_the_file_gets_the_order_and_a_backup(icsched, workflow, folder):
    result = icsched("prio", "--order", "prio", "wf.dag", "--in-place")

    assert (result.code, result.err) == (0, "")
    assert result.out.endswith(f"by that.\nwrote wf.dag, kept wf.dag.bak\n{THROTTLE}")
    assert unstamped(workflow.read_text()) == PAIR_AND_FORK + BLOCK
    assert (folder / "wf.dag.bak").read_text() == PAIR_AND_FORK
    assert names(folder) == {"wf.dag", "wf.dag.bak"}


def test_in_place_twice_is_once(icsched, answer, workflow):
    icsched("prio", "--order", "prio", "wf.dag", "--in-place")
    again = icsched("prio", "--order", "prio", "wf.dag", "--in-place")

    assert again.out.endswith(f"by that.\n{NOTHING}.\n")
    assert unstamped(workflow.read_text()) == PAIR_AND_FORK + BLOCK
    assert (answer("wf.dag", "--in-place")["written"], answer("wf.dag")["notes"]) == ([], [])


def test_what_was_written_is_taken_out_again(icsched, answer, workflow):
    icsched("prio", "--order", "prio", "wf.dag", "--in-place")

    result = icsched("prio", "--order", "prio", "wf.dag", "--remove")

    assert (result.code, result.out, result.err) == (0, "restored wf.dag\n", "")
    assert workflow.read_text() == PAIR_AND_FORK
    assert icsched("prio", "--order", "prio", "wf.dag", "--remove").out == f"{NO_BLOCK}.\n"
    assert answer("wf.dag", "--remove") == {"schema": 1, "written": [], "notes": [NO_BLOCK]}


@pytest.mark.parametrize(
    ("text", "files"),
    [
        (f"{ONE}{ONE_BLOCK}JOBB b x\n", {}),
        (f"SPLICE S no.dag\n{ONE_BLOCK}", {}),
        (ONE + ONE_BLOCK, {"wf.dag.rescue001": "DONE z\n"}),
        (f"{ONE}PARENT a CHILD a\n{ONE_BLOCK}", {}),
    ],
)
def test_what_was_written_is_taken_out_of_a_file_that_cannot_be_read(
    icsched, put, folder, text, files
):
    put({"wf.dag": text, **files})
    assert icsched("prio", "--order", "prio", "wf.dag").code == 1

    result = icsched("prio", "--order", "prio", "wf.dag", "--remove")

    assert (result.code, result.out, result.err) == (0, "restored wf.dag\n", "")
    assert (folder / "wf.dag").read_text() == text.replace(ONE_BLOCK, "")


def test_and_it_is_said_if_workflows_inside_could_not_be_looked_for(icsched, put):
    put({"wf.dag": f"{ONE}{BEGIN}PRIORITY a 1\n{END}JOBB\n"})

    assert icsched("prio", "--order", "prio", "wf.dag", "--remove", "--recursive").out == (
        "restored wf.dag\nonly wf.dag itself was looked at, because it cannot be read:"
        " wf.dag:5: unknown command, got 'JOBB'.\n"
    )


def test_a_block_that_leads_to_submit_files_stays_until_they_can_be_found(icsched, put, folder):
    text = f'{ONE}{BEGIN}VARS a jobpriority="1"\n{END}JOBB\n'
    put({"wf.dag": text})

    result = icsched("prio", "--order", "prio", "wf.dag", "--remove")

    assert (result.code, result.err) == (1, "icsched: wf.dag:5: unknown command, got 'JOBB'\n")
    assert (folder / "wf.dag").read_text() == text


def test_a_submit_file_of_two_workflows_is_changed_once_and_restored_once(icsched, put, folder):
    files = {
        "wf.dag": "JOB a x.sub\nSUBDAG EXTERNAL s in.dag\n",
        "in.dag": "JOB b x.sub\n",
        "x.sub": "queue\n",
    }
    put(files)

    changed = icsched(
        "prio", "--order", "prio", "wf.dag", "--in-place", "--recursive", "--via", "vars"
    )
    restored = icsched("prio", "--order", "prio", "wf.dag", "--remove", "--recursive")

    assert (changed.code, restored.code) == (0, 0)
    assert {name: (folder / name).read_text() for name in files} == files


def test_a_companion_of_the_users_own_is_left_when_the_block_goes(icsched, put, folder):
    put({"wf.dag": ONE + ONE_BLOCK, "wf.dag.icsched": "mine\n"})

    assert icsched("prio", "--order", "prio", "wf.dag", "--remove").out == "restored wf.dag\n"
    assert (folder / "wf.dag.icsched").read_text() == "mine\n"


@pytest.mark.parametrize("option", ["--in-place", "--remove"])
def test_a_line_of_the_users_in_the_block_is_one_line_and_stays(icsched, put, folder, option):
    text = f"{ONE}{BEGIN}PRIORITY a 1\nRETRY a 3\n{END}"
    put({"wf.dag": text})

    result = icsched("prio", "--order", "prio", "wf.dag", option)

    assert (result.code, result.complaint) == (
        1,
        "wf.dag:4: expected only icsched's lines in its section: move this one",
    )
    assert (folder / "wf.dag").read_text() == text


@pytest.mark.usefixtures("workflow")
def test_json_says_what_was_written_and_where_the_original_is(answer):
    assert answer("wf.dag", "-o", "out.dag")["written"] == [{"file": "out.dag", "backup": None}]
    assert answer("wf.dag", "--in-place")["written"] == [{"file": "wf.dag", "backup": "wf.dag.bak"}]
    assert answer("wf.dag", "--remove")["written"] == [{"file": "wf.dag", "backup": None}]


def test_another_order_is_written_too(icsched, workflow):
    """First come, first served: a c b d e."""
    assert icsched("prio", "wf.dag", "--in-place", "--order", "fifo").code == 0

    assert unstamped(workflow.read_text()) == (
        f"{PAIR_AND_FORK}{BEGIN}PRIORITY a 5\nPRIORITY c 4\nPRIORITY b 3\nPRIORITY d 2\n"
        f"PRIORITY e 1\n{END}"
    )


@pytest.mark.usefixtures("workflow")
def test_a_copy_that_cannot_be_written_is_one_line(icsched):
    result = icsched("prio", "--order", "prio", "wf.dag", "-o", "no/out.dag")

    assert (result.code, result.complaint) == (1, "no/out.dag: no such file or directory")


def test_half_a_block_is_one_line(icsched, put):
    put({"wf.dag": ONE + BEGIN})

    for option in ("--in-place", "--remove"):
        result = icsched("prio", "--order", "prio", "wf.dag", option)
        assert result.code == 1
        assert result.complaint.startswith("wf.dag:2: expected one section of icsched's")


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


# Workflows inside


NESTED = {
    "wf.dag": "SUBDAG EXTERNAL s in.dag DIR sub\nSUBDAG EXTERNAL n no.dag\n",
    "sub/in.dag": "SUBDAG EXTERNAL back ../wf.dag\nSUBDAG EXTERNAL t deep.dag\n"
    "SUBDAG EXTERNAL again deep.dag\n",
    "sub/deep.dag": ONE,
}


def test_workflows_inside_are_treated_too_each_once(icsched, answer, put, folder):
    """wf.dag runs sub/in.dag, which runs sub/deep.dag twice and wf.dag again."""
    put(NESTED)

    said = answer("wf.dag", "--in-place", "--recursive")

    assert [entry["file"] for entry in said["written"]] == ["wf.dag", "sub/in.dag", "sub/deep.dag"]
    assert "no.dag is not there yet and was left out (job n)" in said["notes"]
    assert unstamped((folder / "sub" / "deep.dag").read_text()) == ONE + ONE_BLOCK
    assert said["jobs"] == 2  # the outer workflow's

    assert icsched("prio", "--order", "prio", "wf.dag", "--remove", "--recursive").code == 0
    for name, text in NESTED.items():
        assert (folder / name).read_text() == text


def test_workflows_inside_are_left_alone_unless_asked(answer, put, folder):
    put(NESTED)

    assert [entry["file"] for entry in answer("wf.dag", "--in-place")["written"]] == ["wf.dag"]
    assert (folder / "sub" / "deep.dag").read_text() == ONE


@pytest.mark.parametrize("file", ["pipe", "/dev/zero", "folder"])
@pytest.mark.parametrize("what", ["--in-place", "--remove"])
def test_a_workflow_inside_that_is_no_ordinary_file_is_not_opened(icsched, put, folder, file, what):
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    put({"wf.dag": f"JOB a x\nSUBDAG EXTERNAL s {file}\n"})

    result = icsched("prio", "--order", "prio", "wf.dag", what, "--recursive")

    assert (result.code, result.complaint) == (1, f"wf.dag:2: {file}: expected an ordinary file")
    assert (folder / "wf.dag").read_text() == f"JOB a x\nSUBDAG EXTERNAL s {file}\n"


def test_an_error_in_a_workflow_inside_has_its_place_there(icsched, put):
    put({"wf.dag": "SUBDAG EXTERNAL s in.dag\n", "in.dag": "\nJOB a\n"})

    result = icsched("prio", "--order", "prio", "wf.dag", "--in-place", "--recursive")

    assert result.code == 1
    assert result.complaint.startswith("in.dag:2: expected JOB name")


def test_nothing_is_written_unless_all_workflows_inside_can_be_read(icsched, put, folder):
    files = {
        "wf.dag": "SUBDAG EXTERNAL s good.dag\nSUBDAG EXTERNAL t bad.dag\n",
        "good.dag": ONE,
        "bad.dag": "JOB a\n",
    }
    put(files)

    assert icsched("prio", "--order", "prio", "wf.dag", "--in-place", "--recursive").code == 1

    assert {path.name: path.read_text() for path in folder.iterdir()} == files


def test_workflows_may_be_inside_each_other_twelve_hundred_deep(answer, put, folder):
    put({f"{number}.dag": f"SUBDAG EXTERNAL s {number + 1}.dag\n" for number in range(1_200)})
    put({"1200.dag": ONE})

    assert len(answer("0.dag", "--in-place", "--recursive")["written"]) == 1_201
    assert unstamped((folder / "1200.dag").read_text()) == ONE + ONE_BLOCK

    assert len(answer("0.dag", "--remove", "--recursive")["written"]) == 1_201
    assert (folder / "1200.dag").read_text() == ONE


def test_workflows_inside_are_found_beside_the_workflow_when_asked(answer, put):
    put({"sub/wf.dag": "SUBDAG EXTERNAL s in.dag\n", "sub/in.dag": ONE})

    said = answer("sub/wf.dag", "--in-place", "--recursive", "--usedagdir")

    assert [entry["file"] for entry in said["written"]] == ["sub/wf.dag", "sub/in.dag"]


def test_tables_are_those_of_the_outer_workflow(answer, put, folder):
    put({"wf.dag": "SUBDAG EXTERNAL s in.dag\n", "in.dag": ONE})

    answer("wf.dag", "--in-place", "--recursive", "--tables", "tables")

    assert (folder / "tables" / "order.txt").read_text() == "s\n"


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


# Tables


@pytest.mark.usefixtures("workflow")
def test_tables_hold_the_order_the_profiles_and_the_graphs(icsched, folder):
    result = icsched("prio", "--order", "prio", "wf.dag", "--tables", "out/tables")

    tables = folder / "out" / "tables"
    assert result.out.endswith("order, eligibility table and dot files are in out/tables.\n")
    assert names(tables) == {"order.txt", "eligible.csv", "dag.dot", "superdag.dot", "blocks"}
    assert (tables / "order.txt").read_text() == "c\na\nb\nd\ne\n"
    assert (tables / "eligible.csv").read_text() == (
        "executed,prio,fifo\n0,2,2\n1,3,2\n2,3,3\n3,2,2\n4,1,1\n5,0,0\n"
    )
    assert (tables / "dag.dot").read_text() == (
        'digraph "dag" {\n  "a";\n  "b";\n  "c";\n  "d";\n  "e";\n'
        '  "a" -> "b";\n  "c" -> "d";\n  "c" -> "e";\n}\n'
    )
    assert set((tables / "superdag.dot").read_text().splitlines()[1:-1]) == {'  "1";', '  "2";'}
    assert names(tables / "blocks") == {"1.dot", "2.dot"}
    assert (tables / "blocks" / "1.dot").read_text() == (
        'digraph "block 1" {\n  "c";\n  "d";\n  "e";\n  "c" -> "d";\n  "c" -> "e";\n}\n'
    )


def test_tables_of_an_earlier_workflow_do_not_stay(icsched, put, folder):
    """Two blocks, then one; a file of the user's stays."""
    put({"wf.dag": PAIR_AND_FORK, "tables/blocks/my.dot": "mine"})
    icsched("prio", "--order", "prio", "wf.dag", "--tables", "tables")
    assert names(folder / "tables" / "blocks") == {"1.dot", "2.dot", "my.dot"}

    put({"wf.dag": "JOB a x\nJOB b x\nPARENT a CHILD b\n"})
    icsched("prio", "--order", "prio", "wf.dag", "--tables", "tables")

    assert names(folder / "tables" / "blocks") == {"1.dot", "my.dot"}


@pytest.mark.usefixtures("workflow")
def test_the_table_of_the_order_is_one_that_verify_takes(icsched):
    icsched("prio", "--order", "prio", "wf.dag", "--tables", "tables")

    result = icsched("verify", "wf.dag", "--order", "@tables/order.txt")

    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("IC-optimal: no order of wf.dag (5 jobs)")


@pytest.mark.usefixtures("workflow")
def test_tables_of_any_order_have_the_blocks(icsched, folder):
    icsched("prio", "wf.dag", "--tables", "tables", "--order", "fifo")

    assert (folder / "tables" / "order.txt").read_text() == "a\nc\nb\nd\ne\n"
    assert (
        (folder / "tables" / "eligible.csv").read_text().startswith("executed,fifo,fifo\n0,2,2\n")
    )
    assert (folder / "tables" / "superdag.dot").exists()


def test_names_in_dot_files_are_quoted(icsched, put, folder):
    """In a string of the DOT language only a quote is escaped; a backslash is one character."""
    put({"wf.dag": 'JOB "a" x\nJOB b\\c x\n'})

    assert icsched("prio", "--order", "prio", "wf.dag", "--tables", "tables").code == 0

    assert (folder / "tables" / "dag.dot").read_text() == (
        'digraph "dag" {\n  "\\"a\\"";\n  "b\\c";\n}\n'
    )


@pytest.mark.usefixtures("workflow")
def test_tables_that_cannot_be_written_are_one_line(icsched):
    result = icsched("prio", "--order", "prio", "wf.dag", "--tables", "wf.dag")

    assert result.code == 1
    assert result.err.startswith("icsched: wf.dag: ")
    assert result.err.count("\n") == 1


# Options that do not go together


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "expected a workflow file"),
        (["--in-place"], "expected a workflow file"),
        (
            ["wf.dag", "-o", "x", "--in-place"],
            "only one of -o, --in-place, --remove, --diff and --check can be used",
        ),
        (
            ["wf.dag", "--remove", "--in-place"],
            "only one of -o, --in-place, --remove, --diff and --check can be used",
        ),
        (
            ["wf.dag", "-o", "x", "--remove"],
            "only one of -o, --in-place, --remove, --diff and --check can be used",
        ),
        (["wf.dag", "wf.dag", "-o", "x"], "-o cannot be used with several files"),
        (["wf.dag", "--flatten"], "--flatten needs -o"),
        (["wf.dag", "--flatten", "--in-place"], "--flatten needs -o"),
        (
            ["wf.dag", "--flatten", "-o", "x", "--lenient"],
            "--flatten cannot be used with --lenient",
        ),
        (
            ["wf.dag", "--flatten", "-o", "x", "--usedagdir"],
            "--flatten cannot be used with --usedagdir",
        ),
        (["wf.dag", "--remove", "--tables", "t"], "--tables cannot be used with --remove"),
        (["wf.dag", "-o", "-", "--json"], "-o - cannot be used with --json"),
        (["wf.dag", "--output=-", "--json"], "-o - cannot be used with --json"),
        (["wf.dag", "--keep-existing"], "--keep-existing needs -o or --in-place"),
        (["wf.dag", "--keep-existing", "--remove"], "--keep-existing needs -o or --in-place"),
        (
            ["wf.dag", "--via", "vars"],
            "--via vars changes submit files: it needs --in-place",
        ),
        (
            ["wf.dag", "--via", "vars", "-o", "x"],
            "--via vars changes submit files: it needs --in-place",
        ),
        (["wf.dag", "--recursive"], "--recursive needs --in-place or --remove"),
        (["wf.dag", "--recursive", "-o", "x"], "--recursive needs --in-place or --remove"),
        (["-", "--in-place"], "standard input cannot be changed: use -o"),
        (["--in-place", "-"], "standard input cannot be changed: use -o"),
        (["-", "--remove"], "standard input cannot be changed: use -o"),
        (["wf.dag", "wf.dag", "--in-place"], "the same file is given twice"),
        (["wf.dag", "./wf.dag", "--remove"], "the same file is given twice"),
    ],
)
def test_options_that_do_not_go_together_are_one_line_and_exit_2(
    icsched, workflow, folder, words, complaint
):
    result = icsched("prio", "--order", "prio", *words)

    assert (result.code, result.complaint) == (2, complaint)
    assert names(folder) == {"wf.dag"}
    assert workflow.read_text() == PAIR_AND_FORK


@pytest.mark.parametrize("words", [["--via", "magic"], ["--bogus"], ["-o"], ["--tables"]])
@pytest.mark.usefixtures("workflow")
def test_options_that_are_not_known_are_one_line_and_exit_2(icsched, words):
    result = icsched("prio", "--order", "prio", "wf.dag", *words)

    assert result.code == 2
    assert result.complaint
