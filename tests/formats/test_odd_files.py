"""Odd and hostile files: each is read right, or refused in one line that says what was expected."""

import json

import pytest

import icsched
from icsched import FormatError, prioritize

MARK = b"\xef\xbb\xbf"
PAIR = {"workflow": {"specification": {"tasks": [{"id": "a"}, {"id": "b", "parents": ["a"]}]}}}
JOBS = "expected a workflow of Pegasus, with a list of jobs"
REFUSED = {  # by format: texts, and what is said about them
    "wfformat": {
        '{"workflow": {"specification": {"tasks": [\n{"id": ""}]}}}': "2: expected a word as id of"
        " the task, got ''",
        "\n\nnull": "3: expected a workflow in WfFormat: expected object, got null",
        '{"name": "x",\n\n\n"workflow": null}': "4: workflow: expected object, got null",
        '{"workflow":\n{"name": "x",\n\n"tasks": 3}}': "4: workflow.tasks: expected array | null,"
        " got int",
        '{"workflow": {"tasks": [\n{"name": "a",\n"parents": [\n"b", 3]}]}}': "4:"
        " workflow.tasks[0].parents[1]: expected str, got int",
        '{"workflow": {"tasks": []},\n\n"schemaVersion": 3}': "3: schemaVersion: expected str,"
        " got int",
        '{"workflow": null,\n"workflow": {"tasks": []}}': " workflow: expected object, got null",
        '{"workflow": {"tasks": []},\n"workflow": null}': "2: workflow: expected object, got null",
        '{"workflow": {"tasks": [\n{"name": "a",\n"runtime": -1e999}]}}': "3:"
        " workflow.tasks[0].runtime: expected a number between -10^308 and 10^308, got one outside",
    },
    "pegasus": {
        "jobs:\n- {id: a, id: b}\n": "2: expected each key once, got 'id' twice",
        "name: x\njobs: [a, b]\n": "2: jobs: expected mappings, got a word",
        "\n&a jobs: [*a]\n": "2: jobs: expected mappings, got a word",
        "x: {jobs: []}\n\n\njobs: hello\n": f"4: {JOBS}, got no list of jobs",
        "x: &j jobs\n*j : hello\n": f" {JOBS}, got no list of jobs",
        "pegasus: '5.0'\nname: x\n": f" {JOBS}, got no list of jobs",
        "# mine\n\n---\n- a\n": f"4: {JOBS}, got a list",
        "# mine\n\nhello\n": f"3: {JOBS}, got a word",
        "# mine\n\n": f"3: {JOBS}, got an empty file",
    },
    "dax": {
        "<adag>\n<adag/></adag>": "2: expected one <adag>, got another inside it",
        "<adag>\n<job/></adag>": "2: expected an id of the job, got none",
        "<adag>\n" + "<z>" * 200: "2: expected at most 100 elements inside each other, got more",
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


@pytest.mark.parametrize("suffix", ["csv", "dax", "dot", "edges", "yml"])
def test_a_file_that_would_fill_the_memory_is_refused_unread(suffix, tmp_path):
    path = tmp_path / f"wf.{suffix}"
    with path.open("wb") as file:
        file.truncate(2**30)  # holes: it takes no room on the disk

    with pytest.raises(FormatError, match=r"expected less than 1 GiB$"):
        icsched.read(path)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("wf", None),
        ("wf.dag", None),
        ("wf.DAG", None),
        ("wf.gml", "no format has the suffix .gml: icsched convert --format NAME reads dagman, "),
        ("Snakefile", "icsched reads no Snakefiles: use snakemake --scheduler icsched"),
        ("wf.smk", "icsched reads no Snakefiles: use snakemake --scheduler icsched"),
    ],
)
def test_a_file_that_its_suffix_does_not_explain_is_told_what_else_it_may_be(tmp_path, name, hint):
    path = tmp_path / name
    path.write_text("graph [")

    with pytest.raises(FormatError) as caught:
        icsched.read(path)

    problem, _, rest = caught.value.problem.partition("; ")
    assert problem == "unknown command, got 'graph ['"
    assert rest.startswith(hint) if hint else rest == ""
