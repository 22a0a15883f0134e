"""The page of a report made by hand: what it shows, and who can use it."""

import itertools
import json
import re

import pytest
from selenium.webdriver import ActionChains, Keys

from tests.browser import sample
from tests.browser.measures import STROKES, TEXTS, contrast, drawn_lines, overlaps

OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


def press(browser, *keys):
    ActionChains(browser.driver).send_keys(*keys).perform()


def focus(browser, selector):
    browser.run("document.querySelector(arguments[0]).focus()", selector)


def counts(browser):
    """Done and eligible of the left side and of the right side of the player."""
    read = "return [...document.querySelectorAll('.side')].map((side) => ['done', 'eligible']"
    read += ".map((name) => Number(side.querySelector(`.count-${name}`).dataset.value)))"
    return browser.run(read)


def test_the_page_is_quiet_and_asks_for_nothing_but_itself(browser, sample_page):
    browser.open(sample_page)

    assert browser.messages() == []
    assert browser.requests() == [sample_page.as_uri()]


def test_the_policy_forbids_every_request(page):
    blocked = page.driver.execute_async_script(
        "const done = arguments[0];"
        "document.addEventListener('securitypolicyviolation', (event) => done(event.blockedURI));"
        "fetch('https://example.invalid/x').catch(() => {});"
    )

    assert blocked == "https://example.invalid/x"
    assert page.messages()  # the refusal, which is not for the next test


def test_hostile_names_are_text_everywhere(page):
    page.run(OPEN_ALL)
    page.settle()
    body = page.run("return document.body.textContent")

    assert page.run("return document.images.length") == 0
    assert page.run("return document.querySelectorAll('script').length") == 2
    assert page.run("return document.title").startswith("sample </script>")
    heading = page.run("return document.querySelector('h1').textContent")
    assert heading == f"sample {sample.SHOWN}.dag"
    assert body.count(sample.SHOWN) >= 4  # heading, bottleneck, two tables
    assert page.messages() == []


def test_no_character_of_a_name_is_hidden_or_turns_others_around(page):
    page.run(OPEN_ALL)
    page.settle()
    read = page.run(
        "return [...document.querySelectorAll('header, main')].map((one) => one.textContent).join()"
    )

    assert re.findall("[\x1b\u2028\u202e]", read) == []


def test_the_page_holds_the_report_as_it_is(page):
    held = json.loads(page.run("return document.getElementById('report').textContent"))

    assert held == {"schema": 1, **sample.report()}


@pytest.mark.parametrize("width", [360, 1600])
def test_the_lines_of_the_charts_are_where_the_report_has_them(browser, sample_page, width):
    browser.open(sample_page, width=width)
    report = sample.report()
    curves = report["curves"]

    lines = drawn_lines(browser, "curves")
    assert lines.keys() == {"now", "auto", "ceiling"}
    for name, found in {**curves["orders"], "ceiling": curves["ceiling"]}.items():
        expected = list(zip(found["step"], found["eligible"], strict=True))
        assert lines[name] == [pytest.approx(point, abs=0.01) for point in expected]
    for key in ("eligible", "idle"):
        for name, points in drawn_lines(browser, key).items():
            found = report["stalls"]["timelines"][name]
            expected = list(zip(found["time"], found[key], strict=True))
            assert points == [pytest.approx(point, abs=0.01) for point in expected]
    for name, points in drawn_lines(browser, "memory").items():
        found = report["memory"]["orders"][name]
        expected = list(zip(found["step"], found["held"], strict=True))
        assert points == [pytest.approx(point, abs=0.01) for point in expected]


def test_each_bar_is_as_long_as_its_mean(page):
    bars = page.run(
        "return [...document.querySelectorAll('rect[data-order]')]"
        ".map((bar) => [bar.dataset.order, Number(bar.getAttribute('width'))])"
    )
    means = {one["name"]: one["time"]["mean"] for one in sample.report()["worth"]["orders"]}

    assert [name for name, _ in bars] == list(means)
    assert {name: width / bars[0][1] for name, width in bars} == pytest.approx(
        {name: mean / means["now"] for name, mean in means.items()}
    )


def test_no_interval_hides_the_end_of_its_bar(page):
    gaps = page.run(
        "const whiskers = [...document.querySelectorAll('.whisker')];"
        "return [...document.querySelectorAll('.bars rect')].map((bar, k) =>"
        "whiskers[k].getBoundingClientRect().top - bar.getBoundingClientRect().bottom)"
    )
    assert len(gaps) == 5
    assert min(gaps) > 0


def test_a_chart_has_its_numbers_in_a_table(page):
    page.run("document.querySelector('[data-chart=curves] details').open = true")
    page.settle()
    rows = page.run(
        "return [...document.querySelectorAll('[data-chart=curves] tbody tr')]"
        ".map((row) => [...row.children].map((cell) => Number(cell.dataset.value)))"
    )

    profiles = [sample.profile(sample.ORDERS[name]) for name in ("now", "auto")]
    ceiling = sample.report()["curves"]["ceiling"]["eligible"]
    assert rows == [list(row) for row in zip(range(11), *profiles, ceiling, strict=True)]


def test_the_cursor_of_a_chart_reads_out_values_by_keyboard(page):
    focus(page, "[data-chart=curves] input[type=range]")
    press(page, Keys.HOME, *[Keys.ARROW_RIGHT] * 4)
    read = "return [...document.querySelectorAll('[data-chart=curves] .legend output')]"

    expected = [sample.profile(sample.ORDERS[name])[4] for name in ("now", "auto")]
    assert page.run(f"{read}.map((one) => Number(one.textContent))") == [*expected, 5]


def test_an_order_can_be_switched_off_in_a_chart(page):
    box = page.one("[data-chart=curves] input[type=checkbox]")
    box.send_keys(Keys.SPACE)

    assert drawn_lines(page, "curves").keys() == {"auto", "ceiling"}
    box.send_keys(Keys.SPACE)
    assert drawn_lines(page, "curves").keys() == {"now", "auto", "ceiling"}


def test_the_player_steps_as_the_game_is_played(page):
    focus(page, "#player")
    press(page, Keys.HOME)
    now, auto = (sample.profile(sample.ORDERS[name]) for name in ("now", "auto"))

    for step in range(11):
        assert counts(page) == [[step, now[step]], [step, auto[step]]]
        states = page.run(
            "return [...document.querySelectorAll('.side:nth-child(2) [data-node]')]"
            ".map((node) => node.dataset.state)"
        )
        assert [k for k, state in enumerate(states) if state == "done"] == list(range(step))
        press(page, Keys.ARROW_RIGHT)
    assert counts(page) == [[10, 0], [10, 0]]


def test_the_player_obeys_the_keyboard_and_says_where_it_is(page):
    focus(page, "#player")
    press(page, Keys.END)
    assert counts(page)[0] == [10, 0]
    press(page, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert page.one("#player [role=status]").text == (
        "Step 8. now: 8 done, 1 eligible; auto: 8 done, 1 eligible."
    )
    press(page, Keys.HOME)
    assert counts(page)[0] == [0, 1]


def test_space_plays_to_the_end_and_pauses(page):
    focus(page, "#player")
    press(page, Keys.HOME, Keys.SPACE)
    assert page.one("[data-act=play]").text == "Pause"
    press(page, Keys.SPACE)
    assert page.one("[data-act=play]").text == "Play"
    press(page, Keys.END, Keys.ARROW_LEFT, Keys.SPACE)
    page.driver.execute_async_script(
        "const [button, done] = [document.querySelector('[data-act=play]'), arguments[0]];"
        "const check = () => button.textContent === 'Play' && done();"
        "new MutationObserver(check).observe(button, {childList: true}); check();"
    )
    assert counts(page) == [[10, 0], [10, 0]]


def test_another_order_can_be_played_on_either_side(page):
    page.run(
        "const select = document.querySelector('.side select'); select.value = 'auto';"
        "select.dispatchEvent(new Event('change'))"
    )
    left, right = counts(page)

    assert left == right


def test_a_bottleneck_is_shown_in_the_dag_at_a_click(page):
    page.one(".bottlenecks [data-node='4'] button").click()

    assert page.one(".details h3").get_attribute("textContent") == sample.SHOWN
    assert page.run("return document.activeElement.className") == "viewport"
    ring, node = page.run(
        "const middle = (one) => { const box = one.getBoundingClientRect();"
        "return [box.left + box.width / 2, box.top + box.height / 2]; };"
        "return [middle(document.querySelector('#dag .marks .chosen')),"
        "middle(document.querySelector('#dag [data-node=\"4\"] rect'))]"
    )
    assert ring == pytest.approx(node, abs=0.1)


def test_the_keyboard_walks_through_the_dag(page):
    focus(page, "#dag .viewport")
    heard = [page.one(".details h3").text]
    for key in (Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.END):
        press(page, key)
        heard.append(page.one(".details h3").text)

    assert heard == ["a", "b", "c", "g", "c", "j"]


def test_the_dag_zooms_by_key_button_and_wheel(page):
    place = "return document.querySelector('#dag [data-node=\"8\"] rect').getBoundingClientRect().x"
    focus(page, "#dag .viewport")
    start = page.run(place)
    places = set()
    for act in ("+", "0", "+"):
        press(page, act)
        places.add(page.run(place))
    page.one("#dag button[aria-label='Move right']").click()
    places.add(page.run(place))
    focus(page, "#dag .viewport")
    page.run(
        "document.querySelector('#dag .viewport').dispatchEvent(new WheelEvent('wheel',"
        "{deltaY: -1, clientX: 9, clientY: 9, cancelable: true}))"
    )
    places.add(page.run(place))

    assert start in places
    assert len(places) == 4  # whole, zoomed, moved, zoomed by the wheel


def test_the_dag_can_be_coloured_by_what_is_known(page):
    fills = set()
    for key in ("priority", "run_time", "kind", "cluster"):
        page.run(
            "const select = document.querySelector('#dag select'); select.value = arguments[0];"
            "select.dispatchEvent(new Event('change'))",
            key,
        )
        fills.add(
            page.run(
                "return [...document.querySelectorAll('#dag rect.node')]"
                ".map((node) => getComputedStyle(node).fill).join()"
            )
        )

    assert len(fills) == 4


@pytest.mark.parametrize(("time", "lists"), [(0.0, 1), (60.0, 2)])
def test_orders_share_a_list_of_waits_if_they_wait_for_the_same_and_as_long(
    browser, tmp_path, time, lists
):
    keys = sample.report()
    waits = keys["stalls"]["waits"]
    waits["now"] = {**waits["auto"], "time": time}  # both wait for nothing in particular
    page = tmp_path / "waits.html"
    page.write_text(sample.page(keys), encoding="utf-8")
    browser.open(page)

    headings = browser.run(
        "return [...document.querySelectorAll('#stalls h3')].map((one) => one.textContent)"
    )
    assert len([one for one in headings if one.startswith("What workers wait for")]) == lists


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_and_all_lines_can_be_told_from_what_is_under_them(browser, sample_page, scheme):
    browser.open(sample_page, scheme=scheme)
    browser.run(OPEN_ALL)
    focus(browser, "#dag .viewport")
    browser.settle()
    texts = browser.run(TEXTS)
    lines = browser.run(STROKES, ".line, .axis, .node, .marks rect, .whisker, .arcs")

    assert len(texts) > 150
    assert [one for one in texts if contrast(one["colour"], one["under"]) < 4.5] == []
    assert len(lines) > 20
    assert [one for one in lines if contrast(one["colour"], one["under"]) < 3] == []


def test_lines_of_orders_differ_by_more_than_colour(page):
    lines = page.run(STROKES, "[data-chart=curves] path[data-order]")
    widths = page.run(
        "return [...document.querySelectorAll('[data-chart=curves] path[data-order]')]"
        ".map((line) => getComputedStyle(line).strokeWidth)"
    )

    assert len({(one["dashes"], width) for one, width in zip(lines, widths, strict=True)}) == 3


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_nothing_overlaps_and_the_page_never_scrolls_sideways(browser, sample_page, width):
    browser.open(sample_page, width=width)
    focus(browser, "#dag .viewport")
    browser.settle()

    assert browser.run("return document.documentElement.scrollWidth") == width
    assert overlaps(browser.run(TEXTS)) == []


def test_only_what_a_log_calls_evicted_is_drawn_as_lost(page):
    lost = "document.querySelector('.lane-figure').querySelectorAll('.bar-lost').length"

    assert page.run(f"return {lost}") == 1


def test_the_recorded_run_comes_first_and_others_can_be_chosen(page):
    shown = "return [...document.querySelectorAll('.lane-figure')].map((one) => one.dataset.run)"
    assert page.run(shown) == ["recorded", "auto"]
    assert page.one(".lane-figure figcaption").text == ("recorded: ends after 330 s on 3 workers")
    page.run(
        "const select = document.querySelector('.lane-figure select'); select.value = 'now';"
        "select.dispatchEvent(new Event('change'))"
    )
    assert page.run(shown) == ["now", "auto"]


def test_paper_has_the_charts_and_no_controls(page):
    page.resize(700, media="print")
    page.settle()

    seen = "return [...document.querySelectorAll(arguments[0])]"
    seen += ".filter((one) => one.checkVisibility())"
    assert page.run(f"{seen}.length", "button:not(.link), input[type=range], nav, .hint") == 0
    assert page.run(f"{seen}.length", "[role=img]") == 10
    assert page.run("return document.documentElement.scrollWidth") == 700


def test_every_control_has_a_name(page):
    page.driver.execute_cdp_cmd("Accessibility.enable", {})
    tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    controls = {"button", "slider", "checkbox", "combobox", "link", "application", "image"}
    names = [
        (node["role"]["value"], node["name"]["value"])
        for node in tree
        if not node["ignored"] and node["role"]["value"] in controls and "name" in node
    ]

    assert len(names) > 30
    assert [name for name in names if not name[1].strip()] == []


def test_tab_goes_through_the_page_in_order_and_shows_where_it_is(page):
    page.run("document.body.focus(); window.seen = []")
    total = page.run(
        "const reached = 'a, button, input, select, summary, [tabindex=\"0\"]';"
        "return [...document.querySelectorAll(reached)]"
        ".filter((one) => one.checkVisibility()).length"
    )
    look = (
        "const now = document.activeElement; const last = window.seen.at(-1);"
        "const isLater = !last || (last.compareDocumentPosition(now) & 4) > 0;"
        "window.seen.push(now);"
        "return [isLater, getComputedStyle(now).outlineStyle, now.className];"
    )
    steps = []
    for _ in range(total):
        press(page, Keys.TAB)
        steps.append(page.run(look))

    assert steps[0][2] == "skip"
    assert [step for step in steps if not step[0] or step[1] == "none"] == []


def test_headings_come_without_gaps(page):
    levels = page.run(
        "return [...document.querySelectorAll('h1, h2, h3')].map((one) => Number(one.tagName[1]))"
    )

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))
