"""Text formats against files that are made to take too much time or memory."""

import pytest

import icsched
from icsched import FormatError
from tests.hostile import outcome_of

READ = "__import__('icsched').read(sys.argv[1]).dag"
LIMIT = "expected at most 10,000,000 dependencies from edges between groups, got more"
MANY = 100_000
SOME = 30_000
LARGE = ["named.dot", "groups.dot"]  # read in processes of their own


def numbered(pattern: str, count: int) -> str:
    return "".join(pattern.format(number) for number in range(count))


FILES = {
    "deep.dot": ("digraph " + "{" * MANY + "a" + "}" * MANY, "1 jobs"),
    "named.dot": (
        "digraph {" + numbered("subgraph s{0} {{n{0} ", MANY) + "}" * (MANY + 1),
        f"{MANY} jobs",
    ),
    "open.dot": ("digraph " + "{" * MANY, "open.dot:1: expected the } that ends these braces"),
    "html.dot": (
        "digraph {a [label=" + "<" * MANY + "]}",
        "html.dot:1: expected the > that ends this HTML string",
    ),
    "comments.dot": (
        "digraph {a [label=<" + "<!--" * MANY,
        "comments.dot:1: expected the --> that ends this comment",
    ),
    "stars.dot": (
        "digraph {" + "/* " * MANY,
        "stars.dot:1: expected the */ that ends this comment",
    ),
    "escapes.dot": ('digraph {"' + "\\" * (2 * MANY + 1) + '"}', None),
    "square.dot": (
        "digraph {{" + numbered("a{} ", MANY) + "} -> {" + numbered("b{} ", MANY) + "}}",
        f"square.dot:1: {LIMIT}",
    ),
    "groups.dot": (
        f"digraph {{subgraph S {{{numbered('a{} ', 2000)}}}\n"
        f"{numbered('b{} -> subgraph S; ', 9999)}}}",
        f"groups.dot:2: {LIMIT}",
    ),
    "mentions.dot": (
        f"digraph {{subgraph x {{{'a;' * SOME}}}\n{'subgraph x -> b;' * SOME}}}",
        "2 jobs",
    ),
    "parts.dot": (
        f"digraph {{subgraph x {{{'{a}' * SOME}}}\n{'subgraph x -> b;' * SOME}}}",
        "2 jobs",
    ),
    "reopened.dot": (
        f"digraph {{subgraph x {{{'{a}' * SOME}}}\n{'subgraph x {} -> b;' * SOME}}}",
        f"reopened.dot:2: {LIMIT}",
    ),
    "attributes.dot": ("digraph {a [\n" + numbered("x{}=1\n", MANY) + "]}", "1 jobs"),
    "plus.dot": ('digraph {"a"' + '+"a"' * MANY + "}", "1 jobs"),
    "ports.dot": ("digraph {a" + ":p" * MANY + "}", "1 jobs"),
    "chain.dot": ("digraph {" + " -> ".join(f"n{i}" for i in range(MANY)) + "}", f"{MANY} jobs"),
    "quotes.csv": ("task,parents\n" + '"' * (2 * MANY + 1), None),
    "commas.csv": ("task,parents\n" + "," * MANY, None),
    "header.csv": ("task,parents," + "x," * 2000 + "\n", "0 jobs"),
    "columns.csv": ("task,parents" + numbered(",x{}", MANY) + "\n", "0 jobs"),
    "words.edges": ("a " * MANY, None),
    "quotes.sh": ("sbatch " + "'" * (2 * MANY + 1), None),
    "continued.sh": ("sbatch x.sh " + "\\\n" * MANY, "1 jobs"),
    "names.sh": ("sbatch -J a x.sh\n" * 20_000, "20000 jobs"),
    "dollars.sh": ('sbatch "' + "$a" * MANY, None),
}


@pytest.mark.parametrize("name", [name for name in FILES if name not in LARGE])
def test_a_hostile_file_ends_soon_in_jobs_or_in_one_line(put, name):
    """Soon: a reader that is quadratic takes hours for these."""
    text, expected = FILES[name]
    put({name: text})

    try:
        said = f"{len(icsched.read(name).dag)} jobs"
    except FormatError as error:
        said = str(error)

    assert said.startswith(f"{name}:") if expected is None else said == expected


@pytest.mark.parametrize("name", LARGE)
def test_edges_between_groups_need_little_time_and_memory(put, name):
    text, expected = FILES[name]
    put({name: text})

    assert outcome_of(READ, name, cpu_seconds=20, megabytes=700) == expected
