"""The section: the lines that icsched writes into a DAGMan file."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import FormatError
from icsched.formats.dagman import section
from icsched.formats.dagman.staleness import sections
from icsched.formats.dagman.submission import read_submission
from icsched.formats.dagman.writer import changes, overridden, removals, submit_removals
from tests.formats.writing.sections import (
    BEGIN,
    CHAIN,
    END,
    JOINED,
    TAKES,
    as_dagman_reads,
    contents,
    make,
    section_text,
)
from tests.unstamped import unstamped

MARKS = "expected one section of icsched's with its begin and end lines, got other marks:"
MOVE = "expected only icsched's lines in its section: move this one"


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
        f"wf.dag:{line}: {MARKS} take them out, or go back to the newest of wf.dag.bak*"
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


def test_each_line_of_a_section_says_how_it_gives_a_job_its_priority():
    text = section_text("INCLUDE x.icsched", "PRIORITY S+a -7", 'VARS b jobpriority="8"').encode()

    begins = [at for at in range(len(text)) if text[at - 1 : at] in b"\n"]
    found = [section.priority_at(text, at) for at in begins]

    assert found == [None, None, ("S+a", -7, True), ("b", 8, False), None]


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


def test_jobs_get_a_second_priority_if_theirs_is_another_one_and_not_by_a_variable(put):
    """DAGMan treats priority 0 as no priority. d has no submit file, so it gets a PRIORITY."""
    text = "JOB a x\nJOB b x\nJOB c x\nSUBDAG EXTERNAL d in.dag\nJOB e x\n"
    own = "PRIORITY a 7\nPRIORITY b 4\nPRIORITY c 0\nPRIORITY d -1\n"
    put({"wf.dag": text + own, "x": "queue\n", "in.dag": "JOB p x\n"})
    workflow = read_submission("wf.dag")
    priorities = {"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}

    assert overridden(workflow, priorities, via="priority") == ["a", "d"]
    assert overridden(workflow, priorities, via="vars") == ["d"]


# Line ends


def crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


@pytest.mark.parametrize(
    "text", [crlf(CHAIN), crlf(CHAIN).removesuffix("\r\n"), crlf(CHAIN) + "\r"]
)
def test_a_file_with_crlf_gets_a_section_with_crlf_that_can_be_taken_back(put, folder, text):
    put({"wf.dag": text.encode()})

    is_open = not text.endswith("\n")

    make(changes(read_submission("wf.dag"), {"a": 2, "b": 1}))
    new = (folder / "wf.dag").read_bytes()

    assert new.count(b"\n") == new.count(b"\r\n")
    assert new.startswith(text.encode())
    assert crlf(f"\nPRIORITY a 2\nPRIORITY b 1\n{END}\n").encode() in new
    assert as_dagman_reads() == {"a": 2, "b": 1}
    (again,) = changes(read_submission("wf.dag"), {"a": 2, "b": 1})
    assert again.is_none
    (known,) = sections(read_submission("wf.dag"))
    assert (known.line, known.jobs, known.problems) == (len(text.split("\n")) + is_open, 2, ())
    make(removals(["wf.dag"]))
    assert (folder / "wf.dag").read_bytes() == text.encode()


@pytest.mark.parametrize("text", [CHAIN.replace("\n", "\r\n", 2), "JOB a a.sub", "JOB a a.sub\r"])
def test_a_file_with_other_line_ends_too_gets_a_section_with_lf(text):
    new = section.inserted("wf.dag", text.encode(), ["PRIORITY a 1"])

    assert f"\nPRIORITY a 1\n{END}\n".encode() in new
    assert section.removed("wf.dag", new) == text.encode()


def test_a_submit_file_with_crlf_gets_a_section_with_crlf_in_its_middle(put, folder):
    submit = "executable = /bin/true\r\nqueue\r\n"
    put({"wf.dag": crlf("JOB a a.sub\n"), "a.sub": submit})

    make(changes(read_submission("wf.dag"), {"a": 1}, via="vars"))

    new = (folder / "a.sub").read_bytes().decode()
    assert new == submit.replace("queue", crlf(section_text(TAKES)) + "queue")
    make([*submit_removals(read_submission("wf.dag")), *removals(["wf.dag"])])
    assert (folder / "a.sub").read_bytes().decode() == submit
    assert (folder / "wf.dag").read_bytes() == b"JOB a a.sub\r\n"


def test_a_section_with_lf_in_a_file_with_crlf_is_written_anew(put):
    put({"wf.dag": (crlf(CHAIN) + section_text("PRIORITY a 2", "PRIORITY b 1")).encode()})

    (change,) = changes(read_submission("wf.dag"), {"a": 2, "b": 1})

    assert change.original() == crlf(CHAIN).encode()
    assert change.new.count(b"\n") == change.new.count(b"\r\n")


LINE = st.text(st.sampled_from("aJ# \r"), max_size=4)


@given(st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n"]))), LINE)
def test_any_mixture_of_line_ends_is_taken_back(lines, last):
    data = ("".join(f"{line}{end}" for line, end in lines) + last).encode()

    new = section.inserted("wf.dag", data, ["PRIORITY a 1"], stamp="0" * 16)

    assert section.removed("wf.dag", new) == data
    assert section.inserted("wf.dag", new, ["PRIORITY a 1"], stamp="0" * 16) == new
    assert section.text("wf.dag", new).startswith(b"# icsched: begin.")
    assert section.stamp_in(section.text("wf.dag", new)) == "0" * 16
