"""`icsched plot`: pictures of workflows, orders, runs and studies."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pydot
import pytest

from icsched import Dag, Workers, eligibility_profile, families, prioritize, read
from icsched.formats import write_dagman
from icsched.sim import Times, engine, pool_to_dict
from icsched.sim.played import Played
from icsched.study import Terms
from icsched.study.tables import write_tables
from tests.study.studies import made

SVG = "{http://www.w3.org/2000/svg}"
FORK = "JOB a x.sub DONE\nJOB b x.sub\nJOB c x.sub\nPARENT a CHILD b c\n"


@pytest.fixture
def airsn(folder):
    write_dagman(families.airsn(8), folder / "wf.dag")
    return read(str(folder / "wf.dag")).dag


def root(path):
    return ElementTree.parse(path).getroot()  # noqa: S314  our own file


def named(path, tag):
    return {one.get("data-name"): one for one in root(path).iter(SVG + tag) if one.get("data-name")}


def texts(path):
    return [one.text for one in root(path).iter(f"{SVG}text")]


def points(line):
    return np.array([tuple(map(float, pair.split(","))) for pair in line.get("points").split()])


def test_curves_are_the_profiles_of_the_orders_below_the_ceiling(airsn, icsched):
    """The frame ends at the last step and at 0; its top is the most that any order has."""
    found = icsched("plot", "curves", "wf.dag", "-o", "wf.svg", "--order", "critical-path")

    assert (
        found.out
        == "wrote wf.svg: wf.dag: Eligible jobs after each step, for fifo, critical-path\n"
    )
    lines = named("wf.svg", "polyline")
    assert list(lines) == ["ceiling: no order has more", "fifo", "critical-path"]
    ceiling = points(lines["ceiling: no order has more"])
    most = prioritize(airsn, "prio").certificate.bound.max()
    (x0, _), (x1, bottom) = ceiling[0], ceiling[-1]
    for word in ("fifo", "critical-path"):
        line = points(lines[word])
        profile = eligibility_profile(airsn, prioritize(airsn, word).order)
        steps = np.rint((line[:, 0] - x0) / (x1 - x0) * len(airsn)).astype(int)
        heights = (bottom - line[:, 1]) / (bottom - ceiling[:, 1].min()) * most
        assert np.rint(heights).tolist() == profile[steps].tolist()
        assert (
            np.interp(np.arange(len(profile)), steps, profile[steps]).tolist() == profile.tolist()
        )


def test_a_dag_has_a_circle_for_each_job_in_the_colour_of_its_place(airsn, icsched):
    assert icsched("plot", "dag", "wf.dag", "-o", "wf.svg").code == 0

    circles = {one.find(f"{SVG}title").text: one for one in root("wf.svg").iter(f"{SVG}circle")}
    order = prioritize(airsn, "prio").names
    assert circles.keys() == set(airsn.names)
    assert circles[order[0]].get("fill") == "#fde725"  # the first colour of the scale
    assert circles[order[-1]].get("fill") == "#440154"  # the last
    arcs = named("wf.svg", "path")["arcs"].get("d")
    assert arcs.count("M") == airsn.arc_count


def test_lanes_have_a_bar_for_each_job_of_the_simulated_run(airsn, icsched):
    """The run is that of the simulator: the first run with the seed, on as many workers."""
    command = ("plot", "lanes", "wf.dag", "-o", "wf.svg", "--workers", "3")
    assert icsched(*command).code == 0

    bars = named("wf.svg", "path")
    for order in ("fifo", "prio"):
        of_order = [one for name, one in bars.items() if name.startswith(f"{order}: ")]
        assert sum(one.get("d").count("z") for one in of_order) == len(airsn)
    schedule = prioritize(airsn, "prio").schedule
    run = engine.trace(airsn, Played("static", schedule), Workers(3), Times(), seed=0, run=0)
    assert f"prio: ends at {float(run.result.time[0]):.4g}, 3 workers" in texts("wf.svg")


def test_lanes_of_run_times_are_in_seconds(put, icsched):
    put({"wf.dag": FORK, "times.csv": "job,seconds\nb,30\nc,40\n"})
    words = ("plot", "lanes", "wf.dag", "-o", "wf.svg", "--run-times", "times.csv")

    assert icsched(*words, "--workers", "1").code == 0

    dag, times = Dag({"b": [], "c": []}), Times(means=[30, 40])
    run = engine.trace(dag, Played("static", [1, 0]), Workers(1), times, seed=0, run=0)
    assert f"prio: ends at {float(run.result.time[0]):.4g} s, 1 worker" in texts("wf.svg")


def test_lanes_without_a_pool_are_on_a_usual_one(put, icsched):
    put({"wf.dag": FORK, "times.csv": "job,seconds\nb,30\nc,40\n"})

    assert icsched("plot", "lanes", "wf.dag", "-o", "wf.svg", "--run-times", "times.csv").code == 0
    assert any(text.startswith("prio: ends at ") for text in texts("wf.svg"))


def test_a_study_is_drawn_from_its_directory(folder, icsched):
    (folder / "out").mkdir()
    write_tables("out", {"wf": [made(1, 16), made(1, 32)]}, ["prio"], Terms())

    assert icsched("plot", "study", "out", "-o", "wf.svg").out == (
        "wrote wf.svg: wf: orders over fifo in 2 cells of a study\n"
    )
    drawn = Path("wf.svg").read_text()
    assert drawn.count("<use") >= 2
    assert {"16", "32", "never stalled"} <= set(texts("wf.svg"))


def test_a_study_of_several_workflows_needs_the_name_of_one(folder, icsched):
    (folder / "out").mkdir()
    write_tables("out", {"one": [made()], "two": [made()]}, ["prio"], Terms())

    unsaid = icsched("plot", "study", "out", "-o", "wf.svg")
    assert icsched("plot", "study", "out", "-o", "wf.svg", "--workflow", "two").code == 0

    assert unsaid.code == 2
    assert unsaid.err == "icsched: --workflow: expected one of one, two, got no --workflow\n"


@pytest.mark.usefixtures("airsn")
@pytest.mark.parametrize("picture", ["curves", "dag", "lanes"])
def test_a_png_has_the_pixels_of_the_svg_at_150_dots_an_inch(icsched, picture):
    for suffix in ("svg", "PNG"):
        assert icsched("plot", picture, "wf.dag", "-o", f"wf.{suffix}").code == 0

    data = Path("wf.PNG").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(data[at : at + 4]) for at in (16, 20))
    size = [float(root("wf.svg").get(name)) / 96 * 150 for name in ("width", "height")]
    assert [width, height] == pytest.approx(size, abs=1)


@pytest.mark.usefixtures("airsn")
def test_an_svg_needs_no_matplotlib_and_a_png_names_the_extra():
    """In a process of its own, in which matplotlib cannot be imported."""
    code = "import sys; sys.modules['matplotlib'] = None; from icsched.cli.main import run"
    names = [f"{picture}.{suffix}" for picture in ("curves", "dag") for suffix in ("svg", "png")]
    commands = [["plot", name.partition(".")[0], "wf.dag", "-o", name] for name in names]
    script = f"{code}; print([run(command) for command in {commands}])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout.endswith("[0, 1, 0, 1]\n")
    missing = r"(icsched: matplotlib is not installed: run .*\[plot\].*\n){2}"
    assert re.fullmatch(missing, done.stderr)


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["curves", "wf.dag"], 2, "expected -o FILE, such as -o picture.svg"),
        (
            ["curves", "wf.dag", "-o", "wf.gif"],
            2,
            "-o: expected a file whose name ends in .svg, .png, .pdf",
        ),
        (
            ["lanes", "wf.dag", "-o", "wf.dot"],
            2,
            "-o: expected a file whose name ends in .svg, .png, .pdf",
        ),
        (["curves", "wf.dag", "-o", "x.svg", "--workers", "2"], 2, "--workers is for lanes"),
        (["dag", "wf.dag", "-o", "x.svg", "--pool", "none"], 2, "--pool is for lanes"),
        (["study", ".", "-o", "x.svg", "--run-times", "t"], 2, "--run-times cannot be used"),
        (["dag", "wf.dag", "-o", "x.svg", "--workflow", "x"], 2, "--workflow is for study"),
        (["study", "out", "-o", "x.svg", "--order", "fifo"], 2, "--order cannot be used"),
        (
            ["dag", "wf.dag", "-o", "x.svg", "--order", "fifo", "--order", "prio"],
            2,
            "one order, got 2",
        ),
        (["curves", "wf.dag", "-o", "x.svg", "--order", "best"], 2, "got 'best'"),
        (["curves", "-o", "x.svg"], 2, "expected a workflow file"),
        (["curves", "none.dag", "-o", "x.svg"], 1, "none.dag: no such file or directory"),
        (["study", ".", "-o", "x.svg"], 1, ".: no study there"),
        (["curves", "wf.dag", "-o", "none/x.svg"], 1, "no such file or directory"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(put, icsched, arguments, code, complaint):
    put({"wf.dag": FORK})

    found = icsched("plot", *arguments)

    assert (found.code, found.out) == (code, "")
    assert complaint in found.err
    assert found.err.count("\n") == 1


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": 9, "orders": [], "cells": []}', "\xff"])
def test_tables_that_no_study_wrote_are_refused(put, icsched, text):
    put({"study.json": text})

    found = icsched("plot", "study", ".", "-o", "x.svg")

    assert (found.code, found.err.count("\n")) == (1, 1)
    assert found.err.startswith("icsched: study.json: expected")


def test_a_file_of_the_workflow_is_never_replaced(put, icsched):
    put({"wf.dot": "digraph { a -> b }"})

    found = icsched("plot", "dag", "wf.dot", "-o", "wf.dot")

    assert (found.code, "is a file of the workflow" in found.err) == (2, True)
    assert Path("wf.dot").read_text() == "digraph { a -> b }"


@pytest.mark.filterwarnings("ignore::DeprecationWarning:pydot")
def test_dot_has_labels_priorities_and_colours_and_is_read_back(put, icsched):
    put({"wf.dag": FORK})
    assert icsched("plot", "dag", "wf.dag", "-o", "out.dot").code == 0

    (graph,) = pydot.graph_from_dot_file("out.dot")
    nodes = {node.get_name(): node.get_attributes() for node in graph.get_nodes()}
    assert nodes['"a"'] == {"label": '"a\\ndone"', "done": "true", "fillcolor": '"#dddddd"'}
    assert nodes['"b"'] == {"label": '"b\\n2"', "priority": "2", "fillcolor": '"#fde725"'}
    assert nodes['"c"']["fontcolor"] == '"#ffffff"'
    again = read("out.dot")
    assert (again.done.tolist(), again.priorities.tolist()) == ([True, False, False], [2, 1])
    assert again.whole.arcs.tolist() == read("wf.dag").whole.arcs.tolist()


def test_odd_names_survive_in_dot(put, icsched):
    put({"wf.dot": 'digraph { "say \\"hi\\"" -> "C:\\data" -> "<b>" }'})
    assert icsched("plot", "dag", "wf.dot", "-o", "out.dot").code == 0

    assert read("out.dot").names == read("wf.dot").names == ('say "hi"', "C:\\data", "<b>")


@pytest.mark.parametrize(("more", "is_told"), [({}, False), ({"leave": 1}, True)])
def test_the_legend_of_lanes_has_no_result_only_if_a_job_is_lost(put, icsched, more, is_told):
    put({"wf.dag": FORK, "pool.json": json.dumps(pool_to_dict(Workers(2, **more)))})
    assert icsched("plot", "lanes", "wf.dag", "--pool", "pool.json", "-o", "out.svg").code == 0

    assert (">no result<" in Path("out.svg").read_text()) == is_told
    assert ("fifo: no result" in named("out.svg", "path")) == is_told  # the bars themselves


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_the_dot_with_its_labels(put, icsched):
    put({"wf.dag": FORK})
    assert icsched("plot", "dag", "wf.dag", "-o", "out.dot").code == 0

    done = subprocess.run(["dot", "-Tsvg", "out.dot"], capture_output=True, text=True, check=True)
    assert "#fde725" in done.stdout
    assert not done.stderr


def test_the_pictures_of_the_page_are_what_its_commands_write(folder, icsched):
    pages = Path(__file__).parents[2] / "docs"
    (block,) = re.findall(r"```sh\n(.*?)```", (pages / "plots.md").read_text(), re.DOTALL)

    for line in block.splitlines():
        assert icsched(*line.split()[1:]).code == 0

    for name in ("curves.svg", "dag.svg", "lanes.svg"):
        drawn = (folder / name).read_bytes()
        assert drawn == (pages / "plots" / name).read_bytes()
        assert len(drawn) < 60_000


LONG = "a_very_long_name_of_a_kind_of_job_"


def ends(path):
    """Where each text ends, if its letters are as wide as DejaVu Sans has them on average."""
    for one in root(path).iter(f"{SVG}text"):
        if one.get("text-anchor") == "start":
            yield float(one.get("x")) + 0.58 * float(one.get("font-size")) * len(one.text)


@pytest.mark.parametrize("picture", ["curves", "dag", "lanes"])
def test_no_title_and_no_legend_leaves_the_picture(put, icsched, picture):
    """Seven kinds with long names, and lost jobs: the legend of lanes has its most entries."""
    jobs = "".join(f"JOB {LONG}{kind} x.sub\n" for kind in "abcdefg")
    lossy = json.dumps(pool_to_dict(Workers(2, leave=1)))
    put({f"{'long' * 50}.dag": jobs, "pool.json": lossy})
    pool = ("--pool", "pool.json") if picture == "lanes" else ()

    assert icsched("plot", picture, f"{'long' * 50}.dag", *pool, "-o", "wf.svg").code == 0

    assert max(ends("wf.svg")) <= float(root("wf.svg").get("width"))
    assert ("no result" in texts("wf.svg")) == (picture == "lanes")


def test_letters_that_no_font_has_are_drawn_without_a_word(put, icsched):
    put({"wf.dot": 'digraph { "日本語" -> "b" }'})

    found = icsched("plot", "dag", "wf.dot", "-o", "wf.png")

    assert (found.code, found.err) == (0, "")


def test_names_of_wide_letters_keep_apart(put, icsched):
    """Three names of 16 wide letters side by side: a node has 90 pixels, a letter takes 10."""
    names = [f"{'漢' * 15}{digit}" for digit in "abc"]
    put({"wf.dot": f"digraph {{ {' '.join(names)} }}"})
    assert icsched("plot", "dag", "wf.dot", "-o", "wf.svg").code == 0

    drawn = [text for text in texts("wf.svg") if "漢" in text]
    assert [text[-1] for text in drawn] == ["a", "b", "c"]
    wide = float(root("wf.svg").get("width"))
    assert all(10 * len(text) < wide / 3 for text in drawn)


def test_a_run_that_takes_no_time_ends_at_0(put, icsched):
    put({"wf.dag": FORK, "times.csv": "b,0\nc,0\n"})
    given = "--workers", "2", "--run-times", "times.csv"
    assert icsched("plot", "lanes", "wf.dag", *given, "-o", "wf.svg").code == 0

    assert "prio: ends at 0 s, 2 workers" in texts("wf.svg")
    assert len(set(texts("wf.svg"))) > 5  # the ticks have different numbers


def test_auto_that_keeps_fifo_has_the_lanes_of_fifo(folder, icsched):
    """Jobs start when they are ready, which no list of jobs can say."""
    write_dagman(families.montage(15, 15), folder / "wf.dag")

    pool = ("--order", "auto", "--workers", "200")
    assert icsched("plot", "lanes", "wf.dag", *pool, "-o", "wf.svg").code == 0

    ends = [text.split(": ") for text in texts("wf.svg") if ": ends at " in text]
    assert [name for name, _ in ends] == ["fifo", "auto"]
    assert len({end for _, end in ends}) == 1


def test_labels_with_wide_letters_have_room_or_are_left_out(icsched, folder):
    """A level of 42 jobs in 1,600 pixels: 38 for each, and five letters such as mD...00 take 40."""
    icsched("make", "montage", "4", "4", "-o", "m.dag")
    icsched("plot", "dag", "m.dag", "-o", "m.svg")

    drawn = re.findall(r"<text [^>]*>([^<]*)</text>", (folder / "m.svg").read_text())
    assert "mProject_00" in drawn
    assert not [words for words in drawn if words.startswith("mD")]
