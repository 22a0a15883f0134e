"""The first table of the page: what each order takes, on screens of any width."""

import re

import pytest

from tests.browser import sample
from tests.browser.measures import TEXTS, overlaps


def hidden_numbers(browser):
    """The numbers of the first table whose place is beyond the edges of the screen."""
    return browser.run(
        "return [...document.querySelectorAll('#worth td.number')].filter((cell) => {"
        "const range = document.createRange(); range.selectNodeContents(cell);"
        "const box = range.getBoundingClientRect();"
        "return box.width === 0 || box.left < 0 || box.right > window.innerWidth;"
        "}).map((cell) => cell.textContent)"
    )


@pytest.mark.parametrize("width", [320, 400, 700, 1280])
def test_every_number_of_the_first_table_is_in_sight(browser, sample_page, width):
    browser.open(sample_page, width=width)

    assert browser.run("return document.querySelectorAll('#worth td.number').length") > 4
    assert hidden_numbers(browser) == []
    assert browser.run("return document.documentElement.scrollWidth") == width


def test_on_a_narrow_screen_each_value_of_the_first_table_has_its_heading(browser, sample_page):
    browser.open(sample_page, width=400)
    headings = browser.run(
        "return [...document.querySelectorAll('#worth tbody tr:first-child td')]"
        ".map((cell) => getComputedStyle(cell, '::before').content.slice(1, -1))"
    )
    columns = browser.run(
        "return [...document.querySelectorAll('#worth thead th')].map((cell) => cell.textContent)"
    )

    assert headings == columns[1:]


def test_the_three_numbers_of_an_interval_have_the_same_decimals(page):
    cells = page.run(
        "return [...document.querySelectorAll('#worth td.number')].map((cell) => cell.textContent)"
    )
    found = [re.findall(r"\d+(?:\.(\d+))?", cell.replace(",", "")) for cell in cells]

    assert [cell for cell in found if len(cell) == 3]
    assert [cell for cell in found if len(set(map(len, cell))) > 1] == []


def test_no_digit_of_an_interval_is_made_up(browser, tmp_path):
    """Four digits of 1.0025 are 1.003 (or 1.002); beside 0.9975 it has four decimals."""
    keys = sample.report()
    order = keys["worth"]["orders"][1]
    order["ratio"] = {"median": 1.0, "low": 0.9975, "high": 1.0025}
    order["stall"] = {"mean": 0.1, "low": 0.0954, "high": 0.1}
    page = tmp_path / "digits.html"
    page.write_text(sample.page(keys), encoding="utf-8")
    browser.open(page)
    cells = browser.run(
        "return [...document.querySelectorAll('#worth tbody tr:nth-child(2) td')]"
        ".map((cell) => cell.textContent)"
    )

    assert cells[1] == "10.0% [9.5%, 10.0%]"
    assert cells[3] == "1.0000 [0.9975, 1.0025]"


def test_the_baseline_is_called_so_in_its_own_row(browser, sample_page):
    browser.open(sample_page)
    cells = browser.run(
        "return [...document.querySelectorAll('#worth tbody tr:first-child > *')]"
        ".map((cell) => cell.textContent)"
    )

    assert (cells[0], cells[4]) == ("now", "1 (baseline)")


def test_what_the_simulation_leaves_out_is_directly_below_the_gain(browser, sample_page):
    browser.open(sample_page)
    below = browser.run("return document.querySelector('#worth .verdict + p').textContent")

    assert below == "MAXJOBS limits of categories are not simulated."


def test_the_caption_of_the_first_table_is_as_wide_as_the_screen_lets_it_be(browser, sample_page):
    browser.open(sample_page, width=400)
    caption, figure = browser.run(
        "return ['caption', 'figure'].map((one) =>"
        "document.querySelector(`#worth ${one}`).getBoundingClientRect().width)"
    )

    assert caption == figure


def test_long_numbers_of_the_first_table_do_not_overlap(browser, tmp_path):
    """Run times of 10^9 s make means of eleven digits, with two more of them as an interval."""
    keys = sample.report()
    for order in keys["worth"]["orders"]:
        order["time"] = {key: 1e8 * value for key, value in order["time"].items()}
    page = tmp_path / "long.html"
    page.write_text(sample.page(keys), encoding="utf-8")
    browser.open(page, width=1300)

    assert overlaps(browser.run(TEXTS)) == []
    assert browser.run("return document.documentElement.scrollWidth") == 1300
