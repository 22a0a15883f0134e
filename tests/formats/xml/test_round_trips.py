"""What is written is read again, and an order changes only priorities."""

import xml.etree.ElementTree as ET
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import icsched
from icsched import Dag, FormatError, Workflow, prioritize
from icsched.formats.port import Writing
from tests.formats.xml.cases import DAX, dax, facts, workflows
from tests.strategies import dags_with_orders

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "iso-8859-1")
DAX_NAME = st.from_regex(r"[A-Za-z0-9_-]{1,6}", fullmatch=True)


@settings(max_examples=60)
@given(data=st.data())
def test_a_workflow_is_read_as_it_was_written(data):
    workflow = data.draw(workflows(DAX_NAME))
    text = DAX.text(workflow, title="a <title> & more")
    with TemporaryDirectory() as folder:
        path = Path(folder, "wf.xml")
        path.write_text(text, encoding="utf-8", newline="")
        again = icsched.read(str(path))

    assert facts(again, DAX.keeps) == facts(workflow, DAX.keeps)
    assert again.remarks == ()
    assert again.format == "dax"


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=15)
@given(case=dags_with_orders(most_tasks=5))
def test_an_order_is_read_back_and_the_second_time_nothing_changes(encoding, case):
    dag, order = case
    tasks = [f"t{task}" for task in range(len(dag))]
    text = dax(tasks, [(tasks[a], tasks[b]) for a, b in dag.arcs.tolist()])
    declared = "" if encoding == "utf-8-sig" else f'<?xml version="1.0" encoding="{encoding}"?>\n'
    with TemporaryDirectory() as folder:
        path = Path(folder, "wf.xml")
        path.write_bytes(f"{declared}<!-- naïve -->\n{text}".encode(encoding))
        workflow = icsched.read(str(path))
        (change,) = DAX.changes(workflow, order, Writing())
        path.write_bytes(change.new)
        again = icsched.read(str(path))
        (second,) = DAX.changes(again, order, Writing())

    assert again.dag == workflow.dag
    ranks = {task: len(order) - place for place, task in enumerate(order)}
    found = [] if again.priorities is None else again.priorities.tolist()
    assert found == [ranks[task] for task in range(len(dag))]
    assert second.is_none
    assert change.new.decode(encoding).startswith(f"{declared}<!-- naïve -->\n")


def test_another_order_changes_only_the_numbers(put):
    put({"wf.xml": dax(["a", "b"], [])})
    first, second = (
        prioritize(Dag({"a": [], "b": []}), order) for order in (["a", "b"], ["b", "a"])
    )
    icsched.write("wf.xml", first)
    before = Path("wf.xml").read_text()

    assert icsched.write("wf.xml", second) == ["wf.xml"]

    after = Path("wf.xml").read_text()
    changed = [(x, y) for x, y in zip(before, after, strict=True) if x != y]
    assert changed == [("2", "1"), ("1", "2")]
    assert ET.fromstring(after) is not None  # noqa: S314  our own text


def test_prefixes_of_names_are_kept(put):
    """A file may give every element a prefix; new elements get the same."""
    text = dax(["a", "b"], [("a", "b")]).replace("</", "</p:")
    text = text.replace("<", "<p:").replace("<p:/p:", "</p:")
    root = text[3 : text.index(">")]
    put({"wf.xml": text.replace(f"<p:{root}>", f'<p:{root} xmlns:p="urn:x">', 1)})
    plan = prioritize(icsched.read("wf.xml").dag, "fifo")

    assert icsched.write("wf.xml", plan) == ["wf.xml"]
    assert icsched.read("wf.xml").priorities.tolist() == [2, 1]
    assert icsched.write("wf.xml", plan) == []


def test_a_dax_takes_ids_that_its_schema_allows():
    takes = DAX.takes_name

    assert takes("ID0000-1_x")
    assert not any(takes(name) for name in ("", "a b", "a.b", "ü", "a\n"))


def test_two_names_of_the_same_text_are_one_line():
    with pytest.raises(FormatError, match="two tasks have the same name"):
        DAX.text(Workflow(Dag({1: [], "1": []})))
