"""What the jobs of a DAGMan workflow run, as plain commands, and what icsched refuses to run."""

import pickle
from pathlib import Path

import pytest

from icsched import FormatError
from icsched.formats.dagman.entry import read_dagman
from icsched.workflow import Command


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(dag: str, **submit_files: str) -> None:
    """Write wf.dag, and a submit file NAME.sub for each of *submit_files*."""
    Path("wf.dag").write_text(dag)
    for name, text in submit_files.items():
        Path(f"{name}.sub").write_text(text)


def test_a_submit_file_becomes_a_command():
    text = """executable = work.sh
        arguments = one "two
        queue
    """.replace('"', '\\"')
    put("JOB a a.sub\n", a=text)

    assert read_dagman("wf.dag").commands == (Command(("./work.sh", "one", '"two')),)


def test_variables_macros_and_both_quotes_are_expanded():
    put(
        'JOB a x.sub\nJOB b x.sub\nVARS a n="1" more="it\'s"\nVARS b APPEND n="2" more="x"\n',
        x="n = own\nexecutable = /bin/$(tool:echo)\n"
        "arguments = \"$(JOB) '$(n) $(more)'\"\nenvironment = A=$(n);B=two words\nqueue\n",
    )

    with pytest.raises(FormatError, match=r"x.sub:3: job a: expected a second '"):
        _ = read_dagman("wf.dag").commands
    put('JOB b x.sub\nVARS b APPEND n="2" more="x"\n')
    environment = (("A", "2"), ("B", "two words"))
    (command,) = read_dagman("wf.dag").commands
    assert command == Command(("/bin/echo", "b", "2 x"), environment=environment)


def test_inline_and_named_descriptions_are_commands_too():
    put(
        "SUBMIT-DESCRIPTION shared {\n executable = /bin/shared\n arguments = $(JOB)\n}\n"
        "JOB a shared\nJOB b {\n executable = /bin/own\n}\nJOB c missing.sub NOOP\n"
    )

    commands = read_dagman("wf.dag").commands
    assert commands == (Command(("/bin/shared", "a")), Command(("/bin/own",)), None)


def test_a_job_runs_in_its_directory_and_finds_its_files_there(place):
    Path("runs/deep").mkdir(parents=True)
    Path("runs/x.sub").write_text(
        "executable = work\ninput = in\noutput = out.$(Process)\nerror = /log/err\nqueue\n"
    )
    Path("y.sub").write_text("executable = work\ninitialdir = runs/deep\noutput = out\nqueue\n")
    put("JOB a x.sub DIR runs\nJOB b y.sub\n")

    a, b = read_dagman("wf.dag").commands
    assert a == Command(
        ("./work",), directory="runs", stdin="runs/in", stdout="runs/out.0", stderr="/log/err"
    )
    assert b == Command((f"{place}/work",), directory="runs/deep", stdout="runs/deep/out")


@pytest.mark.parametrize("root", ["/", "//"])
def test_a_job_may_run_in_the_root_directory(root):
    put("JOB a a.sub\n", a=f"executable = /bin/work\ninitialdir = {root}\noutput = out\nqueue\n")

    assert read_dagman("wf.dag").commands == (Command(("/bin/work",), "/", stdout="/out"),)


def test_a_file_in_another_directory_still_starts_where_the_user_is(place):
    Path("sub").mkdir()
    Path("sub/wf.dag").write_text("JOB a a.sub\nJOB b a.sub DIR sub\n")
    Path("a.sub").write_text("executable = work\noutput = out\nqueue\n")
    Path("sub/a.sub").write_text("executable = work\noutput = out\nqueue\n")

    a, b = read_dagman("sub/wf.dag").commands
    assert a == Command(("./work",), directory=f"{place}", stdout=f"{place}/out")
    assert b == Command(("./work",), stdout="out")


def test_with_usedagdir_a_job_starts_in_the_directory_of_its_file():
    Path("sub").mkdir()
    Path("sub/wf.dag").write_text("JOB a a.sub\n")
    Path("sub/a.sub").write_text("executable = work\noutput = out\nqueue\n")

    (command,) = read_dagman("sub/wf.dag", use_dag_directory=True).commands
    assert command == Command(("./work",), stdout="out")


def test_a_job_of_a_splice_has_the_command_of_its_own_description():
    Path("in.dag").write_text("SUBMIT-DESCRIPTION d {\nexecutable = /bin/$(JOB)\n}\nJOB p d\n")
    put("SPLICE S in.dag\nSPLICE T in.dag\nPARENT S CHILD T\n")

    commands = read_dagman("wf.dag").commands
    assert commands == (Command(("/bin/S+p",)), Command(("/bin/T+p",)))


def test_output_that_is_named_by_the_number_of_a_job_goes_nowhere_special():
    put("JOB a a.sub\n", a="executable = /x\noutput = $(Cluster).out\nlog = $(Cluster)\nqueue\n")

    assert read_dagman("wf.dag").commands == (Command(("/x",)),)


def test_transfers_that_keep_names_are_no_matter():
    put(
        "JOB a a.sub\n",
        a="executable = x\nshould_transfer_files = YES\ntransfer_input_files = in, data\n"
        "transfer_output_files = out\nrequirements = Memory > 5\nrequest_cpus = 4\nqueue\n",
    )

    assert read_dagman("wf.dag").commands == (Command(("./x",)),)


def test_jobs_that_are_done_need_no_description():
    put("JOB a missing.sub DONE\nJOB b b.sub\n", b="executable = /x\nqueue\n")

    workflow = read_dagman("wf.dag")
    assert workflow.commands == (None, Command(("/x",)))


def test_a_workflow_with_commands_pickles():
    put("JOB a a.sub\n", a="executable = /x\nqueue\n")

    assert pickle.loads(pickle.dumps(read_dagman("wf.dag"))).commands == (Command(("/x",)),)  # noqa: S301


def test_a_workflow_whose_commands_cannot_be_run_is_still_plain_data():
    put("JOB a missing.sub\n")

    assert read_dagman("wf.dag").to_dict()["commands"] is None


REFUSED = {
    "queue 3": "a.sub:2: expected queue for one job, got queue 3",
    "universe = docker\nqueue": "a.sub:2: job a: expected one of the universes vanilla",
    "container_image = x.sif\nqueue": "a.sub:2: job a: expected a job that runs on the machine",
    "if true\nqueue": "a.sub:2: expected key = value or queue, which is all that icsched knows",
    "include : more.sub\nqueue": "a.sub:2: expected key = value or queue",
    "arguments = $(Cluster)\nqueue": "a.sub:2: job a: expected a value that can be known now",
    "arguments = $$(Name)\nqueue": "a.sub:2: job a: expected a value that can be known now",
    "arguments = $(nobody)\nqueue": "a.sub:2: job a: expected a value for $(nobody)",
    "transfer_input_files = in, ../x\nqueue": "a.sub:2: job a: expected files that keep their",
    "transfer_output_files = o/x\nqueue": "a.sub:2: job a: expected files that keep their",
    'transfer_output_remaps = "a=b"\nqueue': "a.sub:2: job a: expected files that keep their",
    "success_exit_code = 3\nqueue": "a.sub:2: job a: expected success to be exit code 0",
    "hold = true\nqueue": "a.sub:2: job a: expected a job that is not submitted on hold",
    "": "a.sub: expected one queue statement, got none",
}


@pytest.mark.parametrize("lines", REFUSED)
def test_a_description_that_only_htcondor_can_follow_is_refused_with_its_line(lines):
    put("JOB a a.sub\n", a=f"executable = /x\n{lines}\n")

    with pytest.raises(FormatError) as caught:
        _ = read_dagman("wf.dag").commands
    assert REFUSED[lines] in str(caught.value)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("SCRIPT PRE a setup.sh", "job a: only DAGMan can follow SCRIPT PRE a setup.sh"),
        ("SCRIPT POST ALL_NODES end.sh", "job a: only DAGMan can follow SCRIPT POST"),
        ("ABORT-DAG-ON a 3", "job a: only DAGMan can follow ABORT-DAG-ON a 3"),
        ("FINAL f a.sub", "FINAL nodes are run by DAGMan alone"),
        ("SERVICE f a.sub", "SERVICE nodes are run by DAGMan alone"),
        ("PROVISIONER f a.sub", "PROVISIONER nodes are run by DAGMan alone"),
        ("SUBDAG EXTERNAL s s.dag", "job s: expected a JOB, got a nested workflow (SUBDAG)"),
        ("JOB b nowhere.sub", "job b: nowhere.sub: no such file or directory"),
    ],
)
def test_what_only_dagman_does_is_refused_with_its_line(line, problem):
    put(f"JOB a a.sub\n{line}\n", a="executable = /x\nqueue\n")

    with pytest.raises(FormatError) as caught:
        _ = read_dagman("wf.dag").commands
    assert str(caught.value).startswith(f"wf.dag:2: {problem}")


def test_what_a_pool_does_with_a_job_is_no_part_of_its_command():
    lines = "RETRY a 3\nPRIORITY a 5\nCATEGORY a big\nMAXJOBS big 1\nSCRIPT HOLD a held.sh\n"
    put(f"JOB a a.sub\n{lines}", a="executable = /x\nqueue\n")

    assert read_dagman("wf.dag").commands == (Command(("/x",)),)
