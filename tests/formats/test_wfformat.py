"""WfFormat: files of all versions in, an order into the file, and any workflow out."""

import json
from pathlib import Path

import pytest

import icsched
from icsched import Dag, FormatError, prioritize
from icsched.workflow import Command

# a -> b, a -> c; b writes two files of 5 and 7 bytes.
FORK = {
    "name": "fork",
    "schemaVersion": "1.5",
    "workflow": {
        "specification": {
            "tasks": [
                {"name": "split", "id": "a", "parents": [], "children": ["b", "c"]},
                {
                    "name": "map",
                    "id": "b",
                    "parents": ["a"],
                    "children": [],
                    "outputFiles": ["f", "g"],
                },
                {"name": "map", "id": "c", "parents": [], "children": []},
            ],
            "files": [{"id": "f", "sizeInBytes": 5}, {"id": "g", "sizeInBytes": 7}],
        },
        "execution": {
            "makespanInSeconds": 9,
            "executedAt": "2026",
            "tasks": [
                {
                    "id": "c",
                    "runtimeInSeconds": 3,
                    "command": {"program": "cat", "arguments": ["f"]},
                },
                {"id": "a", "runtimeInSeconds": 1.5, "command": {"program": "split"}},
                {"id": "b", "runtimeInSeconds": 2},
            ],
        },
    },
}


def changed(**changes):
    """FORK with some parts of its workflow replaced."""
    return {**FORK, "workflow": {**FORK["workflow"], **changes}}


@pytest.fixture
def read(put):
    def reader(content, **options):
        put({"wf.json": content if isinstance(content, str | bytes) else json.dumps(content)})
        return icsched.read("wf.json", **options)

    return reader


@pytest.fixture
def complaint(read):
    def complain(content):
        with pytest.raises(FormatError) as caught:
            read(content)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return complain


# Reading


def test_a_file_says_arcs_run_times_sizes_and_commands(read):
    found = read(FORK)

    assert found.dag == Dag({"a": [], "b": ["a"], "c": ["a"]})
    assert found.run_times.tolist() == [1.5, 2, 3]
    assert found.sizes.tolist() == [0, 12, 0]
    assert found.commands == (Command(("split",)), None, Command(("cat", "f")))
    assert found.priorities is None
    assert found.remarks == ()
    assert list(found.files) == ["wf.json"]


def test_tasks_of_one_name_are_of_one_kind(read):
    assert read(FORK).kinds.tolist() == [0, 1, 2]  # ids differ by letters
    numbered = json.dumps(FORK).replace('"b"', '"t2"').replace('"c"', '"t3"')
    assert read(numbered).kinds.tolist() == [0, 1, 1]


def test_a_file_without_an_execution_says_nothing_of_times_and_commands(read):
    content = {"specification": FORK["workflow"]["specification"]}
    found = read({"schemaVersion": "1.6", "name": "x", "workflow": content})

    assert found.run_times is found.commands is found.priorities is None
    assert found.sizes.tolist() == [0, 12, 0]


def test_run_times_that_are_missing_are_means_of_their_kind_and_told(read):
    execution = {"tasks": [{"id": "a", "runtimeInSeconds": 4}, {"id": "b", "runtimeInSeconds": 8}]}

    found = read(changed(execution=execution))

    assert found.run_times.tolist() == [4, 8, 6]  # no other c: the mean of all
    assert [(r.text, r.count) for r in found.remarks] == [
        ("tasks without a run time get the mean of their kind", 1)
    ]


def test_tasks_that_an_execution_has_twice_or_alone_are_told(read):
    seconds = [("a", 4), ("x", 1), ("b", 8), ("a", 5), ("c", 2), ("a", 6), ("x", 1)]
    tasks = [{"id": name, "runtimeInSeconds": time} for name, time in seconds]

    found = read(changed(execution={"tasks": tasks}))

    assert found.run_times.tolist() == [6, 8, 2]
    assert [(r.text, r.count) for r in found.remarks] == [
        ("tasks of the execution that the specification does not have", 2),
        ("tasks that the execution has again: the last one counts", 2),
    ]


OLD_TASKS = [
    {
        "name": "split_ID1",
        "type": "compute",
        "runtime": 1.5,
        "parents": [],
        "files": [{"link": "output", "name": "f", "size": 5}],
        "arguments": ["-n", "2"],
        "cores": 2,
    },
    {
        "name": "map_ID2",
        "runtime": 2,
        "parents": ["split_ID1"],
        "files": [
            {"link": "input", "name": "f", "size": 5},
            {"link": "output", "name": "g", "size": 7},
        ],
    },
]


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_the_first_versions_have_jobs_with_arguments(read, version):
    found = read({"name": "x", "schemaVersion": version, "workflow": {"jobs": OLD_TASKS}})

    assert found.dag == Dag({"split_ID1": [], "map_ID2": ["split_ID1"]})
    assert found.run_times.tolist() == [1.5, 2]
    assert found.sizes.tolist() == [5, 7]
    assert found.commands == (Command(("split", "-n", "2")), None)
    assert [(r.text, r.count) for r in found.remarks] == [
        ("tasks that use several cores: icsched counts each task as one", 1)
    ]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_size_is_known_even_if_only_one_task_has_it(read, is_first):
    writer = {"name": "a", "files": [{"link": "output", "name": "f", "size": 5}]}
    reader = {"name": "b", "parents": ["a"], "files": [{"link": "input", "name": "f"}]}
    tasks = [writer, reader] if is_first else [reader, writer]

    found = read({"schemaVersion": "1.3", "workflow": {"tasks": tasks}})

    assert found.sizes.tolist() == ([5, 0] if is_first else [0, 5])


@pytest.mark.parametrize(("version", "key"), [("1.2", "jobs"), ("1.3", "tasks"), ("1.4", "tasks")])
def test_middle_versions_have_commands_and_ids_beside_names(read, version, key):
    tasks = [
        {"name": "one", "id": "1", "command": {"program": "/bin/a", "arguments": ["x y"]}},
        {"name": "two", "id": "2", "parents": ["1"], "runtimeInSeconds": 4, "priority": 3},
    ]

    found = read({"name": "x", "schemaVersion": version, "workflow": {key: tasks}})

    assert found.dag == Dag({"one": [], "two": ["one"]})
    assert found.commands == (Command(("/bin/a", "x y")), None)
    assert found.priorities.tolist() == [0, 3]


def test_old_tasks_of_one_name_go_by_their_ids(read):
    tasks = [{"name": "map", "id": "1"}, {"name": "map", "id": "2", "parents": ["1"]}]

    found = read({"schemaVersion": "1.4", "workflow": {"tasks": tasks}})

    assert found.dag == Dag({"1": [], "2": ["1"]})


def test_dependencies_come_from_files_if_the_file_has_none(read):
    tasks = [{key: value for key, value in task.items() if key != "parents"} for task in OLD_TASKS]

    found = read({"schemaVersion": "1.3", "workflow": {"tasks": tasks}})

    assert found.dag.arcs.tolist() == [[0, 1]]
    assert "come from the files" in found.remarks[0].text


@pytest.mark.parametrize(
    ("version", "says"),
    [("1.6", None), ("1.7", "newer than 1.6"), ("2.0", "newer"), ("x", "no version")],
)
def test_a_version_that_icsched_does_not_know_is_told(read, version, says):
    found = read({**FORK, "schemaVersion": version})

    assert [says in remark.text for remark in found.remarks] == ([True] if says else [])


# Files that are wrong


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "wf.json:1: expected JSON, got the end of the file"),
        ("{", "wf.json:1: expected JSON, got the end of the file"),
        ('{\n"workflow": NaN}', "wf.json:2: expected JSON, got invalid character"),
        ("[]", "wf.json:1: expected a workflow in WfFormat: expected object, got array"),
        (
            "{}",
            "wf.json:1: expected a workflow in WfFormat: object missing required field workflow",
        ),
        (b"\xff\xfe{\0}\0", "wf.json:1: expected UTF-8 text, got byte 0xff"),
        (
            b'{"workflow": {"tasks": [{"name": "\xe9"}]}}',
            "wf.json:1: expected UTF-8 text, got byte 0xe9",
        ),
        (
            '{"workflow": {}}',
            "wf.json: expected workflow.specification.tasks or workflow.tasks, got neither",
        ),
        (
            '{"workflow": {"tasks": [\n{"name": "a"},\n{"name": 5}]}}',
            "wf.json:3: workflow.tasks[1].name: expected str, got int",
        ),
        (
            '{"workflow": {"tasks": [\n{"name": "a"},\n{"name": "a"}]}}',
            "wf.json:3: expected each task once, got 'a' twice",
        ),
        (
            '{"workflow": {"tasks": [\n{"name": "a", "parents": ["b"]}]}}',
            "wf.json:2: expected a task as parent, got 'b', which the file does not have",
        ),
        (
            '{"workflow": {"tasks": [{"name": "a", "parents": ["b"]}, {"name": "b", "parents":'
            '["a"]}]}}',
            "wf.json:1: dependency cycle: a -> b -> a",
        ),
        (
            '{"workflow": {"tasks": [\n{"name": "a", "runtime": -1}]}}',
            "wf.json:2: run time of 'a': expected 0 or more, got -1",
        ),
        (
            '{"workflow": {"tasks": [{"name": "a", "runtime": 1e999}]}}',
            "wf.json:1: workflow.tasks[0].runtime: expected a number between -10^308"
            " and 10^308, got one outside",
        ),
        (
            '{"workflow": {"tasks": [{"name": "a", "files": [{"name": "f", "size": 1e30}]}]}}',
            "wf.json: size of file 'f': expected 0 to 9,007,199,254,740,991 bytes, got 1e+30",
        ),
        (
            '{"workflow": {"tasks": [{"name": "a", "files": [{"name": "f", "size": -1}]}]}}',
            "wf.json: size of file 'f': expected 0 to 9,007,199,254,740,991 bytes, got -1",
        ),
        (
            '{"x": ' + "[" * 10**6,
            "wf.json: expected a workflow, got lists or objects that are nested too deeply",
        ),
    ],
    ids=range(17),
)
def test_a_wrong_file_is_one_line(complaint, content, says):
    assert complaint(content) == says


@pytest.mark.parametrize("key", ["parents", "children", "inputFiles", "outputFiles"])
@pytest.mark.parametrize(("value", "kind"), [('"a"', "str"), ("{}", "object"), ("null", "null")])
def test_what_should_be_a_list_is_never_passed_over(complaint, key, value, kind):
    tasks = f'[{{"id": "a"}},\n{{"id": "b", "{key}": {value}}}]'
    where = f"workflow.specification.tasks[1].{key}"

    says = complaint(f'{{"workflow": {{"specification": {{"tasks": {tasks}}}}}}}')

    assert says == f"wf.json:2: {where}: expected array, got {kind}"


def test_sizes_that_are_too_large_together_are_one_line(complaint):
    files = [{"name": f"f{n}", "link": "output", "size": 2**53 - 1} for n in range(1_100)]

    says = complaint({"workflow": {"tasks": [{"name": "a", "files": files}]}})

    assert says.startswith(f"wf.json: sizes: expected a sum below {2**53:,}, got ")


def test_ids_that_differ_only_in_case_are_two_tasks(read):
    tasks = [{"name": "a"}, {"name": "A", "parents": ["a"]}, {"name": "'a'"}]

    assert read({"workflow": {"tasks": tasks}}).names == ("a", "A", "'a'")


# An order into the file


def priorities_in(path="wf.json"):
    found = icsched.read(path)
    return dict(zip(found.names, found.priorities.tolist(), strict=True))


@pytest.mark.parametrize("indent", [None, 4])
def test_only_priorities_are_written_into_the_users_file(read, indent):
    """Leaves of a fork run by their run times: c takes longer than b."""
    text = json.dumps(FORK, indent=indent)
    plan = prioritize(read(text), "prio")

    assert icsched.write("wf.json", plan) == ["wf.json"]

    assert priorities_in() == {"a": 3, "b": 1, "c": 2}
    now = json.loads(Path("wf.json").read_text())
    for task in now["workflow"]["execution"]["tasks"]:
        del task["priority"]
    assert now == FORK
    new = Path("wf.json").read_text().splitlines()
    if indent:  # one line more for each task, in the same indentation
        assert [line for line in new if line not in text.splitlines()] == [
            f'{" " * 20}"priority": {number},' for number in (2, 3, 1)
        ]
    assert Path("wf.json.bak").read_text() == text
    assert icsched.write("wf.json", plan) == []


@pytest.mark.parametrize(
    "execution",
    [{}, None, {"tasks": []}, {"tasks": [{"id": "b", "priority": -5}]}, "absent"],
    ids=["empty", "null", "no tasks", "one task", "absent"],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_tasks_that_the_execution_lacks_are_added(read, execution, indent):
    content = changed(execution=execution)
    if execution == "absent":
        del content["workflow"]["execution"]
    plan = prioritize(read(json.dumps(content, indent=indent)), "prio")

    icsched.write("wf.json", plan)

    assert priorities_in() == {"a": 3, "b": 2, "c": 1}
    assert icsched.write("wf.json", plan) == []


def test_an_old_file_gets_priorities_where_it_has_its_tasks(read):
    plan = prioritize(read({"schemaVersion": "1.1", "workflow": {"jobs": OLD_TASKS}}), "prio")

    icsched.write("wf.json", plan)

    jobs = json.loads(Path("wf.json").read_text())["workflow"]["jobs"]
    assert [job["priority"] for job in jobs] == [2, 1]
    assert [{k: v for k, v in job.items() if k != "priority"} for job in jobs] == OLD_TASKS


def test_prio_writes_a_copy_with_the_order(put):
    from icsched.commands.main import run

    put({"wf.json": json.dumps(FORK)})

    assert run(["prio", "wf.json", "--order", "prio", "-o", "out.json"]) == 0
    assert priorities_in("out.json") == {"a": 3, "b": 1, "c": 2}
    assert json.loads(Path("wf.json").read_text()) == FORK
