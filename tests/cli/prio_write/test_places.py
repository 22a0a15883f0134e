"""`icsched prio` writes an order: into a copy, in place, and out again."""

import csv
import json
import subprocess

import pytest

from icsched import Dag
from icsched import write as icsched_write
from tests.cli.prio_write.sections import BEGIN, BLOCK, END, ONE, ONE_BLOCK, PAIR_AND_FORK, names
from tests.unstamped import unstamped

NOTHING = "nothing to change: the file has this order already"
NO_BLOCK = "nothing to remove: the file has no section of icsched's"
THROTTLE = (
    "submit with condor_submit_dag; --machines COUNTxCORES says whether a throttle (-maxjobs)"
    " ends the run earlier.\n"
)


# Where the order goes


def test_without_a_place_to_write_nothing_is_written(icsched, workflow, folder):
    assert icsched("prio", "--order", "prio", "wf.dag").code == 0

    assert names(folder) == {"wf.dag"}
    assert workflow.read_text() == PAIR_AND_FORK


def test_a_copy_has_the_order_and_the_file_stays(icsched, workflow, folder):
    result = icsched("prio", "--order", "prio", "wf.dag", "-o", "out.dag")

    assert (result.code, result.err) == (0, "")
    assert result.out.endswith(f"on average.\nwrote out.dag\n{THROTTLE}")
    assert unstamped((folder / "out.dag").read_text()) == PAIR_AND_FORK + BLOCK
    assert workflow.read_text() == PAIR_AND_FORK
    assert names(folder) == {"wf.dag", "out.dag"}


def test_a_copy_of_a_file_with_an_order_has_the_new_order(icsched, put, folder):
    put({"wf.dag": PAIR_AND_FORK + ONE_BLOCK})

    assert icsched("prio", "--order", "prio", "wf.dag", "--output", "out.dag").code == 0

    assert unstamped((folder / "out.dag").read_text()) == PAIR_AND_FORK + BLOCK


@pytest.mark.parametrize(
    "words", [["-o", "-"], ["-o-"], ["-o=-"], ["--output=-"], ["--output", "/dev/stdout"]]
)
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


@pytest.mark.parametrize(("source", "copy"), [("wf.json", "x.dag"), ("wf.dag", "x.json")])
def test_a_copy_is_never_named_as_another_format(icsched, put, folder, source, copy):
    put({"wf.dag": "JOB a x\nJOB b x\nPARENT a CHILD b\n"})
    icsched("convert", "wf.dag", "wf.json")

    result = icsched("prio", source, "--order", "prio", "-o", copy)

    assert result.code == 2
    assert result.complaint.endswith(": for another format, use icsched convert IN OUT")
    assert not (folder / copy).exists()


def test_a_copy_may_have_any_suffix_that_no_format_has(icsched, put, folder):
    put({"wf.dag": "JOB a x\nJOB b x\nPARENT a CHILD b\n"})

    assert icsched("prio", "wf.dag", "--order", "prio", "-o", "copy.txt").code == 0
    assert "PRIORITY a 2\n" in (folder / "copy.txt").read_text()


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
    assert result.out.endswith(f"on average.\nwrote wf.dag, kept wf.dag.bak\n{THROTTLE}")
    assert unstamped(workflow.read_text()) == PAIR_AND_FORK + BLOCK
    assert (folder / "wf.dag.bak").read_text() == PAIR_AND_FORK
    assert names(folder) == {"wf.dag", "wf.dag.bak"}


def test_in_place_twice_is_once(icsched, answer, workflow):
    icsched("prio", "--order", "prio", "wf.dag", "--in-place")
    again = icsched("prio", "--order", "prio", "wf.dag", "--in-place")

    assert again.out.endswith(f"on average.\n{NOTHING}.\n")
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

    assert (result.code, result.complaint) == (1, "no/out.dag: its directory does not exist")


def test_half_a_block_is_one_line(icsched, put):
    put({"wf.dag": ONE + BEGIN})

    for option in ("--in-place", "--remove"):
        result = icsched("prio", "--order", "prio", "wf.dag", option)
        assert result.code == 1
        assert result.complaint.startswith("wf.dag:2: expected one section of icsched's")


def test_a_copy_keeps_the_file_that_it_replaces_if_icsched_did_not_write_it(
    icsched, put, workflow, folder
):
    """The third call replaces what the second wrote: nothing of the user's is lost."""
    put({"mine.dag": "JOB mine x\n"})
    (folder / "link.dag").symlink_to("mine.dag")

    first = icsched("prio", "--order", "prio", "wf.dag", "-o", "mine.dag")
    again = icsched("prio", "--order", "fifo", "wf.dag", "-o", "mine.dag")
    put({"mine.dag": "JOB other x\n"})
    linked = icsched("prio", "--order", "prio", "wf.dag", "-o", "link.dag", "--json")

    assert "\nwrote mine.dag, kept mine.dag.bak\n" in first.out
    assert "\nwrote mine.dag\n" in again.out
    [written] = json.loads(linked.out)["written"]
    assert written == {"file": "link.dag", "backup": str(folder / "mine.dag.bak2")}
    assert (folder / "mine.dag.bak").read_text() == "JOB mine x\n"
    assert (folder / "mine.dag.bak2").read_text() == "JOB other x\n"
    assert (folder / "link.dag").is_symlink()
    assert workflow.read_text() == PAIR_AND_FORK
    assert len(names(folder)) == 5


def test_a_copy_in_another_format_keeps_what_it_replaces_once(icsched, put, folder):
    put({"wf.sh": "sbatch -J a x.sh\n", "out.sh": "sbatch -J b x.sh\n"})

    words = "prio", "--order", "prio", "wf.sh", "-o", "out.sh"
    results = [icsched(*words), icsched(*words)]

    assert [result.code for result in results] == [0, 0]
    assert "kept out.sh.bak" in results[0].out
    assert "kept" not in results[1].out
    assert names(folder) == {"wf.sh", "out.sh", "out.sh.bak"}


# A table instead of a copy

TABLE = "task,priority\nc,5\na,4\nb,3\nd,2\ne,1\n"


def test_a_name_that_ends_in_csv_gets_a_table_of_the_order(icsched, workflow, folder):
    result = icsched("prio", "--order", "fifo", "wf.dag", "-o", "order.CSV")

    assert (result.code, result.err) == (0, "")
    assert result.out.endswith("\nwrote order.CSV\n")
    assert (folder / "order.CSV").read_text() == "task,priority\na,5\nc,4\nb,3\nd,2\ne,1\n"
    assert workflow.read_text() == PAIR_AND_FORK
    assert names(folder) == {"wf.dag", "order.CSV"}


def test_a_table_has_the_numbers_of_the_json_and_only_jobs_that_are_left(icsched, put, folder):
    put({"wf.dag": "JOB a x DONE\nJOB b x\nJOB c x\nPARENT a CHILD b c\n"})

    result = icsched("prio", "--order", "prio", "wf.dag", "-o", "order.csv", "--json")

    with (folder / "order.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    found = json.loads(result.out)
    assert found["written"] == [{"file": "order.csv", "backup": None}]
    assert rows[0] == ["task", "priority"]
    assert [(name, int(number)) for name, number in rows[1:]] == [*found["priorities"].items()]


def test_names_in_a_table_are_quoted_as_the_module_csv_reads_them(icsched, folder):
    strange = ['say "a", b', " two\nlines ", "é;x"]
    icsched_write("wf.dot", Dag({name: [] for name in strange}))

    assert icsched("prio", "wf.dot", "--order", "fifo", "-o", "order.csv").code == 0

    with (folder / "order.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert (header, rows) == (["task", "priority"], [*map(list, zip(strange, "321", strict=True))])


def test_a_table_has_an_order_even_if_none_is_worth_it(icsched, put, folder):
    put({"one.dag": "JOB one x.sub\n"})

    result = icsched("prio", "one.dag", "-o", "order.csv")

    assert "\nnot worth it: " in result.out
    assert (folder / "order.csv").read_text() == "task,priority\none,1\n"


def test_a_table_keeps_the_file_that_it_replaces_and_twice_is_once(icsched, put, workflow, folder):
    put({"order.csv": "mine\n"})

    words = "prio", "--order", "prio", "wf.dag", "-o", "order.csv"
    results = [icsched(*words), icsched(*words)]

    assert "\nwrote order.csv, kept order.csv.bak\n" in results[0].out
    assert "kept" not in results[1].out
    assert (folder / "order.csv").read_text() == TABLE
    assert (folder / "order.csv.bak").read_text() == "mine\n"
    assert workflow.read_text() == PAIR_AND_FORK


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["wf.csv", "-o", "wf.csv"], "wf.csv is a file of the workflow: use another name"),
        (["wf.csv", "-o", "x.csv", "--flatten"], "--flatten cannot be used with -o NAME.csv"),
        (
            ["wf.csv", "--order", "fifo", "-o", "x.csv", "--keep-existing"],
            "--keep-existing cannot be used with -o NAME.csv",
        ),
    ],
)
def test_a_table_that_cannot_be_is_one_line(icsched, put, folder, words, complaint):
    put({"wf.csv": "task,parents\na,\n"})

    result = icsched("prio", *words)

    assert (result.code, result.complaint) == (2, complaint)
    assert names(folder) == {"wf.csv"}
    assert (folder / "wf.csv").read_text() == "task,parents\na,\n"


@pytest.mark.parametrize("words", [["--in-place"], ["--in-place", "--order", "prio"]])
def test_a_file_without_jobs_gets_no_section(put, folder, icsched, words):
    put({"wf.dag": "# nothing yet\n"})

    result = icsched("prio", "wf.dag", *words)

    assert (result.code, result.out) == (
        0,
        "wf.dag: no jobs to order\nwf.dag: no order was written, because there are no jobs.\n",
    )
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "wf.dag": "# nothing yet\n"
    }
    assert icsched("prio", "wf.dag", "--check").code == 0


def test_a_section_goes_with_the_last_job(put, folder, icsched):
    put({"wf.dag": ONE})
    icsched("prio", "wf.dag", "--in-place", "--order", "prio")
    (folder / "wf.dag").write_text((folder / "wf.dag").read_text().removeprefix(ONE))

    assert icsched("prio", "wf.dag", "--in-place").code == 0

    assert (folder / "wf.dag").read_text() == ""


def test_a_copy_of_splices_for_standard_output_is_refused_in_words_of_the_user(put, icsched):
    put({"wf.dag": "SPLICE S in.dag\n", "in.dag": ONE})

    result = icsched("prio", "wf.dag", "--order", "prio", "-o", "-")

    assert result.code == 1
    assert result.complaint == (
        "wf.dag: it has splices, so that its copy includes a file beside the copy:"
        " write to an ordinary file by -o FILE, or use --flatten"
    )


def test_a_copy_without_an_order_goes_to_standard_output_by_that_name(put, icsched):
    put({"wf.dag": ONE})

    result = icsched("prio", "wf.dag", "-o", "-")

    assert result.out == ONE
    assert "standard output: a copy of wf.dag without an order" in result.err
    assert "/dev/stdout" not in result.err
