"""`icsched report` from a file to a page in a browser, from ten jobs to a million."""

import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from subprocess import run

import pytest

import icsched
from tests.browser import play
from tests.browser.measures import TEXTS, contrast, drawn_lines, overlaps

SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
MOST_BYTES = 2_000_000
HAS_MILLION = bool(os.environ.get("ICSCHED_BROWSER_MILLION"))  # a minute, most of it to order

# a, then b, c and d, each with children of its own, then j; b is the last to run now.
TEN = """
JOB a x.sub
JOB b x.sub
JOB c x.sub
JOB d x.sub
JOB e x.sub
JOB f x.sub
JOB g x.sub
JOB h x.sub
JOB i x.sub
JOB j x.sub
PARENT a CHILD b c d
PARENT b CHILD e f
PARENT c CHILD g h
PARENT d CHILD i
PARENT e f g h i CHILD j
PRIORITY a 10
PRIORITY c 5
PRIORITY d 9
PRIORITY i 8
PRIORITY g 4
PRIORITY h 3
"""


def icsched_command(*arguments, folder):
    found = run(
        [Path(sys.executable).with_name("icsched"), *map(str, arguments)],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return found.stdout


@dataclass
class Report:
    """A report of a workflow, and where its files are."""

    file: Path
    page: Path

    @property
    def keys(self):
        text = self.page.read_text(encoding="utf-8")
        return json.loads(re.search(r'id="report">(.*?)</script>', text, re.S)[1])


def make_report(folder, width):
    file = folder / "wf.dag"
    if width is None:
        file.write_text(TEN, encoding="utf-8")
        (folder / "x.sub").write_text("executable = /bin/true\nqueue\n", encoding="utf-8")
    else:
        icsched_command("make", "airsn", width, "-o", "wf.dag", folder=folder)
    icsched_command("report", "wf.dag", "-o", "wf.html", folder=folder)
    return Report(file, folder / "wf.html")


# AIRSN has 3 * width + 23 jobs.
WIDTHS = {"ten": None, "two-thousand": 660, "ten-thousand": 3326, "million": 333_326}
SIZES = [size for size in WIDTHS if HAS_MILLION or size != "million"]


@pytest.fixture(scope="session")
def reports(browser, tmp_path_factory):  # noqa: ARG001
    """Reports by size, each made when it is first asked for; none without a browser."""
    made = {}

    def get(size):
        if size not in made:
            made[size] = make_report(tmp_path_factory.mktemp("report"), WIDTHS[size])
        return made[size]

    return get


@pytest.mark.parametrize("size", SIZES)
def test_the_page_is_small_quiet_and_alone(browser, reports, size):
    report = reports(size)
    browser.open(report.page)

    assert report.page.stat().st_size < MOST_BYTES
    assert browser.messages() == []
    assert browser.requests() == [report.page.as_uri()]


def test_the_page_has_what_the_command_prints_as_json(browser, reports):
    report = reports("ten")
    printed = icsched_command("report", "wf.dag", "--json", folder=report.file.parent)

    browser.open(report.page)
    held = browser.run("return document.getElementById('report').textContent")
    assert json.loads(held) == json.loads(printed)
    assert json.loads(printed)["worth"]["baseline"] == "now"


@pytest.mark.parametrize("size", SIZES)
def test_the_curves_are_where_the_report_has_them(browser, reports, size):
    report = reports(size)
    browser.open(report.page, width=800)
    curves = report.keys["curves"]
    expected = {name: (one["step"], one["eligible"]) for name, one in curves["orders"].items()}
    if curves["ceiling"]:
        expected["ceiling"] = (curves["ceiling"]["step"], curves["ceiling"]["eligible"])

    lines = drawn_lines(browser, "curves")
    assert lines.keys() == expected.keys()
    most = max(max(eligible) for _, eligible in expected.values())
    for name, (steps, eligible) in expected.items():
        assert [x for x, _ in lines[name]] == pytest.approx(steps, abs=1e-4 * steps[-1])
        assert [y for _, y in lines[name]] == pytest.approx(eligible, abs=1e-4 * most)


def shown(browser, order, step):
    """The step that the player can show at or after *step*, with what it then counts of *order*."""
    return browser.run(
        "const [order, step] = arguments;"
        "const report = JSON.parse(document.getElementById('report').textContent);"
        "const steps = report.game.steps ?? [...Array(report.size.tasks + 1).keys()];"
        "const frame = steps.findIndex((one) => one >= step);"
        "const [select, range] = ['.side select', '#player input[type=range]']"
        ".map((one) => document.querySelector(one));"
        "select.value = order; select.dispatchEvent(new Event('change'));"
        "range.value = frame; range.dispatchEvent(new Event('input'));"
        "return [steps[frame], ...['done', 'eligible'].map((name) =>"
        "Number(document.querySelector(`.side .count-${name}`).dataset.value))];",
        order,
        step,
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("order", ["fifo", "prio"])
def test_the_player_counts_what_the_game_counts(browser, reports, size, order):
    report = reports(size)
    browser.open(report.page)
    names = list(icsched.prioritize(icsched.read(report.file), order=order).names)
    counts = play.profile(play.read_arcs(report.file), names)

    for part in range(11):
        step, done, eligible = shown(browser, order, part * len(names) // 10)
        assert (done, eligible) == (step, counts[step])


@pytest.mark.parametrize("size", [size for size in SIZES if size != "two-thousand"])
@pytest.mark.parametrize("width", [360, 800, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_can_be_read_at_any_width_by_day_and_by_night(
    browser, reports, size, width, scheme
):
    browser.open(reports(size).page, width=width, scheme=scheme)
    browser.screenshot(SCREENSHOTS / f"{size}-{width}-{scheme}.png")
    texts = browser.run(TEXTS)

    assert browser.run("return document.documentElement.scrollWidth") == width
    assert overlaps(texts) == []
    assert [one for one in texts if contrast(one["colour"], one["under"]) < 4.5] == []


def test_workers_are_lanes_and_a_cursor_says_who_works(browser, reports):
    report = reports("ten")
    browser.open(report.page)
    run_of = report.keys["lanes"]["runs"]["auto"]
    end = max(one["end"] for one in report.keys["lanes"]["runs"].values())
    browser.run(
        "const range = document.querySelector('.lanes input[type=range]');"
        "range.value = 500; range.dispatchEvent(new Event('input'));"
    )

    bars = list(zip(run_of["start"], run_of["end_of"], strict=True))
    busy = sum(start <= end / 2 < stop for start, stop in bars)
    figure = "document.querySelector('[data-run=auto]')"
    assert browser.run(f"return {figure}.querySelector('.counts').dataset.busy") == str(busy)
    drawn = browser.run(
        f"return [...{figure}.querySelectorAll('.bar')]"
        ".map((bar) => bar.getAttribute('d')).join('')"
    )
    assert drawn.count("M") == len(bars) == 10


def test_a_large_dag_is_grouped_and_filled_by_shares(browser, reports):
    browser.open(reports("ten-thousand").page)
    shown(browser, "fifo", 5000)
    shares = browser.run(
        "return [...document.querySelectorAll('.side:first-child [data-node]')].map((node) =>"
        "[...node.children].map((one) => Number(one.getAttribute('width'))))"
    )
    dag = reports("ten-thousand").keys["dag"]

    assert len(shares) == len(dag["tasks"]) < 400
    done = [count * part[1] / part[0] for count, part in zip(dag["tasks"], shares, strict=True)]
    step, _, _ = shown(browser, "fifo", 5000)
    assert sum(done) == pytest.approx(step, rel=0.01)
