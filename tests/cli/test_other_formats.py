"""Commands on files of another package's format, which may say run times and sizes itself."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from icsched.formats.dagman.entry import DagmanOptions

DEPS = """
from pathlib import Path

from icsched import Dag, Workflow
from icsched.formats import Format


def read(paths, options):
    rows = [line.split() for line in Path(paths[0]).read_text().splitlines()]
    return Workflow(
        Dag({name: parents for name, _, _, *parents in rows}),
        done=[False] * len(rows),
        run_times=[float(seconds) for _, seconds, _, *_ in rows],
        sizes=[int(size) for _, _, size, *_ in rows],
        files=paths,
        format="deps",
    )


DEPS = Format("deps", "a task, its seconds, its bytes and its parents", (".deps",), read=read)
"""

# a -> b takes 1 + 1 seconds, c takes 5 and is the longest path: c runs first.
WORKFLOW = "a 1 100\nb 1 200 a\nc 5 300\n"


@pytest.fixture
def deps(put, folder, monkeypatch):
    """Install the format for commands that run as a process of their own."""
    about = "deps-1.0.dist-info"
    put(
        {
            "lib/deps.py": DEPS,
            f"lib/{about}/METADATA": "Metadata-Version: 2.1\nName: deps\nVersion: 1.0\n",
            f"lib/{about}/entry_points.txt": "[icsched.formats]\ndeps = deps:DEPS\n",
            "w.deps": WORKFLOW,
        }
    )
    monkeypatch.setenv("PYTHONPATH", str(folder / "lib"))


@pytest.mark.usefixtures("deps")
def test_an_order_takes_the_run_times_that_the_workflow_has(icsched_process):
    words = ["prio", "w.deps", "--order", "critical-path", "--json"]

    assert json.loads(icsched_process(*words).out)["order"] == ["c", "a", "b"]


@pytest.mark.usefixtures("deps")
def test_given_run_times_go_before_those_of_the_workflow(put, icsched_process):
    put({"times.txt": "a 1\nb 9\nc 5\n"})
    words = ["--order", "critical-path", "--run-times", "times.txt", "--json"]

    found = json.loads(icsched_process("prio", "w.deps", *words).out)

    assert found["order"] == ["a", "b", "c"]


@pytest.mark.usefixtures("deps")
def test_a_limit_on_memory_is_in_bytes_if_the_workflow_has_sizes(icsched_process):
    """Only the 100 bytes of a wait for a child."""
    found = icsched_process("prio", "--order", "prio", "w.deps", "--memory", "150")

    assert "at most 100 of 150 bytes" in found.out


@pytest.mark.usefixtures("deps")
def test_a_simulation_takes_the_run_times_that_the_workflow_has(icsched_process):
    """One worker of speed 1 takes 1 + 1 + 5 seconds in every order."""
    words = [
        "simulate",
        "w.deps",
        "--order",
        "prio",
        "--workers",
        "1",
        "--law",
        "constant",
        "--runs",
        "20",
    ]

    found = icsched_process(*words)

    assert "Mean run times: from w.deps;" in found.out
    times = json.loads(icsched_process(*words, "--json").out)["orders"]["prio"]["time"]
    assert times["mean"] == 7


@pytest.mark.usefixtures("deps")
def test_run_times_of_the_workflow_need_a_pool_in_seconds_too(icsched_process):
    found = icsched_process("simulate", "w.deps")

    assert found.code == 2
    assert found.complaint == (
        "w.deps: run times are in seconds: say --interval, the mean seconds between batches,"
        " --workers, --machines or --pool"
    )


@pytest.mark.usefixtures("deps")
def test_a_study_takes_the_run_times_that_the_workflow_has(icsched_process, folder):
    """Two workers take 5 seconds for c; a and b take 1 + 1 with a delay of 2 between them."""
    words = ["--workers", "1,2", "--delay", "2", "--law", "constant", "--runs", "20"]

    found = icsched_process("study", "w.deps", "-o", "out", *words)

    assert found.code == 0
    both = json.loads((folder / "out/study.json").read_text())["cells"][1]
    assert {name: found["time"]["mean"] for name, found in both["orders"].items()} == {
        "prio": 5,
        "critical-path": 5,
        "fifo": 5,
    }


@pytest.mark.usefixtures("deps")
def test_a_study_of_run_times_needs_a_pool_in_seconds_too(icsched_process):
    found = icsched_process("study", "w.deps", "-o", "out")

    assert found.code == 2
    assert found.complaint == (
        "w.deps: run times are in seconds: say --intervals, the mean seconds between batches,"
        " --workers or --pool"
    )


@pytest.mark.parametrize("option", ["--lenient", "--usedagdir", "--no-rescue"])
def test_options_of_dagman_files_are_refused_for_other_files(icsched, option):
    found = icsched("show", "dag.dot", option)

    assert found.code == 2
    assert found.complaint == f"{option} is for DAGMan files; dag.dot is not one"


@pytest.mark.parametrize("option", fields(DagmanOptions), ids=lambda option: option.name)
def test_the_command_line_has_the_options_and_the_help_of_dagman_files(icsched, option):
    told = " ".join(icsched("show", "--help").out.replace("│", "").split())

    assert f"--{option.name.replace('_', '-')} {option.metadata['help']}" in told


@pytest.mark.parametrize(
    "words",
    [["--in-place"], ["--diff"], ["--check"], ["--remove"], ["-o", "out.deps"], ["-o", "-"]],
    ids=lambda words: words[-1],
)
@pytest.mark.usefixtures("deps")
def test_files_of_a_format_without_orders_get_a_table(icsched_process, folder, words):
    found = icsched_process("prio", "--order", "prio", "w.deps", *words)
    table = icsched_process("prio", "--order", "critical-path", "w.deps", "-o", "out.csv")

    told = "files of format deps hold no order: -o NAME.csv writes it as a table"
    assert (found.code, found.complaint) == (1, f"w.deps: {told}")
    assert table.code == 0
    assert (folder / "out.csv").read_text() == "task,priority\nc,3\na,2\nb,1\n"


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--in-place", "--recursive"], "--recursive"),
        (["--in-place", "--order", "prio", "--keep-existing"], "--keep-existing"),
        (["--in-place", "--via", "vars"], "--via"),
        (["-o", "out.json", "--flatten"], "--flatten"),
    ],
)
def test_ways_to_write_dagman_files_are_refused_for_other_files(put, icsched, words, option):
    put(HELD)

    found = icsched("prio", "wf.json", *words)

    assert found.code == 2
    assert found.complaint == f"{option} is for DAGMan files, not for format wfformat"


# b has a child and c has none, so the order "prio" runs b first.
SCRIPT = """\
a=$(sbatch --parsable -J a a.sh)
c=$(sbatch --parsable -J c -d afterok:$a c.sh)
b=$(sbatch --parsable -J b -d afterok:$a b.sh)
d=$(sbatch --parsable -J d -d afterok:$b d.sh)
"""
DAX = """<adag><job id="a" name="x"/><job id="c" name="x"/><job id="b" name="x"/>
<child ref="b"><parent ref="a"/></child><child ref="c"><parent ref="a"/></child></adag>
"""
JSON = """{"name": "x", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [
{"name": "a", "id": "a", "parents": [], "children": ["b"]},
{"name": "b", "id": "b", "parents": ["a"], "children": []}]}}}
"""
HELD = {"wf.sh": SCRIPT, "wf.dax": DAX, "wf.json": JSON}


@pytest.mark.parametrize("name", HELD)
def test_a_check_of_a_format_without_sections_speaks_of_the_order(name, put, icsched):
    put(HELD)
    check = ["prio", name, "--order", "prio", "--check"]

    before = icsched(*check)
    assert icsched("prio", name, "--order", "prio", "--in-place").code == 0
    after = icsched(*check)

    line = f"{name}: does not have this order; --in-place would write it"
    assert (before.code, before.complaint) == (1, line)
    assert (after.code, after.out) == (
        0,
        f"{name}: the order in it is what icsched writes with these options.\n",
    )


@pytest.mark.parametrize("name", HELD)
@pytest.mark.parametrize("words", [[], ["--in-place"], ["--check"], ["--diff"]])
def test_no_report_speaks_of_a_section_that_the_format_does_not_have(name, words, put, icsched):
    put(HELD)

    found = icsched("prio", name, "--order", "prio", *words)

    assert "section" not in found.out + found.err


@pytest.mark.parametrize("name", HELD)
def test_an_order_that_cannot_be_removed_says_what_to_do(name, put, icsched):
    put(HELD)
    icsched("prio", name, "--order", "prio", "--in-place")

    found = icsched("prio", name, "--remove")

    assert found.code == 1
    assert found.complaint.endswith(f": to remove an order, go back to {name}.bak")
    assert Path(f"{name}.bak").read_text() == HELD[name]


def test_no_backup_is_named_for_an_order_that_was_never_written(put, icsched):
    put({"wf.json": HELD["wf.json"]})

    found = icsched("prio", "wf.json", "--remove")

    assert found.code == 1
    assert found.complaint.endswith(": there is no wf.json.bak to go back to")


# b has a child and c has none, so the order "prio" runs b first.
READ = {
    "wf.dot": "digraph { a -> c; a -> b; b -> d }\n",
    "wf.csv": "task,parents\na,\nc,a\nb,a\nd,b\n",
    "wf.edges": "a c\na b\nb d\n",
}


@pytest.mark.parametrize(
    "words", ["--in-place", "--diff", "--check", "--remove", "-o copy", "-o -"]
)
@pytest.mark.parametrize("name", READ)
def test_a_format_that_holds_no_order_names_the_table(name, words, put, icsched, folder):
    put(READ)

    found = icsched("prio", name, *words.split())

    form = name.removeprefix("wf.")
    told = f"files of format {form} hold no order: -o NAME.csv writes it as a table"
    assert (found.code, found.complaint) == (1, f"{name}: {told}")
    assert {path.name: path.read_text() for path in folder.iterdir()} == READ


@pytest.mark.parametrize("name", [*READ, "wf.sh"])
def test_an_order_of_any_format_is_written_as_a_table(name, put, icsched, folder):
    put({**READ, **HELD})

    found = icsched("prio", name, "--order", "prio", "-o", "order.csv")

    assert (found.code, found.out.splitlines()[-1]) == (0, "wrote order.csv")
    assert (folder / "order.csv").read_text() == "task,priority\na,4\nb,3\nc,2\nd,1\n"
    assert (folder / name).read_text() == {**READ, **HELD}[name]
