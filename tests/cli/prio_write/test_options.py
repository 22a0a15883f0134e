"""`icsched prio`: options that do not go together."""

import pytest

from tests.cli.prio_write.sections import PAIR_AND_FORK, names


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


@pytest.mark.parametrize("words", [["--via", "magic"], ["--bogus"], ["-o"]])
@pytest.mark.usefixtures("workflow")
def test_options_that_are_not_known_are_one_line_and_exit_2(icsched, words):
    result = icsched("prio", "--order", "prio", "wf.dag", *words)

    assert result.code == 2
    assert result.complaint
