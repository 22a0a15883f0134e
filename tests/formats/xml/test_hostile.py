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
from icsched.formats.dax.markup import DEEPEST, LONGEST_TOKEN, MOST_ATTRIBUTES
from icsched.formats.port import Writing
from icsched.workflow import Command, OwnSource
from tests.formats.xml.cases import DAX, dax

BOUNDED = """\
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import icsched
try:
    print(len(icsched.read(sys.argv[1]).dag))
except icsched.FormatError as error:
    print(str(error)[:200])
"""


TOLD = Workflow(
    Dag({"a": [], "b": ["a"], "c": ["a", "b"]}),
    [False] * 3,
    run_times=[1.5, 2, 0],
    sizes=[3, 4, 5],
    priorities=[1, 2, 3],
    source=OwnSource([Command(("/bin/echo", "x y"), stdout="out"), None, Command(("sort",))]),
)
PIECES = [b"<", b">", b"/>", b'"', b"&", b"&#0;", b"<![CDATA[", b"<!--", b"-->", b"\xff", b"<x/>"]


def bounded() -> str:
    done = subprocess.run(
        [sys.executable, "-c", BOUNDED, "wf.xml"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    return done.stdout.strip()


def complaint() -> str:
    with pytest.raises(FormatError) as caught:
        icsched.read("wf.xml")
    return str(caught.value)


LAUGHS = "".join(
    f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">\n' if number else '<!ENTITY l0 "lol">\n'
    for number in range(10)
)


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
def test_a_file_that_declares_entities_is_refused(entities, put):
    put({"wf.xml": f"<!DOCTYPE x [{entities}]>\n{dax(['a'], [])}"})

    assert "expected no entity declarations, got entity " in complaint()


def test_an_external_dtd_is_never_fetched_and_its_entities_are_unknown(put):
    doctype = '<!DOCTYPE x SYSTEM "file:///no/such.dtd">\n'
    text = dax(["a"], [])
    put({"wf.xml": doctype + text, "ref.xml": doctype + text.replace("\n", "&secret;\n", 1)})

    assert icsched.read("wf.xml").names == ("a",)
    with pytest.raises(FormatError, match=r"^ref.xml:2: expected a known entity, got 'secret'$"):
        icsched.read("ref.xml")


def test_defaults_of_a_dtd_add_no_attributes(put):
    """An internal DTD could otherwise give each of many elements a long attribute."""
    dtd = '<!DOCTYPE adag [<!ATTLIST job runtime CDATA "7">]>\n'
    put({"wf.xml": dtd + dax(["a", "b"], [])})

    assert icsched.read("wf.xml").names == ("a", "b")
    assert icsched.read("wf.xml").run_times is None


def test_many_nested_elements_are_refused(put):
    put({"wf.xml": "<adag>" + "<x>" * 10**5})

    assert bounded() == f"wf.xml:1: expected at most {DEEPEST} elements inside each other, got more"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<adag x='" + "y" * (40 << 20), "tags and comments of less than"),
        ("<adag><!-- " + "y" * (40 << 20), "tags and comments of less than"),
        (
            "<adag " + " ".join(f"x{i}=''" for i in range(MOST_ATTRIBUTES + 1)) + "/>",
            "expected at most 1,000 attributes of an element, got more",
        ),
        ("<adag>" + "y" * (40 << 20), "got no element found"),
    ],
    ids=["attribute", "comment", "attributes", "text"],
)
def test_a_huge_part_costs_bounded_time_and_memory(text, expected, put):
    assert LONGEST_TOKEN < 40 << 20
    put({"wf.xml": text})

    assert expected in bounded()


def test_many_kinds_of_unknown_elements_cost_little_and_are_told_together(put):
    strange = "".join(f"<x{number}/>\n" for number in range(10**5))
    put({"wf.xml": f"<adag>{strange}</adag>"})

    assert bounded() == "0"
    remarks = icsched.read("wf.xml").remarks
    assert (remarks[0].text, remarks[0].line) == ("icsched does not use <x0> elements", 1)
    assert remarks[-1].text == "icsched does not use 99990 other kinds of elements"
    assert sum(remark.count for remark in remarks) == 10**5


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ":1: expected well-formed XML, got no element found in column 1"),
        (b"<html/>", ":1: expected <adag>, got <html>"),
        (b"<adag>\n<x>\n</adag>", ":3: expected well-formed XML, got mismatched tag"),
        (b"<adag>\n<q:x/></adag>", ":2: expected well-formed XML, got unbound prefix"),
        (b"<adag>\n\xe9</adag>", ":2: expected UTF-8 text, got byte 0xe9"),
        (b"<adag>\0</adag>", ":1: expected text, got a NUL byte"),
        (b"<?xml version='1.0' encoding='koi8-r'?>\n<x/>", "got encoding 'koi8-r'"),
        (b"<?xml version='1.0' encoding='utf-16'?>\n<x/>", "got encoding 'utf-16'"),
        (b"\xff\xfe<\0x\0>\0\0", ": expected utf-16-le text: truncated data"),
    ],
)
def test_what_is_not_such_a_file_is_one_line(data, expected, put):
    put({"wf.xml": data})

    said = complaint()

    assert expected in said
    assert "\n" not in said


@settings(max_examples=60)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_and_an_order_for_it_can_be_read(data):
    """Whatever bytes are changed, the only error is a FormatError; an order written is kept."""
    whole = DAX.text(TOLD).encode()
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(damaged)))
        stop = start + data.draw(st.integers(0, 20))
        damaged[start:stop] = data.draw(st.binary(max_size=2) | st.sampled_from(PIECES))
    with TemporaryDirectory() as folder:
        path = Path(folder, "wf.xml")
        path.write_bytes(damaged)
        try:
            workflow = icsched.read(path)
        except FormatError:
            return
        order = workflow.dag.fifo_order.tolist()
        (change,) = DAX.changes(workflow, order, Writing())
        path.write_bytes(change.new)
        again = icsched.read(path)

    ranks = {task: len(order) - place for place, task in enumerate(order)}
    assert again.dag == workflow.dag
    found = [] if again.priorities is None else again.priorities.tolist()
    assert found == [ranks[task] for task in range(len(order))]


# Tasks and arcs


def test_ids_that_differ_only_in_case_are_different_tasks(put):
    put({"wf.xml": dax(["a", "A"], [("a", "A")])})

    assert icsched.read("wf.xml").to_dict()["arcs"] == [["a", "A"]]


@pytest.mark.parametrize(
    ("tasks", "arcs", "expected"),
    [
        (["a", "b", "a"], [], r"^wf.xml:\d: job 'a' is in line \d already$"),
        (["a", ""], [], r"^wf.xml:\d: expected an id of the job, got none$"),
        (["a"], [("a", "z")], r"^wf.xml:\d: expected a task of the file, got 'z'$"),
        (["a", "b"], [("a", "b"), ("b", "a")], r"^wf.xml:\d: dependency cycle: a -> b -> a$"),
        (["a"], [("a", "a")], r"^wf.xml:\d: dependency cycle: a -> a$"),
    ],
    ids=["twice", "no id", "unknown", "cycle", "loop"],
)
def test_wrong_tasks_and_arcs_are_one_line(tasks, arcs, expected, put):
    put({"wf.xml": dax(tasks, arcs)})

    with pytest.raises(FormatError, match=expected):
        icsched.read("wf.xml")


def test_an_arc_that_is_said_twice_counts_once(put):
    put({"wf.xml": dax(["a", "b"], [("a", "b"), ("a", "b")])})

    assert icsched.read("wf.xml").dag.arc_count == 1


def test_elements_of_other_namespaces_are_passed_over_and_told(put):
    text = dax(["a"], [])
    inside = '<q:job id="b"/><q:node id="b"/>'
    text = text.replace("<adag>", f'<adag xmlns:q="urn:q">{inside}', 1)
    put({"wf.xml": text})

    workflow = icsched.read("wf.xml")

    assert workflow.names == ("a",)
    assert [remark.text for remark in workflow.remarks] == [
        "icsched does not use <job> elements",
        "icsched does not use <node> elements",
    ]
