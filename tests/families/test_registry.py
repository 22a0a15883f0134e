import pytest

from icsched import families
from icsched.errors import ArgumentError
from icsched.families import FAMILIES, make

EXAMPLES = {
    "w": (["3", "2"], 7),
    "m": (["3", "2"], 7),
    "n": (["3"], 6),
    "cycle": (["3"], 6),
    "clique": (["4"], 10),
    "complete-bipartite": (["2", "3"], 5),
    "pbt": (["4,1/2,3"], 8),
    "w-strand": (["4,2,4,3"], 14),
    "m-strand": (["4,2,4,3"], 14),
    "mesh": (["4"], 10),
    "evolving-mesh": (["3", "3"], 10),
    "tree": (["3"], 15),
    "out-tree": (["2", "3"], 13),
    "tree-of": (["0,1,00,01"], 5),
    "out-tree-of": (["0,1"], 3),
    "fft": (["2"], 12),
    "prefix": (["4"], 12),
    "laplace": (["4"], 15),
    "matmul": ([], 20),
    "divide-and-conquer": (["2"], 10),
    "cordasco2011-fig6": ([], 54),
    "cordasco2011-fig7": (["left"], 13),
    "cordasco2011-fig11": ([], 48),
    "cordasco2007-fig3": (["b"], 16),
    "cordasco2007-fig6": (["left"], 20),
    "random-layered": (["50", "5"], 50),
    "random-series-parallel": (["50"], 50),
    "random-bipartite": (["5", "6", "10"], 11),
    "random-small-union": (["8", "3"], 16),
    "random-linear-composition": (["5"], None),
    "random-tree-sum": (["5"], None),
    "airsn": (["10"], 53),
    "inspiral": (["4"], 36),
    "montage": (["2", "2"], 18),
    "sdss": (["12"], 733),
}


def test_every_family_has_an_example_here_and_they_are_in_order():
    assert list(FAMILIES) == list(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_family_makes_a_dag_from_words(name):
    arguments, tasks = EXAMPLES[name]
    dag = make(name, arguments)

    assert len(dag) == tasks or tasks is None
    assert dag == make(name, arguments)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_every_family_is_exported_and_has_a_summary_of_one_line(family):
    assert getattr(families, family.function.__name__) is family.function
    assert family.function.__name__ in families.__all__
    assert family.name == family.function.__name__.replace("_", "-")
    assert family.summary.endswith(".")
    assert len(family.summary) <= 100


def test_nothing_else_is_exported():
    functions = {family.function.__name__ for family in FAMILIES.values()}

    assert set(families.__all__) == functions | {"FAMILIES", "Family", "make"}


def test_usage_shows_optional_arguments_in_brackets():
    assert FAMILIES["w"].arguments == "S D"
    assert FAMILIES["montage"].arguments == "[ROWS] [COLUMNS]"
    assert FAMILIES["random-bipartite"].arguments == "SOURCES SINKS ARCS"
    assert FAMILIES["matmul"].usage == "matmul"


def test_optional_words_may_be_left_out():
    assert make("mesh", ["4"]) == make("mesh", ["4", "2"])


def test_a_random_family_without_a_seed_uses_seed_0():
    assert make("random-tree-sum", ["9"]) == make("random-tree-sum", ["9"], seed=0)
    assert make("random-tree-sum", ["9"]) != make("random-tree-sum", ["9"], seed=1)


def test_only_the_random_families_take_a_seed():
    seeded = [name for name, family in FAMILIES.items() if family.is_random]

    assert seeded == [name for name in FAMILIES if name.startswith("random-")]


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        (
            "mehs",
            ["3"],
            "unknown family 'mehs': did you mean mesh? `icsched make` lists them all",
        ),
        ("xyzzy", [], "unknown family 'xyzzy': `icsched make` lists them all"),
        ("w", ["3"], "w: expected 2 arguments, got 1; usage: w S D"),
        ("n", [], "n: expected 1 argument, got 0; usage: n S"),
        ("matmul", ["2"], "matmul: expected no arguments, got 1; usage: matmul"),
        ("mesh", [], "mesh: expected 1 to 2 arguments, got 0; usage: mesh LEVELS [DIMENSIONS]"),
        (
            "montage",
            ["3", "3", "3"],
            "montage: expected 0 to 2 arguments, got 3; usage: montage [ROWS] [COLUMNS]",
        ),
        ("w", ["3", "two"], "w: argument d: expected an integer, got 'two'"),
        ("w", ["3.0", "2"], "w: argument s: expected an integer, got '3.0'"),
        ("fft", [""], "fft: argument d: expected an integer, got ''"),
        ("w", ["0", "2"], "w: argument s: expected a whole number, 1 or more, got 0"),
        ("airsn", ["5", "last"], "airsn: argument first: expected fringes or handle, got 'last'"),
        ("pbt", ["4,3"], "pbt: argument zigzag: expected integers and reciprocals in turn, "
         "got 4 before 3"),
        ("fft", ["60"], "fft: too large: expected at most 20,000,000 tasks, asked for more"),
        ("tree", ["100"], "tree: too large: expected at most 20,000,000 tasks, asked for more"),
        (
            "mesh",
            ["5", "50"],
            "mesh: argument dimensions: expected a whole number from 1 to 20, got 50",
        ),
        ("clique", ["1000000000"], "clique: too large: expected at most 20,000,000 tasks, "
         "asked for more"),
    ],
)  # fmt: skip
def test_words_that_make_no_dag_are_answered_with_one_line(name, arguments, message):
    with pytest.raises(ArgumentError) as caught:
        make(name, arguments)

    assert str(caught.value) == message


def test_a_seed_for_a_family_that_is_not_random_is_refused():
    with pytest.raises(ArgumentError, match=r"^w: a seed cannot be used, .* not random; got 3$"):
        make("w", ["3", "2"], seed=3)


def test_a_negative_seed_is_refused():
    with pytest.raises(
        ArgumentError, match=r"^random-tree-sum: argument seed: expected a whole number, 0 or more"
    ):
        make("random-tree-sum", ["3"], seed=-3)
