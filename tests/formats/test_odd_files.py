"""Odd and hostile files: each is read right, or refused in one line that says what was expected."""

import json

import pytest

import icsched
from icsched import FormatError, prioritize

MARK = b"\xef\xbb\xbf"
PAIR = {"workflow": {"specification": {"tasks": [{"id": "a"}, {"id": "b", "parents": ["a"]}]}}}
REFUSED = {  # by format: texts, and what is said about them
    "wfformat": {
        '{"workflow": {"specification": {"tasks": [\n{"id": ""}]}}}': "2: expected a word as id of"
        " the task, got ''",
        "null": "1: expected object, got null as the whole file",
        '{"workflow": null}': "1: workflow: expected object, got null",
    },
    "pegasus": {
        "jobs:\n- {id: a, id: b}\n": "2: expected each key once, got 'id' twice",
        "name: x\njobs: [a, b]\n": "2: jobs: expected mappings, got a word",
        "&a jobs: [*a]\n": "1: jobs: expected mappings, got a word",
        "jobs: hello\n": "1: expected a workflow of Pegasus, with a list of jobs,"
        " got no list of jobs",
    },
    "dax": {
        "<adag>\n<adag/></adag>": "2: expected one <adag>, got another inside it",
        "<adag>\n<job/></adag>": "2: expected an id of the job, got none",
        "<adag>" + "<z>" * 200: "1: expected at most 100 elements inside each other, got more",
    },
    "graphml": {
        "<graphml>\n<graphml/></graphml>": "2: expected one <graphml>, got another inside it"
    },
}
CASES = [(name, text, said) for name, texts in REFUSED.items() for text, said in texts.items()]


@pytest.mark.parametrize(("name", "text", "said"), CASES, ids=range(len(CASES)))
def test_an_odd_file_is_refused_in_one_line(put, name, text, said):
    put({"wf": text})

    with pytest.raises(FormatError) as caught:
        icsched.read("wf", format=name)

    assert str(caught.value) == f"wf:{said}"


def test_a_byte_order_mark_before_json_is_passed_over_and_stays(put, tmp_path):
    put({"wf.json": MARK + json.dumps(PAIR).encode()})
    workflow = icsched.read("wf.json")

    assert workflow.names == ("a", "b")
    assert icsched.write("wf.json", prioritize(workflow, "prio")) == ["wf.json"]
    written = (tmp_path / "wf.json").read_bytes()
    assert written.startswith(MARK + b'{"workflow"')
    assert icsched.read("wf.json").priorities.tolist() == [2, 1]
