"""What notebooks show, read back by an XML parser."""

import re
import sys
from base64 import b64decode
from xml.etree import ElementTree

import numpy as np
import pytest

from icsched import Dag, Schedule, Times, Workers, families, prioritize, simulate
from icsched.sim import PaperSampling
from icsched.workflow import Workflow

SVG = "{http://www.w3.org/2000/svg}"


def parsed(shown):
    """The HTML as a tree: it is well-formed XML."""
    return ElementTree.fromstring(shown._repr_html_())  # noqa: S314


def words(shown):
    return " ".join(" ".join(parsed(shown).itertext()).split())


def picture(shown):
    """The picture as a tree."""
    (image,) = parsed(shown).iter("img")
    kind, data = image.get("src").split(",")
    assert kind == "data:image/svg+xml;base64"
    return ElementTree.fromstring(b64decode(data))  # noqa: S314


def part(shown, name):
    (found,) = (one for one in picture(shown).iter() if one.get("id") == name)
    return found


def texts(shown):
    return [one.text for one in picture(shown).iter(f"{SVG}text")]


def line(shown, name):
    (path,) = part(shown, name).iter(f"{SVG}path")
    pairs = re.findall(r"[ML] (\S+) (\S+)", path.get("d"))
    return np.array([tuple(map(float, pair)) for pair in pairs])


DIAMOND = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})


def test_a_dag_shows_a_circle_for_each_task_below_its_parents():
    a, b, c, d = (float(one.get("y")) for one in part(DIAMOND, "tasks").iter(f"{SVG}use"))

    assert a < b == c < d
    assert texts(DIAMOND) == ["a", "b", "c", "d"]
    assert "4 tasks, 4 arcs" in words(DIAMOND)
    assert "3 levels, 1 source, 1 sink" in words(DIAMOND)


def test_the_curve_of_a_plan_is_its_profile():
    """AIRSN has 773 tasks; the steps at the bends, scaled to the frame, give back every value."""
    plan = prioritize(families.airsn(250), "prio")

    points = line(plan, "curve-prio")

    eligible = plan.schedule.eligible
    (x0, _), (x1, y1) = points[0], points[-1]  # step 0, and the last step, at which nothing is left
    steps = np.rint((points[:, 0] - x0) / (x1 - x0) * 773).astype(int)
    scale = (y1 - points[:, 1].min()) / eligible.max()
    assert np.rint((y1 - points[:, 1]) / scale).tolist() == eligible[steps].tolist()
    between = np.interp(np.arange(774), steps, eligible[steps])
    assert between.tolist() == eligible.tolist()


def test_a_plan_says_what_is_proved_and_what_runs_first():
    plan = prioritize({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]}, "prio")

    assert "IC-optimal, no order has more eligible tasks at any step" in words(plan)
    assert "first c, a, b, d, e" in words(plan)


def test_a_plan_shows_the_ceiling_once_it_is_known():
    plan = prioritize(DIAMOND, "fifo")
    assert "ceiling: no order has more" not in texts(plan)

    _ = plan.certificate

    assert "ceiling: no order has more" in texts(plan)


def test_a_certificate_shows_the_order_on_its_bound():
    """The order of a diamond is the best, so both lines are one."""
    certificate = prioritize(DIAMOND, "prio").certificate

    ours, bound = line(certificate, "curve-this order"), line(certificate, "ceiling")

    assert ours.tolist() == bound.tolist()
    assert "IC-optimal" in words(certificate)


def test_a_simulation_shows_a_row_for_each_order():
    found = simulate(DIAMOND, ["prio", "critical-path", "fifo"])

    head, *rows = (["".join(cell.itertext()) for cell in row] for row in parsed(found).iter("tr"))

    assert head == ["order", "time", "time over fifo's", "found nothing"]
    assert [row[0] for row in rows] == ["prio", "critical-path", "fifo"]
    for (_, time, over, _), estimates in zip(rows, found.orders.values(), strict=True):
        assert time.startswith(f"{estimates.time.mean:,.6g} [")
        assert bool(over) == (estimates is not found.orders["fifo"])


def test_orders_that_always_take_the_same_time_have_the_ratio_1():
    """One task of constant run time, and samples as in the paper: all ratios are exactly 1."""
    model = {"pool": Workers(1), "times": Times("constant"), "sampling": PaperSampling(2, 2)}
    found = simulate({"a": []}, ["prio", "fifo"], **model)

    assert "1.000 [1.000, 1.000]" in words(found)


def test_a_workflow_says_what_is_done_and_how_long_tasks_take():
    workflow = Workflow(DIAMOND, [True, False, False, False], run_times=[9, 2.0, 3.0, 4.5])

    assert "1 more task, not drawn" in words(workflow)
    assert "9.5 s in all, the longest 4.5 s" in words(workflow)


def test_a_schedule_is_shown_beside_first_come_first_served():
    schedule = Schedule(DIAMOND, ["a", "c", "b", "d"])

    assert len(line(schedule, "curve-fifo")) == len(line(schedule, "curve-this order"))


def test_without_matplotlib_there_are_the_facts_and_no_picture(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)

    for shown in (DIAMOND, prioritize(DIAMOND, "prio"), prioritize(DIAMOND, "prio").certificate):
        assert "4 tasks" in words(shown)
        assert not list(parsed(shown).iter("img"))


HOSTILE = (
    "</svg><script>alert(1)</script>",
    "]]>",
    "' onload=\"alert(1)\" x='",
    "&lt;b&gt; &amp; &#0;",
    "\0\x1b[31m\x9b\u202e\n",
    "\ud800",
    "\uffff\ufffe",
    "x" * 5000,
)
TAGS = {"div", "strong", "table", "tr", "td", "img"}
DRAWN = {"svg", "metadata", "defs", "style", "g", "path", "use", "text", "clipPath", "rect"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_only_text(name):
    dag = Dag({name: [], "b": [name]})

    for shown in (dag, prioritize(dag, "prio"), Workflow(dag), Schedule(dag, [name, "b"])):
        assert {element.tag for element in parsed(shown).iter()} <= TAGS
        drawn = [one.tag for one in picture(shown).iter() if one.tag.startswith(SVG)]
        assert {tag.removeprefix(SVG) for tag in drawn} <= DRAWN
        assert not re.search("[\0-\x08\x0b-\x1f]", shown._repr_html_())


def test_nothing_is_shown_without_a_picture_of_it():
    empty = Dag({})

    for shown in (empty, prioritize(empty, "prio"), Workflow(empty), Schedule(empty, [])):
        assert "0 tasks" in words(shown)


def test_a_large_dag_is_drawn_in_groups():
    """2 * 2,000 + 1 tasks in three levels: the forks of one level are one kind."""
    dag = Dag.from_arcs(
        4001, [(0, i) for i in range(1, 2001)] + [(i, i + 2000) for i in range(1, 2001)]
    )

    assert texts(dag) == ["tasks", "tasks x 2,000", "tasks x 2,000"]
    assert len(list(part(dag, "tasks").iter(f"{SVG}path"))) == 3


def test_the_formatter_of_ipython_finds_the_picture():
    formatters = pytest.importorskip("IPython.core.formatters", reason="IPython is not installed")

    assert formatters.HTMLFormatter()(DIAMOND) == DIAMOND._repr_html_()
