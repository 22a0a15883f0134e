"""Files with the size of each job's result; `test_verify` has the orders."""

import json
import time

import pytest

WORKFLOW = "JOB lone x\nJOB a x\nJOB b x\nJOB c x\n"
BYTES = "a number of bytes from 0 to 10^18 - 1"
WORDS = ["prio", "wf.dag", "--memory", "50", "--sizes"]


@pytest.fixture
def read(icsched, put):
    """Read a file of sizes, of jobs of a workflow; return exit code and complaint."""

    def runner(text: str, workflow: str = WORKFLOW, *options: str) -> object:
        put({"wf.dag": workflow, "file.txt": text})
        result = icsched(*WORDS, "file.txt", *options)
        return (0, "") if result.code == 0 else (result.code, result.complaint)

    return runner


def test_blanks_or_a_comma_stand_between_a_job_and_its_number(read):
    assert read("# job number\na 3\nb, 2\n\n c ,1\nlone\t4\r\n") == (0, "")


def test_a_job_may_have_a_comma_or_a_hash_in_its_name(read):
    text = "a,b 3\n#c,4\n# d,5\n"

    assert read(text, "JOB a,b x\nJOB #c x\n") == (0, "")


def test_jobs_that_are_done_need_no_number_and_may_have_one(read, put):
    put({"wf.dag.rescue001": "DONE b\n"})
    workflow = "JOB a x\nJOB b x\n"

    assert read("a 1\n", workflow) == (0, "")
    assert read("a 1\nb 1\n", workflow) == (0, "")
    assert read("a 1\n", workflow, "--no-rescue") == (
        1,
        "file.txt: expected all 2 jobs, got 1; 'b' is missing",
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a 1\nx 2\n", ":2: unknown job 'x'"),
        ("job,number\na,1\n", ":1: unknown job 'job'"),
        ("a 1\n# again\na 2\n", ":3: job 'a' is already on line 1"),
        ("a 1\nb 2\n", ": expected all 4 jobs, got 2; 'lone' is missing"),
        ("", ": expected all 4 jobs, got 0; 'lone' is missing"),
        ("\na\n", ":2: expected a job and NUMBER, got 'a'"),
        ("a 1 2\n", ":1: expected a job and NUMBER, got 'a 1 2'"),
        ("a,1,2\n", ":1: unknown job 'a,1'"),
        ("a nan\n", ":1: job 'a': expected NUMBER, got 'nan'"),
        ("a inf\n", ":1: job 'a': expected NUMBER, got 'inf'"),
        ("a -1\n", ":1: job 'a': expected NUMBER, got '-1'"),
        ("a 1s\n", ":1: job 'a': expected NUMBER, got '1s'"),
    ],
)
def test_a_bad_line_is_told_in_one_with_its_place(read, text, complaint):
    assert read(text) == (1, f"file.txt{complaint}".replace("NUMBER", BYTES))


@pytest.mark.parametrize("word", ["1.5", "\u0663", str(10**18), "1e3"])
def test_bytes_are_whole(read, word):
    complaint = f"file.txt:1: job 'a': expected {BYTES}, got {word!r}"

    assert read(f"a {word}\n") == (1, complaint)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (" " * 100_000, None),
        (f"a{' ' * 100_000}1", None),
        (f"a{' ' * 100_000},{' ' * 100_000}1", None),
        (f"a{' ' * 100_000},{' ' * 100_000},", "expected a job and "),
        (f"a{' ' * 100_000}1 1", "expected a job and "),
        (f"{'a,' * 50_000} 1 1", "expected a job and "),
        ("a" * 100_000, "expected a job and "),
        (f"{'b' * 100_000} 1", "unknown job 'bbb"),
        (f"a {'x' * 100_000}", "job 'a': expected "),
    ],
)
def test_a_line_of_any_length_is_read_at_once_and_quoted_in_part(read, line, problem):
    began = time.perf_counter()
    code, complaint = read(f"{line}\n{'' if line.strip() else 'a 1'}\n", "JOB a x\n")

    assert code == (0 if problem is None else 1)
    assert complaint.startswith("" if problem is None else f"file.txt:1: {problem}")
    assert len(complaint) < 400
    assert time.perf_counter() - began < 5  # a search that goes back for each blank takes minutes


def test_a_file_that_is_not_there_is_one_line(icsched, put):
    put({"wf.dag": WORKFLOW})
    result = icsched(*WORDS, "none.txt")

    assert (result.code, result.complaint) == (1, "none.txt: no such file or directory")


def test_sizes_with_commas_are_those_with_blanks(icsched, put):
    """c takes 3 bytes until d has run, a takes 10 until b has: not both within 12."""
    put({"wf.dag": "JOB a x\nJOB b x\nJOB c x\nJOB d x\nPARENT a CHILD b\nPARENT c CHILD d\n"})
    put({"blanks.txt": "a 10\nb 1\nc 3\nd 1\n", "commas.txt": "a,10\nb,1\nc,3\nd,1\n"})

    words = ["prio", "wf.dag", "--memory", "12", "--json", "--sizes"]
    answers = [json.loads(icsched(*words, f"{name}.txt").out) for name in ("blanks", "commas")]

    assert answers[0]["order"] == answers[1]["order"]
    assert answers[0]["memory"] == answers[1]["memory"] == 10


@pytest.mark.parametrize(
    "words",
    [
        ("prio", "-", "--order", "@-"),
        ("prio", "-", "--memory", "3", "--sizes", "-"),
        ("show", "-", "--order", "critical-path", "--run-times", "-"),
        ("cluster", "-", "--size", "1", "--alone", "@-"),
        ("verify", "-", "--order", "@-"),
        ("simulate", "-", "--order", "@-"),
        ("study", "-", "--order", "@-", "-o", "out"),
        ("batch", "-", "--take", "1", "--running", "@-"),
    ],
)
def test_standard_input_is_read_once(icsched, words):
    found = icsched(*words)

    assert found.code == 2
    assert found.complaint == "only one of FILE and the options can be read from standard input"
