"""Scripts of sbatch lines: a real shell is the authority on what their words are."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import icsched
from icsched import Dag, FormatError, Workflow, prioritize
from icsched.formats import FORMATS
from icsched.workflow import Command, OwnSource
from tests.formats.workflows import workflows

SCRIPT = """\
#!/bin/bash
#SBATCH --partition=long
set -euo pipefail

# the inputs
j1=$(sbatch --parsable --job-name=prep --nice=7 prep.sh --fast 'a b')
j2="$(sbatch --parsable -J map \\
    --dependency=afterok:$j1 -t 10:00 --wrap="sort 'x y' > \\$HOME/z")"
j3=`sbatch --parsable -dafterok:${j1} -n 4 -o out.txt tools/map.sh`
echo "submitted $j2 and $j3"
sbatch -d "afterok:${j2}:$j3" --nice --chdir=/data end.sh  # last
"""


@pytest.fixture
def read(put):
    def reader(text):
        put({"wf.sh": text})
        return icsched.read("wf.sh")

    return reader


def test_variables_say_which_jobs_a_job_waits_for(read):
    r"""
        prep
        /  \
      map   j3
        \  /
       end.sh
    """
    workflow = read(SCRIPT)

    assert workflow.dag.to_mapping() == {
        "prep": [],
        "map": ["prep"],
        "j3": ["prep"],
        "end.sh": ["map", "j3"],
    }
    assert workflow.priorities.tolist() == [-7, 0, 0, -100]  # sbatch takes --nice for 100
    assert workflow.remarks == ()


def test_a_job_runs_its_script_or_what_is_wrapped(read):
    assert read(SCRIPT).commands == (
        Command(("./prep.sh", "--fast", "a b")),
        Command(("/bin/sh", "-c", "sort 'x y' > $HOME/z")),
        Command(("tools/map.sh",), stdout="out.txt", stderr="out.txt"),
        Command(("./end.sh",), directory="/data"),
    )


def test_an_order_changes_only_nice(read):
    workflow = read(SCRIPT)

    icsched.write("wf.sh", prioritize(workflow, [0, 2, 1, 3]))

    expected = (
        SCRIPT.replace("prep --nice=7", "prep --nice=0")
        .replace('"$(sbatch ', '"$(sbatch --nice=2 ')
        .replace("`sbatch ", "`sbatch --nice=1 ")
        .replace("--nice --chdir", "--nice=3 --chdir")
    )
    assert Path("wf.sh").read_text() == expected


def test_jobs_of_one_name_get_a_number_and_a_remark(read):
    workflow = read("sbatch -J a x.sh\nsbatch -J a x.sh\nsbatch -J a-2 x.sh\nsbatch -J a x.sh\n")

    assert workflow.names == ("a", "a-3", "a-2", "a-4")
    told = [(remark.line, remark.count, remark.text) for remark in workflow.remarks]
    assert told == [(2, 2, "jobs of the same name get a number")]


def test_what_an_order_cannot_hold_is_told(read):
    workflow = read(
        "a=$(sbatch --parsable --array=1-9 x.sh)\n"
        "sbatch --dependency=afterany:$a,afterok:1234 y.sh\n"
    )

    assert [(remark.line, remark.text) for remark in workflow.remarks] == [
        (1, "an array of jobs counts as one task"),
        (2, "afterany: these jobs run even if their parents fail"),
        (2, "the order leaves out dependencies on jobs that this script does not submit"),
    ]


def test_two_per_cent_signs_are_one_and_a_pattern_gets_a_remark(read):
    workflow = read("sbatch -i 5%% -o %j.out x.sh\nsbatch -D 5% -o 5%%%x -e $A.err y.sh\n")

    assert workflow.commands == (
        Command(("./x.sh",), stdin="5%"),
        Command(("./y.sh",), directory="5%"),
    )
    told = "icsched does not read names of files with variables, or patterns such as %j"
    assert [(remark.line, remark.count, remark.text) for remark in workflow.remarks] == [
        (1, 3, told)
    ]


def test_slurm_fills_in_nothing_in_what_icsched_writes(read):
    command = Command(("sort",), directory="5%", stdin="5%/%j", stdout="5%/%%", stderr="5%/5%")
    workflow = Workflow(Dag({"a": []}), [False], source=OwnSource([command]))

    text = FORMATS.find("slurm").text(workflow)

    options = "--chdir=5% --input=%%j --output=%%%% --error=5%%"
    assert f" {options} --wrap=sort)" in text
    assert read(text).commands == (command,)


EXPECTED = "expected a line such as j1=$(sbatch --parsable ...), sbatch ..., or a comment"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("for i in 1 2; do\n", f"1: {EXPECTED}, got 'for i in 1 2; do'"),
        ("\nsbatch x.sh | tail\n", f"2: {EXPECTED}, got '| tail'"),
        ("sbatch\\ x.sh\n", f"1: {EXPECTED}, got 'sbatch\\\\ x.sh'"),
        ("sbatch\\\nx.sh\n", f"1: {EXPECTED}, got 'sbatch\\\\'"),
        ("j=$(sbatch\\ x.sh)\n", f"1: {EXPECTED}, got 'j=$(sbatch\\\\ x.sh)'"),
        ("sbatch x.sh; rm -r y\n", f"1: {EXPECTED}, got '; rm -r y'"),
        ("sbatch $(cat jobs)\n", f"1: {EXPECTED}, got '$(cat jobs)'"),
        ("j=$(sbatch --parsable `ls`)\n", f"1: {EXPECTED}, got '`ls`)'"),
        ("echo $(rm x)\n", f"1: {EXPECTED}, got 'echo $(rm x)'"),
        ("j=$(sbatch --parsable x.sh\n", "1: expected ) after the words of sbatch"),
        ("sbatch --wrap 'x\n\n", f'1: {EXPECTED}, got "\'x"'),
        ("sbatch --parsable\n", "1: expected a script or --wrap after sbatch"),
        ("sbatch x.sh\nsbatch -J\n", "2: expected a value after -J"),
        (
            "sbatch -d afterok:$j1 x.sh\n",
            "1: expected a variable with the number of an earlier job, got '$j1'",
        ),
        (
            "sbatch -d afternotok:7 x.sh\n",
            "1: expected --dependency=afterok:$j1:..., got 'afternotok:7'",
        ),
        (
            "sbatch --depend=afterok:7?afterok:8 x.sh\n",
            "1: expected a variable with the number of an earlier job, got '7?afterok'",
        ),
        ("sbatch -J $NAME x.sh\n", "1: job name: expected plain text without variables"),
        ("sbatch --nice=high x.sh\n", "1: --nice: expected a whole number of 32 bits, got 'high'"),
        (b"# \xe9\n", "1: expected UTF-8 text, got byte 0xe9"),
    ],
)
def test_a_line_that_is_something_else_is_refused(read, text, problem):
    with pytest.raises(FormatError) as caught:
        read(text)

    assert str(caught.value) == f"wf.sh:{problem}"


def test_a_command_with_variables_is_refused_when_it_is_asked_for(read):
    workflow = read("sbatch -J a x.sh $HOME/*.txt\n")

    with pytest.raises(FormatError) as caught:
        _ = workflow.commands
    assert str(caught.value) == (
        "wf.sh:1: command of job 'a': expected words without variables and patterns,"
        " got '$HOME/*.txt'"
    )


# What a shell makes of the lines

SBATCH = f"""#!{sys.executable}
import json, sys
from pathlib import Path
lines = Path("submitted.jsonl")
number = 1 + (len(lines.read_text().splitlines()) if lines.exists() else 0)
with lines.open("a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
print(number)
"""


def submitted(put) -> list[list[str]]:
    """Run wf.sh by a shell in which sbatch notes its words and prints 1, 2, ..."""
    put({"bin/sbatch": SBATCH})
    Path("bin/sbatch").chmod(0o755)
    Path("submitted.jsonl").unlink(missing_ok=True)
    environment = {**os.environ, "PATH": f"{Path('bin').resolve()}:{os.environ['PATH']}"}
    subprocess.run(["bash", "wf.sh"], check=True, env=environment, capture_output=True)
    return [json.loads(line) for line in Path("submitted.jsonl").read_text().splitlines()]


def test_a_shell_and_icsched_see_the_same_words(read, put):
    workflow = read(SCRIPT)

    jobs = submitted(put)

    text, found = workflow.source.text, workflow.source.jobs
    assert text == SCRIPT
    named = {"j1": "1", "j2": "2", "j3": "3"}
    words = [[word.text for word in job.words] for job in found]
    for variable, number in named.items():
        words = [[w.replace(f"\0{variable}\0", number) for w in line] for line in words]
    assert words == jobs


@settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.data())
def test_a_shell_submits_what_icsched_writes(put, data):
    entry = FORMATS.find("slurm")
    workflow: Workflow = data.draw(
        workflows(entry.takes_name).filter(lambda found: len(found.dag) > 1)
    )
    put({"wf.sh": entry.text(workflow, title="a workflow")})

    jobs = submitted(put)

    names = [word[11:] for job in jobs for word in job if word.startswith("--job-name=")]
    numbers = {name: str(number) for number, name in enumerate(names, 1)}
    assert sorted(names) == sorted(workflow.names)
    for name, job in zip(names, jobs, strict=True):
        after = [word for word in job if word.startswith("--dependency=")]
        parents = workflow.dag.to_mapping()[name]
        wanted = {numbers[parent] for parent in parents}
        assert {*(after[0].split(":")[1:] if after else [])} == wanted
