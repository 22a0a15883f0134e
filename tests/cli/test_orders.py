"""`--order NAME` and `--order @FILE`, which mean the same in every command."""

import json
from pathlib import Path

import pytest

from icsched.orders import ORDERS
from tests.cli.workflows import PAIR_AND_FORK

NEEDED = {
    "prio": [],
    "show": [],
    "simulate": ["--runs", "50"],
    "study": ["-o", "out", "--intervals", "1", "--batches", "2"],
    "cluster": ["--size", "1"],
    "verify": [],
}
ORDERED = ("prio", "show", "cluster", "verify")  # their JSON says by what
TIMES = "a 1\nb 100\nc 1\nd 1\ne 1\n"


@pytest.fixture(autouse=True)
def files(put):
    """a frees b, c frees d and e; an order of one's own that puts a first."""
    put({"wf.dag": PAIR_AND_FORK, "order.txt": "a\nb\nc\nd\ne\n", "times.txt": TIMES})


@pytest.mark.parametrize("command", NEEDED)
def test_an_unknown_order_is_one_line_with_the_known_ones(icsched, command):
    result = icsched(command, "wf.dag", "--order", "best", *NEEDED[command])

    assert result.code == 2
    known = ", ".join(ORDERS)
    assert result.complaint == f"--order: expected {known} or @FILE, got 'best'"


@pytest.mark.parametrize("command", NEEDED)
def test_an_order_file_that_is_not_there_is_an_error_that_names_it(icsched, command):
    result = icsched(command, "wf.dag", "--order", "@gone.txt", *NEEDED[command])

    assert (result.code, result.complaint) == (1, "gone.txt: no such file or directory")


@pytest.mark.parametrize("command", NEEDED)
def test_the_help_names_every_order_with_its_sentence(icsched, command):
    shown = "".join(icsched(command, "--help").out.replace("│", " ").split())

    for order in ORDERS.values():
        assert f"{order.name},{order.sentence}".replace(" ", "") in shown


@pytest.mark.parametrize("command", ORDERED)
@pytest.mark.parametrize("order", ["prio", "lifo", "@order.txt"])
def test_the_json_says_by_which_order(icsched, command, order):
    result = icsched(command, "wf.dag", "--order", order, *NEEDED[command], "--json")

    not_optimal = command == "verify" and order != "prio"
    assert result.code == (3 if not_optimal else 0)
    assert json.loads(result.out)["ordered_by"] == order


def test_prio_writes_an_order_of_ones_own(icsched, folder):
    result = icsched("prio", "wf.dag", "--order", "@order.txt", "--in-place", "--json")

    found = json.loads(result.out)
    assert found["order"] == ["a", "b", "c", "d", "e"]
    assert found["proof"]["status"] == "unproved"
    assert "PRIORITY a 5\nPRIORITY b 4\nPRIORITY c 3\n" in (folder / "wf.dag").read_text()


@pytest.mark.parametrize("order", [name for name in ORDERS if name != "auto"])
def test_prio_writes_every_order_that_simulate_can_play(icsched, folder, order):
    result = icsched("prio", "wf.dag", "--order", order, "-o", "out.dag", "--json")

    found = json.loads(result.out)
    assert (result.code, found["ordered_by"]) == (0, order)
    assert sorted(found["order"]) == ["a", "b", "c", "d", "e"]
    assert "PRIORITY" in (folder / "out.dag").read_text()


def test_prio_orders_by_the_longest_path_in_run_time(icsched):
    """b takes 100, so a, which it waits for, comes first, and b as soon as it can."""
    words = ["--order", "critical-path", "--run-times", "times.txt", "--json"]

    assert json.loads(icsched("prio", "wf.dag", *words).out)["order"][:2] == ["a", "b"]


def test_clusters_follow_the_order_asked_for(icsched):
    words = ["--size", "2", "--clusterer", "direct", "--json", "--order"]
    first = [
        json.loads(icsched("cluster", "wf.dag", *words, order).out)["clusters"][0]["jobs"]
        for order in ("prio", "@order.txt")
    ]

    assert first == [["c", "a"], ["a", "b"]]


def test_the_tables_of_show_are_of_the_order_asked_for(icsched):
    """First come, first served: a and c are there at once, then a frees b, and c frees d and e."""
    icsched("show", "wf.dag", "--order", "@order.txt", "--tables", "own")
    icsched("show", "wf.dag", "--order", "fifo", "--tables", "fifo")

    assert Path("own/order.txt").read_text().split() == list("abcde")
    assert Path("fifo/order.txt").read_text().split() == list("acbde")


def test_a_study_compares_the_order_asked_for(icsched):
    words = ["--intervals", "1", "--batches", "2", "--runs", "50", "--order"]

    assert "; at best lifo takes " in icsched("study", "wf.dag", "-o", "s", *words, "lifo").out
