"""Real runs of Snakemake with the scheduler icsched."""

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SNAKEMAKE = Path(sys.executable).parent / "snakemake"
TROUBLE = re.compile(r"bug in icsched|jobs start by name|Traceback")


@pytest.fixture
def snakemake(folder):
    """Run a Snakefile with options; return what it printed.

    The path has the sources first: Snakemake looks for plugins in folders, and an editable install
    has none. `make wheel-check` runs the plugin as a user has it.
    """

    def run(snakefile: str | None, *options: str, code: int = 0, path: str = "", **more: str):
        if snakefile is not None:
            (folder / "Snakefile").write_text(textwrap.dedent(snakefile))
        environment = {
            **os.environ,
            "PYTHONPATH": f"{path}:{ROOT / 'src'}",
            "XDG_CACHE_HOME": str(folder / "cache"),
            **more,
        }
        command = [SNAKEMAKE, "--scheduler", "icsched", "--nocolor", *options]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        printed = done.stdout + done.stderr
        assert done.returncode == code, printed
        assert not TROUBLE.search(printed), printed
        return printed

    return run


def started(folder: Path) -> list[str]:
    return (folder / "started").read_text().split()


SAMPLES = """
    rule all:
        input: expand("end/{s}", s=range(3))
    rule a:
        output: temp("a/{s}")
        shell: "echo a{wildcards.s} >> started; touch {output}"
    rule b:
        input: "a/{s}"
        output: temp("b/{s}")
        shell: "echo b{wildcards.s} >> started; touch {output}"
    rule end:
        input: "b/{s}"
        output: "end/{s}"
        shell: "ls a b | grep -c '[0-9]' >> kept; echo end{wildcards.s} >> started; touch {output}"
"""


def test_lean_ends_each_sample_and_keeps_one_temporary_file(snakemake, folder):
    snakemake(SAMPLES, "-c1", "--scheduler-icsched-order", "lean")

    assert started(folder) == [f"{rule}{s}" for s in range(3) for rule in ("a", "b", "end")]
    assert (folder / "kept").read_text().split() == ["1", "1", "1"]  # the file that end reads
    assert [*folder.glob("a/*"), *folder.glob("b/*")] == []


CHECKPOINT = """
    def parts(wildcards):
        folder = checkpoints.zsplit.get().output[0]
        return expand(folder + "/{p}", p=glob_wildcards(folder + "/{p,[0-9]}").p)
    rule first:
        input: expand("end/{s}", s=range(3)), parts
    rule before:
        output: "list"
        shell: "echo list >> started; touch {output}"
    checkpoint zsplit:
        input: "list"
        output: directory("parts")
        shell: "echo split >> started; mkdir parts; touch parts/1"
"""


def test_lean_starts_checkpoints_and_what_they_need_first(snakemake, folder):
    """Snakemake deletes no temporary file while a checkpoint must still run."""
    snakemake(CHECKPOINT + SAMPLES, "-c1", "--scheduler-icsched-order", "lean")

    samples = [f"{rule}{s}" for s in range(3) for rule in ("a", "b", "end")]
    assert started(folder) == ["list", "split", *samples]
    assert (folder / "kept").read_text().split() == ["1", "1", "1"]  # the file that end reads


PRIORITY = """
    from snakemake.scheduling.job_scheduler import JobScheduler
    look = JobScheduler.update_input_sizes
    async def noted(self, jobs):
        with open("looks", "a") as looks:
            print(len(jobs), file=looks)
        await look(self, jobs)
    JobScheduler.update_input_sizes = noted
    rule both:
        input: "z", expand("end/{s}", s=range(3))
    rule z:
        output: "z"
        priority: 3
        shell: "echo z >> started; touch z"
"""


def test_fifo_runs_by_priority_then_rule_and_the_same_if_sizes_are_skipped(snakemake, folder):
    """By name alone, a starts before z. With one core each of the 11 jobs has a round."""
    fifo = ("-c1", "--scheduler-icsched-order=fifo", "--forceall")
    by_rule = [f"{rule}{s}" for rule in ("a", "b", "end") for s in range(3)]

    snakemake(PRIORITY + SAMPLES, *fifo)
    looks = (folder / "looks").read_text().split()
    snakemake(None, *fifo, "--scheduler-icsched-skip-input-sizes")

    assert started(folder) == ["z", *by_rule] * 2
    assert len(looks) >= 11
    assert (folder / "looks").read_text().split() == [*looks, "4"]  # z and three of a, once


TIMED = """
    rule all:
        input: "x", "y", "z"
    rule work:
        output: "{s,[xyz]}"
        benchmark: "bench/{s}.tsv"
        shell: "echo {wildcards.s} >> started; touch {output}"
"""


def test_the_longest_job_of_the_last_run_starts_first(snakemake, folder, put):
    """By the benchmark files first. y has none, and its metadata say 4 s."""
    put({f"bench/{s}.tsv": f"s\th:m:s\n{t}\t-\n{t + 2}\t-\n" for s, t in (("x", 1), ("z", 9))})
    snakemake(TIMED.replace('benchmark: "bench/{s}.tsv"', ""), "-c1")
    for record in (folder / ".snakemake" / "metadata").iterdir():
        found = json.loads(record.read_text())
        record.write_text(json.dumps({**found, "endtime": found["starttime"] + 4}))
    (folder / "started").unlink()
    order = "--scheduler-icsched-order=critical-path"

    again = "--forceall", "--rerun-triggers", "mtime"
    printed = snakemake(TIMED, "-c1", *again, order)

    assert started(folder) == ["z", "y", "x"]  # 10 s, 4 s and 2 s
    told = "icsched: order critical-path; run times known for 3 of 4 jobs\n"  # all runs nothing
    assert printed.count(told) == 1


def test_the_order_that_auto_chose_is_told_once(snakemake):
    """Nothing is known of jobs that never ran, and chains of equal jobs are alike in any order."""
    printed = snakemake(SAMPLES, "-c1")

    told = "icsched: order fifo, chosen by auto; run times known for 0 of 10 jobs\n"
    assert printed.count("icsched: order ") == printed.count(told) == 1


CHAIN_BEHIND_OTHERS = """
    rule all:
        input: expand("a/{s}", s=range(8)), "z/4"
    rule a:
        output: "a/{s}"
        threads: 2
        resources: mem_mb=lambda wildcards: MEMORY
        shell: "echo a{wildcards.s} >> started; touch {output}"
    rule z:
        input: lambda wildcards: [f"z/{n}" for n in [int(wildcards.n) - 1] if n >= 0]
        output: "z/{n}"
        threads: 2
        resources: mem_mb=lambda wildcards: MEMORY
        shell: "echo z{wildcards.n} >> started; touch {output}"
"""


@pytest.mark.parametrize(
    ("memory", "cores", "order"), [(60, 8, "fifo"), (10, 8, "prio"), (10, 3, "fifo")]
)
def test_auto_chooses_on_the_cores_and_the_memory_of_the_run(snakemake, memory, cores, order):
    """A chain of five jobs comes behind eight others by name. Each job has two threads.

    Of 100 MB a job takes 60, or there are three cores: one job runs at a time, and any order takes
    as long. Else four jobs run at once, so that the chain should start at once.
    """
    text = CHAIN_BEHIND_OTHERS.replace("MEMORY", str(memory))

    printed = snakemake(text, f"-c{cores}", "--resources", "mem_mb=100")

    assert f"icsched: order {order}, chosen by auto; " in printed


def test_memory_that_depends_on_a_file_of_the_run_is_known_when_the_job_starts(snakemake):
    """Its size is not known in the first round. Two jobs would exceed the limit; `mkdir` fails."""
    snakemake(
        """
        rule all:
            input: expand("end/{s}", s=range(3))
        rule begin:
            output: "begin/{s}"
            shell: "head -c 2000000 /dev/zero > {output}"
        rule end:
            input: "begin/{s}"
            output: "end/{s}"
            resources: mem_mb=lambda wildcards, input: 30 * input.size_mb
            shell: "mkdir locked && touch {output} && rmdir locked"
        """,
        "-c4",
        "--resources",
        "mem_mb=100",
    )


def test_jobs_of_a_checkpoint_run_and_failed_jobs_are_tried_again(snakemake, folder):
    """The checkpoint makes three parts; the job of part 2 succeeds at its second try."""
    printed = snakemake(
        """
        def parts(wildcards):
            folder = checkpoints.split.get().output[0]
            return expand("done/{p}", p=glob_wildcards(folder + "/{p,[0-9]}").p)
        rule all:
            input: parts
        checkpoint split:
            output: directory("parts")
            shell: "mkdir parts; touch parts/1 parts/2 parts/3"
        rule part:
            input: "parts/{p}"
            output: "done/{p}"
            retries: 1
            resources: mem_mb=lambda wildcards, attempt: 40 * attempt
            shell: "echo {wildcards.p} >> started;"
                   "if [ {wildcards.p} = 2 ] && mkdir tried; then false; fi; touch {output}"
        """,
        "-c2",
        "--resources",
        "mem_mb=100",
    )

    assert sorted(path.name for path in (folder / "done").iterdir()) == ["1", "2", "3"]
    assert "Trying to restart" in printed
    assert sorted(started(folder)) == ["1", "2", "2", "3"]


def test_a_run_of_subsamples_keeps_going_past_a_failed_job(snakemake, folder):
    """Snakemake shows one random ready job in each round."""
    failing = SAMPLES.replace("echo b{wildcards.s}", "[ {wildcards.s} != 1 ]; echo b{wildcards.s}")

    printed = snakemake(failing, "-c2", "--keep-going", "--scheduler-subsample", "1", code=1)

    assert sorted(path.name for path in (folder / "end").iterdir()) == ["0", "2"]
    assert "Exiting because a job execution failed" in printed


def test_memory_and_resources_of_your_own_are_never_exceeded(snakemake):
    """Two jobs of one rule would exceed the limit; `mkdir` fails if they ever run at once."""
    snakemake(
        """
        rule all:
            input: expand("{kind}/{s}", kind=["memory", "gpu"], s=range(3))
        rule memory:
            output: "memory/{s}"
            resources: mem_mb=60
            shell: "mkdir locked.m && touch {output} && rmdir locked.m"
        rule gpu:
            output: "gpu/{s}"
            resources: gpu=1
            shell: "mkdir locked.g && touch {output} && rmdir locked.g"
        """,
        "-c4",
        "--resources",
        "mem_mb=100",
        "gpu=1",
    )


def test_a_group_and_a_local_rule_run_on_a_cluster(snakemake, folder, put):
    """Each job is a command of a shell script; the script stands for the cluster."""
    put({"submit.sh": 'sh "$1" > /dev/null 2>&1 && echo 1\n'})
    snakemake(
        """
        localrules: all, begin
        rule all:
            input: "end/0"
        rule begin:
            output: "begin/{s}"
            shell: "touch {output}"
        rule one:
            input: "begin/{s}"
            output: "one/{s}"
            group: "sample"
            shell: "touch {output}"
        rule two:
            input: "one/{s}"
            output: "end/{s}"
            group: "sample"
            shell: "touch {output}"
        """,
        *("--executor", "cluster-generic", "--cluster-generic-submit-cmd", "sh submit.sh"),
        *("--jobs", "2", "--local-cores", "1", "--seconds-between-status-checks", "0"),
    )

    assert sorted(path.name for path in (folder / "end").iterdir()) == ["0"]


def test_an_unknown_order_is_one_line_and_nothing_starts(snakemake, folder):
    printed = snakemake(SAMPLES, "-c1", "--scheduler-icsched-order", "nosuch", code=1)

    [told] = re.findall(r"^Error: (.*)", printed, re.MULTILINE)
    assert told.startswith("--scheduler-icsched-order: expected auto, prio, fifo")
    assert told.endswith("lean, got 'nosuch'")
    assert "  File " not in printed
    assert not (folder / "started").exists()


def test_an_old_interface_is_one_line_and_nothing_starts(snakemake, folder, put):
    old = "snakemake_interface_scheduler_plugins-1.0.0.dist-info/METADATA"
    name = "snakemake-interface-scheduler-plugins"
    put({f"old/{old}": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0.0\n"})

    printed = snakemake(SAMPLES, "-c1", code=1, path=str(folder / "old"))

    [told] = re.findall(r"^Error: (.*)", printed, re.MULTILINE)
    assert told.startswith(f"--scheduler icsched needs {name} 2.0 or later, got 1.0.0: run pip ")
    assert not (folder / "started").exists()


def test_another_scheduler_never_imports_icsched(snakemake):
    printed = snakemake(SAMPLES, "-c1", "--scheduler", "greedy", "a/0", PYTHONPROFILEIMPORTTIME="1")

    imported = re.findall(r"\| +(\S+)$", printed, re.MULTILINE)
    assert "snakemake_interface_scheduler_plugins.registry" in imported
    assert [name for name in imported if name.partition(".")[0] in ("icsched", "ortools")] == []
