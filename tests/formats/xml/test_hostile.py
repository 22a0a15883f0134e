"""Files that are wrong, or made to harm: one line each, in bounded time and memory."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import icsched
from icsched import Dag, FormatError, Workflow
from icsched.commands import Command
from icsched.formats import FORMATS
from icsched.formats.markup import DEEPEST, LONGEST_TOKEN, MOST_ATTRIBUTES
from tests.formats.xml.cases import FILES, NAMES, ROOTS, read

BOUNDED = """\
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import icsched
try:
    print(len(icsched.read(sys.argv[1], format=sys.argv[2]).whole))
except icsched.FormatError as error:
    print(str(error)[:200])
"""


TOLD = Workflow(
    Dag({"a": [], "b": ["a"], "c": ["a", "b"]}),
    [False] * 3,
    run_times=[1.5, 2, 0],
    sizes=[3, 4, 5],
    priorities=[1, 2, 3],
    find_commands=lambda: [Command(("/bin/echo", "x y"), stdout="out"), None, Command(("sort",))],
)
PIECES = [b"<", b">", b"/>", b'"', b"&", b"&#0;", b"<![CDATA[", b"<!--", b"-->", b"\xff", b"<x/>"]


def bounded(name: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", BOUNDED, "wf.xml", name],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    return done.stdout.strip()


def complaint(name: str) -> str:
    with pytest.raises(FormatError) as caught:
        icsched.read("wf.xml", format=name)
    return str(caught.value)


LAUGHS = "".join(
    f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">\n' if number else '<!ENTITY l0 "lol">\n'
    for number in range(10)
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "entities",
    [
        LAUGHS,
        f'<!ENTITY big "{"x" * 100_000}">',
        '<!ENTITY x SYSTEM "file:///etc/passwd">',
        '<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;',
        "<!ENTITY % x 'y'>",
    ],
    ids=["billion laughs", "quadratic", "external", "parameter", "parameter text"],
)
def test_a_file_that_declares_entities_is_refused(name, entities, put):
    put({"wf.xml": f"<!DOCTYPE x [{entities}]>\n{FILES[name](['a'], [])}"})

    assert "expected no entity declarations, got entity " in complaint(name)


@pytest.mark.parametrize("name", NAMES)
def test_an_external_dtd_is_never_fetched_and_its_entities_are_unknown(name, put):
    doctype = '<!DOCTYPE x SYSTEM "file:///no/such.dtd">\n'
    text = FILES[name](["a"], [])
    put({"wf.xml": doctype + text, "ref.xml": doctype + text.replace("\n", "&secret;\n", 1)})

    assert read(name, "wf.xml").names == ("a",)
    with pytest.raises(FormatError, match=r"^ref.xml:2: expected a known entity, got 'secret'$"):
        read(name, "ref.xml")


@pytest.mark.parametrize("name", NAMES)
def test_defaults_of_a_dtd_add_no_attributes(name, put):
    """An internal DTD could otherwise give each of many elements a long attribute."""
    root = ROOTS[name]
    dtd = f'<!DOCTYPE {root} [<!ATTLIST job runtime CDATA "7"><!ATTLIST node id CDATA "7">]>\n'
    put({"wf.xml": dtd + FILES[name](["a", "b"], [])})

    assert read(name, "wf.xml").names == ("a", "b")
    assert read(name, "wf.xml").run_times is None


@pytest.mark.parametrize("name", NAMES)
def test_many_nested_elements_are_refused(name, put):
    put({"wf.xml": f"<{ROOTS[name]}>" + "<x>" * 10**5})

    assert (
        bounded(name)
        == f"wf.xml:1: expected at most {DEEPEST} elements inside each other, got more"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<graphml x='" + "y" * (40 << 20), "tags and comments of less than"),
        ("<graphml><!-- " + "y" * (40 << 20), "tags and comments of less than"),
        (
            "<graphml " + " ".join(f"x{i}=''" for i in range(MOST_ATTRIBUTES + 1)) + "/>",
            "expected at most 1,000 attributes of an element, got more",
        ),
        ("<graphml>" + "y" * (40 << 20), "got no element found"),
    ],
    ids=["attribute", "comment", "attributes", "text"],
)
def test_a_huge_part_costs_bounded_time_and_memory(text, expected, put):
    assert LONGEST_TOKEN < 40 << 20
    put({"wf.xml": text})

    assert expected in bounded("graphml")


def test_many_kinds_of_unknown_elements_cost_little_and_are_told_together(put):
    strange = "".join(f"<x{number}/>\n" for number in range(10**5))
    put({"wf.xml": f"<adag>{strange}</adag>"})

    assert bounded("dax") == "0"
    remarks = read("dax", "wf.xml").remarks
    assert (remarks[0].text, remarks[0].line) == ("icsched does not use <x0> elements", 1)
    assert remarks[-1].text == "icsched does not use 99990 other kinds of elements"
    assert sum(remark.count for remark in remarks) == 10**5


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ":1: expected well-formed XML, got no element found in column 1"),
        (b"<html/>", ":1: expected <{root}>, got <html>"),
        (b"<{root}>\n<x>\n</{root}>", ":3: expected well-formed XML, got mismatched tag"),
        (b"<{root}>\n<q:x/></{root}>", ":2: expected well-formed XML, got unbound prefix"),
        (b"<{root}>\n\xe9</{root}>", ":2: expected UTF-8 text, got byte 0xe9"),
        (b"<{root}>\0</{root}>", ":1: expected text, got a NUL byte"),
        (b"<?xml version='1.0' encoding='koi8-r'?>\n<x/>", "got encoding 'koi8-r'"),
        (b"<?xml version='1.0' encoding='utf-16'?>\n<x/>", "got encoding 'utf-16'"),
        (b"\xff\xfe<\0x\0>\0\0", ": expected utf-16-le text: truncated data"),
    ],
)
def test_what_is_not_such_a_file_is_one_line(name, data, expected, put):
    root = ROOTS[name]
    put({"wf.xml": data.replace(b"{root}", root.encode())})

    said = complaint(name)

    assert expected.replace("{root}", root) in said
    assert "\n" not in said


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_and_an_order_for_it_can_be_read(name, data):
    """Whatever bytes are changed, the only error is a FormatError; an order written is kept."""
    whole = FORMATS.find(name).text(TOLD).encode()
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(damaged)))
        stop = start + data.draw(st.integers(0, 20))
        damaged[start:stop] = data.draw(st.binary(max_size=2) | st.sampled_from(PIECES))
    with TemporaryDirectory() as folder:
        path = Path(folder, "wf.xml")
        path.write_bytes(damaged)
        try:
            workflow = icsched.read(path, format=name)
        except FormatError:
            return
        order = workflow.dag.fifo_order.tolist()
        (change,) = FORMATS.find(name).changes(workflow, order)
        path.write_bytes(change.new)
        again = icsched.read(path, format=name)

    ranks = {task: len(order) - place for place, task in enumerate(order)}
    assert again.whole == workflow.whole
    found = [] if again.priorities is None else again.priorities.tolist()
    assert found == [ranks[task] for task in range(len(order))]


# Tasks and arcs


@pytest.mark.parametrize("name", NAMES)
def test_ids_that_differ_only_in_case_are_different_tasks(name, put):
    put({"wf.xml": FILES[name](["a", "A"], [("a", "A")])})

    assert read(name, "wf.xml").to_dict()["arcs"] == [["a", "A"]]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("tasks", "arcs", "expected"),
    [
        (["a", "b", "a"], [], r"^wf.xml:\d: (job|node) 'a' is in line \d already$"),
        (["a", ""], [], r"^wf.xml:\d: expected an id of the (job|node), got none$"),
        (["a"], [("a", "z")], r"^wf.xml:\d: expected a task of the file, got 'z'$"),
        (["a", "b"], [("a", "b"), ("b", "a")], r"^wf.xml:\d: dependency cycle: a -> b -> a$"),
        (["a"], [("a", "a")], r"^wf.xml:\d: dependency cycle: a -> a$"),
    ],
    ids=["twice", "no id", "unknown", "cycle", "loop"],
)
def test_wrong_tasks_and_arcs_are_one_line(name, tasks, arcs, expected, put):
    put({"wf.xml": FILES[name](tasks, arcs)})

    with pytest.raises(FormatError, match=expected):
        icsched.read("wf.xml", format=name)


@pytest.mark.parametrize("name", NAMES)
def test_an_arc_that_is_said_twice_counts_once(name, put):
    put({"wf.xml": FILES[name](["a", "b"], [("a", "b"), ("a", "b")])})

    assert read(name, "wf.xml").whole.arc_count == 1


@pytest.mark.parametrize("name", NAMES)
def test_elements_of_other_namespaces_are_passed_over_and_told(name, put):
    root = ROOTS[name]
    text = FILES[name](["a"], [])
    inside = '<q:job id="b"/><q:node id="b"/>'
    text = text.replace(f"<{root}>", f'<{root} xmlns:q="urn:q">{inside}', 1)
    put({"wf.xml": text})

    workflow = read(name, "wf.xml")

    assert workflow.names == ("a",)
    assert [remark.text for remark in workflow.remarks] == [
        "icsched does not use <job> elements",
        "icsched does not use <node> elements",
    ]
