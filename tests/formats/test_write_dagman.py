"""Orders written into DAGMan and submit files: the section, what it says, and taking it out."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import FormatError
from icsched.formats.dagman import (
    Change,
    changes,
    copies,
    has_variables,
    job_priorities,
    read_submission,
    removals,
    section,
    submit_files,
    submit_removals,
)
from tests.unstamped import unstamped

BEGIN = "# icsched: begin. Made by icsched; icsched prio --remove takes it out."
JOINED = f"{BEGIN} (The file had no line end here.)"
END = "# icsched: end."
EMPTY = "# Empty on purpose: its inclusion makes DAGMan know the jobs of splices by name.\n"
TAKES = "priority = $(jobpriority)"
MARKS = "expected one section of icsched's with its begin and end lines, got other marks:"
MOVE = "expected only icsched's lines in its section: move this one"

CHAIN = "JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n"
PAIR = "JOB p x\nJOB q x\nPARENT p CHILD q\n"


def section_text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in (BEGIN, *lines, END))


def make(some: list[Change]) -> None:
    for change in some:
        if not change.is_none:
            change.make()


def contents(folder: Path) -> dict[str, str]:
    """All files below *folder*, by name."""
    return {
        str(path.relative_to(folder)): unstamped(path.read_bytes().decode(errors="surrogateescape"))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def as_dagman_reads(name: str = "wf.dag") -> dict[str, int]:
    """Priorities that the file gives, its section included, for which icsched's reader is blind."""
    path = Path(name)
    path.with_suffix(".seen").write_bytes(path.read_bytes().replace(b"# icsched:", b"# other:"))
    seen = read_submission(path.with_suffix(".seen"), rescue=False)
    path.with_suffix(".seen").unlink()
    return dict(zip(seen.names, seen.priorities.tolist(), strict=True))


# Numbers


def test_jobs_are_numbered_down_to_one_in_their_order(read):
    workflow = read("JOB a x\nJOB b x\nJOB c x\nPARENT a CHILD b c\n")

    assert job_priorities(workflow, [0, 2, 1]) == {"a": 3, "c": 2, "b": 1}


def test_jobs_are_numbered_below_zero_where_dagman_has_nodes_of_its_own(read):
    """DAGMan's node between a, b and c, d has priority 0 and must not wait behind e."""
    workflow = read("JOB a x\nJOB b x\nJOB c x\nJOB d x\nJOB e x\nPARENT a b CHILD c d\n")

    assert job_priorities(workflow, [1, 0, 2, 3, 4]) == {
        "b": -1,
        "a": -2,
        "c": -3,
        "d": -4,
        "e": -5,
    }


def test_nodes_of_dagmans_own_inside_splices_count_too(read):
    fan = "JOB p x\nJOB q x\nJOB r x\nJOB s x\nPARENT p q CHILD r s\n"
    workflow = read("SPLICE S in.dag\n", {"in.dag": fan})

    assert job_priorities(workflow, [0, 1, 2, 3])["S+p"] == -1


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("PRIORITY ALL_NODES -100\n", {}),
        ("PRIORITY ALL_NODES -100\nPRIORITY ALL_NODES 3\n", {}),
        ("INCLUDE more.dag\n", {"more.dag": "PRIORITY ALL_NODES -100\n"}),
        ("SPLICE S in.dag\n", {"in.dag": "PRIORITY ALL_NODES -100\n"}),
        ("PRIORITY ALL_NODES -5\nSPLICE S in.dag\n", {"in.dag": "PRIORITY ALL_NODES -100\n"}),
    ],
)
def test_numbers_start_below_what_dagmans_own_nodes_may_be_given(read, text, files):
    fan = "JOB a x\nJOB b x\nJOB c x\nJOB d x\nPARENT a b CHILD c d\n"

    assert job_priorities(read(fan + text, files), [0, 1, 2, 3]) == {
        "a": -101,
        "b": -102,
        "c": -103,
        "d": -104,
    }


def test_a_word_for_all_nodes_matters_only_if_it_is_negative_and_there_are_such_nodes(read):
    fan = "JOB a x\nJOB b x\nJOB c x\nJOB d x\nPARENT a b CHILD c d\n"

    assert job_priorities(read(f"{fan}PRIORITY ALL_NODES 7\n"), [0, 1, 2, 3])["a"] == -1
    assert job_priorities(read(f"{CHAIN}PRIORITY ALL_NODES -100\n"), [0, 1])["a"] == 2


def test_numbers_that_would_not_fit_are_refused(read):
    fan = "JOB a x\nJOB b x\nJOB c x\nJOB d x\nPARENT a b CHILD c d\n"

    with pytest.raises(FormatError) as caught:
        job_priorities(read(f"{fan}PRIORITY ALL_NODES -2147483646\n"), [0, 1, 2, 3])

    assert str(caught.value) == (
        "wf.dag: expected PRIORITY ALL_NODES to leave room for lower priorities"
    )


def test_jobs_that_are_done_come_first(read):
    """Of a, b, c only a and c remain, as 0 and 1."""
    workflow = read("JOB a x\nJOB b x DONE\nJOB c x\n")

    assert job_priorities(workflow, [1, 0]) == {"b": 3, "c": 2, "a": 1}


def test_a_workflow_without_jobs_has_no_priorities(read):
    assert job_priorities(read(""), []) == {}


# The section


def test_the_section_comes_at_the_end_and_nothing_else_changes(read):
    (change,) = changes(read(CHAIN), {"a": 2, "b": 1})

    assert (change.path, change.old) == ("wf.dag", CHAIN.encode())
    assert unstamped(change.new.decode()) == CHAIN + section_text("PRIORITY a 2", "PRIORITY b 1")


def test_a_file_without_a_last_line_end_gets_one_that_can_be_taken_back(read):
    text = CHAIN.removesuffix("\n")
    (change,) = changes(read(text), {"a": 2, "b": 1})

    new = unstamped(change.new.decode())
    assert new == f"{text}\n{JOINED}\nPRIORITY a 2\nPRIORITY b 1\n{END}\n"
    assert section.removed("wf.dag", change.new) == text.encode()


def test_what_icsched_wrote_is_not_what_the_file_says(read):
    workflow = read(
        CHAIN + section_text("INCLUDE no.icsched", "PRIORITY a 7", 'VARS a jobpriority="7"')
    )

    assert workflow.names == ("a", "b")
    assert not workflow.has_priority.any()


def test_lines_after_the_section_keep_their_numbers(complaint):
    assert complaint(CHAIN + section_text("PRIORITY a 7") + "PRIORITY z 1\n") == (
        "wf.dag:7: unknown job z"
    )


def test_lines_after_the_section_stay_and_the_section_moves_behind_them(read):
    workflow = read(CHAIN + section_text("PRIORITY a 7") + "JOB c x\n")
    (change,) = changes(workflow, {"a": 3, "b": 2, "c": 1})

    assert unstamped(change.new.decode()) == (
        CHAIN + "JOB c x\n" + section_text("PRIORITY a 3", "PRIORITY b 2", "PRIORITY c 1")
    )


def test_a_line_added_behind_the_section_does_not_join_the_line_before_it(read):
    """JOB a x had no line end before the section came, and needs one now."""
    (change,) = changes(read("JOB a x"), {"a": 1})

    added = change.new + b"JOB b x\n"

    assert section.removed("wf.dag", added) == b"JOB a x\nJOB b x\n"
    assert read(added).names == ("a", "b")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{BEGIN}\nPRIORITY a 1\n", 4),
        (f"PRIORITY a 1\n{END}\n", 5),
        (f"{END}\n{BEGIN}\n", 5),
        (f"{BEGIN}\n{BEGIN}\n{END}\n", 6),
        (section_text("PRIORITY a 1") * 2, 9),
    ],
)
def test_half_a_section_or_two_are_refused_with_the_line_of_the_last_mark(complaint, text, line):
    assert complaint(CHAIN + text) == (
        f"wf.dag:{line}: {MARKS} take them out, or go back to wf.dag.bak"
    )


@pytest.mark.parametrize(
    "line",
    [
        "JOB c x",
        "# why",
        "",
        "PRIORITY a high",
        "PRIORITY a 1 # why",
        " PRIORITY a 1",
        'VARS a jobpriority="1" other="2"',
        "INCLUDE more.dag",
        "priority = 3",
    ],
)
def test_a_line_of_the_users_in_the_section_is_refused_and_not_lost(complaint, line):
    text = CHAIN + section_text("PRIORITY a 2", line, "PRIORITY b 1")

    assert complaint(text) == f"wf.dag:6: {MOVE}"
    for act in (section.removed, section.blanked, lambda *file: section.inserted(*file, [])):
        with pytest.raises(FormatError, match=MOVE):
            act("wf.dag", text.encode())


def test_a_section_may_get_the_line_ends_of_another_system(read):
    text = (CHAIN + section_text("PRIORITY a 2")).replace("\n", "\r\n")

    assert section.removed("wf.dag", text.encode()) == CHAIN.replace("\n", "\r\n").encode()
    assert read(text).names == ("a", "b")


def test_marks_count_only_at_the_beginning_of_a_line(read):
    workflow = read(f" {BEGIN}\n# see {END}\nJOB a x\n")

    assert workflow.names == ("a",)


_bytes = st.binary(max_size=12).map(lambda data: data.replace(b"\0", b"").replace(b"\n", b""))
_lines = st.sampled_from([b"JOB a x", b"PRIORITY a 3", b"", b"# caf\xe9", b" \t"]) | _bytes.map(
    lambda data: b"# " + data
)
_files = st.builds(
    lambda lines, end, last: end.join(lines) + last,
    st.lists(_lines, max_size=6),
    st.sampled_from([b"\n", b"\r\n"]),
    st.sampled_from([b"", b"\n", b"\r\n", b"\n\n"]),
)


@given(_files, st.integers(0, 3))
@settings(max_examples=200)
def test_a_section_that_was_inserted_is_removed_to_the_byte(data, count):
    lines = [f"PRIORITY a {number}" for number in range(count)]

    once = section.inserted("wf.dag", data, lines)

    assert once.startswith(data)
    assert section.removed("wf.dag", once) == data
    assert section.inserted("wf.dag", once, lines) == once
    assert section.inserted("wf.dag", section.inserted("wf.dag", data, [TAKES]), lines) == once
    assert section.is_in(once)
    assert not section.is_in(data)
    assert section.blanked("wf.dag", once).count(b"\n") == once.count(b"\n")


@given(_files, st.data())
@settings(max_examples=100)
def test_a_section_before_a_line_is_removed_to_the_byte(data, draw):
    starts = [0] + [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]
    at = draw.draw(st.sampled_from(starts))

    text = section.inserted("x.sub", data, [TAKES], at)

    assert text[:at] + text[len(text) - len(data) + at :] == data
    assert section.removed("x.sub", text) == data


@pytest.mark.parametrize("text", [CHAIN, CHAIN.replace("\n", "\r\n"), CHAIN[:-1], f"\n\n{CHAIN}#"])
def test_writing_twice_is_writing_once_and_removing_gives_the_original_back(put, folder, text):
    put({"wf.dag": text})

    make(changes(read_submission("wf.dag"), {"a": 2, "b": 1}))
    once = contents(folder)
    again = changes(read_submission("wf.dag"), {"a": 2, "b": 1})
    make(again)

    assert all(change.is_none for change in again)
    assert contents(folder) == once
    assert as_dagman_reads() == {"a": 2, "b": 1}

    make(removals(["wf.dag"]))
    assert contents(folder) == {"wf.dag": text, "wf.dag.bak": text}
    assert all(change.is_none for change in removals(["wf.dag"]))


# Priorities that are there already


def test_priorities_of_the_files_are_overridden_or_kept(put):
    put({"wf.dag": f"{CHAIN}PRIORITY b 9\n"})
    workflow = read_submission("wf.dag")

    make(changes(workflow, {"a": 2, "b": 1}))
    assert as_dagman_reads() == {"a": 2, "b": 1}

    make(changes(read_submission("wf.dag"), {"a": 2, "b": 1}, keep_existing=True))
    assert as_dagman_reads() == {"a": 2, "b": 9}
    assert "PRIORITY b" not in Path("wf.dag").read_text().partition(BEGIN)[2]


# Splices


def test_jobs_of_splices_are_named_after_an_inclusion_that_makes_them_known(put, folder):
    """DAGMan knows S+p once some file has ended: the companion of the workflow does."""
    text = "JOB a x\nSPLICE S in.dag\nPARENT a CHILD S"
    put({"wf.dag": text, "in.dag": PAIR})

    made = changes(read_submission("wf.dag"), {"a": 3, "S+p": 2, "S+q": 1})
    make(made)

    assert [(change.path, change.old) for change in made] == [
        ("wf.dag.icsched", None),
        ("wf.dag", text.encode()),
    ]
    lines = ["INCLUDE wf.dag.icsched", "PRIORITY a 3", "PRIORITY S+p 2", "PRIORITY S+q 1"]
    assert contents(folder) == {
        "in.dag": PAIR,
        "wf.dag": f"{text}\n{section_text(*lines).replace(BEGIN, JOINED)}",
        "wf.dag.bak": text,
        "wf.dag.icsched": EMPTY,
    }
    assert as_dagman_reads() == {"a": 3, "S+p": 2, "S+q": 1}

    again = changes(read_submission("wf.dag"), {"a": 3, "S+p": 2, "S+q": 1})
    assert all(change.is_none for change in again)

    make(removals(["wf.dag"]))
    assert contents(folder) == {"in.dag": PAIR, "wf.dag": text, "wf.dag.bak": text}


def test_a_copy_has_a_companion_of_its_own(put, folder):
    put({"wf.dag": "SPLICE S in.dag\n", "in.dag": PAIR, "out/old.txt": ""})

    make(copies(read_submission("wf.dag"), {"S+p": 2, "S+q": 1}, "out/copy.dag"))

    written = contents(folder / "out")
    assert written["copy.dag.icsched"] == EMPTY
    assert written["copy.dag"] == "SPLICE S in.dag\n" + section_text(
        f"INCLUDE {folder}/out/copy.dag.icsched", "PRIORITY S+p 2", "PRIORITY S+q 1"
    )
    assert contents(folder)["wf.dag"] == "SPLICE S in.dag\n"


def test_the_companion_is_found_from_where_dagman_looks(put, folder):
    put({"sub/wf.dag": "SPLICE S in.dag\n", "sub/in.dag": "JOB p x\n"})

    beside = changes(read_submission("sub/wf.dag", use_dag_directory=True), {"S+p": 1})
    inner = changes(read_submission("sub/wf.dag", directory="sub"), {"S+p": 1})

    for made in (beside, inner):
        assert [change.path for change in made] == ["sub/wf.dag.icsched", "sub/wf.dag"]
        assert b"\nINCLUDE wf.dag.icsched\n" in made[-1].new

    absolute = changes(read_submission(folder / "sub/wf.dag", directory="sub"), {"S+p": 1})
    assert f"\nINCLUDE {folder}/sub/wf.dag.icsched\n".encode() in absolute[-1].new


def test_a_companion_that_is_not_icscheds_is_not_touched(put):
    put({"wf.dag": "SPLICE S in.dag\n", "in.dag": "JOB p x\n", "wf.dag.icsched": "mine\n"})

    with pytest.raises(FormatError) as caught:
        changes(read_submission("wf.dag"), {"S+p": 1})

    assert str(caught.value) == "wf.dag.icsched: expected a file that icsched wrote, or no file"
    assert [(change.path, change.is_none) for change in removals(["wf.dag"])] == [("wf.dag", True)]


def test_a_companion_that_could_not_be_included_is_refused(put):
    put({"my wf.dag": "SPLICE S in.dag\n", "in.dag": "JOB p x\n"})

    with pytest.raises(FormatError) as caught:
        changes(read_submission("my wf.dag"), {"S+p": 1})

    assert str(caught.value) == (
        "my wf.dag: expected an ordinary file whose path has no blanks and quotes,"
        " for the INCLUDE beside it; --flatten needs none"
    )


# Several files


def test_each_of_several_files_gets_its_own_section_with_its_own_names(put, folder):
    put({"one.dag": "JOB a x\nJOB b x\n", "two.dag": "JOB a x\n"})
    workflow = read_submission(["one.dag", "two.dag"])

    make(changes(workflow, {"1.a": 3, "0.b": 2, "0.a": 1}))

    files = contents(folder)
    assert files["one.dag"] == "JOB a x\nJOB b x\n" + section_text("PRIORITY b 2", "PRIORITY a 1")
    assert files["two.dag"] == "JOB a x\n" + section_text("PRIORITY a 3")

    make(removals(["one.dag", "two.dag"]))
    assert contents(folder)["one.dag"] == "JOB a x\nJOB b x\n"
    assert contents(folder)["two.dag"] == "JOB a x\n"


def test_a_job_with_a_dot_in_its_name_is_told_from_the_files_place(put):
    put({"one.dag": "JOB a.b x\n", "two.dag": "JOB 0.c x\n"})

    made = changes(read_submission(["one.dag", "two.dag"]), {"0.a.b": 2, "1.0.c": 1})

    assert b"PRIORITY a.b 2\n" in made[0].new
    assert b"PRIORITY 0.c 1\n" in made[1].new


def test_several_files_with_splices_are_refused(put):
    put({"one.dag": "JOB a x\n", "two.dag": "SPLICE S in.dag\n", "in.dag": "JOB p x\n"})
    workflow = read_submission(["one.dag", "two.dag"])

    with pytest.raises(FormatError) as caught:
        changes(workflow, {"0.a": 2, "1.S+1.p": 1})

    assert str(caught.value) == (
        "one.dag: expected one file at a time where there are splices: DAGMan calls their jobs"
        " by the file's place on its command line"
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

    assert change.new.decode() == f"{before}{BEGIN}\n{TAKES}\n{END}\n{after}"
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


# Changing files


@pytest.fixture
def change(put) -> Change:
    """A change that is yet to be made."""
    put({"wf.dag": CHAIN})
    return changes(read_submission("wf.dag"), {"a": 2, "b": 1})[0]


def test_the_original_is_kept_beside_the_file(change, folder):
    assert change.make() == "wf.dag.bak"

    assert contents(folder) == {"wf.dag": unstamped(change.new.decode()), "wf.dag.bak": CHAIN}


def test_a_backup_that_holds_the_original_serves_again(change, put, folder):
    put({"wf.dag.bak": CHAIN})

    assert change.make() == "wf.dag.bak"
    assert set(contents(folder)) == {"wf.dag", "wf.dag.bak"}


def test_a_backup_that_holds_something_else_is_never_touched(change, put, folder):
    put({"wf.dag.bak": "mine\n", "wf.dag.bak2": "mine too\n"})
    (folder / "wf.dag.bak3").symlink_to("nowhere")

    assert change.make() == "wf.dag.bak4"
    files = contents(folder)
    assert (files["wf.dag.bak"], files["wf.dag.bak2"]) == ("mine\n", "mine too\n")
    assert files["wf.dag.bak4"] == CHAIN
    assert not (folder / "nowhere").exists()


def test_the_backup_holds_the_file_without_any_block(put, folder):
    put({"wf.dag": CHAIN + section_text("PRIORITY a 7")})

    make(changes(read_submission("wf.dag"), {"a": 2, "b": 1}))

    assert contents(folder)["wf.dag.bak"] == CHAIN


def test_removing_needs_no_backup(put, folder):
    put({"wf.dag": CHAIN + section_text("PRIORITY a 7")})

    (root,) = (change for change in removals(["wf.dag"]) if not change.is_none)

    assert root.make() is None
    assert contents(folder) == {"wf.dag": CHAIN}


@pytest.mark.parametrize("permissions", [0o600, 0o644, 0o755, 0o444])
def test_file_and_backup_have_the_permissions_of_the_file(change, folder, permissions):
    (folder / "wf.dag").chmod(permissions)

    change.make()

    for name in ("wf.dag", "wf.dag.bak"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == permissions


def test_a_link_stays_a_link_and_the_backup_is_where_it_is_said_to_be(put, folder):
    put({"store/real.dag": CHAIN})
    (folder / "wf.dag").symlink_to("store/real.dag")

    backup = changes(read_submission("wf.dag"), {"a": 2, "b": 1})[0].make()

    assert (folder / "wf.dag").is_symlink()
    assert (folder / "store/real.dag").read_text().startswith(CHAIN + BEGIN)
    assert Path(backup).read_text() == CHAIN


def test_a_file_that_changed_meanwhile_is_left_alone(change, put, folder):
    put({"wf.dag": f"{CHAIN}# new\n"})

    with pytest.raises(FormatError) as caught:
        change.make()

    assert str(caught.value) == (
        "wf.dag: it changed while icsched was at work and was left as it is: run it again"
    )
    assert contents(folder) == {"wf.dag": f"{CHAIN}# new\n"}


def test_a_file_that_is_gone_is_not_made_anew(change, folder):
    (folder / "wf.dag").unlink()

    with pytest.raises(FormatError) as caught:
        change.make()

    assert str(caught.value) == "wf.dag: expected an ordinary file to change"
    assert contents(folder) == {}


def test_a_directory_that_takes_no_files_is_named():
    """Not even the administrator can put a backup into /proc."""
    path = f"/proc/{os.getpid()}/comm"
    old = Path(path).read_bytes()

    with pytest.raises(FormatError) as caught:
        Change(path, old, b"new").make()

    assert (caught.value.path, caught.value.line) == (path, None)
    assert Path(path).read_bytes() == old


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Be somebody who may not write anywhere, also where the tests run as the administrator."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(me)


def test_a_directory_without_permission_is_named(monkeypatch):
    with TemporaryDirectory() as name:  # where anybody may look
        folder = Path(name)
        (folder / "wf.dag").write_text(CHAIN)
        folder.chmod(0o555)
        monkeypatch.chdir(folder)

        with ordinary_user(), pytest.raises(FormatError) as caught:
            Change("wf.dag", CHAIN.encode(), b"new").make()

        folder.chmod(0o755)
        assert str(caught.value) == "wf.dag: cannot write into its directory: permission denied"
        assert contents(folder) == {"wf.dag": CHAIN}
        monkeypatch.undo()


def test_variables_of_jobs_left_alone_stand_in_the_order_of_the_file(put, folder):
    """Not in that of a set of names, which changes from one process to the next."""
    names = [f"job{number}" for number in range(20)]
    text = "".join(f"JOB {name} x.sub\nPRIORITY {name} 7\n" for name in names)
    put({"wf.dag": text, "x.sub": "queue\n"})

    make(changes(read_submission("wf.dag"), {}, keep_existing=True, via="vars"))

    lines = [f'VARS {name} jobpriority="7"' for name in names]
    assert contents(folder)["wf.dag"] == text + section_text(*lines)
