"""The chart of what is held: in units that people read."""

from pathlib import Path

import pytest
from selenium.webdriver import Keys

from tests.browser import sample

CHART = "[data-chart=memory]"


@pytest.fixture
def opened(browser, tmp_path):
    """Open the sample with one order, which holds *held* bytes after steps 0, 1, ..."""

    def run(held: list[int]):
        keys = sample.report()
        curve = {"step": list(range(len(held))), "held": held, "peak": max(held)}
        keys["memory"] = {"words": "Held.", "unit": "bytes", "orders": {"auto": curve}}
        page = Path(tmp_path) / "memory.html"
        page.write_text(sample.page(keys), encoding="utf-8")
        browser.open(page)
        return browser

    return run


def texts(browser, selector):
    found = f"return [...document.querySelectorAll('{CHART} {selector}')]"
    return browser.run(f"{found}.map((one) => one.textContent)")


@pytest.mark.parametrize(
    ("most", "ticks", "name"),
    [
        (1, ["0", "1"], "B"),
        (4, ["0", "1", "2", "3", "4"], "B"),
        (45_000, ["0", "20", "40"], "kB"),
        (999_499, ["0", "500"], "kB"),
        (2_240_000_000, ["0", "1", "2"], "GB"),
    ],
)
def test_the_axis_is_in_the_unit_of_its_largest_value(opened, most, ticks, name):
    page = opened([0, most, 0])

    assert texts(page, "[data-axis=y]") == ticks
    assert texts(page, "svg .name")[-1] == name
    assert texts(page, "[data-axis=x]") == ["0", "1", "2"]  # steps are whole


def test_a_value_is_read_in_its_own_unit(opened):
    """The cursor goes from step 0 to step 3; 999,500 bytes are 1 MB to three digits."""
    page = opened([0, 45_678, 999_500, 2_240_000_000])
    cursor = page.one(f"{CHART} input[type=range]")

    cursor.send_keys(Keys.HOME)
    heard = []
    for _ in range(4):
        heard += texts(page, ".legend output")
        cursor.send_keys(Keys.ARROW_RIGHT)

    assert heard == ["0 B", "45.7 kB", "1 MB", "2.24 GB"]
    assert page.one("#memory > .wide td").text == "2.24 GB"
