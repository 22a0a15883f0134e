"""`icsched simulate`: what cannot be, and what only a process can show."""

import os
import pty
import resource
import signal
import subprocess
import sys

import pytest

from tests.cli.simulate.samples import QUICK
from tests.cli.terminal import read_until

# What cannot be

UNIT = (
    "--run-times: run times are in seconds: say --interval, the mean seconds between batches,"
    " --workers, --machines or --pool"
)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--interval", "0"], "interval: expected a positive number, got 0.0"),
        (["--interval", "-1"], "interval: expected a positive number, got -1.0"),
        (["--interval", "nan"], "interval: expected a positive number, got nan"),
        (["--batch", "0"], "batch: expected 1 to 1,000,000,000, got 0.0"),
        (["--speed-spread", "-1"], "speed_spread: expected 0 to 1,000, got -1.0"),
        (["--spread", "nan"], "spread: expected 0 to 1,000, got nan"),
        (["--leave", "0"], "leave: expected a positive number, got 0.0"),
        (["--workers", "0"], "workers: expected a whole number from 1 to 10,000,000, got 0"),
        (
            ["--workers", "2", "--replicas", "3"],
            "replicas: expected at most 2, the number of workers, got 3",
        ),
        (["--workers", "2", "--speeds", "1"], "speeds: expected 2, one per worker, got 1"),
        (["--overhead", "-1"], "overhead: expected 0 to 1e+100, got -1.0"),
        (["--runs", "0"], "runs: expected a whole number from 20 to 10,000,000, got 0"),
        (["--half-width", "0"], "half-width: expected 1e-06 to 1, got 0.0"),
        (["--seed", "-1"], f"seed: expected a whole number from 0 to {2**64 - 1:,}, got -1"),
    ],
)
def test_a_model_that_cannot_be_is_one_line_and_exit_2(refused, options, complaint):
    assert refused(*options) == (2, complaint)


@pytest.mark.parametrize(
    "options", [["--order", "@missing"], ["--run-times", "missing", "--workers", "2"]]
)
def test_a_missing_file_is_one_line_and_exit_1(refused, options):
    assert refused(*options) == (1, "missing: no such file or directory")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            ["--workers", "2", "--interval", "1"],
            "--interval cannot be used with --workers",
        ),
        (["--workers", "2", "--batch", "1"], "--batch cannot be used with --workers"),
        (["--workers", "2", "--batch-law", "fixed"], "--batch-law cannot be used with --workers"),
        (["--workers", "2", "--waiting"], "--waiting cannot be used with --workers"),
        (["--speeds", "1,2"], "--speeds needs --workers; --speed-spread is for batches"),
        (["--run-times", "times.txt"], UNIT),
        (["--run-times", "times.txt", "--batch", "4", "--waiting"], UNIT),
        (
            ["--workers", "2", "--speeds", "1,x"],
            "--speeds: expected numbers separated by commas, got '1,x'",
        ),
        (
            ["--law", "constant", "--spread", "1"],
            "--spread cannot be used with --law constant",
        ),
        (
            ["--paper-statistics", "--runs", "9"],
            "--half-width and --runs cannot be used with --paper-statistics, 300 x 300 runs",
        ),
    ],
)
def test_options_that_do_not_go_together_are_one_line_and_exit_2(refused, options, complaint):
    assert refused(*options) == (2, complaint)


@pytest.mark.parametrize(
    "options",
    [
        ["--order", "best"],
        ["--order"],
        ["--empty-policy"],
        ["--batch-law", "normal"],
        ["--law", "x"],
        ["--runs", "many"],
        ["--no-json"],
    ],
)
def test_bad_usage_is_one_line_and_exit_2(refused, options):
    code, complaint = refused(*options)

    assert code == 2
    assert complaint


def test_a_workflow_without_jobs_is_one_line(icsched, put):
    put({"wf.dag": "", "done.dag": "JOB a x DONE\n"})

    for file in ("wf.dag", "done.dag"):
        result = icsched("simulate", file)
        assert result.code == 1
        assert result.complaint == f"{file}: expected at least one job that is left to run"
    assert icsched("simulate").code == 2


def test_without_dask_one_line_names_the_extra(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.task_spec", None)

    code, complaint = refused("--order", "dask")

    assert (code, complaint) == (1, "dask is not installed: run pip install 'icsched[dask]'")


def test_files_are_read_as_by_other_commands(icsched, put):
    put({"wf.dag": "JOB a x\nFROBNICATE a\n", "sub/wf.dag": "INCLUDE in.dag\n"})
    put({"sub/in.dag": "JOB a x\n"})

    assert icsched("simulate", "wf.dag", *QUICK).code == 1
    assert icsched("simulate", "wf.dag", "--lenient", *QUICK).code == 0
    assert icsched("simulate", "sub/wf.dag", *QUICK).code == 1
    assert icsched("simulate", "sub/wf.dag", "--usedagdir", *QUICK).code == 0


# What only a process can show

ENDLESS = ["--half-width", "0.000001", "--runs", "10000000", "--interval", "1e-7"]


@pytest.fixture
def interruptible():
    """Let new processes take SIGINT, even where the tests run with it ignored."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


def test_work_under_a_second_shows_no_bar(script, workflow):
    terminal, end = pty.openpty()
    words = [script, "simulate", workflow, "--json", *QUICK]
    subprocess.run(words, stdout=subprocess.PIPE, stderr=end, check=True, timeout=60)
    os.write(end, b"over")
    shown = read_until(terminal, b"over")
    os.close(end)
    os.close(terminal)

    assert b"simulating" not in shown


def test_a_pool_that_does_not_fit_into_memory_is_one_line_and_exit_1(script, workflow):
    """Jobs are overdue as soon as they run, and requests that wait take them again and again."""
    options = ["--waiting", "--deadline", "1e-9", "--batch", "1000000000"]
    limit = resource.RLIMIT_AS, (1 << 30, 1 << 30)  # so that it is soon over
    done = subprocess.run(
        [script, "simulate", workflow, *options, *QUICK],
        preexec_fn=lambda: resource.setrlimit(*limit),
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    complaint = "icsched: simulation: this pool needs more memory than there is\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", complaint)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_on_a_terminal_ends_it_with_130_after_a_bar_was_shown(script, workflow):
    terminal, end = pty.openpty()
    with subprocess.Popen(
        [script, "simulate", workflow, *ENDLESS],
        stdout=subprocess.PIPE,
        stderr=end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        os.close(end)
        try:
            shown = read_until(terminal, b"simulating 4 jobs")
            process.send_signal(signal.SIGINT)
            out = process.communicate(timeout=60)[0]
        finally:
            process.kill()
    os.close(terminal)

    assert b"simulating 4 jobs" in shown
    assert out == b""
    assert process.returncode == 130
