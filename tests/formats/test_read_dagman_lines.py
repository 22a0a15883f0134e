"""How DAGMan files fall into lines and words, and which bytes they may have."""

from pathlib import Path

import pytest

from icsched import FormatError
from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.flat import flattened
from icsched.formats.dagman.submission import read_submission

GLUED = (
    "expected a blank before the \\ that continues the line:"
    " some versions of DAGMan join the words around it, others do not"
)
LATIN_1 = b"caf\xe9"
UNENDED = "expected another line after the \\ that continues this one"

# Lines and blanks


@pytest.mark.parametrize("text", ["", "\n", " \t\n\n", "# nothing\n", "// nothing", "\r\n", "\f\n"])
def test_a_file_without_commands_is_an_empty_dag(read, text):
    assert read(text).names == ()


def test_comments_and_blank_lines_are_skipped(read):
    text = "# JOB x x\n\nJOB a x\n   # indented\n// JOB y y\n \t \n\tJOB b x  \nPARENT a CHILD b"

    assert read(text).dag.to_mapping() == {"a": [], "b": ["a"]}


def test_a_hash_later_in_a_line_is_no_comment(read):
    assert read("JOB a#1 x\nJOB b //x\n").names == ("a#1", "b")


def test_the_last_line_need_not_end(read):
    assert read("JOB a x\nJOB b x").names == ("a", "b")


@pytest.mark.parametrize("blank", [" ", "\t", "  \t "])
def test_words_may_have_any_blanks_between_and_around_them(read, blank):
    lines = ["JOB a x", "JOB b x DONE", "PARENT a CHILD b", "PRIORITY a 3", 'JOB c "x" NOOP']
    text = "".join(blank + line.replace(" ", blank) + blank + "\n" for line in lines)

    workflow = read(text)

    assert workflow.dag.to_mapping() == {"a": [], "b": ["a"], "c": []}
    assert workflow.priorities.tolist() == [3, 0, 0]


def test_lines_may_end_as_on_windows(read):
    text = "JOB a x\r\nJOB b \\\r\n x\r\n\r\nPARENT a CHILD b\r\nJOB c {\r\nqueue\r\n} DONE\r\n"

    workflow = read(text)

    assert workflow.dag.to_mapping() == {"a": [], "b": ["a"], "c": []}
    assert workflow.done.tolist() == [False, False, True]


def test_a_no_break_space_parts_no_words(read, complaint):
    assert read("JOB a\u00a0b x\n").names == ("a\u00a0b",)
    assert complaint("JOB a\u00a0x\n").startswith("wf.dag:1: expected JOB name")


@pytest.mark.parametrize("number", ["\u00a03", "\u20033", "\u0663", "\x1c3"])
def test_a_number_has_only_blanks_of_ascii_before_its_digits(complaint, number):
    assert complaint(f"JOB a x\nPRIORITY a {number}\n").startswith(
        "wf.dag:2: expected PRIORITY name integer, got "
    )


# Continued lines


@pytest.mark.parametrize("before", ["\\\n", " \\ \n", "\\\n\\\n", "\\\n\n", "\\\n# why\n"])
def test_a_backslash_alone_on_a_line_adds_nothing_to_what_follows(read, before):
    lines = ["JOB a {\n x = 1\n}", "SUBMIT-DESCRIPTION s {\n y = 2\n}", "JOB b s", "JOB c @=T\n@T"]

    workflow = read("".join(f"{before}{line}\n" for line in lines))

    assert [job.has_description for job in workflow.jobs()] == [True, True, True]
    assert [job.node.text.raw for job in workflow.jobs()] == [
        "JOB a {\n x = 1\n}",
        "JOB b s",
        "JOB c @=T\n@T",
    ]


def test_a_description_after_a_backslash_alone_is_not_lost(read):
    """In a file of all jobs, and in a file of clusters, where a cluster of one is the job."""
    workflow = read(
        "\\\nJOB a {\n executable = x\n}\n\\\nSUBMIT-DESCRIPTION s {\n y = 2\n}\nJOB b s\n"
    )

    flat = "\n".join(flattened(workflow))
    write_clustered(workflow, [[0], [1]], "out.dag")

    for text in [flat, Path("out.dag").read_text()]:
        assert "{\n executable = x\n}\n" in text
        assert "SUBMIT-DESCRIPTION s {\n y = 2\n}\n" in text


def test_an_error_after_a_backslash_alone_is_on_the_line_of_the_command(complaint):
    assert complaint("\\\n\\\nJOB a\n").startswith("wf.dag:3: expected JOB name")


@pytest.mark.parametrize(
    "text",
    [
        "PARENT a \\\nCHILD b",
        "PARENT a \\\n   CHILD \\\n\tb\n",
        "PARENT \\\n a CHILD b",
        "PARENT a\t\\\nCHILD b",
        "PARENT a \\ \t\nCHILD b",
        "PARENT a \\\n\\\nCHILD b",
        "PARENT a \\\n# JOB z z\nCHILD b",
        "PARENT a \\\n  // not yet \\\nCHILD b",
        "PARENT a \\\n\nCHILD b",
        "PARENT a \\\n# one\n\n# two\n\nCHILD b",
        "PARENT a CHILD b \\\n\nJOB c x",
        "PARENT a CHILD b \\\n\n# why\nJOB c x",
        "WEAK PARENT a \\\n# JOB z z\nCHILD b",
        "WEAK PARENT a CHILD b \\\n\nJOB c x",
        "\\\nPARENT a CHILD b",
    ],
)
def test_a_backslash_continues_a_line_over_comments_and_blank_lines(read, text):
    """After a blank line, however, a command begins anew."""
    workflow = read(f"JOB a x\nJOB b x\n{text}")

    assert workflow.dag.to_mapping()["b"] == ["a"]
    assert workflow.names == (("a", "b", "c") if "JOB c" in text else ("a", "b"))


def test_without_a_blank_line_a_command_goes_on_the_line_before(complaint):
    assert complaint("JOB a x\nPARENT a CHILD a \\\nJOB b x\n") == "wf.dag:2: unknown job JOB"


def test_a_backslash_inside_a_line_is_part_of_its_word(read):
    assert read("JOB a\\b x\\y\n").names == ("a\\b",)


@pytest.mark.parametrize("text", ["JOB a x\\\nDONE", "JOB a x\\\n DONE", "JOB a {\n}\nDONE a\\\n"])
def test_a_backslash_needs_a_blank_before_it(complaint, text):
    line = 1 + text.startswith("JOB a {") * 2

    assert complaint(text) == f"wf.dag:{line}: {GLUED}"


@pytest.mark.parametrize("end", ["\\", "\\\n", "\\\n\n", "\\\n# comment\n \\\n", " \\\r\n"])
def test_a_continued_line_must_go_on(complaint, end):
    assert complaint(f"JOB a x\nPARENT a CHILD {end}") == f"wf.dag:2: {UNENDED}"


@pytest.mark.parametrize(
    "text",
    [
        "PARENT \\\n# comment\na \\\nCHILD b\n",
        "WEAK PARENT \\\n\na \\\nCHILD b\n",
        "PRIORITY \\\n b 3\n",
        "RETRY \\\n b 3\n",
    ],
)
def test_the_line_of_a_continued_command_is_its_first(complaint, text):
    assert complaint(f"JOB a x\n\n{text}") == "wf.dag:3: unknown job b"


# Bytes


def test_comments_values_and_files_may_be_in_any_encoding(read):
    text = b'# caf\xe9\nJOB a caf\xe9.sub DIR caf\xe9\nVARS a k="caf\xe9"\nCONFIG caf\xe9\n'

    workflow = read(text + b"SCRIPT POST a caf\xe9\nCATEGORY a caf\xe9\n")

    assert workflow.names == ("a",)
    assert next(workflow.jobs()).node.submit.encode(errors="surrogateescape") == b"caf\xe9.sub"


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"JOB caf\xe9 x\n", 1),
        (b"JOB a x\n\nJOB caf\xe9 x\nJOB \xff x\n", 3),
        (b"# caf\xe9\nJOB caf\xe9 x\n", 2),
        (b'JOB a caf\xe9\nVARS a k="caf\xe9"\nPARENT a CHILD \\\n caf\xe9\n', 3),
        (b"JOB a x\nPARENT a CHILD a\n\nPRIORITY caf\xe9 3\nPARENT caf\xe9 CHILD a\n", 4),
    ],
)
def test_a_name_that_is_no_utf_8_is_refused_with_its_line(complaint, data, line):
    assert complaint(data) == f"wf.dag:{line}: expected a job name in UTF-8, got {LATIN_1!r}"


@pytest.mark.parametrize("char", [b"\xe9", b"\x01", b"\x7f", b"\x1b"])
def test_a_name_that_cannot_be_printed_is_refused(complaint, char):
    got = char.decode(errors="surrogateescape")

    assert complaint(b"\nJOB a" + char + b" x DONE NOOP\n") == (
        f"wf.dag:2: expected a job name in printable UTF-8, got {'a' + got!r}"
    )


def test_a_nul_byte_is_refused_with_its_line(complaint):
    assert complaint(b"JOB a x\n\n# \0\n") == "wf.dag:3: expected text, got a NUL byte"


def test_a_byte_order_mark_is_refused(complaint):
    assert complaint("\ufeffJOB a x\n") == (
        "wf.dag:1: expected a command, got a byte order mark, which DAGMan does not take"
    )


def test_utf_16_is_refused(complaint):
    assert complaint("JOB a x\n".encode("utf-16")) == "wf.dag:1: expected text, got a NUL byte"


def test_what_is_no_readable_file_is_named(folder):
    for path, problem in [("no.dag", "no such file or directory"), (folder, "is a directory")]:
        with pytest.raises(FormatError) as caught:
            read_submission(path)
        assert str(caught.value) == f"{path}: {problem}"
        assert caught.value.line is None
