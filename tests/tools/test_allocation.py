"""What tools/allocation.py computes: crossovers, and batches for workers."""

import importlib.util
import re
import sys
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from icsched import BatchServer, Dag, Times, Workers, families, prioritize
from icsched.render.figures import write_figure
from icsched.sim import Clustered, Mean, Ratio, run_clusters

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def allocation():
    path = Path(__file__).parents[2] / "tools" / "allocation.py"
    spec = importlib.util.spec_from_file_location("allocation", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["allocation"] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["allocation"]


def ratio(median: float, width: float = 0.05) -> Ratio:
    return Ratio(median, median - width, median + width, median, 0.1)


@pytest.mark.parametrize(
    ("medians", "bracket", "words"),
    [
        ([1.2, 1.1, 0.9, 0.8], (1, 2), "1 to 2"),
        ([1.2, 1.0, 1.02, 0.8], (0, 3), "0 to 3"),  # 1.0 and 1.02 are not clear
        ([1.2, 0.8, 1.1, 0.8], (2, 3), "2 to 3"),  # below for good only from 3 on
        ([0.9, 0.8, 0.7, 0.6], (None, 0), "always"),
        ([1.0, 0.8, 0.7, 0.6], (None, 1), "up to 1"),
        ([1.2, 1.1, 1.1, 1.1], (3, None), "never"),
        ([1.2, 0.8, 0.8, 1.0], (0, None), "never"),
    ],
)
def test_the_bracket_lies_between_clearly_worse_and_clearly_better_for_good(
    allocation, medians, bracket, words
):
    points = [(float(at), ratio(median)) for at, median in enumerate(medians)]
    found = allocation.crossover(reversed(points))

    assert (found.worse, found.better) == bracket
    assert str(found) == words


def test_each_step_halves_the_widest_gap_of_the_bracket(allocation):
    """The ratio is 1 at overhead 3.3: 0 to 8, then 4 better, 2 worse, 3 worse, 3.5 better."""
    asked = []

    def measure(overhead):
        asked.append(overhead)
        return ratio(1 + (3.3 - overhead) / 10, width=0.001)

    points = [(0.0, ratio(1.33)), (8.0, ratio(0.53))]
    found = allocation.narrowed(points, measure, 4)

    assert asked == [4, 2, 3, 3.5]
    assert (found.worse, found.better) == (3, 3.5)


def test_what_is_not_clear_stays_in_the_bracket(allocation):
    """Clear only outside 2 to 6: asked are 4, then the upper of two equal gaps, then the lower."""
    asked = []

    def measure(overhead):
        asked.append(overhead)
        return ratio(1 + (4 - overhead) / 10, width=0.2)

    found = allocation.narrowed([(0.0, ratio(1.4)), (8.0, ratio(0.6))], measure, 4)

    assert asked == [4, 6, 2, 7]
    assert (found.worse, found.better) == (0, 7)


def test_where_there_is_no_crossover_nothing_is_asked(allocation):
    def measure(overhead):
        raise AssertionError(overhead)

    for medians in ([1.2, 1.1], [0.9, 0.8]):
        points = [(float(at), ratio(median)) for at, median in enumerate(medians)]
        assert allocation.narrowed(points, measure, 4) == allocation.crossover(points)


def test_a_batch_holds_no_task_that_waits_for_another():
    r"""
      a     A cluster of 4 is the whole dag: 1 + 4 = 5.
     / \    As batches: a until 2, b and c until 5, d until 7.
    b   c
     \ /
      d
    """
    dag = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})
    make = partial(BatchServer, order=prioritize(dag, "prio").order)
    workers = Workers(1, overhead=1.0)
    runs = run_clusters(dag, Clustered(make, [4]), workers, Times("constant"), seed=0, run=0)

    assert runs.time[0] == 7.0


def test_every_way_plays_a_dag_to_its_end(allocation, monkeypatch):
    monkeypatch.setitem(allocation.DAGS, "small", partial(families.fft, 3))
    monkeypatch.setattr(allocation, "RUNS", allocation.Paired(most_runs=20))
    estimates, ratios = allocation.cell("small", 0.5)

    assert len(ratios) == 2 + 3 * 4  # fifo and the best task; FFT dags have staggered clusters
    assert set(estimates) == {"prio", *ratios}
    assert all(row.time.mean > 0 for row in estimates.values())


# Figures


@pytest.fixture
def drawn(tmp_path):
    """Write a figure as SVG and parse it."""

    def parse(figure):
        (path,) = write_figure(figure, str(tmp_path / "figure"), ["svg"])
        return ElementTree.parse(path).getroot()  # noqa: S314  our own file

    return parse


def texts(root):
    return [text.text for text in root.iter(f"{SVG}text")]


def curve_ends(root, name):
    """First and last point of each curve called *name*, in points."""
    groups = [group for group in root.iter(f"{SVG}g") if group.get("id") == f"curve-{name}"]
    paths = [next(group.iter(f"{SVG}path")).get("d") for group in groups]
    found = [re.findall(r"[ML] (\S+) (\S+)", path) for path in paths]
    return [[tuple(map(float, point)) for point in (points[0], points[-1])] for points in found]


CURVE = [(0.0, Mean(10, 9, 11)), (0.1, Mean(20, 19, 21)), (10.0, Mean(100, 90, 110))]


def test_curves_start_at_zero_and_rise_to_the_right(allocation, drawn):
    root = drawn(allocation.curves_figure({"dag": {"mine": CURVE}}, columns=1, labels=("x", "y")))

    (((left, low), (right, high)),) = curve_ends(root, "mine")
    assert left < right
    assert high < low  # SVG counts from the top
    assert {"dag", "mine", "x", "y", "0", "0.1", "10", "100"} <= set(texts(root))


def test_plots_of_a_row_share_their_scale_and_a_legend_names_every_curve(allocation, drawn):
    """The second curve lies twice as high, in the plot beside the first; a third is missing."""
    double = [(at, Ratio(2 * y.mean, 2 * y.low, 2 * y.high, 2 * y.mean, 0.1)) for at, y in CURVE]
    panels = {"one": {"mine": CURVE}, "two": {"yours": double}, "three": {"mine": CURVE}}

    root = drawn(allocation.curves_figure(panels, columns=2, labels=("x", "y")))

    (mine, _), (yours,) = curve_ends(root, "mine"), curve_ends(root, "yours")
    assert yours[0][1] < mine[0][1]
    assert yours[1][1] - mine[1][1] == pytest.approx(yours[0][1] - mine[0][1])
    assert [text for text in texts(root) if text in ("mine", "yours")] == ["mine", "yours"]


def test_the_same_curves_give_the_same_bytes(allocation, tmp_path):
    written = []
    for name in ("first", "second"):
        figure = allocation.curves_figure({"dag": {"mine": CURVE}}, columns=1, labels=("x", "y"))
        (path,) = write_figure(figure, str(tmp_path / name), ["svg"])
        written.append((tmp_path / path).read_bytes())

    assert written[0] == written[1]
