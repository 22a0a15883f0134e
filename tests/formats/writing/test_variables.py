"""Orders by variables that submit files take."""

import os

import pytest

from icsched import FormatError
from icsched.formats.dagman import section
from icsched.formats.dagman.submission import read_submission
from icsched.formats.dagman.writer import (
    changes,
    has_variables,
    removals,
    submit_files,
    submit_removals,
)
from tests.formats.writing.sections import (
    BEGIN,
    CHAIN,
    END,
    JOINED,
    TAKES,
    contents,
    make,
    section_text,
)

# By variables

SUBMIT = "executable = x\nqueue\n"
TAKING = f"executable = x\n{BEGIN}\n{TAKES}\n{END}\nqueue\n"


def test_variables_say_priorities_and_each_submit_file_takes_its_own_once(put, folder):
    text = "JOB a x.sub\nJOB b x.sub\nJOB c ./x.sub\nJOB d d.sub DIR sub\n"
    put({"wf.dag": text, "x.sub": SUBMIT, "sub/d.sub": SUBMIT})
    workflow = read_submission("wf.dag")

    made = changes(workflow, {"a": 4, "b": 3, "c": 2, "d": 1}, via="vars")
    make(made)

    assert [change.path for change in made] == ["x.sub", "sub/d.sub", "wf.dag"]
    lines = [
        f'VARS {name} jobpriority="{value}"' for name, value in zip("abcd", "4321", strict=True)
    ]
    assert contents(folder) == {
        "wf.dag": text + section_text(*lines),
        "wf.dag.bak": text,
        "x.sub": TAKING,
        "x.sub.bak": SUBMIT,
        "sub/d.sub": TAKING,
        "sub/d.sub.bak": SUBMIT,
    }

    again = changes(read_submission("wf.dag"), {"a": 4, "b": 3, "c": 2, "d": 1}, via="vars")
    assert all(change.is_none for change in again)

    assert has_variables("wf.dag")
    make([*submit_removals(read_submission("wf.dag")), *removals(["wf.dag"])])
    assert not has_variables("wf.dag")
    files = contents(folder)
    assert (files["wf.dag"], files["x.sub"], files["sub/d.sub"]) == (text, SUBMIT, SUBMIT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1\n", "queue\n"),
        ("x = 1\n", "QUEUE\n"),
        ("x = 1\n", "  Queue 3\n"),
        ("x = 1\n", "queue in (1 2)\npriority = 7\nqueue\n"),
        ("x = 1\n", "queue"),
        ("", "queue\n"),
        ("priority = 7\nqueue_size = 3\n# queue\nqueued = 1\n", "queue 2\n"),
        ("x = 1\n", ""),
        ("", ""),
        ("x = 1\r\n", "queue\r\n"),
        ("arguments = a \\\n  queue b\n", "queue\n"),
        ("arguments = a \\\r\n queue b\r\n", "queue\r\n"),
        ("script @=end\nqueue\n@ending\nqueue\n@end\n", "queue\n"),
    ],
)
def test_a_submit_file_takes_its_priority_before_its_first_queue(put, before, after):
    put({"wf.dag": "JOB a x.sub\n", "x.sub": before + after})

    change, _ = changes(read_submission("wf.dag"), {"a": 1}, via="vars")

    end = "\r\n" if "\r\n" in before else "\n"
    assert change.new.decode() == f"{before}{BEGIN}{end}{TAKES}{end}{END}{end}{after}"
    assert section.removed("x.sub", change.new).decode() == before + after


def test_a_submit_file_without_queue_and_last_line_end_is_given_both_lines(put):
    put({"wf.dag": "JOB a x.sub\n", "x.sub": "x = 1"})

    change, _ = changes(read_submission("wf.dag"), {"a": 1}, via="vars")

    assert change.new.decode() == f"x = 1\n{JOINED}\n{TAKES}\n{END}\n"
    assert section.removed("x.sub", change.new) == b"x = 1"


def test_a_submit_file_of_several_names_is_changed_once(put, folder):
    """real/c.sub is called real/c.sub, real/deep/../c.sub and, by the link, ../c.sub of link."""
    put(
        {
            "wf.dag": "JOB a ../c.sub DIR link\nJOB b real/c.sub\nJOB c c.sub DIR real\n",
            "real/c.sub": SUBMIT,
            "real/deep/d.sub": SUBMIT,
            "c.sub": "mine\n",
        }
    )
    (folder / "link").symlink_to("real/deep")
    workflow = read_submission("wf.dag")

    assert [(file.path, file.first.name, file.names) for file in submit_files(workflow)] == [
        ("link/../c.sub", "a", ["a", "b", "c"])
    ]
    make(changes(workflow, {"a": 3, "b": 2, "c": 1}, via="vars"))

    files = contents(folder)
    assert (files["real/c.sub"], files["c.sub"]) == (TAKING, "mine\n")
    assert files["real/c.sub.bak"] == SUBMIT
    make(submit_removals(read_submission("wf.dag")))
    assert contents(folder)["real/c.sub"] == SUBMIT


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (CHAIN, False),
        (CHAIN + section_text("PRIORITY a 1"), False),
        (CHAIN + section_text('VARS a jobpriority="1"'), True),
        ('VARS a jobpriority="1"\n', False),
    ],
)
def test_a_file_has_variables_if_its_section_says_them(put, text, holds):
    put({"wf.dag": text})

    assert has_variables("wf.dag") is holds


def test_jobs_without_a_submit_file_get_priorities_instead(put, folder):
    text = (
        "JOB a x.sub\nJOB b {\nqueue\n}\nSUBMIT-DESCRIPTION d {\nqueue\n}\nJOB c d\n"
        "SUBDAG EXTERNAL e in.dag\n"
    )
    put({"wf.dag": text, "x.sub": SUBMIT})
    told = {"a": 4, "b": 3, "c": 2, "e": 1}

    make(changes(read_submission("wf.dag"), told, via="vars"))

    assert contents(folder)["wf.dag"] == text + section_text(
        'VARS a jobpriority="4"', "PRIORITY b 3", "PRIORITY c 2", "PRIORITY e 1"
    )


def test_jobs_of_splices_have_variables_too(put, folder):
    put(
        {
            "wf.dag": "SPLICE S in.dag DIR sub\n",
            "sub/in.dag": "JOB p x.sub\nJOB q x.sub DIR deep\n",
            "sub/x.sub": SUBMIT,
            "sub/deep/x.sub": SUBMIT,
        }
    )

    make(changes(read_submission("wf.dag"), {"S+p": 2, "S+q": 1}, via="vars"))

    files = contents(folder)
    assert files["sub/x.sub"] == files["sub/deep/x.sub"] == TAKING
    assert files["wf.dag"] == "SPLICE S in.dag DIR sub\n" + section_text(
        "INCLUDE wf.dag.icsched", 'VARS S+p jobpriority="2"', 'VARS S+q jobpriority="1"'
    )


def test_submit_files_stand_beside_the_workflow_that_is_submitted_from_its_directory(put, folder):
    put({"sub/wf.dag": "JOB a x.sub\n", "sub/x.sub": SUBMIT})

    make(changes(read_submission("sub/wf.dag", use_dag_directory=True), {"a": 1}, via="vars"))

    assert contents(folder)["sub/x.sub"] == TAKING


def test_every_job_whose_submit_file_takes_the_variable_has_one(put, folder):
    """A priority that is kept must reach the pool through the shared submit file too."""
    put({"wf.dag": "JOB a x.sub\nJOB b x.sub\nPRIORITY b 9\n", "x.sub": SUBMIT})

    make(changes(read_submission("wf.dag"), {"a": 2, "b": 1}, via="vars", keep_existing=True))

    assert contents(folder)["x.sub"] == TAKING
    assert 'VARS b jobpriority="9"\n' in contents(folder)["wf.dag"]


def test_what_is_no_ordinary_submit_file_is_named(put, folder):
    put({"wf.dag": "JOB a pipe\n"})
    os.mkfifo(folder / "pipe")

    with pytest.raises(FormatError) as caught:
        changes(read_submission("wf.dag"), {"a": 1}, via="vars")

    assert str(caught.value) == "wf.dag:1: job a: expected an ordinary file, got pipe"


def test_a_missing_submit_file_is_named_and_nothing_changes(put, folder):
    put({"wf.dag": "JOB a x.sub\nJOB b no.sub\n", "x.sub": SUBMIT})

    with pytest.raises(FormatError) as caught:
        changes(read_submission("wf.dag"), {"a": 2, "b": 1}, via="vars")

    assert str(caught.value) == "wf.dag:2: job b: no such file: no.sub"
    assert contents(folder)["x.sub"] == SUBMIT


def test_going_back_to_priorities_cleans_the_submit_files(put, folder):
    put({"wf.dag": CHAIN, "a.sub": SUBMIT, "b.sub": SUBMIT})
    make(changes(read_submission("wf.dag"), {"a": 2, "b": 1}, via="vars"))

    make(changes(read_submission("wf.dag"), {"a": 2, "b": 1}))

    files = contents(folder)
    assert files["wf.dag"] == CHAIN + section_text("PRIORITY a 2", "PRIORITY b 1")
    assert files["a.sub"] == files["b.sub"] == SUBMIT


def test_submit_files_that_are_gone_do_not_keep_a_section_from_being_removed(put, folder):
    put({"wf.dag": CHAIN, "a.sub": SUBMIT, "b.sub": SUBMIT})
    make(changes(read_submission("wf.dag"), {"a": 2, "b": 1}, via="vars"))
    (folder / "a.sub").unlink()

    make([*submit_removals(read_submission("wf.dag")), *removals(["wf.dag"])])

    assert contents(folder)["wf.dag"] == CHAIN
    assert contents(folder)["b.sub"] == SUBMIT


def test_variables_of_jobs_left_alone_stand_in_the_order_of_the_file(put, folder):
    """Not in that of a set of names, which changes from one process to the next."""
    names = [f"job{number}" for number in range(20)]
    text = "".join(f"JOB {name} x.sub\nPRIORITY {name} 7\n" for name in names)
    put({"wf.dag": text, "x.sub": "queue\n"})

    make(changes(read_submission("wf.dag"), {}, keep_existing=True, via="vars"))

    lines = [f'VARS {name} jobpriority="7"' for name in names]
    assert contents(folder)["wf.dag"] == text + section_text(*lines)


def test_submit_files_are_those_of_all_jobs_or_of_jobs_that_dagman_will_submit(put):
    put({"wf.dag": "JOB a a\nJOB b b DONE\nJOB c c NOOP\nJOB d d\nJOB e ./a DONE\n"})
    workflow = read_submission("wf.dag")

    def found(**options):
        return [(file.path, file.names) for file in submit_files(workflow, **options)]

    assert found() == [("a", ["a", "e"]), ("b", ["b"]), ("c", ["c"]), ("d", ["d"])]
    assert found(are_left=True) == [("a", ["a"]), ("d", ["d"])]
