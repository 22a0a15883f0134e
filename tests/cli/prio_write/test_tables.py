"""`icsched prio --tables`, and options that do not go together."""

import pytest

from tests.cli.prio_write.sections import PAIR_AND_FORK, names

# Tables


@pytest.mark.usefixtures("workflow")
def test_tables_hold_the_order_the_profiles_and_the_graphs(icsched, folder):
    result = icsched("prio", "--order", "prio", "wf.dag", "--tables", "out/tables")

    tables = folder / "out" / "tables"
    assert result.out.endswith("order, eligibility table and dot files are in out/tables.\n")
    assert names(tables) == {"order.txt", "eligible.csv", "dag.dot", "superdag.dot", "blocks"}
    assert (tables / "order.txt").read_text() == "c\na\nb\nd\ne\n"
    assert (tables / "eligible.csv").read_text() == (
        "executed,prio,fifo\n0,2,2\n1,3,2\n2,3,3\n3,2,2\n4,1,1\n5,0,0\n"
    )
    assert (tables / "dag.dot").read_text() == (
        'digraph "dag" {\n  "a";\n  "b";\n  "c";\n  "d";\n  "e";\n'
        '  "a" -> "b";\n  "c" -> "d";\n  "c" -> "e";\n}\n'
    )
    assert set((tables / "superdag.dot").read_text().splitlines()[1:-1]) == {'  "1";', '  "2";'}
    assert names(tables / "blocks") == {"1.dot", "2.dot"}
    assert (tables / "blocks" / "1.dot").read_text() == (
        'digraph "block 1" {\n  "c";\n  "d";\n  "e";\n  "c" -> "d";\n  "c" -> "e";\n}\n'
    )


def test_tables_of_an_earlier_workflow_do_not_stay(icsched, put, folder):
    """Two blocks, then one; a file of the user's stays."""
    put({"wf.dag": PAIR_AND_FORK, "tables/blocks/my.dot": "mine"})
    icsched("prio", "--order", "prio", "wf.dag", "--tables", "tables")
    assert names(folder / "tables" / "blocks") == {"1.dot", "2.dot", "my.dot"}

    put({"wf.dag": "JOB a x\nJOB b x\nPARENT a CHILD b\n"})
    icsched("prio", "--order", "prio", "wf.dag", "--tables", "tables")

    assert names(folder / "tables" / "blocks") == {"1.dot", "my.dot"}


@pytest.mark.usefixtures("workflow")
def test_a_table_that_cannot_be_removed_is_named(icsched, folder):
    """A directory has the name that a table of an earlier workflow might have."""
    (folder / "tables" / "blocks" / "9.dot").mkdir(parents=True)

    result = icsched("prio", "--order", "prio", "wf.dag", "--tables", "tables")

    assert (result.code, result.err) == (1, "icsched: tables/blocks/9.dot: is a directory\n")


@pytest.mark.usefixtures("workflow")
def test_the_table_of_the_order_is_one_that_verify_takes(icsched):
    icsched("prio", "--order", "prio", "wf.dag", "--tables", "tables")

    result = icsched("verify", "wf.dag", "--order", "@tables/order.txt")

    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("IC-optimal: no order of wf.dag (5 jobs)")


@pytest.mark.usefixtures("workflow")
def test_tables_of_any_order_have_the_blocks(icsched, folder):
    icsched("prio", "wf.dag", "--tables", "tables", "--order", "fifo")

    assert (folder / "tables" / "order.txt").read_text() == "a\nc\nb\nd\ne\n"
    assert (
        (folder / "tables" / "eligible.csv").read_text().startswith("executed,fifo,fifo\n0,2,2\n")
    )
    assert (folder / "tables" / "superdag.dot").exists()


def test_names_in_dot_files_are_quoted(icsched, put, folder):
    """In a string of the DOT language only a quote is escaped; a backslash is one character."""
    put({"wf.dag": 'JOB "a" x\nJOB b\\c x\n'})

    assert icsched("prio", "--order", "prio", "wf.dag", "--tables", "tables").code == 0

    assert (folder / "tables" / "dag.dot").read_text() == (
        'digraph "dag" {\n  "\\"a\\"";\n  "b\\c";\n}\n'
    )


@pytest.mark.usefixtures("workflow")
def test_tables_that_cannot_be_written_are_one_line(icsched):
    result = icsched("prio", "--order", "prio", "wf.dag", "--tables", "wf.dag")

    assert result.code == 1
    assert result.err.startswith("icsched: wf.dag: ")
    assert result.err.count("\n") == 1


# Options that do not go together


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "expected a workflow file"),
        (["--in-place"], "expected a workflow file"),
        (
            ["wf.dag", "-o", "x", "--in-place"],
            "only one of -o, --in-place, --remove, --diff and --check can be used",
        ),
        (
            ["wf.dag", "--remove", "--in-place"],
            "only one of -o, --in-place, --remove, --diff and --check can be used",
        ),
        (
            ["wf.dag", "-o", "x", "--remove"],
            "only one of -o, --in-place, --remove, --diff and --check can be used",
        ),
        (["wf.dag", "wf.dag", "-o", "x"], "-o cannot be used with several files"),
        (["wf.dag", "--flatten"], "--flatten needs -o"),
        (["wf.dag", "--flatten", "--in-place"], "--flatten needs -o"),
        (
            ["wf.dag", "--flatten", "-o", "x", "--lenient"],
            "--flatten cannot be used with --lenient",
        ),
        (
            ["wf.dag", "--flatten", "-o", "x", "--usedagdir"],
            "--flatten cannot be used with --usedagdir",
        ),
        (["wf.dag", "--remove", "--tables", "t"], "--tables cannot be used with --remove"),
        (["wf.dag", "-o", "-", "--json"], "-o - cannot be used with --json"),
        (["wf.dag", "--output=-", "--json"], "-o - cannot be used with --json"),
        (["wf.dag", "--keep-existing"], "--keep-existing needs -o or --in-place"),
        (["wf.dag", "--keep-existing", "--remove"], "--keep-existing needs -o or --in-place"),
        (
            ["wf.dag", "--via", "vars"],
            "--via vars changes submit files: it needs --in-place",
        ),
        (
            ["wf.dag", "--via", "vars", "-o", "x"],
            "--via vars changes submit files: it needs --in-place",
        ),
        (["wf.dag", "--recursive"], "--recursive needs --in-place or --remove"),
        (["wf.dag", "--recursive", "-o", "x"], "--recursive needs --in-place or --remove"),
        (["-", "--in-place"], "standard input cannot be changed: use -o"),
        (["--in-place", "-"], "standard input cannot be changed: use -o"),
        (["-", "--remove"], "standard input cannot be changed: use -o"),
        (["wf.dag", "wf.dag", "--in-place"], "the same file is given twice"),
        (["wf.dag", "./wf.dag", "--remove"], "the same file is given twice"),
    ],
)
def test_options_that_do_not_go_together_are_one_line_and_exit_2(
    icsched, workflow, folder, words, complaint
):
    result = icsched("prio", "--order", "prio", *words)

    assert (result.code, result.complaint) == (2, complaint)
    assert names(folder) == {"wf.dag"}
    assert workflow.read_text() == PAIR_AND_FORK


@pytest.mark.parametrize("words", [["--via", "magic"], ["--bogus"], ["-o"], ["--tables"]])
@pytest.mark.usefixtures("workflow")
def test_options_that_are_not_known_are_one_line_and_exit_2(icsched, words):
    result = icsched("prio", "--order", "prio", "wf.dag", *words)

    assert result.code == 2
    assert result.complaint
