"""What the commands make of entries of other packages."""

import json
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from icsched.formats import FORMATS
from icsched.orders import ORDERS
from icsched.run.engines import ENGINES
from icsched.serve import CLUSTERERS as CLUSTERER_TABLE
from tests.cli.workflows import PAIR_AND_FORK, log_of

CLUSTERERS = """
from icsched.serve.clusters import Clusterer, NamedClusterer


class Ones(Clusterer):
    def __init__(self, ground):
        super().__init__("ones", [])
        self.rest = ground.rest

    def choose(self, size):
        return self.rest.ready()[:1]


class Last(Ones):
    def choose(self, size):
        return [4]


class All(Ones):
    def choose(self, size):
        return [0, 1, 2, 3, 4]


ONES = NamedClusterer("ones", "one job each", Ones)
LAST = NamedClusterer("last", "the last job, ready or not", Last)
ALL = NamedClusterer("all", "all jobs, whoever asks", All)
"""


@pytest.fixture
def plugin(put, icsched_process) -> Callable[..., Callable]:
    """Make a package of one module, with entry points; return `icsched` as it finds them."""
    put({"wf.dag": PAIR_AND_FORK})

    def make(entry_points: str, module: str = ""):
        about = "lib/extra-1.0.dist-info"
        put(
            {
                "lib/extra.py": module,
                f"{about}/METADATA": "Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n",
                f"{about}/entry_points.txt": entry_points,
            }
        )
        return lambda *words: icsched_process(*words, PYTHONPATH="lib")

    return make


def squeezed(text: str) -> str:
    """Help without frames and spaces, as it breaks lines anywhere."""
    return "".join(text.replace("│", " ").split())


def test_a_clusterer_of_another_package_is_chosen_by_name_and_in_the_help(plugin):
    icsched = plugin("[icsched.clusterers]\nones = extra:ONES\n", CLUSTERERS)

    result = icsched("cluster", "wf.dag", "--size", "3", "--clusterer", "ones")

    assert (result.code, result.err) == (0, "")
    assert "5 clusters, clusterer ones: 3 of 3 dependencies cut\n" in result.out
    assert "ones,onejobeach" in squeezed(icsched("cluster", "--help").out)


# Packages that are broken

BROKEN = """
from icsched.orders import NamedOrder

NUMBER = 42
ALIAS = NamedOrder("elsewhere", "under another name", None)
"""


@pytest.mark.parametrize(
    ("point", "problem"),
    [
        ("gone:X", "cannot be imported: No module named 'gone'"),
        ("extra:GONE", "cannot be imported: module 'extra' has no attribute 'GONE'"),
        ("raising:X", "cannot be imported: RuntimeError: no licence"),
        ("extra:NUMBER", "expected a NamedOrder, got 42"),
        ("extra:ALIAS", "expected an entry of that name, got 'elsewhere'"),
    ],
)
def test_a_broken_order_is_one_line_and_breaks_neither_others_nor_help(plugin, put, point, problem):
    put({"lib/raising.py": "raise RuntimeError('no licence')\n"})
    icsched = plugin(f"[icsched.orders]\nbroken = {point}\n", BROKEN)

    result = icsched("prio", "wf.dag", "--order", "broken")
    assert (result.code, result.complaint) == (1, f"order 'broken' of {point}: {problem}")

    assert icsched("prio", "wf.dag", "--order", "dask").code == 0  # an entry point, too
    shown = squeezed(icsched("prio", "--help").out)
    assert "broken,cannotbeused:itspackageisbroken" in shown
    assert "dask,asDaskwouldorderthejobs" in shown


def test_a_broken_format_does_not_keep_files_of_any_name_from_being_read(plugin, put):
    icsched = plugin("[icsched.formats]\nbroken = gone:X\n")
    put({"diamond": PAIR_AND_FORK, "log": log_of("a")})

    assert icsched("show", "diamond").code == 0
    assert icsched("learn", "log").code == 0


@pytest.mark.parametrize(
    ("group", "words", "name"),
    [
        ("orders", ("prio", "--order"), "fifo"),
        ("formats", ("convert", "--format"), "dagman"),
        ("clusterers", ("cluster", "--clusterer"), "donor"),
        ("engines", ("run", "--engine"), "local"),
    ],
)
def test_a_broken_entry_does_not_keep_names_from_being_completed(plugin, group, words, name):
    icsched = plugin(f"[icsched.{group}]\nbroken = gone:X\n")

    offered = icsched("__complete", *words, "").out  # what the shells ask

    assert f"\n{name}\t" in offered
    assert "\nbroken\t" not in offered


FAILING = """
from icsched.orders import NamedOrder


def fail(dag):
    raise ValueError("no luck")


FAILING = NamedOrder("failing", "it raises", fail)
NOTHING = NamedOrder("nothing", "it returns None", lambda dag: None)
SHORT = NamedOrder("short", "it returns one task", lambda dag: [0])
BACKWARDS = NamedOrder("backwards", "children first", lambda dag: dag.fifo_order[::-1])
"""


@pytest.mark.parametrize("command", [["prio"], ["simulate", "--runs", "50"]])
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("failing", "failed: ValueError: no luck"),
        (
            "nothing",
            "did not make a legal order: order: expected a plan, a schedule, or a list of"
            " task names or ids, got NoneType",
        ),
        ("short", "did not make a legal order: order: expected 5 tasks, got 1"),
        (
            "backwards",
            "did not make a legal order: step 1 runs 'e' before its parent 'c'",
        ),
    ],
)
def test_an_order_that_fails_is_one_line_that_names_its_package(plugin, command, name, problem):
    point = f"extra:{name.upper()}"
    icsched = plugin(f"[icsched.orders]\n{name} = {point}\n", FAILING)

    result = icsched(*command, "wf.dag", "--order", name)

    assert (result.code, result.complaint) == (1, f"order {name!r} of {point} {problem}")


LISTED = """
from icsched.orders import NamedOrder

LISTED = NamedOrder("listed", "a list of ids", lambda dag: list(dag.fifo_order))
"""


def test_integers_that_an_order_lists_are_ids_whatever_tasks_are_called(plugin):
    """The task 1 has the id 0, so the names of the order are 1, 0."""
    plugin("[icsched.orders]\nlisted = extra:LISTED\n", LISTED)
    text = "import icsched; print(icsched.prioritize({1: [], 0: [1]}, 'listed').names)"
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "PYTHONPATH": "lib"},
        capture_output=True,
        text=True,
    )

    assert (done.stdout, done.stderr) == ("[1, 0]\n", "")


@pytest.mark.parametrize(("name", "chosen"), [("last", "'e'"), ("all", "'c', 'a', 'b', 'd', 'e'")])
def test_a_clusterer_that_breaks_the_rules_is_one_line(plugin, name, chosen):
    """e waits for c; five jobs do not go into clusters of two."""
    icsched = plugin(f"[icsched.clusterers]\n{name} = extra:{name.upper()}\n", CLUSTERERS)

    result = icsched("cluster", "wf.dag", "--size", "2", "--clusterer", name)

    expected = "at most 2 tasks that are free, and wait for no task outside of the set"
    assert result.complaint == f"clusterer ones: expected {expected}, got {chosen}"


NOT_ONE = """
from icsched.formats import Format
from icsched.serve.clusters import NamedClusterer


def fail(*given):
    raise ValueError("no luck")


NOTHING = NamedClusterer("nothing", "it returns None", lambda ground: None)
FAILING = NamedClusterer("failing", "it raises", fail)
FUSSY = NamedClusterer("fussy", "its objection raises", lambda ground: None, fail)
BLANK = Format("blank", "it returns a list", (".blank",), read=lambda paths, options: [])
BAD = Format("bad", "it raises", (".bad",), read=fail)
"""


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("nothing", ": expected it to return a Clusterer, got NoneType"),
        ("failing", " failed: ValueError: no luck"),
        ("fussy", " failed: ValueError: no luck"),
    ],
)
def test_a_clusterer_that_fails_is_one_line_that_names_its_package(plugin, name, problem):
    point = f"extra:{name.upper()}"
    icsched = plugin(f"[icsched.clusterers]\n{name} = {point}\n", NOT_ONE)

    result = icsched("cluster", "wf.dag", "--size", "2", "--clusterer", name)

    assert (result.code, result.complaint) == (1, f"clusterer {name!r} of {point}{problem}")


# Formats of other packages


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("blank", ": expected it to return a Workflow, got list"),
        ("bad", " failed: ValueError: no luck"),
    ],
)
def test_a_format_that_fails_is_one_line_that_names_its_package(plugin, put, name, problem):
    point = f"extra:{name.upper()}"
    icsched = plugin(f"[icsched.formats]\n{name} = {point}\n", NOT_ONE)
    put({f"wf.{name}": ""})

    result = icsched("show", f"wf.{name}")

    assert (result.code, result.complaint) == (1, f"format {name!r} of {point}{problem}")


LINES = """
from pathlib import Path

from icsched import Dag, Workflow
from icsched.files import Change
from icsched.formats import Format
from icsched.workflow import WorkflowSource


class Whole(WorkflowSource):
    def __init__(self, data):
        self.data = data


def read(paths, options):
    old = Path(paths[0]).read_bytes()
    words = [line.split() for line in old.decode().splitlines()]
    dag = Dag({task: parents for task, *parents in words})
    return Workflow(dag, done=[False] * len(dag), files=paths, format="lines", source=Whole(old))


def changes(workflow, order, options):
    names = "".join(f"{workflow.dag.names[task]}\\n" for task in order)
    return [Change("order.txt", None, names.encode())]


LINES = Format("lines", "a task and its parents", (".lines",), read=read, changes=changes)
"""


def test_advice_for_dagman_is_not_given_for_files_of_other_formats(plugin, put, folder):
    icsched = plugin("[icsched.formats]\nlines = extra:LINES\n", LINES)
    put({"wf.lines": "a\nb a\nc\nd c\ne c\n"})

    result = icsched("prio", "--order", "prio", "wf.lines", "--in-place")

    assert (folder / "order.txt").read_text().split() == ["c", "a", "b", "d", "e"]
    assert result.out.splitlines()[-1] == "wrote order.txt"
    assert "condor" not in result.out


def test_removing_from_a_file_of_another_format_is_refused(plugin, put):
    icsched = plugin("[icsched.formats]\nlines = extra:LINES\n", LINES)
    put({"wf.lines": "a\n"})

    result = icsched("prio", "--order", "prio", "wf.lines", "--remove")

    assert (result.code, result.complaint) == (
        1,
        "wf.lines: format lines: icsched can read a workflow and write an order into a"
        " workflow's files, but not remove an order from a workflow's files",
    )


SPOILT = f"""{LINES}
from dataclasses import replace


def spoilt(workflow, order, options):
    [path] = workflow.files
    return [Change(path, workflow.source.data, workflow.source.data + SPOIL)]


SPOILT = replace(LINES, changes=spoilt)
"""


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (b"a b\n", "no reader would take it"),
        (b"z a\n", "it would have other tasks or dependencies"),
        (b"b\n", "it would have other tasks or dependencies"),
    ],
)
def test_a_format_that_would_spoil_a_file_leaves_it_as_it_is(plugin, put, folder, more, problem):
    icsched = plugin("[icsched.formats]\nlines = extra:SPOILT\n", f"{SPOILT}\nSPOIL = {more!r}")
    put({"wf.lines": "a\nb a\nc\nd c\ne c\n"})

    result = icsched("prio", "--order", "prio", "wf.lines", "--in-place")

    told = f"icsched cannot write an order into this file: {problem} afterwards"
    assert (result.code, result.complaint) == (1, f"wf.lines: {told}; nothing is written")
    assert (folder / "wf.lines").read_text() == "a\nb a\nc\nd c\ne c\n"
    assert not (folder / "wf.lines.bak").exists()


def test_the_doctor_lists_entries_of_other_packages_and_says_which_are_broken(plugin):
    """An order, a clusterer, an object that is no format, a missing module, and a taken name."""
    groups = {
        "clusterers": "ones = extra:ONES",
        "formats": "number = extra:NUMBER",
        "orders": "gone = missing_package:ORDER\nmine = extra:MINE\nprio = extra:PRIO",
    }
    order = "NamedOrder({!r}, 'by id', lambda dag: dag.fifo_order)"
    module = f"""{CLUSTERERS}
from icsched.orders import NamedOrder
NUMBER, MINE, PRIO = 42, {order.format("mine")}, {order.format("prio")}
"""
    icsched = plugin(
        "".join(f"[icsched.{name}]\n{lines}\n" for name, lines in groups.items()), module
    )

    report, keys = icsched("doctor"), json.loads(icsched("doctor", "--json").out)

    found = {f"{one['kind']} {one['name']}": one for one in keys["entries"]}
    problems = {name: one["problem"] for name, one in found.items()}
    assert list(problems) == [
        "order gone",
        "order mine",
        "order prio",
        "format number",
        "clusterer ones",
    ]
    assert problems["order mine"] is problems["clusterer ones"] is None
    assert problems["order gone"] == "cannot be imported: No module named 'missing_package'"
    assert problems["order prio"] == "icsched has its own entry of that name"
    assert problems["format number"] == "expected a Format, got 42"
    assert found["order mine"]["object"] == "extra:MINE"
    assert (report.code, report.err, keys["problem"]) == (0, "", None)
    assert "  order mine" in report.out
    assert f"BROKEN: {problems['order gone']}" in " ".join(report.out.split())


def test_the_doctor_has_no_part_for_other_packages_if_there_are_none(icsched, monkeypatch):
    for table in (ORDERS, FORMATS, CLUSTERER_TABLE, ENGINES):
        monkeypatch.setitem(table.__dict__, "_others", {})

    assert "Entries of other packages" not in icsched("doctor").out
