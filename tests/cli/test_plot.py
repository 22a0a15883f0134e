"""`icsched plot`: pictures of workflows, orders, runs and studies."""

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from icsched import Dag, Workers, eligibility_profile, families, prioritize, read
from icsched.formats import write_dagman
from icsched.sim import Played, Times, pool_to_dict
from icsched.study import Terms
from icsched.study.export import write_tables
from tests.sim.models import trace
from tests.study.studies import made

SVG = "{http://www.w3.org/2000/svg}"
FORK = "JOB a x.sub DONE\nJOB b x.sub\nJOB c x.sub\nPARENT a CHILD b c\n"


@pytest.fixture
def airsn(folder):
    write_dagman(families.airsn(8), folder / "wf.dag")
    return read(str(folder / "wf.dag")).dag


def root(path):
    return ElementTree.parse(path).getroot()  # noqa: S314  our own file


def part(path, name):
    (found,) = (one for one in root(path).iter() if one.get("id") == name)
    return found


def texts(path):
    return [one.text for one in root(path).iter(f"{SVG}text")]


def points(path, name):
    """The corners of the only line that has this name."""
    (line,) = part(path, name).iter(f"{SVG}path")
    pairs = re.findall(r"[ML] (\S+) (\S+)", line.get("d"))
    return np.array([tuple(map(float, pair)) for pair in pairs])


def test_curves_are_the_profiles_of_the_orders_below_the_ceiling(airsn, icsched):
    """The frame ends at the last step and at 0; its top is the most that any order has."""
    found = icsched("plot", "curves", "wf.dag", "-o", "wf.svg", "--order", "critical-path")

    assert (
        found.out
        == "wrote wf.svg: wf.dag: eligible jobs after each step, for fifo, critical-path\n"
    )
    assert {"ceiling: no order has more", "fifo", "critical-path"} <= set(texts("wf.svg"))
    ceiling = points("wf.svg", "ceiling")
    most = prioritize(airsn, "prio").certificate.bound.max()
    (x0, _), (x1, bottom) = ceiling[0], ceiling[-1]
    for word in ("fifo", "critical-path"):
        line = points("wf.svg", f"curve-{word}")
        profile = eligibility_profile(airsn, prioritize(airsn, word).order)
        steps = np.rint((line[:, 0] - x0) / (x1 - x0) * len(airsn)).astype(int)
        heights = (bottom - line[:, 1]) / (bottom - ceiling[:, 1].min()) * most
        assert np.rint(heights).tolist() == profile[steps].tolist()
        assert (
            np.interp(np.arange(len(profile)), steps, profile[steps]).tolist() == profile.tolist()
        )


def test_a_dag_has_a_circle_for_each_job_in_the_colour_of_its_place(airsn, icsched):
    assert icsched("plot", "dag", "wf.dag", "-o", "wf.svg").code == 0

    circles = list(part("wf.svg", "tasks").iter(f"{SVG}use"))
    fills = [re.search("fill: (#.{6})", one.get("style"))[1] for one in circles]
    order = prioritize(airsn, "prio").order
    assert len(fills) == len(airsn)
    assert fills[order[0]] == "#fde725"  # the first colour of the scale
    assert fills[order[-1]] == "#440154"  # the last
    assert len(points("wf.svg", "arcs-0")) == 2 * airsn.arc_count


def bars(path):
    """The number of bars of each order and kind."""
    named = {one.get("id"): one for one in root(path).iter() if ": " in one.get("id", "")}
    return {
        name: sum(path.get("d").count("z") for path in one.iter(f"{SVG}path"))
        for name, one in named.items()
    }


def test_lanes_have_a_bar_for_each_job_of_the_simulated_run(airsn, icsched):
    """The run is that of the simulator: the first run with the seed, on as many workers."""
    command = ("plot", "lanes", "wf.dag", "-o", "wf.svg", "--workers", "3")
    assert icsched(*command).code == 0

    for order in ("fifo", "prio"):
        drawn = [count for name, count in bars("wf.svg").items() if name.startswith(f"{order}: ")]
        assert sum(drawn) == len(airsn)
    schedule = prioritize(airsn, "prio").schedule
    run = trace(airsn, Played("static", schedule), Workers(3), Times(), seed=0, run=0)
    assert f"prio: ends at {float(run.result.time[0]):.4g}, 3 workers" in texts("wf.svg")


def test_lanes_of_run_times_are_in_seconds(put, icsched):
    put({"wf.dag": FORK, "times.csv": "job,seconds\nb,30\nc,40\n"})
    words = ("plot", "lanes", "wf.dag", "-o", "wf.svg", "--run-times", "times.csv")

    assert icsched(*words, "--workers", "1").code == 0

    dag, times = Dag({"b": [], "c": []}), Times(means=[30, 40])
    run = trace(dag, Played("static", [1, 0]), Workers(1), times, seed=0, run=0)
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
    points_ = [root("wf.svg").get(name).removesuffix("pt") for name in ("width", "height")]
    assert [width, height] == pytest.approx([float(one) / 72 * 150 for one in points_], abs=1)


@pytest.mark.usefixtures("airsn")
@pytest.mark.parametrize("picture", ["curves", "dag", "lanes"])
@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_the_same_picture_has_the_same_bytes(icsched, picture, suffix):
    for name in ("one", "two"):
        assert icsched("plot", picture, "wf.dag", "-o", f"{name}.{suffix}").code == 0

    assert Path(f"one.{suffix}").read_bytes() == Path(f"two.{suffix}").read_bytes()


@pytest.mark.usefixtures("airsn")
@pytest.mark.parametrize("picture", ["curves", "dag", "lanes"])
def test_without_matplotlib_the_extra_is_named(icsched, monkeypatch, picture):
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    found = icsched("plot", picture, "wf.dag", "-o", "wf.svg")

    assert (found.code, found.out) == (1, "")
    assert found.complaint == "matplotlib is not installed: run pip install 'icsched[plot]'"
    assert not Path("wf.svg").exists()


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
            ["dag", "wf.dag", "-o", "wf.dot"],
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
        (["curves", "wf.dag", "-o", "none/x.svg"], 1, "its directory does not exist"),
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
    put({"wf.dag": "SPLICE s inner.svg\n", "inner.svg": "JOB a x\n"})

    found = icsched("plot", "dag", "wf.dag", "-o", "inner.svg")

    assert (found.code, "is a file of the workflow" in found.err) == (2, True)
    assert Path("inner.svg").read_text() == "JOB a x\n"


@pytest.mark.parametrize(("more", "is_told"), [({}, False), ({"leave": 1}, True)])
def test_the_legend_of_lanes_has_no_result_only_if_a_job_is_lost(put, icsched, more, is_told):
    put({"wf.dag": FORK, "pool.json": json.dumps(pool_to_dict(Workers(2, **more)))})
    assert icsched("plot", "lanes", "wf.dag", "--pool", "pool.json", "-o", "out.svg").code == 0

    assert ("no result" in texts("out.svg")) == is_told
    assert ("fifo: no result" in bars("out.svg")) == is_told  # the bars themselves


def test_the_pictures_of_the_page_are_what_its_commands_write(folder, icsched):
    """Texts and numbers of shapes: another matplotlib may place them a little differently."""
    pages = Path(__file__).parents[2] / "docs"
    (block,) = re.findall(r"```sh\n(.*?)```", (pages / "plots.md").read_text(), re.DOTALL)

    for line in block.splitlines():
        assert icsched(*line.split()[1:]).code == 0

    for name in ("curves.svg", "dag.svg", "lanes.svg"):
        drawn, shown = folder / name, pages / "plots" / name
        assert texts(drawn) == texts(shown)
        assert [one.tag for one in root(drawn).iter()] == [one.tag for one in root(shown).iter()]
        assert drawn.stat().st_size < 60_000


LONG = "a_very_long_name_of_a_kind_of_job_"


def ends(path):
    """Where each text ends, if its letters are as wide as DejaVu Sans has them on average."""
    for one in root(path).iter(f"{SVG}text"):
        size = float(re.search(r"font-size: ([\d.]+)px", one.get("style"))[1])
        if "text-anchor: start" in one.get("style"):
            yield float(one.get("x")) + 0.58 * size * len(one.text)


@pytest.mark.parametrize("picture", ["curves", "dag", "lanes"])
def test_no_title_and_no_legend_leaves_the_picture(put, icsched, picture):
    """Seven kinds with long names, and lost jobs: the legend of lanes has its most entries."""
    jobs = "".join(f"JOB {LONG}{kind} x.sub\n" for kind in "abcdefg")
    lossy = json.dumps(pool_to_dict(Workers(2, leave=1)))
    put({f"{'long' * 50}.dag": jobs, "pool.json": lossy})
    pool = ("--pool", "pool.json") if picture == "lanes" else ()

    assert icsched("plot", picture, f"{'long' * 50}.dag", *pool, "-o", "wf.svg").code == 0

    assert max(ends("wf.svg")) <= float(root("wf.svg").get("width").removesuffix("pt"))
    assert ("no result" in texts("wf.svg")) == (picture == "lanes")


def test_letters_that_no_font_has_are_drawn_without_a_word(put, icsched):
    put({"wf.dot": 'digraph { "日本語" -> "b" }'})

    found = icsched("plot", "dag", "wf.dot", "-o", "wf.png")

    assert (found.code, found.err) == (0, "")


def test_names_of_wide_letters_keep_apart(put, icsched):
    """Three names of 16 wide letters side by side: a node has 67 points, a letter takes 7.6."""
    names = [f"{'漢' * 15}{digit}" for digit in "abc"]
    put({"wf.dot": f"digraph {{ {' '.join(names)} }}"})
    assert icsched("plot", "dag", "wf.dot", "-o", "wf.svg").code == 0

    drawn = [text for text in texts("wf.svg") if "漢" in text]
    assert [text[-1] for text in drawn] == ["a", "b", "c"]
    wide = float(root("wf.svg").get("width").removesuffix("pt"))
    assert all(7.6 * len(text) < wide / 3 for text in drawn)


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
