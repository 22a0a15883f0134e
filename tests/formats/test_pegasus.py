"""Pegasus files: workflows in, an order into the file, and any workflow out."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import icsched
from icsched import Dag, FormatError, Workflow, prioritize
from icsched.formats import FORMATS
from icsched.workflow import Command
from tests.formats.round_trips import check_same, workflows

PEGASUS = FORMATS["pegasus"]

# split -> two counts; the second count has profiles of its own.
SPLIT = """\
x-pegasus: {apiLang: python}
pegasus: "5.0"
name: split   # a comment
transformationCatalog:
  transformations:
  - name: split
    sites:
    - {name: condorpool, pfn: /usr/bin/split, type: installed}
  - namespace: gnu
    name: wc
    version: "1.0"
    sites:
    - name: local
      pfn: "file:///usr/bin/wc"
      type: stageable
jobs:
- type: job
  name: split
  id: ID1
  arguments: [-l, "100", {lfn: in.txt}, part.]
  uses:
  - {lfn: in.txt, type: input}
  - {lfn: part.a, type: output, size: "5"}
  - {lfn: part.b, type: output, size: "7"}
- type: job
  namespace: gnu
  name: wc
  version: "1.0"
  id: "ID2"
  stdout: count.a
  arguments: [-l, part.a]
  uses:
  - lfn: part.a
    type: input
- type: job
  namespace: gnu
  name: wc
  version: "1.0"
  id: ID3
  stdin: {lfn: part.b}
  arguments: []
  profiles:
    env: {LANG: C}
    condor:
      request_cpus: 1
  uses:
  - lfn: part.b
    type: input
"""
DEPENDENCIES = "jobDependencies:\n- id: ID1\n  children:\n  - ID2\n  - ID3\n"


@pytest.fixture
def read(put):
    def reader(text):
        put({"wf.yml": text})
        return icsched.read("wf.yml")

    return reader


# Reading


def test_a_file_says_arcs_sizes_and_commands(read):
    found = read(SPLIT + DEPENDENCIES)

    assert found.dag == Dag({"ID1": [], "ID2": ["ID1"], "ID3": ["ID1"]})
    assert found.sizes.tolist() == [12, 0, 0]
    assert found.commands == (
        Command(("/usr/bin/split", "-l", "100", "in.txt", "part.")),
        Command(("/usr/bin/wc", "-l", "part.a"), stdout="count.a"),
        Command(("/usr/bin/wc",), stdin="part.b", environment=(("LANG", "C"),)),
    )
    assert found.run_times is found.priorities is None
    assert found.remarks == ()


def test_a_stream_without_a_name_is_none(read):
    stdin = read(SPLIT.replace("{lfn: part.b}", "{type: input}", 1)).commands[2].stdin

    assert stdin is None


def test_dependencies_come_from_files_if_the_file_has_none(read):
    found = read(SPLIT)

    assert found.dag == Dag({"ID1": [], "ID2": ["ID1"], "ID3": ["ID1"]})
    assert [(r.text, r.count) for r in found.remarks] == [
        ("dependencies come from the files that tasks write and read", 2)
    ]


def test_profiles_say_run_times_and_priorities(read):
    jobs = "".join(
        f"- {{id: {name}, type: job, name: t, arguments: [], uses: [], profiles: {profiles}}}\n"
        for name, profiles in (
            ("a", "{pegasus: {runtime: 2.5}, condor: {priority: -3}}"),
            ("b", '{pegasus: {runtime: "4"}, condor: {priority: "10"}}'),
        )
    )

    found = read(f"pegasus: '5.0'\nname: x\njobs:\n{jobs}")

    assert found.run_times.tolist() == [2.5, 4]
    assert found.priorities.tolist() == [-3, 10]


def test_jobs_that_are_workflows_are_told_and_have_no_command(read):
    inner = SPLIT + "- {type: pegasusWorkflow, id: ID4, file: inner.yml, arguments: [], uses: []}\n"

    found = read(inner)

    assert "jobs that are workflows" in found.remarks[-1].text
    with pytest.raises(
        FormatError, match=r"^wf.yml:4\d: job 'ID4': type: expected a job that runs"
    ):
        _ = found.commands


def test_programs_that_the_file_does_not_have_are_told(read):
    found = read("pegasus: '5.0'\nname: x\njobs: [{id: a, name: t}]\n")

    assert found.commands is None
    assert "transformationCatalog" in found.remarks[0].text


# Odd files


@pytest.mark.parametrize("nothing", ["", "[]", "{}", "~", "null"])
def test_dependencies_that_are_empty_are_as_good_as_none(read, nothing):
    assert read(f"{SPLIT}jobDependencies: {nothing}\n").dag == read(SPLIT).dag


@pytest.mark.parametrize("value", ["[C]", "{a: b}"])
def test_an_environment_of_other_things_than_words_is_refused(read, value):
    found = read(SPLIT.replace("LANG: C", f"LANG: {value}"))

    with pytest.raises(FormatError, match=r"^wf.yml:35: job 'ID3': env LANG: expected a word, got"):
        _ = found.commands


def test_an_alias_of_a_word_is_the_word(read):
    assert read("name: x\njobs: [{id: &x a}, {id: b, name: *x}]").names == ("a", "b")


def test_ids_that_differ_only_in_case_are_two_jobs(read):
    assert read("jobs: [{id: a}, {id: A}, {id: \"'a'\"}]").names == ("a", "A", "'a'")


# An order into the file


def test_only_priorities_are_written_into_the_users_file(read):
    plan = prioritize(read(SPLIT + DEPENDENCIES), "prio")

    assert icsched.write("wf.yml", plan) == ["wf.yml"]

    text = Path("wf.yml").read_text()
    assert icsched.read("wf.yml").priorities.tolist() == [3, 2, 1]
    kept = [line for line in text.splitlines() if line in (SPLIT + DEPENDENCIES).splitlines()]
    new = text.splitlines()
    assert "- profiles:\n    condor:\n      priority: 3\n  type: job\n  name: split" in text
    assert "    condor:\n      priority: 1\n      request_cpus: 1\n" in text
    assert len(new) == len((SPLIT + DEPENDENCIES).splitlines()) + 7
    assert len(kept) >= len((SPLIT + DEPENDENCIES).splitlines()) - 2
    assert icsched.write("wf.yml", plan) == []


@pytest.mark.parametrize(
    "profiles",
    [
        "",
        ", profiles: {}",
        ", profiles: {condor: {}}",
        ", profiles: {env: {A: b}}",
        ", profiles: {condor: {x: y}}",
        ", profiles: {condor: {priority: 7}}",
        ", profiles: {condor: {priority: '7'}}",
    ],
)
def test_jobs_in_flow_style_get_a_priority_too(read, profiles):
    text = f"jobs: [{{id: a{profiles}}}]  # é\r\n"
    before = yaml.safe_load(text)["jobs"][0].get("profiles", {})
    plan = prioritize(read(text), "prio")

    icsched.write("wf.yml", plan)

    after = yaml.safe_load(Path("wf.yml").read_bytes())["jobs"][0]["profiles"]
    assert int(after["condor"].pop("priority")) == 1
    before.setdefault("condor", {}).pop("priority", None)
    assert after == before
    assert icsched.write("wf.yml", plan) == []


@pytest.mark.parametrize(
    ("profiles", "problem"),
    [
        ("", "expected keys inside profiles, or no profiles at all, got ''"),
        ("~", "expected keys inside profiles, or no profiles at all, got '~'"),
        ("{condor: }", "expected keys inside condor, or no condor at all, got ''"),
        ("{condor: {priority: &p 1}}", "expected a number without an anchor, an alias or a tag"),
        ("{condor: {priority: !!int 1}}", "expected a number without an anchor, an alias or a tag"),
        (
            "{env: {A: &p '1'}, condor: {priority: *p }}",
            "expected a number without an anchor, an alias or a tag",
        ),
    ],
)
def test_profiles_that_cannot_be_edited_are_refused(read, profiles, problem):
    text = f"jobs:\n- id: a\n  profiles: {profiles}\n"
    plan = prioritize(read(text), "prio")

    with pytest.raises(FormatError) as caught:
        icsched.write("wf.yml", plan)

    assert str(caught.value) == f"wf.yml:3: cannot write a priority: {problem}"
    assert Path("wf.yml").read_text() == text


@pytest.mark.parametrize(
    "text",
    [
        "jobs:\n- ? id\n  : a\n",
        "jobs:\n- ? # which\n    id\n  : a\n",
        "jobs:\n- id: a\n  profiles:\n    ? env\n    : {A: b}\n",
        "jobs:\n- id: a\n  profiles:\n    condor: &c\n      ? x\n      : y\n",
    ],
)
def test_a_question_mark_before_the_first_key_is_refused(read, text):
    plan = prioritize(read(text), "prio")
    expected = r"^wf.yml:[2-5]: cannot write a priority: expected a first key without '\?'$"

    with pytest.raises(FormatError, match=expected):
        icsched.write("wf.yml", plan)
    assert Path("wf.yml").read_text() == text


@pytest.mark.parametrize(
    "text",
    [
        "name: &n a\njobs:\n- id: *n\n- id: b\n",
        "name: &n a\njobs: [{id: *n}, {id: b}]\n",
        "name: &i id\njobs:\n- *i : a\n- *i : b\n",
        "name: &j jobs\n*j :\n- id: a\n- id: b\n",
        "name: &p profiles\njobs:\n- id: a\n  *p : {env: {A: c}}\n- id: b\n",
        "jobs:\n- ? id\n  : a\n  profiles: {}\n- id: b\n",
    ],
)
def test_aliases_of_words_stay_in_a_file_that_is_edited(read, text):
    before = yaml.safe_load(text)["jobs"]
    plan = prioritize(read(text), "fifo")

    icsched.write("wf.yml", plan)

    after = yaml.safe_load(Path("wf.yml").read_bytes())["jobs"]
    assert [job["profiles"]["condor"].pop("priority") for job in after] == [2, 1]
    for job in [*before, *after]:
        job.setdefault("profiles", {}).setdefault("condor", {})
    assert after == before
    assert icsched.write("wf.yml", plan) == []


# Laws

IDS = st.text(alphabet="abAB01_-", min_size=1, max_size=5)


@given(workflows(IDS, PEGASUS.keeps))
def test_what_is_written_is_read_again(tmp_path_factory, workflow):
    path = tmp_path_factory.mktemp("w") / "wf.yml"
    path.write_text(PEGASUS.text(workflow), newline="")

    check_same(icsched.read(path), workflow, PEGASUS.keeps)


@given(workflows(IDS, PEGASUS.keeps), st.sampled_from([None, False, True]))
def test_an_order_changes_nothing_but_priorities(tmp_path_factory, workflow, flow):
    """The files are as PyYAML writes them: all flow, all blocks, or mixed."""
    path = tmp_path_factory.mktemp("w") / "wf.yml"
    content = yaml.safe_load(PEGASUS.text(workflow))
    path.write_text(yaml.safe_dump(content, default_flow_style=flow))
    before = icsched.read(path)

    icsched.write(path, prioritize(before, "fifo"))

    after = icsched.read(path)
    check_same(after, before, PEGASUS.keeps - {"priorities"})
    order = np.argsort(-after.priorities).tolist()
    assert order == prioritize(before, "fifo").order.tolist()
    now = yaml.safe_load(path.read_text())
    for old, new in zip(content["jobs"], now["jobs"], strict=True):
        assert new["profiles"]["condor"].pop("priority")
        old.setdefault("profiles", {}).setdefault("condor", {}).pop("priority", None)
    assert now == content


def test_a_name_that_pegasus_does_not_take_is_refused():
    with pytest.raises(FormatError, match=r"^o.yml: name of a task: expected letters.* got 'a b'$"):
        PEGASUS.text(Workflow(Dag({"a b": []})), path="o.yml")
