"""The page of the papers names only what exists, and misses no numbered item."""

import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "papers.md").read_text()
CODE = set(re.findall(r"`([^`\n]+)`", PAGE))
PATHS = sorted(word for word in CODE if re.match(r"(tests|bench|tools|cpp|src|docs)/", word))
NAMES = sorted(word for word in CODE if word.startswith("icsched."))

# Numbered theorems, lemmas, corollaries and figures of each paper, in the order of the page.
ITEMS = {
    "Rosenberg and Yurkewych 2005": (
        "Lemma 3.1 Theorem 3.1 Lemma 3.2 Theorem 3.2 Lemma 4.1 Theorem 4.1 Corollary 4.1"
        " Theorem 4.2 Lemma 4.2 Lemma 4.3 Lemma 5.1 Theorem 5.1 Corollary 5.1 Lemma 5.2"
        " Theorem 5.2",
        8,
    ),
    "Malewicz and Rosenberg 2006": (
        "Lemma 2.1 Lemma 3.1 Lemma 3.2 Theorem 3.1 Theorem 4.1 Lemma 4.1 Lemma 4.2 Theorem 5.1"
        " Lemma 5.1 Theorem 6.1",
        5,
    ),
    "Cordasco, Malewicz and Rosenberg 2007": (
        "Lemma 2.1 Theorem 2.1 Theorem 3.1 Theorem 3.2 Lemma 3.1 Theorem 4.1 Corollary 4.1"
        " Lemma 4.1 Theorem 4.2 Corollary 5.1",
        6,
    ),
    "Malewicz et al. 2007": ("", 9),
    "Cordasco, Rosenberg and Sims 2011": (
        "Theorem 2.1 Theorem 2.2 Theorem 2.3 Theorem 3.1 Corollary 3.1 Lemma 3.1 Theorem 3.2"
        " Lemma 3.2 Lemma 3.3 Lemma 3.4 Lemma 3.5 Theorem 3.3 Lemma 3.6 Theorem 3.4",
        12,
    ),
}


@pytest.mark.parametrize("path", PATHS)
def test_every_path_on_the_page_exists_and_every_test_is_there(path):
    file, _, name = path.partition("::")

    assert (ROOT / file).exists()
    if name:
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_on_the_page_exists(name):
    _, *rest = name.split(".")

    def step(owner: object, part: str) -> object:
        found = getattr(owner, part, None)
        return found if found is not None else import_module(f"{owner.__name__}.{part}")

    assert reduce(step, rest, import_module("icsched")) is not None


def items_of(paper: str) -> str:
    """The first cells of the rows about *paper*."""
    section = PAGE.partition(f"\n## {paper}\n")[2].partition("\n## ")[0]
    return "\n".join(re.findall(r"^\| (.*?) \| ", section, re.MULTILINE))


def figures_in(cells: str) -> set[int]:
    """The numbers of the figures named: "Fig. 4", "Fig. 8, 9, 10 and 12", "Fig. 6 to 9"."""
    found: set[int] = set()
    for text in re.findall(r"Fig\. ([0-9, ]*[0-9](?: (?:and|to) \d+)?)", cells):
        numbers = list(map(int, re.findall(r"\d+", text)))
        found |= set(range(numbers[0], numbers[-1] + 1) if " to " in text else numbers)
    return found


@pytest.mark.parametrize("paper", ITEMS)
def test_every_numbered_item_of_a_paper_has_a_row(paper):
    numbered, figures = ITEMS[paper]
    cells = items_of(paper)

    for item in re.findall(r"[A-Z]\w+ [0-9.]+", numbered):
        assert re.search(rf"\b{re.escape(item)}\b", cells), item
    assert figures_in(cells) == set(range(1, figures + 1))
