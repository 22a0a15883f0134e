"""Files that commands read besides workflows: run times; `test_verify` has the orders."""

import pytest

QUICK = ["--runs", "60"]


def test_a_job_may_have_a_comma_or_a_hash_in_its_name(icsched, put):
    put({"wf.dag": "JOB a,b x\nJOB #c x\n", "times.txt": "a,b 3\n#c,4\n# d,5\n"})

    assert icsched("simulate", "wf.dag", "--runtimes", "times.txt", *QUICK).code == 0


def test_jobs_that_are_done_need_no_run_time_and_may_have_one(icsched, put):
    put({"wf.dag": "JOB a x\nJOB b x\n", "wf.dag.rescue001": "DONE b\n"})
    put({"one.txt": "a 1\n", "both.txt": "a 1\nb 1\n"})

    for file in ("one.txt", "both.txt"):
        assert icsched("simulate", "wf.dag", "--runtimes", file, *QUICK).code == 0
    result = icsched("simulate", "wf.dag", "--runtimes", "one.txt", "--no-rescue")
    assert result.complaint == "one.txt: expected all 2 jobs, got 1; 'b' is missing"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a 1\nx 2\n", ":2: unknown job 'x'"),
        ("job,seconds\na,1\n", ":1: unknown job 'job'"),
        ("a 1\n# again\na 2\n", ":3: job 'a' is already on line 1"),
        ("a\n", ":1: expected a job and its seconds, got 'a'"),
        ("a nan\n", ":1: expected a positive number of seconds, got 'nan'"),
        ("a inf\n", ":1: expected a positive number of seconds, got 'inf'"),
        ("a -1\n", ":1: expected a positive number of seconds, got '-1'"),
        ("a 0\n", ":1: expected a positive number of seconds, got '0'"),
        ("a 1s\n", ":1: expected a positive number of seconds, got '1s'"),
        ("a 1\nb 2\n", ": expected all 4 jobs, got 2; 'lone' is missing"),
        ("", ": expected all 4 jobs, got 0; 'lone' is missing"),
    ],
)
def test_a_bad_file_of_run_times_is_one_line_with_its_place(icsched, put, text, complaint):
    put({"wf.dag": "JOB lone x\nJOB a x\nJOB b x\nJOB c x\n", "times.txt": text})

    result = icsched("simulate", "wf.dag", "--runtimes", "times.txt")

    assert (result.code, result.complaint) == (1, f"times.txt{complaint}")
