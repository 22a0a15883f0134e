"""What all formats do alike: empty files, priorities out of range, files of a command's streams."""

import pytest

import icsched
from icsched import FormatError
from icsched.formats import FORMATS
from icsched.workflow import Command, OwnSource

# The least that each format takes for a workflow; it has no task.
LEAST = {
    "dagman": "",
    "wfformat": '{"workflow": {"specification": {"tasks": []}}}',
    "pegasus": "jobs: []\n",
    "dax": "<adag/>",
    "dot": "digraph {}",
    "edges": "",
    "csv": "task,parents\n",
    "slurm": "",
}
EMPTY = {
    "wfformat": "expected JSON, got the end of the file",
    "pegasus": "expected a workflow of Pegasus, with a list of jobs, got an empty file",
    "dax": "expected well-formed XML, got no element found in column 1",
    "dot": "expected digraph, got the end of the file",
    "csv": "expected a header with the columns parent,child or task,parents, got an empty file",
}
PRIORITY = {
    "wfformat": '{"workflow": {"specification": {"tasks": [\n{"id": "a"}]},'
    ' "execution": {"tasks": [{"id": "a", "priority": @}]}}}',
    "pegasus": "jobs:\n- {id: a, profiles: {condor: {priority: @}}}\n",
    "dax": '<adag><job id="a" name="x">\n'
    '<profile namespace="condor" key="priority">@</profile></job></adag>',
    "dot": 'digraph {\na [priority="@"] }',
    "csv": "task,parents,priority\na,,@\n",
}
SLURM = "\nsbatch --job-name=a --nice=@ a.sh\n"
LAST = 2_147_483_645  # of Slurm; the other formats take two more
STREAMS = {
    "pegasus": """\
transformationCatalog:
  transformations: [{name: sort, sites: [{name: local, pfn: /bin/sort}]}]
jobs:
- {type: job, id: a, name: sort, arguments: [-n], stdin: in.txt, stdout: /srv/out,
   profiles: {condor: {initialdir: data}}}
""",
    "dax": """\
<adag><executable name="sort"><pfn url="file:///bin/sort"/></executable>
<job id="a" name="sort"><argument>-n</argument><stdin name="in.txt"/><stdout name="/srv/out"/>
<profile namespace="condor" key="initialdir">data</profile></job></adag>
""",
    "dagman": """\
JOB a {
executable = /bin/sort
arguments = -n
initialdir = data
input = in.txt
output = /srv/out
}
""",
    "slurm": "sbatch --job-name=a --chdir=data --input=in.txt --output=/srv/out --error=e"
    " --wrap='/bin/sort -n'\n",
}


def _read(put, name, text):
    put({"wf": text})
    return icsched.read("wf", format=name)


@pytest.mark.parametrize("name", FORMATS)
def test_the_least_file_of_a_format_is_a_workflow_without_tasks(put, name):
    assert _read(put, name, LEAST[name]).names == ()


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_file_is_refused_if_the_format_needs_a_beginning(put, name):
    with pytest.raises(FormatError) as caught:
        _read(put, name, "")

    assert str(caught.value) == f"wf:1: {EMPTY[name]}"


def test_a_format_takes_an_empty_file_or_refuses_it():
    assert {*EMPTY, *(name for name, text in LEAST.items() if not text)} == {*FORMATS}


@pytest.mark.parametrize("number", ["2147483648", "-2147483649", "12345678901234567890"])
@pytest.mark.parametrize("name", PRIORITY)
def test_a_priority_of_more_than_32_bits_is_refused(put, name, number):
    with pytest.raises(FormatError, match=r"^wf:2: .*expected a whole number of 32 bits, got"):
        _read(put, name, PRIORITY[name].replace("@", number))


@pytest.mark.parametrize("name", PRIORITY)
@pytest.mark.parametrize("number", [2**31 - 1, -(2**31)])
def test_a_priority_may_have_all_32_bits(put, name, number):
    workflow = _read(put, name, PRIORITY[name].replace("@", str(number)))

    assert workflow.priorities.tolist() == [number]


@pytest.mark.parametrize("name", [*PRIORITY, "slurm"])
@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("5.0", 5),
        ("-3.00", -3),
        ("2147483645.0", LAST),
        ("1e2", 100),
        ("1.5E+1", 15),
        ("-700e-2", -7),
        ("0e99", 0),
    ],
)
def test_a_whole_number_in_any_form_is_a_priority(put, name, written, number):
    text = {**PRIORITY, "slurm": SLURM}[name]

    workflow = _read(put, name, text.replace("@", written))

    assert workflow.priorities.tolist() == [-number if name == "slurm" else number]


@pytest.mark.parametrize(("written", "number"), [("5.0", 5), ("1.5", 1), ("-1.5", -1)])
def test_dagman_drops_the_fraction_of_a_priority(put, written, number):
    text = f"JOB a a.sub\nPRIORITY a {written}\n"

    assert _read(put, "dagman", text).priorities.tolist() == [number]


@pytest.mark.parametrize("name", ["wfformat", "pegasus"])
@pytest.mark.parametrize("number", ["2147483648.0", "2147483647.5"])
def test_a_refused_priority_is_shown_with_all_its_digits(put, name, number):
    with pytest.raises(FormatError, match=rf"got '?{number}'?$"):
        _read(put, name, PRIORITY[name].replace("@", number))


@pytest.mark.parametrize("name", [*PRIORITY, "slurm"])
@pytest.mark.parametrize("number", ["1.5", "1e300", "1e-1", "-12e-1"])
def test_a_priority_with_a_fraction_or_a_large_exponent_is_refused(put, name, number):
    text = {**PRIORITY, "slurm": SLURM}[name]

    with pytest.raises(FormatError, match=r"^wf:2: .*expected a whole number of 32 bits, got"):
        _read(put, name, text.replace("@", number))


@pytest.mark.parametrize("name", [*PRIORITY, "slurm"])
@pytest.mark.parametrize(
    "word", ["inf", "nan", "0x10", "1_000", "1e2.5", "1e", "e2", ".", "\u0663"]
)
def test_a_priority_in_a_form_that_is_no_decimal_number_is_refused(put, name, word):
    """JSON has none of these forms, so a WfFormat file with one is not JSON."""
    text = {**PRIORITY, "slurm": SLURM}[name]
    problem = "JSON" if name == "wfformat" else "a whole number of 32 bits"

    with pytest.raises(FormatError, match=rf"^wf:2: .*expected {problem}, got"):
        _read(put, name, text.replace("@", word))


RUN_TIME = {
    "csv": "task,parents,run_time\na,,@\n",
    "dax": '<adag>\n<job id="a" runtime="@"/></adag>',
    "dot": 'digraph {\na [run_time="@"] }',
}


@pytest.mark.parametrize("name", RUN_TIME)
@pytest.mark.parametrize("word", ["1_000", "\u0663", "0x10", "1h"])
def test_a_run_time_in_a_form_that_is_no_decimal_number_is_refused(put, name, word):
    with pytest.raises(FormatError) as caught:
        _read(put, name, RUN_TIME[name].replace("@", word))

    assert str(caught.value) == f"wf:2: run_time of task 'a': expected seconds, got {word!r}"


@pytest.mark.parametrize("name", RUN_TIME)
@pytest.mark.parametrize("word", ["-1", "nan", "inf", "1e101", "1e-101"])
def test_a_run_time_that_is_no_time_is_refused(put, name, word):
    with pytest.raises(FormatError, match=rf"^wf:2: run_time of task 'a': .*, got '{word}'$"):
        _read(put, name, RUN_TIME[name].replace("@", word))


@pytest.mark.parametrize("name", RUN_TIME)
def test_a_run_time_of_minus_0_is_0(put, name):
    workflow = _read(put, name, RUN_TIME[name].replace("@", "-0"))

    assert str(workflow.run_times.tolist()) == "[0.0]"


@pytest.mark.parametrize("zeros", [5000, 10**6])
def test_a_priority_with_a_million_zeros_takes_no_long_time(put, zeros):
    text = PRIORITY["csv"].replace("@", f"{'0' * zeros}7.{'0' * zeros}")

    assert _read(put, "csv", text).priorities.tolist() == [7]


@pytest.mark.parametrize("name", STREAMS)
def test_a_job_sees_the_files_of_its_streams_from_its_directory(put, name):
    (command,) = _read(put, name, STREAMS[name]).commands

    told = command.argv, command.directory, command.stdin, command.stdout
    assert told == (("/bin/sort", "-n"), "data", "data/in.txt", "/srv/out")


@pytest.mark.parametrize("name", ["pegasus", "dax"])
def test_a_writer_names_the_files_of_streams_as_the_job_sees_them(put, name):
    dag = icsched.Dag({"a": []})
    command = Command(("/bin/sort",), "data", stdin="data/in.txt", stdout="data/deep/out")
    given = icsched.Workflow(dag, [False], source=OwnSource([command]))
    text = FORMATS.find(name).text(given)

    assert '"in.txt"' in text
    assert '"deep/out"' in text
    assert _read(put, name, text).commands == (command,)
