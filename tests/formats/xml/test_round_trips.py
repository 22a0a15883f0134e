"""What is written is read again, and an order changes only priorities."""

import xml.etree.ElementTree as ET
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import icsched
from icsched import Dag, FormatError, Workflow, prioritize
from icsched.formats import FORMATS
from tests.formats.xml.cases import FILES, NAMES, XML_TEXT, facts, read, workflows
from tests.strategies import dags_with_orders

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "iso-8859-1")
ANY_NAME = XML_TEXT.filter(lambda text: text != "")
DAX_NAME = st.from_regex(r"[A-Za-z0-9_-]{1,6}", fullmatch=True)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(data=st.data())
def test_a_workflow_is_read_as_it_was_written(name, data):
    workflow = data.draw(workflows(DAX_NAME if name == "dax" else ANY_NAME))
    entry = FORMATS.find(name)
    text = entry.text(workflow, title="a <title> & more")
    with TemporaryDirectory() as folder:
        path = Path(folder, "wf.xml")
        path.write_text(text, encoding="utf-8", newline="")
        again = read(name, str(path))

    assert facts(again, entry.keeps) == facts(workflow, entry.keeps)
    assert again.remarks == ()
    assert again.format == name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=15)
@given(case=dags_with_orders(most_tasks=5))
def test_an_order_is_read_back_and_the_second_time_nothing_changes(name, encoding, case):
    dag, order = case
    tasks = [f"t{task}" for task in range(len(dag))]
    text = FILES[name](tasks, [(tasks[a], tasks[b]) for a, b in dag.arcs.tolist()])
    declared = "" if encoding == "utf-8-sig" else f'<?xml version="1.0" encoding="{encoding}"?>\n'
    with TemporaryDirectory() as folder:
        path = Path(folder, "wf.xml")
        path.write_bytes(f"{declared}<!-- naïve -->\n{text}".encode(encoding))
        workflow = read(name, str(path))
        (change,) = FORMATS.find(name).changes(workflow, order)
        path.write_bytes(change.new)
        again = read(name, str(path))
        (second,) = FORMATS.find(name).changes(again, order)

    assert again.whole == workflow.whole
    ranks = {task: len(order) - place for place, task in enumerate(order)}
    found = [] if again.priorities is None else again.priorities.tolist()
    assert found == [ranks[task] for task in range(len(dag))]
    assert second.is_none
    assert change.new.decode(encoding).startswith(f"{declared}<!-- naïve -->\n")


@pytest.mark.parametrize("name", NAMES)
def test_another_order_changes_only_the_numbers(name, put):
    put({"wf.xml": FILES[name](["a", "b"], [])})
    first, second = (
        prioritize(Dag({"a": [], "b": []}), order) for order in (["a", "b"], ["b", "a"])
    )
    icsched.write("wf.xml", first, format=name)
    before = Path("wf.xml").read_text()

    assert icsched.write("wf.xml", second, format=name) == ["wf.xml"]

    after = Path("wf.xml").read_text()
    changed = [(x, y) for x, y in zip(before, after, strict=True) if x != y]
    assert changed == [("2", "1"), ("1", "2")]
    assert ET.fromstring(after) is not None  # noqa: S314  our own text


@pytest.mark.parametrize("name", NAMES)
def test_prefixes_of_names_are_kept(name, put):
    """A file may give every element a prefix; new elements get the same."""
    text = FILES[name](["a", "b"], [("a", "b")]).replace("</", "</p:")
    text = text.replace("<", "<p:").replace("<p:/p:", "</p:")
    root = text[3 : text.index(">")]
    put({"wf.xml": text.replace(f"<p:{root}>", f'<p:{root} xmlns:p="urn:x">', 1)})
    plan = prioritize(read(name, "wf.xml").dag, "fifo")

    assert icsched.write("wf.xml", plan, format=name) == ["wf.xml"]
    assert read(name, "wf.xml").priorities.tolist() == [2, 1]
    assert icsched.write("wf.xml", plan, format=name) == []


@pytest.mark.parametrize("name", ["graphml", "gexf"])
@pytest.mark.parametrize("strange", ["", "bell\a", "\ud800"])
def test_a_name_that_xml_cannot_hold_is_one_line(name, strange):
    entry = FORMATS.find(name)

    assert not entry.takes_name(strange)
    with pytest.raises(FormatError, match="name of a task: expected "):
        entry.text(Workflow.bare(Dag({strange: []})), path="out")


def test_a_dax_takes_ids_that_its_schema_allows():
    takes = FORMATS.find("dax").takes_name

    assert takes("ID0000-1_x")
    assert not any(takes(name) for name in ("", "a b", "a.b", "ü", "a\n"))


@pytest.mark.parametrize("name", NAMES)
def test_two_names_of_the_same_text_are_one_line(name):
    with pytest.raises(FormatError, match="two tasks have the same name"):
        FORMATS.find(name).text(Workflow.bare(Dag({1: [], "1": []})))
