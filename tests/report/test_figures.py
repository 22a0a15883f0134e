"""The figures of a study, read back from their SVG."""

import re
import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from icsched import eligibility_profile, families, prioritize
from icsched.errors import EngineError, FormatError
from icsched.report.figures import eligible_figure, ratio_figure, write_figure
from icsched.sim import Estimates, Mean, Ratio
from icsched.study.cells import Cell, Terms, grid, workers_grid
from tests.study.studies import MEAN, made

CELLS = grid(Terms())
RATIO = Ratio(0.5, 0.25, 0.75, 0.5, 0.1)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def drawn(tmp_path):
    """Write a figure as SVG and parse it."""

    def parse(figure):
        (path,) = write_figure(figure, str(tmp_path / "figure"), ["svg"])
        return ElementTree.parse(path).getroot()  # noqa: S314  our own file

    return parse


def part(root, name):
    (found,) = (group for group in root.iter(f"{SVG}g") if group.get("id") == name)
    return found


def dots(root, metric, order="prio"):
    return [use.get("x") for use in part(root, f"medians-{metric}-{order}").iter(f"{SVG}use")]


def segments(root, metric, order="prio"):
    """Each segment as (x, length) in points."""
    (path,) = part(root, f"intervals-{metric}-{order}").iter(f"{SVG}path")
    found = re.findall(r"M (\S+) (\S+) *\n?L (\S+) (\S+)", path.get("d"))
    assert all(x == other for x, _, other, _ in found)
    return [(x, float(low) - float(high)) for x, low, _, high in found]


def texts(root):
    return [text.text for text in root.iter(f"{SVG}text")]


def test_every_cell_with_an_interval_has_a_dot_and_a_segment(drawn):
    """Stalling is reported at intervals up to 1 only: 4 of 7 sections of 17 batch sizes."""
    results = [made(c.interval, c.batch, stall=RATIO if c.interval <= 1 else None) for c in CELLS]

    root = drawn(ratio_figure("wf", CELLS, results))

    for metric, count in {"time": 119, "stall": 68, "utilisation": 119}.items():
        assert len(dots(root, metric)) == count
        assert [x for x, _ in segments(root, metric)] == dots(root, metric)


def test_cells_that_are_not_there_yet_stay_empty(drawn):
    root = drawn(ratio_figure("wf", CELLS, [made(1, 16), made(10, 16)]))

    assert len(dots(root, "time")) == 2
    assert dots(root, "stall") == []


def test_a_figure_of_no_cells_can_be_drawn(drawn):
    assert "wf" in texts(drawn(ratio_figure("wf", CELLS, [])))


def test_every_plot_has_the_seven_sections_in_order(drawn):
    root = drawn(ratio_figure("wf", CELLS, [made()]))

    sections = [text for text in texts(root) if text.startswith("interval ")]
    intervals = ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]
    assert sections == [f"interval {interval}" for interval in intervals] * 3
    labels = [text for text in texts(root) if text.endswith("prio / FIFO")]
    assert [label.partition(",")[0] for label in labels] == [
        "execution time",
        "probability of stalling",
        "utilisation",
    ]


def test_batch_sizes_grow_from_left_to_right_within_sections(drawn):
    """Results come in any order; places follow the grid, with a gap between sections."""
    results = [made(cell.interval, cell.batch) for cell in reversed(CELLS)]

    places = sorted(float(x) for x in dots(drawn(ratio_figure("wf", CELLS, results)), "time"))

    steps = np.diff(places)
    gaps = np.flatnonzero(steps > 1.5 * steps.min())
    assert gaps.tolist() == [16, 33, 50, 67, 84, 101]


def test_a_segment_is_as_long_as_its_interval(drawn):
    """The second interval is twice as long as the first."""
    results = [
        made(1, 16, time=Ratio(0.5, 0.4, 0.6, 0.5, 0.1)),
        made(1, 32, time=Ratio(0.5, 0.3, 0.7, 0.5, 0.1)),
    ]

    (_, first), (_, second) = segments(drawn(ratio_figure("wf", CELLS, results)), "time")

    assert second == pytest.approx(2 * first, rel=1e-4)


def test_the_same_cells_give_the_same_bytes_without_a_date(tmp_path):
    suffixes = ["svg", "png", "pdf"]
    results = [made(cell.interval, cell.batch, stall=RATIO) for cell in CELLS]
    for name in ("one", "two"):
        write_figure(ratio_figure("wf", CELLS, results), str(tmp_path / name), suffixes)

    for suffix in suffixes:
        one, two = (tmp_path / f"{name}.{suffix}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    text = (tmp_path / "one.svg").read_text()
    assert "<dc:date>" not in text
    assert b"CreationDate" not in (tmp_path / "one.pdf").read_bytes()
    assert len(text) < 110_000


def test_a_png_is_a_png(tmp_path):
    paths = write_figure(ratio_figure("wf", CELLS, [made()]), str(tmp_path / "wf"), ["svg", "png"])

    assert paths == [str(tmp_path / "wf.svg"), str(tmp_path / "wf.png")]
    assert (tmp_path / "wf.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_names_with_markup_are_shown_as_they_are(drawn):
    assert "<a> & $b_1$" in texts(drawn(ratio_figure("<a> & $b_1$", CELLS, [made()])))


def points(root):
    (path,) = part(root, "difference-prio").iter(f"{SVG}path")
    return [tuple(map(float, pair)) for pair in re.findall(r"[ML] (\S+) (\S+)", path.get("d"))]


def test_the_eligible_figure_bends_where_the_difference_does(drawn):
    """The difference is 0 1 2 3 3 0: it bends after 3 and 4 jobs."""
    ours, fifo = np.array([1, 3, 4, 4, 4, 0]), np.array([1, 2, 2, 1, 1, 0])

    line = points(drawn(eligible_figure("wf", {"prio": ours}, fifo)))

    assert len(line) == 4
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = line
    assert (x1 - x0) / (x3 - x0) == pytest.approx(3 / 5, abs=1e-4)
    assert y1 == y2 < y0 == y3
    assert x2 > x1


def test_a_long_line_keeps_its_highest_and_lowest_points(drawn):
    """Of 50,000 random steps some 2,000 are drawn, the extremes among them."""
    noise = np.random.default_rng(1).integers(-50, 50, 50_000)
    noise[[12_345, 23_456]] = 500, -300

    line = points(drawn(eligible_figure("wf", {"prio": noise}, np.zeros_like(noise))))

    assert 1000 < len(line) <= 2000
    heights = sorted(y for _, y in line)
    zero = (heights[0] * 300 + heights[-1] * 500) / 800
    assert heights[1] - zero > 10 * (heights[0] - zero) / 10.5  # the next is ten times smaller


def test_a_long_line_keeps_both_its_ends():
    """The first and the last value are neither the highest nor the lowest near them."""
    noise = np.random.default_rng(1).integers(-50, 50, 50_001)
    noise[[0, -1]] = 0

    figure = eligible_figure("wf", {"prio": noise}, np.zeros_like(noise))

    (line,) = figure.findobj(lambda artist: artist.get_gid() == "difference-prio")
    steps = line.get_xdata()
    assert (steps[0], steps[-1]) == (0, 50_000)
    assert len(steps) <= 2000


def test_the_eligible_figure_of_airsn_is_small(tmp_path):
    dag = families.airsn(250)
    ours = prioritize(dag, "prio").schedule.eligible

    figure = eligible_figure("airsn", {"prio": ours}, eligibility_profile(dag, dag.fifo_order))
    write_figure(figure, str(tmp_path / "airsn"), ["svg"])

    assert (tmp_path / "airsn.svg").stat().st_size < 20_000


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    for draw in (
        lambda: ratio_figure("wf", CELLS, []),
        lambda: eligible_figure("wf", {"prio": np.zeros(2, int)}, np.zeros(2, int)),
    ):
        with pytest.raises(
            EngineError, match=r"matplotlib is not installed: run .*icsched\[plot\]"
        ):
            draw()


def test_a_figure_that_cannot_be_written_is_one_line(tmp_path):
    with pytest.raises(FormatError, match="its directory does not exist"):
        write_figure(ratio_figure("wf", CELLS, []), str(tmp_path / "none" / "wf"), ["svg"])


BOTH = {"prio": "prio", "critical-path": "critical-path"}


def test_several_orders_have_their_own_dots_side_by_side_and_a_legend(drawn):
    """The dots of one cell stand at different places, so that no segment hides another."""
    results = [made(cell.interval, cell.batch, beside=RATIO) for cell in CELLS]

    root = drawn(ratio_figure("wf", CELLS, results, BOTH))

    left, right = (list(map(float, dots(root, "time", order))) for order in BOTH)
    assert len(left) == len(right) == 119
    assert all(x < y for x, y in zip(left, right, strict=True))
    assert right[0] < left[1]
    assert texts(root).count("prio") == texts(root).count("critical-path") == 1
    assert "execution time, order / FIFO" in texts(root)


def test_one_order_needs_no_legend(drawn):
    root = drawn(ratio_figure("wf", CELLS, [made()]))

    assert "prio" not in texts(root)


def test_numbers_of_workers_stand_below_one_section(drawn):
    cells = workers_grid(Terms(), [8, 16, 32])
    results = [made(None, None, cell.workers) for cell in cells]

    root = drawn(ratio_figure("wf", cells, results))

    assert [text for text in texts(root) if text in ("8", "16", "32")] == ["8", "16", "32"]
    assert "workers" in texts(root)
    assert not [text for text in texts(root) if text and text.startswith("interval")]
    assert len(set(dots(root, "time"))) == 3


def test_the_only_pool_has_one_dot(drawn):
    root = drawn(ratio_figure("wf", [Cell()], [made(None, None)]))

    assert len(dots(root, "time")) == 1
    assert "the pool" in texts(root)


def test_the_eligible_figure_of_several_orders_has_a_line_for_each(drawn):
    profiles = {"prio": np.array([1, 2, 1, 0]), "mine": np.array([1, 1, 1, 0])}

    root = drawn(eligible_figure("wf", profiles, np.array([1, 1, 1, 0])))

    assert part(root, "difference-prio") is not part(root, "difference-mine")
    assert {"prio", "mine"} <= set(texts(root))


def estimated(**stall):
    """Estimates whose mean probability of stalling is as given, by order."""
    return {
        order: Estimates(MEAN, Mean(mean, mean, mean), MEAN)
        for order, mean in ({"prio": 0.0, "fifo": 0.0} | stall).items()
    }


def test_a_panel_without_a_dot_says_that_nobody_ever_stalled(drawn):
    root = drawn(ratio_figure("wf", CELLS, [made(1, 16), made(10, 16)]))

    assert [text for text in texts(root) if "stalled" in text] == ["never stalled"]


def test_a_section_without_a_dot_says_who_never_stalled(drawn):
    """At interval 1 prio never stalled but fifo did; at 10 both did, though too seldom."""
    first = replace(made(1, 16), orders=estimated(fifo=0.5))
    second = replace(made(10, 16), orders=estimated(prio=1e-9, fifo=1e-9))
    there = made(100, 16, stall=RATIO)

    words = texts(drawn(ratio_figure("wf", CELLS, [first, second, there])))

    stall = words[words.index("interval 1000") + 1 :]
    assert [text for text in stall if text in ("prio", "never stalled")] == [
        "prio",
        "never stalled",
    ]
    assert [text for text in stall if text == "stalls too rare"] == ["stalls too rare"]


def test_sections_that_were_not_simulated_say_so(drawn):
    """Seven intervals, one of them simulated: six sections in two plots, the third has no dot."""
    words = texts(drawn(ratio_figure("wf", CELLS, [made(1, 16)])))

    assert words.count("not simulated") == 12
    assert texts(drawn(ratio_figure("wf", CELLS, []))).count("not simulated yet") == 3


def test_every_second_batch_size_has_room_below_the_grid_of_the_paper(drawn):
    """17 sizes in 7 sections: 2^0, 2^2, ..., 2^16 are written."""
    words = texts(drawn(ratio_figure("wf", CELLS, [made()])))

    assert words.count("65,536") == words.count("4") == 7
    assert "32,768" not in words


def test_all_batch_sizes_have_room_below_a_small_grid(drawn):
    words = texts(drawn(ratio_figure("wf", grid(Terms(), [1.0], [1, 2, 65536]), [])))

    assert [words.count(size) for size in ("2", "65,536")] == [1, 1]


def test_a_curve_below_another_is_wider():
    same = np.array([1, 2, 1, 0])

    figure = eligible_figure("wf", dict.fromkeys(("prio", "mine"), same), np.array([1, 1, 1, 0]))

    lines = [line for line in figure.axes[0].lines if line.get_gid()]
    assert [line.get_gid() for line in lines] == ["difference-prio", "difference-mine"]
    assert lines[0].get_linewidth() >= 2 * lines[1].get_linewidth()
