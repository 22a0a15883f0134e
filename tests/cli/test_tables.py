"""`icsched show --tables`."""

import pytest

from tests.cli.prio_write.sections import PAIR_AND_FORK, names


@pytest.fixture
def workflow(put):
    r"""
    a    c
    |   / \      c a b d e is best: c frees two jobs, a only one.
    b  d   e
    """
    put({"wf.dag": PAIR_AND_FORK})


@pytest.mark.usefixtures("workflow")
def test_tables_hold_the_order_the_profiles_and_the_graphs(icsched, folder):
    result = icsched("show", "wf.dag", "--tables", "out/tables")

    tables = folder / "out" / "tables"
    assert "order, eligibility table and dot files are in out/tables.\n" in result.out
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
    icsched("show", "wf.dag", "--tables", "tables")
    assert names(folder / "tables" / "blocks") == {"1.dot", "2.dot", "my.dot"}

    put({"wf.dag": "JOB a x\nJOB b x\nPARENT a CHILD b\n"})
    icsched("show", "wf.dag", "--tables", "tables")

    assert names(folder / "tables" / "blocks") == {"1.dot", "my.dot"}


@pytest.mark.usefixtures("workflow")
def test_a_table_that_cannot_be_removed_is_named(icsched, folder):
    """A directory has the name that a table of an earlier workflow might have."""
    (folder / "tables" / "blocks" / "9.dot").mkdir(parents=True)

    result = icsched("show", "wf.dag", "--tables", "tables")

    assert (result.code, result.err) == (1, "icsched: tables/blocks/9.dot: is a directory\n")


@pytest.mark.usefixtures("workflow")
def test_the_table_of_the_order_is_one_that_verify_takes(icsched):
    icsched("show", "wf.dag", "--tables", "tables")

    result = icsched("verify", "wf.dag", "--order", "@tables/order.txt")

    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("IC-optimal: no order of wf.dag (5 jobs)")


@pytest.mark.usefixtures("workflow")
def test_tables_of_any_order_have_the_blocks(icsched, folder):
    icsched("show", "wf.dag", "--tables", "tables", "--order", "fifo")

    assert (folder / "tables" / "order.txt").read_text() == "a\nc\nb\nd\ne\n"
    assert (
        (folder / "tables" / "eligible.csv").read_text().startswith("executed,fifo,fifo\n0,2,2\n")
    )
    assert (folder / "tables" / "superdag.dot").exists()


def test_names_in_dot_files_are_quoted(icsched, put, folder):
    """In a string of the DOT language only a quote is escaped; a backslash is one character."""
    put({"wf.dag": 'JOB "a" x\nJOB b\\c x\n'})

    assert icsched("show", "wf.dag", "--tables", "tables").code == 0

    assert (folder / "tables" / "dag.dot").read_text() == (
        'digraph "dag" {\n  "\\"a\\"";\n  "b\\c";\n}\n'
    )


@pytest.mark.usefixtures("workflow")
def test_tables_that_cannot_be_written_are_one_line(icsched):
    result = icsched("show", "wf.dag", "--tables", "wf.dag")

    assert result.code == 1
    assert result.err.startswith("icsched: wf.dag: ")
    assert result.err.count("\n") == 1
