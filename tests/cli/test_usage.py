"""Bad usage that all commands have in common: one line, the right exit code, no traceback."""

from pathlib import Path
from typing import get_args

import pytest

from icsched.commands.app import app
from icsched.commands.options import WHOLE

WORKFLOW = "JOB a x.sub\nJOB b x.sub\nPARENT a CHILD b\n"
NEEDED = {
    "prio": [],
    "show": [],
    "simulate": ["--runs", "50"],
    "study": ["-o", "out", "--intervals", "1", "--batches", "2"],
    "batch": ["--take", "1"],
    "cluster": ["--size", "1"],
    "verify": ["--order", "@order.txt"],
}
JSON = [command for command in NEEDED if command != "study"]


@pytest.fixture(autouse=True)
def files(put):
    """Files that are right, and some that are not."""
    put({"wf.dag": WORKFLOW, "x.sub": "executable = t\nqueue\n", "order.txt": "a\nb\n"})
    put({"empty.dag": "", "folder/file": "", "word.dag": "JOB a x.sub\nJOBS b\n"})


@pytest.fixture(params=NEEDED)
def refused(request, icsched):
    """Run a command with words that it refuses; return exit code and complaint."""

    def runner(*words: str) -> tuple[int, str]:
        result = icsched(request.param, *words, *NEEDED[request.param])
        return result.code, result.complaint

    return runner


def test_no_file_is_bad_usage(refused):
    code, complaint = refused()

    assert code == 2
    assert complaint in (
        "expected a workflow file",
        'Command "verify" parameter FILE requires an argument.',
    )


def test_no_file_is_bad_usage_also_for_a_removal(icsched):
    result = icsched("prio", "--remove")

    assert (result.code, result.complaint) == (2, "expected a workflow file")


def test_a_file_that_cannot_be_read_is_an_error_that_names_it(refused):
    assert refused("none.dag") == (1, "none.dag: no such file or directory")
    assert refused("folder") == (1, "folder: is a directory")
    assert refused("") == (1, "'': no such file or directory")
    assert refused("wf.dag/") == (1, "wf.dag/: not a directory")
    code, complaint = refused("word.dag")
    assert (code, complaint.split(" ")[0]) == (1, "word.dag:2:")


def test_an_unknown_option_is_bad_usage(refused):
    for option in ("--bogus", "-z", "--no-json", "--no-lenient"):
        code, complaint = refused("wf.dag", option)
        assert code == 2
        assert complaint.startswith(f"Unknown option: {option}.")


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("prio", 0, "empty.dag: no jobs to order"),
        ("show", 0, "empty.dag: 0 jobs, 0 dependencies"),
        ("simulate", 1, "empty.dag: expected at least one job that is left to run"),
        ("study", 1, "empty.dag: expected at least one job that is left to run"),
        ("batch", 0, "no job is eligible"),
        ("cluster", 1, "empty.dag: expected at least one job that is left to run"),
        ("verify", 1, "order.txt:1: unknown job 'a'"),
    ],
)
def test_a_file_without_jobs_is_an_answer_or_one_line(icsched, command, code, said):
    result = icsched(command, "empty.dag", *NEEDED[command])

    assert result.code == code
    assert (result.complaint if code else result.out).startswith(said)


@pytest.mark.parametrize("command", JSON)
def test_json_is_one_line_with_every_way_to_read_and_alone(icsched, command):
    for option in ([], ["--lenient"], ["--usedagdir"], ["--no-rescue"]):
        result = icsched(command, "wf.dag", *NEEDED[command], "--json", *option)
        assert (result.code, result.err) == (0, "")
        assert (result.out[0], result.out.count("\n")) == ("{", 1)


@pytest.mark.parametrize("command", JSON)
def test_an_error_with_json_is_the_same_line_without_an_object(icsched, command):
    for file in ("none.dag", "folder", "word.dag"):
        plain = icsched(command, file, *NEEDED[command])
        assert icsched(command, file, *NEEDED[command], "--json") == plain
        assert plain.complaint


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["show", "wf.dag", "--tables", ""], "--tables"),
        (["prio", "wf.dag", "-o", ""], "-o"),
        (["study", "wf.dag", "-o", ""], "-o"),
        (["demo", "--output="], "--output"),
        (["make", "w", "3", "2", "-o", ""], "-o"),
        (["report", "wf.dag", "-o", ""], "-o"),
        (["convert", "wf.dag", ""], "OUTPUT"),
        (["cluster", "wf.dag", "--size", "1", "-o", ""], "-o"),
        (["learn", "wf.dag", "--pool-file", ""], "--pool-file"),
        (["verify", "wf.dag", "--write-certificate", ""], "--write-certificate"),
    ],
)
def test_what_is_written_needs_a_name(icsched, folder, words, option):
    before = sorted(Path(folder).rglob("*"))

    result = icsched(*words)

    assert (result.code, result.complaint) == (2, f"{option}: expected a name, got ''")
    assert sorted(Path(folder).rglob("*")) == before


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("simulate wf.dag", "--workers"),
        ("simulate wf.dag", "--replicas"),
        ("simulate wf.dag", "--seed"),
        ("simulate wf.dag", "--runs"),
        ("study wf.dag -o out", "--seed"),
        ("study wf.dag -o out", "--runs"),
        ("study wf.dag -o out", "--threads"),
        ("batch wf.dag", "--take"),
        ("cluster wf.dag", "--size"),
        ("verify wf.dag --order @order.txt", "--limit"),
        ("make random-layered 10 2", "--seed"),
    ],
)
def test_what_is_no_whole_number_is_not_rounded_to_one(icsched, command, option):
    for word in ("2.5", "1.0", "1e3", "nan", "many", ""):
        result = icsched(*command.split(), f"{option}={word}")
        complaint = f"Invalid value for {option}: expected a whole number, got {word!r}"
        assert (result.code, result.complaint) == (2, complaint)


@pytest.mark.parametrize(
    "words",
    [
        "prio wf.dag --order best",
        "prio wf.dag --memory 0",
        "prio wf.dag --via telepathy",
        "show wf.dag --order best",
        "simulate wf.dag --order best",
        "simulate wf.dag --runs 1",
        "simulate wf.dag --workers 0",
        "simulate wf.dag --interval -1",
        "simulate wf.dag --seed -1",
        "simulate wf.dag --law odd",
        "study wf.dag -o out --order best",
        "study wf.dag -o out --threads 0",
        "study wf.dag -o out --runs 1",
        "study wf.dag -o out --intervals 0",
        "study wf.dag -o out --batches 0",
        "batch wf.dag --take 0",
        "batch wf.dag --take -2",
        "cluster wf.dag --size 0",
        "cluster wf.dag --size 3",
        "cluster wf.dag --capacities 0",
        "cluster wf.dag --capacities 2,-1",
        "cluster wf.dag --size 1 --clusterer odd",
        "cluster wf.dag --size 1 --order best",
        "make w 0 2",
        "make odd",
        "make random-layered 10 2 --seed -1",
        "verify wf.dag --limit -1",
        "verify wf.dag --order best",
    ],
)
def test_unknown_names_and_numbers_out_of_range_are_bad_usage(icsched, folder, words):
    before = sorted(Path(folder).rglob("*"))

    result = icsched(*words.split())

    assert result.code == 2
    assert result.complaint
    assert sorted(Path(folder).rglob("*")) == before


def test_every_option_that_is_an_int_takes_whole_numbers_only():
    found = []
    for command in [name for name in app if not name.startswith("-")]:
        for argument in app[command].assemble_argument_collection():
            if int in (argument.hint, *get_args(argument.hint)):
                found.append((command, argument.name))
                assert argument.parameter.converter is WHOLE.converter, found[-1]
    assert {("run", "--workers"), ("report", "--clusters"), ("simulate", "--runs")} <= set(found)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["prio", "wf.dag", "--chek"], "Unknown option: --chek. Did you mean --check?"),
        (["prio", "wf.dag", "--inplace"], "Unknown option: --inplace. Did you mean --in-place?"),
        (
            ["prio", "wf.dag", "--runtimes=x"],
            "Unknown option: --runtimes. Did you mean --run-times?",
        ),
        (
            ["prio", "wf.dag", "--foo"],
            "Unknown option: --foo. icsched prio --help lists what there is.",
        ),
        (["show", "wf.dag", "-x"], "Unknown option: -x. icsched show --help lists what there is."),
        (["simulat", "wf.dag"], "Unknown command: simulat. Did you mean simulate?"),
        (["foo"], "Unknown command: foo. icsched --help lists what there is."),
        (["--jsno"], "Unknown option: --jsno. icsched --help lists what there is."),
    ],
)
def test_only_a_close_word_is_suggested(icsched, words, complaint):
    result = icsched(*words)

    assert (result.code, result.complaint) == (2, complaint)


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (["prio", "wf.dag", "--order", "pio"], "did you mean prio?"),
        (["prio", "wf.dag", "--order", "Critical_Path"], "did you mean critical-path"),
        (["run", "wf.dag", "--engine", "locl"], "did you mean local?"),
        (["convert", "wf.dag", "o.dot", "--format", "dagmn"], "did you mean dagman?"),
        (["convert", "wf.dag", "o.x", "--to", "wf-format"], "did you mean wfformat?"),
        (["cluster", "wf.dag", "--size", "1", "--clusterer", "staggred"], "did you mean staggered"),
        (["make", "arisn"], "did you mean airsn?"),
    ],
)
def test_a_close_name_is_suggested(icsched, words, question):
    result = icsched(*words)

    assert result.code == 2
    assert question in result.complaint


@pytest.mark.parametrize(
    "words",
    [
        ["prio", "wf.dag", "--order", "best"],
        ["run", "wf.dag", "--engine", "slurm"],
        ["convert", "wf.dag", "o.dot", "--format", "cwl"],
        ["cluster", "wf.dag", "--size", "1", "--clusterer", "odd"],
        ["make", "odd"],
    ],
)
def test_a_name_that_is_not_close_is_not_suggested(icsched, words):
    result = icsched(*words)

    assert result.code == 2
    assert "did you mean" not in result.complaint
