"""The C++ scanner of DAGMan files does what its plain twin does, on any bytes."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from icsched._native import scan_dagman
from tests.formats import scan_twin as twin

# Words that mean something somewhere, or nearly do.
SPECIAL = rb"""
    a b c job.1 A+B x.sub x.condor.sub PARENT CHILD child all_nodes DIR NOOP DONE done
    3 -3 +12 255 256 123456789 1234567890 UNLESS-EXIT unless_exit RETURN PRE post HOLD DEFER
    EXTERNAL PREPEND "x" "{" "" "y z" k="\"" k="\\" k="\a" k= = 0 DEFER
    x="1" +y="b" Queue="2" x=1 =x _.9="" 9="" { } {x }x @= @=T @T @TT @ \ x\ " ' # // #x /
"""
WORDS = [*SPECIAL.split(), b"\xc3\xa9", b"\xff", b"\x00", b"\x7f", b'v="a b"', b'w="c\td"', b""]
PLAIN = [
    b"JOB a x.sub",
    b"JOB b x DIR d NOOP DONE",
    b'JOB b "x y" DIR "d e" DONE',
    b"SUBDAG EXTERNAL b in.dag DIR d NOOP DONE",
    b"JOB c {",
    b"JOB c @=T",
    b"}",
    b"FINAL z @=T",
    b"@T",
    b"PARENT a b CHILD c d",
    b'VARS a x="1" +y="2  3"',
    b'VARS a PREPEND x = "say \\"so\\" \\\\" y=1',
    b"SAVE_POINT_FILE a f",
    b'SAVE_POINT_FILE a "f g"',
    b"SCRIPT DEFER 1 60 POST a check",
    b"RETRY a 3 UNLESS-EXIT -2",
    b"PRIORITY b +3",
    b"SCRIPT PRE a check =x",
    b"SCRIPT POST b check",
    b"CATEGORY a big",
    b"ABORT-DAG-ON a 3 RETURN 4",
    b"PRE_SKIP a 4",
    b"DONE a",
]
GAPS = st.sampled_from(
    [b" "] * 6 + [b"\t", b"  ", b" \\\n", b" \\\r\n ", b" \\\n# c\n", b"\r", b""]
)
ENDS = st.sampled_from(
    [b"\n"] * 8 + [b"\r\n", b" \\\n", b" \\\n\n", b"\\\n", b"\n\n", b"\v\n", b""]
)
CASES = st.sampled_from([bytes.upper, bytes.lower, bytes.swapcase])


@st.composite
def statements(draw: st.DrawFn) -> bytes:
    """A plain statement, or one with a word too many, too few or out of place."""
    words = draw(st.sampled_from(PLAIN) | st.sampled_from(sorted(twin.COMMANDS))).split(b" ")
    words[0] = draw(CASES)(words[0])
    for word in draw(st.lists(st.sampled_from(WORDS), max_size=2)):
        at = draw(st.integers(0, len(words)))
        words[at : at + draw(st.integers(0, 1))] = [word]
    return b"".join(part for word in words for part in (word, draw(GAPS)))


files = st.lists(st.tuples(statements(), ENDS).map(b"".join), max_size=8).map(b"".join)
soups = st.lists(st.sampled_from([*WORDS, *PLAIN]) | GAPS | ENDS, max_size=30).map(b"".join)


def agree(data: bytes) -> twin.Scan:
    expected, scan = twin.scan(data), scan_dagman(data)
    for field in ("kind", "line", "begin", "end", "name", "value"):
        assert getattr(scan, field).tolist() == getattr(expected, field), field
    for field in ("first_parent", "first_child", "refs"):
        assert getattr(scan, field).tolist() == getattr(expected, field), field
    assert scan.names == b"\n".join(expected.names)
    assert scan.name_count == len(expected.names)
    return expected


@given(files)
@settings(max_examples=1000)
def test_kernel_and_twin_agree_on_files(data):
    agree(data)


@given(soups | st.binary())
@settings(max_examples=1000)
@example(b"")
@example(b"\\\n\nJOB a b")
def test_kernel_and_twin_agree_on_any_bytes(data):
    agree(data)


@given(st.lists(st.integers(0, 200), min_size=1, max_size=200), st.integers(1, 199))
@settings(max_examples=30)
def test_kernel_and_twin_number_long_lists_alike(numbers, child):
    names = [b"%d" % number + b"x" * (number % 40) for number in numbers]
    names.insert(child, b"CHILD")
    agree(b"PARENT " + b" ".join(names) + b" z\nDONE 7\n")


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (b"JOB a x.sub", twin.JOB, 0),
        (b"job a x dir d noop done", twin.JOB, twin.HAS_DIR + twin.NOOP + twin.IS_DONE),
        (b"PARENT a CHILD b", twin.PARENT, 0),
        (b"DONE a", twin.DONE, 0),
        (b"PRIORITY a -7", twin.PRIORITY, -7),
        (b"RETRY a 3 UNLESS-EXIT 2", twin.RETRY, 0),
        (b'VARS a x="1" +y="2 3"', twin.VARS, 0),
        (b"SCRIPT PRE a check $JOB", twin.PRE, 0),
        (b"SCRIPT HOLD a check", twin.SCRIPT, 0),
        (b"CATEGORY a big", twin.CATEGORY, 0),
        (b"abort-dag-on a 1 RETURN 0", twin.ABORT, 0),
        (b"PRE_SKIP a 1", twin.PRE_SKIP, 0),
        (b'JOB a "x y" DIR "d e" NOOP', twin.JOB, twin.HAS_DIR + twin.NOOP),
        (b"JOB a {\n x = y\n}", twin.JOB, twin.IS_INLINE),
        (b"JOB a @=T\n}\n@T", twin.JOB, twin.IS_INLINE),
        (b"SUBDAG external a in.dag", twin.JOB, twin.IS_SUBDAG),
        (b'SUBDAG EXTERNAL a "in 1.dag" DIR d DONE', twin.JOB, 8 + twin.HAS_DIR + twin.IS_DONE),
        (b"SAVE_POINT_FILE a", twin.SAVE_POINT, 0),
        (b'SAVE-POINT-FILE a "f g"', twin.SAVE_POINT, 0),
        (b'VARS a x="say \\"so\\"" y="\\\\"', twin.VARS, 0),
        (b'VARS a APPEND x = "1" y= "2"', twin.VARS, 0),
        (b"VARS a x=1 y=two", twin.VARS, 0),
        (b"SCRIPT DEFER 1 60 POST a check", twin.SCRIPT, 0),
        (b"SCRIPT defer 1 0 pre a check", twin.PRE, 0),
    ],
)
def test_plain_statements_have_a_kind_of_their_own(text, kind, value):
    scan = agree(text)

    assert (scan.kind, scan.value) == ([kind], [value])
    assert scan.names[0] == b"a"


@pytest.mark.parametrize(
    "text",
    [
        b"JOB a+b x.sub",
        b"JOB a x.condor.sub",
        b"JOB a x DONE NOOP",
        b"JOB Child x.sub",
        b"JOB a @x",
        b"JOB a x.sub DIR",
        b"JOB a {\n} DONE",
        b"JOB a {x\n}",
        b"JOB a {xy\n}",
        b"JOB a { x\n}",
        b"JOB a+b {\n}",
        b"JOB child {\n}",
        b"JOB a @==\n@=",
        b"FINAL a {\n}",
        b"JOB a 'x'",
        b'JOB a ""',
        b'JOB a "x"y',
        b'JOB a "x',
        b'JOB a "{"',
        b'JOB a "x\\" y"',
        b'JOB a "x.condor.sub"',
        b"JOB a x DIR 'd'",
        b'JOB "a b" x',
        b"SUBDAG a in.dag",
        b"SUBDAG INLINE a in.dag",
        b"SUBDAG EXTERNAL a+b in.dag",
        b"SUBDAG EXTERNAL a {",
        b"SAVE_POINT_FILE all_nodes",
        b"SAVE_POINT_FILE a f g",
        b"PARENT a b",
        b"PARENT CHILD b",
        b"PARENT a CHILD",
        b"PARENT a CHILD b CHILD c",
        b"DONE a b",
        b"DONE all_nodes",
        b"PRIORITY a 1234567890",
        b"RETRY a -1",
        b"RETRY a 1234567890",
        b"VARS a",
        b"VARS a x=",
        b"VARS a x=y=z",
        b"VARS a x='1'",
        b"VARS a PREPEND",
        b'VARS a PREPEND="1" y',
        b'VARS a prepend x="1"',
        b'VARS a .x="1"',
        b'VARS a x="1"y="2"',
        b'VARS a x="\\a"',
        b'VARS a x="\\"',
        b'VARS a x="1"2',
        b'VARS a  queue="1"',
        b'VARS a x="1" +QueueSize="1"',
        b"SCRIPT DEFER 0 2 PRE a check",
        b"SCRIPT DEFER 1 PRE a check",
        b"SCRIPT DEFER 1 2 PRE a",
        b"SCRIPT DEFER 1 2 PRE all_nodes x",
        b"SCRIPT DEBUG f ALL PRE a check",
        b"SCRIPT PRE a =x",
        b"ABORT_DAG_ON a 1 RETURN 256",
        b"PRE_SKIP a 256",
        b"SPLICE a b.dag",
        b"no such command",
    ],
)
def test_other_statements_are_left_to_the_reader_and_give_no_names(text):
    scan = agree(text)

    assert (scan.kind, scan.name, scan.names) == ([twin.OTHER], [-1], [])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"JOB a x\\\nDONE", twin.GLUED),
        (b"JOB a \\", twin.UNENDED),
        (b"\\", twin.UNENDED),
        (b"\\\n\\\n#\n", twin.UNENDED),
        (b"JOB a \\\n# comment\n\n", twin.UNENDED),
        (b"JOB a {\n", twin.UNCLOSED),
        (b"FINAL a @=END\n@ENDING", twin.UNCLOSED),
        (b"SUBMIT-DESCRIPTION a @=\n@\n", twin.UNCLOSED),
    ],
)
def test_a_broken_statement_says_why_and_is_the_last(text, problem):
    scan = agree(b"JOB first x\n" + text + b"\nJOB last x" * (problem == twin.GLUED))

    assert (scan.kind, scan.value) == ([twin.JOB, twin.BROKEN], [0, problem])


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (b"PARENT a \\\n CHILD \\\n\n b", [twin.PARENT]),
        (b"PARENT a CHILD b \\\n# JOB\nJOB c", [twin.PARENT]),
        (b"PARENT a CHILD b \\\n\nJOB c x", [twin.PARENT, twin.JOB]),
        (b"\\\n\nJOB c x", [twin.JOB]),
        (b'\\\nVARS a x="1 \\\n2" \\\n\nJOB c x', [twin.VARS, twin.JOB]),
        (b'VARS a x="1"\t\\\n\nJOB c x', [twin.VARS, twin.JOB]),
        (b"JOB a {\nJOB b x\n}\nJOB c x", [twin.JOB, twin.JOB]),
        (b"JOB a @=T\n@TT\n@T\tx\nJOB c x", [twin.OTHER, twin.JOB]),
        (b"\\\n\\\n# why\nJOB a {\n}\nDONE a", [twin.JOB, twin.DONE]),
        (b"\\\nSUBMIT-DESCRIPTION a {\n}", [twin.OTHER]),
    ],
)
def test_statements_end_where_nothing_continues_them(text, kinds):
    assert agree(text).kind == kinds


def test_a_statement_begins_after_lines_of_a_backslash_alone():
    scan = agree(b"JOB a x\n \\\n\n\\\n# why\n  JOB b {\n}")

    assert (scan.line, scan.begin) == ([1, 6], [0, 22])


def test_a_file_of_2_gib_is_refused():
    with pytest.raises(ValueError, match="2 GiB"):
        scan_dagman(bytes(2**31))
