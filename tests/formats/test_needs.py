"""What tasks need by resource, in each format."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import icsched
from icsched import Dag, Workflow
from icsched.errors import ArgumentError, FormatError
from icsched.formats.dagman.submit import parsed
from icsched.formats.requests import asked, bytes_in, count_in

GIB, MIB, KIB = 2**30, 2**20, 2**10


def needs(path: str, text: str) -> dict[str, dict[str, float]]:
    """Return the known needs in a file, by resource and task."""
    Path(path).write_text(text)
    return icsched.read(path).to_dict()["needs"]


def hidden(path: str) -> list[tuple[str, str, int]]:
    """Return resource, file and line of what is hidden."""
    found = icsched.read(path).hidden_needs
    return [(one.resource, one.remark.path, one.remark.line) for one in found]


# HTCondor


def submit(folder, **settings: str) -> None:
    lines = [f"{key} = {value}\n" for key, value in settings.items()]
    (folder / "a.sub").write_text("executable = /bin/x\n" + "".join(lines) + "queue\n")


def test_requests_of_a_submit_file_are_in_the_units_of_htcondor(folder):
    submit(
        folder,
        request_cpus="4",
        Request_Memory="1.5 GB",
        request_disk="100",
        request_gpus="1",
        request_Licences="2",
    )

    assert needs("w.dag", "JOB a a.sub\n") == {
        "cores": {"a": 4},
        "memory_bytes": {"a": 1.5 * GIB},
        "disk_bytes": {"a": 100 * KIB},
        "gpus": {"a": 1},
        "licences": {"a": 2},
    }


def test_memory_without_a_unit_is_in_mebibytes_and_rounded_up(folder):
    submit(folder, request_memory="$(mem)", request_disk="1.5", mem="1.3")

    assert needs("w.dag", "JOB a a.sub\n") == {
        "memory_bytes": {"a": 2 * MIB},
        "disk_bytes": {"a": 2 * KIB},
    }


@pytest.mark.parametrize(
    ("words", "mebibytes"),
    [("1.0009 G", 1024), ("0.0009", 0), ("+5", 5), (".5 g", 512), ("1e3", 1000), ("1025K", 2)],
)
def test_amounts_are_read_as_condor_submit_does(words, mebibytes):
    """Three decimals count; tests/htcondor asks the real one."""
    assert asked("memory_bytes", words) == mebibytes * MIB


def test_the_attribute_goes_before_the_request_and_that_before_its_other_name(folder):
    (folder / "a.sub").write_text(
        "+RequestMemory = 3\nrequest_memory = 2\nRequestMemory = 1\n"
        "request_cpus = 2\nRequestCpus = 1\nRequestDisk = 1\nqueue\n"
    )

    assert needs("w.dag", "JOB a a.sub\n") == {
        "cores": {"a": 2},
        "memory_bytes": {"a": 3 * MIB},
        "disk_bytes": {"a": KIB},
    }


def test_requests_that_htcondor_ignores_are_ignored(folder):
    submit(folder, request_cpu="4", request_gpu="1", request_x="2", request_ab="3")

    assert needs("w.dag", "JOB a a.sub\n") == {"ab": {"a": 3}}


def test_vars_and_the_dag_give_macros_their_values(folder):
    """VARS come before the settings, so a's 8 wins over nothing, and the default is b's."""
    submit(folder, request_cpus="$(n:2)", request_memory="$(base)$(unit)", unit="G")
    text = (
        "JOB a a.sub\nJOB b a.sub\nJOB c a.sub\n"
        'VARS a n="8" base="1"\nVARS b base="$(other)"\nVARS b other="3"\nVARS c base="4"\n'
        'VARS c request_gpus="2"\nVARS c other="9"\n'
    )

    assert needs("w.dag", text) == {
        "cores": {"a": 8, "b": 2, "c": 2},
        "memory_bytes": {"a": GIB, "b": 3 * GIB, "c": 4 * GIB},
        "gpus": {"c": 2},
    }


def test_a_request_may_depend_on_the_name_of_the_job(folder):
    submit(folder, request_cpus="$(cores_of_$(JOB):1)", cores_of_b="6")

    assert needs("w.dag", "JOB a a.sub\nJOB b a.sub\n") == {"cores": {"a": 1, "b": 6}}


@pytest.mark.usefixtures("folder")
def test_descriptions_inside_the_dag_and_attributes_of_jobs_count():
    text = "JOB a {\n executable = /bin/x\n request_memory = 1\n +RequestMemory = 2048\n}\n"

    assert needs("w.dag", text) == {"memory_bytes": {"a": 2 * GIB}}


def test_what_only_htcondor_can_work_out_is_hidden_once_for_all_its_jobs(folder):
    submit(folder, request_cpus="$$(Cpus)", request_memory="ifthenelse(x, 1, 2)")

    assert needs("w.dag", "JOB a a.sub\nJOB b a.sub\n") == {"cores": {}, "memory_bytes": {}}
    assert hidden("w.dag") == [("cores", "a.sub", 2), ("memory_bytes", "a.sub", 3)]
    assert [one.tasks.tolist() for one in icsched.read("w.dag").hidden_needs] == [[0, 1]] * 2


def test_a_submit_file_of_many_jobs_still_says_what_each_needs(folder):
    (folder / "a.sub").write_text("request_cpus = 3\nqueue 5 in (a b)\nthis is not read\n")

    assert needs("w.dag", "JOB a a.sub\n") == {"cores": {"a": 3}}


def test_a_submit_file_that_icsched_cannot_read_hides_all_needs(folder):
    (folder / "a.sub").write_text("if defined x\nrequest_cpus = 3\nendif\nqueue\n")

    assert needs("w.dag", "JOB a a.sub\n") == {}
    assert hidden("w.dag") == [("", "a.sub", 1)]


def test_a_submit_file_too_large_to_be_one_hides_all_needs(folder):
    with (folder / "a.sub").open("wb") as file:
        file.truncate(2**24)

    assert needs("w.dag", "JOB x x.sub\nJOB a a.sub\n") == {}
    assert hidden("w.dag") == [("", "w.dag", 2)]


def test_jobs_that_run_nothing_or_whose_file_is_missing_say_nothing(folder):
    submit(folder, request_cpus="2")
    text = "JOB a a.sub NOOP\nJOB b none.sub\nSUBDAG EXTERNAL c inner.dag\n"

    assert needs("w.dag", text) == {}
    assert hidden("w.dag") == []


def test_submit_files_are_read_only_when_needs_are_asked_for(folder):
    (folder / "w.dag").write_text("JOB a a.sub\n")
    workflow = icsched.read("w.dag")
    submit(folder, request_cpus="2")

    assert workflow.needs["cores"].tolist() == [2]


def test_the_tasks_left_have_their_own_needs(folder):
    submit(folder, request_cpus="$(n)", request_memory="x")
    (folder / "w.dag").write_text('JOB a a.sub DONE\nJOB b a.sub\nVARS a n="1"\nVARS b n="2"\n')
    left = icsched.read("w.dag").residual

    assert left.needs["cores"].tolist() == [2]
    assert [one.tasks.tolist() for one in left.hidden_needs] == [[0]]


@pytest.mark.parametrize("value", ["-1", "- 5 GB", "9" * 400])
def test_a_request_that_cannot_be_is_refused_with_its_line(folder, value):
    submit(folder, request_memory=value)
    (folder / "w.dag").write_text("JOB a a.sub\n")

    with pytest.raises(FormatError, match=r"^a\.sub:2: memory_bytes: expected a finite number"):
        len(icsched.read("w.dag").needs)


WORDS = st.text("abc$():.0123456789GMk -+*\"'", max_size=12)


@given(WORDS, WORDS, WORDS)
def test_any_macros_give_an_amount_or_are_hidden(value, first, second):
    lines = [f"request_cpus = {value}", f"a = {first}", f"b = {second}"]
    try:
        words = parsed("a.sub", lines).of_job("j").value("request_cpus")
        amount = asked("cores", words)
    except (FormatError, ValueError):
        return
    assert amount is None or math.isnan(amount) or 0 <= amount < math.inf


@given(st.integers(0, 10**6), st.sampled_from("KMGT"), st.booleans())
def test_units_are_powers_of_1024(count, unit, has_b):
    words = f"{count}{unit}{'B' if has_b else ''}"
    expected = count * 1024 ** (" KMGT".index(unit))

    assert bytes_in(words) == expected
    assert asked("disk_bytes", words) == expected


# Other formats


@pytest.mark.usefixtures("folder")
def test_a_table_has_columns_for_needs():
    text = "task,parents,cores,memory,disk,gpus\na,,4,1.5G,100,0\nb,a,,2 MiB,,\n"

    assert needs("w.csv", text) == {
        "cores": {"a": 4},
        "memory_bytes": {"a": 1.5 * GIB, "b": 2 * MIB},
        "disk_bytes": {"a": 100},
        "gpus": {"a": 0},
    }


@pytest.mark.usefixtures("folder")
def test_nodes_of_dot_have_attributes_for_needs():
    text = 'digraph { node [cores=2]; a [memory="4G"]; b; a -> b }'

    assert needs("w.dot", text) == {"cores": {"a": 2, "b": 2}, "memory_bytes": {"a": 4 * GIB}}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("layout", ["new", "old"])
def test_wfformat_says_cores_and_its_memory_is_only_measured(layout):
    new = (
        '{"workflow": {"specification": {"tasks": [{"id": "a"}, {"id": "b"}]}, "execution":'
        ' {"tasks": [{"id": "a", "coreCount": 4, "memoryInBytes": 1000}, {"id": "b"}]}}}'
    )
    old = '{"workflow": {"tasks": [{"name": "a", "cores": 4, "memory": 9}, {"name": "b"}]}}'

    assert needs("w.json", {"new": new, "old": old}[layout]) == {"cores": {"a": 4}}


SLURM = {
    "-n 3 -c 2 --mem-per-cpu=1G": {"cores": 6, "memory_bytes": 6 * GIB},
    "-N2 --ntasks-per-node 4 --mem=2000": {"cores": 8, "memory_bytes": 4000 * MIB},
    "--gres=gpu:a100:2,licence:3 --tmp=1G": {"gpus": 2, "licence": 3, "disk_bytes": GIB},
    "-G v100:4 --mem-per-gpu=1G": {"gpus": 4, "memory_bytes": 4 * GIB},
    "--gres=gpu": {"gpus": 1},
    "--gpus-per-node=2 --nodes=3": {"cores": 3, "gpus": 6},
    "--cpus-per=2": {"cores": 2},
    "--mem-bind=local": {},
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("options", SLURM)
def test_options_of_sbatch_say_what_a_job_needs(options):
    found = needs("w.sbatch", f"sbatch {options} --job-name=a a.sh\n")

    assert found == {resource: {"a": amount} for resource, amount in SLURM[options].items()}


@pytest.mark.usefixtures("folder")
def test_all_memory_of_a_node_is_no_number():
    assert needs("w.sbatch", "sbatch --mem=0 --tmp=0 --job-name=a a.sh\n") == {
        "memory_bytes": {},
        "disk_bytes": {"a": 0},
    }


@pytest.mark.usefixtures("folder")
def test_variables_and_choices_of_slurm_are_hidden():
    line = "sbatch --mem=$MEM -N 1-4 --job-name=%s a.sh\n"

    found = needs("w.sbatch", "# script\n" + line % "a" + line % "b")

    assert found == {"cores": {}, "memory_bytes": {}}
    assert hidden("w.sbatch") == [("cores", "w.sbatch", 2), ("memory_bytes", "w.sbatch", 2)]


PEGASUS = """\
pegasus: "5.0"
name: w
siteCatalog:
  sites:
  - {name: pool, profiles: {pegasus: {memory: 500, gpus: 2}}}
transformationCatalog:
  transformations:
  - name: t
    profiles: {pegasus: {memory: 2 GB}}
    sites: [{name: pool, pfn: /bin/t, type: installed}]
jobs:
- type: job
  name: t
  id: a
  profiles:
    pegasus: {cores: 4, memory: 100, memory.expr: twice, gpus: 9}
    condor: {request_cpus: 8, request_licences: 1}
- type: job
  name: u
  id: b
  profiles: {pegasus: {cores: 2, diskspace: "3"}, condor: {request_memory: "x ? 1 : 2"}}
"""


@pytest.mark.usefixtures("folder")
def test_profiles_of_pegasus_count_by_its_precedence():
    """The transformation wins over the site, that over the job; condor wins over pegasus."""
    pytest.importorskip("yaml")

    assert needs("w.yml", PEGASUS) == {
        "cores": {"a": 8, "b": 2},
        "memory_bytes": {"a": 2 * GIB},
        "gpus": {"a": 2},
        "disk_bytes": {"b": 3 * MIB},
        "licences": {"a": 1},
    }
    assert hidden("w.yml") == [("memory_bytes", "w.yml", 18)]


@pytest.mark.usefixtures("folder")
def test_profiles_of_dax_count_those_of_the_program_first():
    text = """\
<adag>
 <executable name="t"><profile namespace="pegasus" key="memory">100</profile></executable>
 <job id="a" name="t">
  <profile namespace="pegasus" key="memory">7</profile>
  <profile namespace="pegasus" key="cores">2</profile>
  <profile namespace="condor" key="request_gpus">$$(x)</profile>
 </job>
 <job id="b" name="u"><profile namespace="condor" key="request_disk">10</profile></job>
</adag>
"""

    assert needs("w.dax", text) == {
        "memory_bytes": {"a": 100 * MIB},
        "cores": {"a": 2},
        "disk_bytes": {"b": 10 * KIB},
        "gpus": {},
    }
    assert hidden("w.dax") == [("gpus", "w.dax", 6)]


# Hostile input

HOSTILE = {
    "w.csv": "task,parents,memory\na,,%s\n",
    "w.dot": 'digraph {\n a [cores="%s"] }',
    "w.dax": "<adag><job id='a'>\n"
    "<profile namespace='pegasus' key='gpus'>%s</profile></job></adag>",
    "w.sbatch": "# script\nsbatch --mem='%s' a.sh\n",
    "w.yml": "name: w\njobs: [{id: a, name: t, profiles: {pegasus: {cores: '%s'}}}]\n",
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("path", HOSTILE)
@pytest.mark.parametrize("value", ["-1", "nan", "inf", "1e400", "9" * 400, "4 parsecs", "4_0", "٤"])
def test_a_strange_amount_is_refused_with_its_line(path, value):
    if path.endswith("yml"):
        pytest.importorskip("yaml")
    with pytest.raises(FormatError, match=r"expected a finite number") as error:
        needs(path, HOSTILE[path] % value)

    assert error.value.line == 2


@pytest.mark.usefixtures("folder")
def test_a_negative_count_of_cores_is_refused():
    text = '{"workflow": {"tasks": [\n{"name": "a", "cores": -1}]}}'

    with pytest.raises(FormatError, match=r"^w\.json:2: cores of 'a': expected a finite number"):
        needs("w.json", text)


@given(st.text("0123456789.eE+-kKMGTPiB \t", max_size=20))
def test_any_text_is_a_finite_amount_or_refused(words):
    for parse in (bytes_in, count_in):
        try:
            amount = parse(words)
        except ValueError:
            continue
        assert 0 <= amount < math.inf


# Needs from programs


def test_a_program_may_say_needs():
    workflow = Workflow(Dag({"a": [], "b": ["a"]}), [True, False], needs={"gpus": [math.nan, 2]})

    assert workflow.residual.needs["gpus"].tolist() == [2]
    assert Workflow(Dag({"a": []})).needs == {}


@pytest.mark.parametrize("values", [[1], [-1, 0], [np.inf, 0], ["x", 0], [[1], [2]], 3])
def test_needs_of_a_program_must_be_amounts(values):
    with pytest.raises(ArgumentError, match="needs of 'cores'"):
        Workflow(Dag({"a": [], "b": []}), needs={"cores": values})
