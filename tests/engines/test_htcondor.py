"""The engine htcondor without a pool: the file that it writes, and the logs that it follows."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag, Workflow, prioritize
from icsched.commands import Command
from icsched.engines.entry import Outcome, Terms
from icsched.engines.htcondor import HTCONDOR, queue, running
from icsched.engines.htcondor.following import Jobs, Log, failures
from icsched.engines.htcondor.running import stream
from icsched.engines.htcondor.writing import DagFile, dag_file
from icsched.errors import ArgumentError, EngineError
from icsched.formats.dagman import read_dagman

# Any text of one line; HTCondor's files have no NUL bytes.
WORDS = st.lists(st.text(st.characters(exclude_characters="\0\n\r", codec="utf-8")), max_size=4)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True)


def workflow_of(*commands: Command | None, done: int = 0) -> Workflow:
    """Make a chain of tasks 0, 1, ... of which the first are done."""
    dag = Dag({str(task): [str(task - 1)] if task else [] for task in range(len(commands))})
    is_done = [task < done for task in range(len(commands))]
    return Workflow(dag, is_done, find_commands=lambda: commands)


def written(workflow: Workflow, directory: Path) -> DagFile:
    """Write the files for a workflow in the order first come, first served."""
    plan = prioritize(workflow, order="fifo")
    described = dag_file(workflow, plan, directory / "workflow.dag")
    for path, data in described.files.items():
        path.write_bytes(data)
    return described


@given(
    WORDS,
    st.dictionaries(NAMES, st.text(st.characters(exclude_characters="\0\n\r", codec="utf-8"))),
)
def test_what_is_written_for_a_command_reads_as_the_same_command(
    tmp_path_factory, words, variables
):
    place = tmp_path_factory.mktemp("run")
    command = Command(("/bin/sh", *words), environment=tuple(variables.items()))

    written(workflow_of(command), place)

    (read,) = read_dagman(place / "workflow.dag").commands
    known = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    assert read.argv == command.argv
    assert dict(read.environment) == {**known, **variables}
    assert read.directory == str(Path.cwd())
    assert read.stdin is None
    assert read.stdout == read.stderr == "logs/0.0.log"


def test_files_are_those_of_the_workflow_and_tasks_without_a_command_run_nothing(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    work = tmp_path / "sub" / "work"
    work.parent.mkdir()
    work.write_text("#!/bin/sh\n")
    work.chmod(0o755)
    command = Command(("./work",), directory="sub", stdin="in", stdout="$o", stderr="/e")

    described = written(workflow_of(None, None, command, done=1), tmp_path)

    text = (tmp_path / "workflow.dag").read_text()
    assert described.tasks == {"1": 0, "2": 1}
    assert described.rescue({0}) == ["DONE 0", "DONE 1"]
    assert "JOB 1 nothing.sub NOOP\n" in text
    assert text.endswith("PARENT 0 CHILD 1\nPARENT 1 CHILD 2\nPRIORITY 1 2\nPRIORITY 2 1\n")
    read = read_dagman("workflow.dag").commands[2]
    here = str(tmp_path)
    assert read.argv == (f"{here}/sub/work",)
    assert (read.directory, read.stdin) == (f"{here}/sub", f"{here}/in")
    assert (read.stdout, read.stderr) == (f"{here}/$o", "/e")


def test_a_missing_program_is_one_line_before_anything_is_written(tmp_path):
    workflow = workflow_of(Command(("no-such-program",)))

    with pytest.raises(EngineError, match=r"^task 0: no such program: no-such-program$"):
        stream(workflow, prioritize(workflow), tmp_path / "run", Terms())
    assert list((tmp_path / "run").iterdir()) == []


def test_words_of_several_lines_are_refused(tmp_path):
    workflow = workflow_of(Command(("/bin/sh", "one\ntwo")))

    with pytest.raises(EngineError, match="task 0: expected a command of one line"):
        stream(workflow, prioritize(workflow), tmp_path, Terms())


def test_a_command_of_htcondor_that_does_not_start_is_one_line(tmp_path, monkeypatch):
    """It is there, but is no program; or the directory to start in is gone."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for name, mode in (("condor_rm", 0o644), ("condor_submit_dag", 0o755)):
        (tmp_path / name).touch(mode)

    denied = r"^condor_rm cannot be started: condor_rm: permission denied$"
    with pytest.raises(EngineError, match=denied):
        queue.remove(1)
    gone = rf"^condor_submit_dag cannot be started: {tmp_path}/gone: no such file or directory$"
    with pytest.raises(EngineError, match=gone):
        queue.submit(tmp_path / "wf.dag", tmp_path / "gone", None)


def test_without_htcondor_there_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    workflow = workflow_of(Command(("/bin/sh",)))

    with pytest.raises(EngineError, match=r"^condor_q is not installed here: run this where"):
        list(HTCONDOR.stream(workflow, prioritize(workflow), tmp_path / "run", Terms()))
    assert list((tmp_path / "run").iterdir()) == []


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Put programs into the only directory of PATH; each is a script for a shell."""
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setenv("PATH", str(place))

    def write(**given: str) -> None:
        for name, script in given.items():
            (place / name).write_text(f"#!/bin/sh\n{script}\n")
            (place / name).chmod(0o755)

    return write


@pytest.mark.parametrize(("silences", "is_found"), [(2, True), (3, False)])
def test_a_queue_may_be_silent_for_a_while(tmp_path, monkeypatch, programs, silences, is_found):
    """It answers before DAGMan runs. Then, after some silence, it says that DAGMan is on hold."""
    monkeypatch.setattr(running, "_PAUSE_S", 0.01)
    monkeypatch.setattr(running, "_LOOKS", 1)
    monkeypatch.setattr(running, "_MOST_SILENCES", 3)
    asked = tmp_path / "asked"
    programs(
        condor_q=f"echo >>{asked}; set -- $(/bin/cat {asked} | /usr/bin/wc -l)\n"
        f"[ $1 != 1 ] || exit 0; [ $1 -gt {silences + 1} ] || {{ echo gone >&2; exit 1; }}\n"
        "echo 7 5",
        condor_submit_dag="echo '1 job(s) submitted to cluster 7.'",
    )
    workflow = workflow_of(Command(("/bin/sh",)))

    with pytest.raises(EngineError) as caught:
        list(stream(workflow, prioritize(workflow), tmp_path / "run", Terms()))
    silent = "condor_q failed: gone: DAGMan may still run, as job 7: --resume follows it"
    said = str(caught.value)
    assert said.startswith("DAGMan is on hold, as job 7: ") if is_found else said == silent


@pytest.mark.parametrize(("workers", "lines"), [(None, 1), (4, 0)])
def test_without_a_number_of_workers_a_line_says_what_becomes_of_the_order(
    tmp_path, programs, workers, lines
):
    programs(condor_q="exit 0", condor_submit_dag="echo '1 job(s) submitted to cluster 7.'")
    workflow = workflow_of(Command(("/bin/sh",)))
    told = []

    stream(workflow, prioritize(workflow), tmp_path / "run", Terms(workers, tell=told.append))
    assert sum("jobs may start out of order: use -j N" in line for line in told) == lines


def test_a_submission_that_takes_too_long_may_have_happened(tmp_path, monkeypatch, programs):
    monkeypatch.setattr(queue, "_MOST_SECONDS", 0.1)
    programs(condor_submit_dag="exec /bin/sleep 60")
    file = tmp_path / "wf.dag"

    with pytest.raises(EngineError) as caught:
        queue.submit(file, tmp_path, None)
    what = f"if DAGMan runs {file} all the same, --resume follows it"
    assert str(caught.value) == f"condor_submit_dag: no answer within 0.1 seconds: {what}"


@pytest.mark.parametrize("terms", [Terms(address="tcp://host"), Terms(None, None, True)])
def test_terms_that_htcondor_has_no_use_for_are_refused(tmp_path, terms):
    workflow = workflow_of(Command(("/bin/sh",)))

    with pytest.raises(ArgumentError, match="cannot be used with htcondor"):
        stream(workflow, prioritize(workflow), tmp_path, terms)


def test_a_workflow_without_commands_is_refused(tmp_path):
    workflow = Workflow.bare(Dag({"a": []}))

    with pytest.raises(ArgumentError, match="expected a workflow that says what its tasks run"):
        stream(workflow, prioritize(workflow), tmp_path, Terms())


def submitted(job: int, name: str, proc: int = 0) -> str:
    text = f"000 ({job:03}.{proc:03}.000) 2026-11-16 18:00:00 Job submitted from host: <h>\n"
    return f"{text}    DAG Node: {name}\n...\n"


def began(job: int, at: int, proc: int = 0) -> str:
    return (
        f"001 ({job:03}.{proc:03}.000) 2026-11-16 18:00:{at:02} Job executing on host: <h>\n...\n"
    )


def terminated(job: int, at: int, how: str, proc: int = 0) -> str:
    text = f"005 ({job:03}.{proc:03}.000) 2026-11-16 18:00:{at:02} Job terminated.\n"
    return f"{text}\t{how}\n\t0  -  Run Bytes Sent By Job\n...\n"


GOOD = "(1) Normal termination (return value 0)"
EXIT_3 = "(1) Normal termination (return value 3)"
SIGNAL_9 = "(0) Abnormal termination (signal 9)"


def outcomes(path: Path, text: str, **known) -> tuple[list[Outcome], Jobs]:
    path.write_text(text)
    tasks = {"a": 0, "b": 1}
    jobs = Jobs(DagFile({}, path.parent, tasks, **known))
    return list(jobs.ended(Log(path).fresh())), jobs


@pytest.mark.parametrize(
    ("how", "problem"),
    [(GOOD, None), (EXIT_3, "exit code 3"), (SIGNAL_9, "killed by signal 9")],
)
def test_a_job_that_ended_is_an_outcome_with_its_seconds(tmp_path, how, problem):
    text = submitted(7, "b") + began(7, 2) + terminated(7, 12, how)

    assert outcomes(tmp_path / "log", text)[0] == [Outcome(1, 10.0, problem)]


def test_a_node_of_several_jobs_ends_with_the_last_of_them(tmp_path):
    text = submitted(7, "a") + submitted(7, "a", 1) + began(7, 1) + began(7, 2, 1)
    first = text + terminated(7, 3, EXIT_3)

    assert outcomes(tmp_path / "log", first)[0] == []
    both = first + terminated(7, 9, GOOD, 1)
    assert outcomes(tmp_path / "log", both)[0] == [Outcome(0, 7.0, "exit code 3")]


def test_a_failure_that_dagman_may_try_again_is_kept_back(tmp_path):
    text = submitted(7, "a") + began(7, 1) + terminated(7, 2, EXIT_3)
    told, jobs = outcomes(tmp_path / "log", text, retried=frozenset({"a"}))

    assert (told, jobs.failed) == ([], {0: Outcome(0, 1.0, "exit code 3")})
    text += submitted(8, "a") + began(8, 3) + terminated(8, 5, GOOD)
    told, jobs = outcomes(tmp_path / "log", text, retried=frozenset({"a"}))
    before = Outcome(0, 1.0, "exit code 3", is_retried=True)
    assert (told, jobs.failed) == ([before, Outcome(0, 2.0)], {})


def test_a_post_script_decides_on_the_success_of_its_job(tmp_path):
    ended = submitted(7, "a") + began(7, 1) + terminated(7, 2, EXIT_3)
    said = "016 (007.000.000) 2026-11-16 18:00:05 POST Script terminated.\n"
    text = f"{ended}{said}\t{GOOD}\n    DAG Node: a\n...\n"

    assert outcomes(tmp_path / "log", ended, judged=frozenset("a"))[0] == []
    assert outcomes(tmp_path / "log", text, judged=frozenset("a"))[0] == [Outcome(0, 1.0)]


def by_dagman(kind: str, job: str, *lines: str) -> str:
    below = "".join(f"{line}\n" for line in lines)
    return f"{kind} ({job}) 2026-11-16 18:00:05 DAGMan says:\n{below}...\n"


def test_what_dagman_says_of_a_node_counts_without_a_job(tmp_path):
    """a was skipped by its PRE script; b was not submitted, and its POST script decides."""
    text = by_dagman("034", "000.2147483647.001", "    DAG Node: a")
    text += by_dagman("016", "-01.000.000", f"\t{GOOD}", "    DAG Node: b")
    skipped = [Outcome(task, 0.0, is_skipped=True) for task in (0, 1)]

    assert outcomes(tmp_path / "log", text, judged=frozenset("b"))[0] == skipped


def test_a_post_script_is_of_the_node_that_it_names(tmp_path):
    """Nodes without a job share a number, and b comes before the POST script of a has ended."""
    noop = "000.2147483647.001"
    ended = by_dagman("005", noop, f"\t{GOOD}")
    text = by_dagman("000", noop, "    DAG Node: a") + ended
    text += by_dagman("000", noop, "    DAG Node: b") + ended
    text += by_dagman("016", noop, f"\t{EXIT_3}", "    DAG Node: a")

    found = outcomes(tmp_path / "log", text, judged=frozenset("a"))[0]
    assert found == [Outcome(1, 0.0), Outcome(0, 0.0, "POST script: exit code 3")]


def test_a_job_that_has_ended_is_not_removed_later(tmp_path):
    text = submitted(7, "a") + began(7, 1) + terminated(7, 2, EXIT_3)
    text += "009 (007.000.000) 2026-11-16 18:00:04 Job was aborted.\n\tDAGMan ended\n...\n"

    assert outcomes(tmp_path / "log", text)[0] == [Outcome(0, 1.0, "exit code 3")]


def test_a_job_that_somebody_removed_is_a_failure(tmp_path):
    text = submitted(7, "a") + began(7, 1)
    text += "009 (007.000.000) 2026-11-16 18:00:04 Job was aborted.\n\tvia condor_rm\n...\n"

    (outcome,), _ = outcomes(tmp_path / "log", text)
    assert (outcome.number, outcome.problem) == (0, "removed from the queue")


def listed(*pairs: tuple[str, str]) -> str:
    """What DAGMan's own log says when it starts, and when jobs have failed."""
    lines = ["** condor_dagman STARTING UP", "ERROR: the following job(s) failed:"]
    for name, error in pairs:
        lines += [f"      Node Name: {name}", f"          Error: {error}", "     PRE Script: p"]
    return "".join(f"11/18/26 08:31:12 {line}\n" for line in lines)


def test_why_nodes_failed_is_known_from_the_last_run_alone(tmp_path):
    log = tmp_path / "workflow.dag.dagman.out"
    assert failures(log) == {}
    died = ("b", "PRE Script died on signal 9 (Killed)")
    log.write_text(listed(("a", "PRE Script failed with status 1")) + listed(died, ("c", "Job x")))

    b = "its PRE script died on signal 9 (Killed)"
    assert failures(log) == {"b": b, "c": "DAGMan says: Job x"}


def held(job: int, reason: str, proc: int = 0) -> str:
    text = f"012 ({job:03}.{proc:03}.000) 2026-11-16 18:00:03 Job was held.\n"
    return f"{text}\t{reason}\n\tCode 6 Subcode 2\n...\n"


HELD_AS_JSON = """{
    "MyType": "JobHeldEvent",
    "EventTypeNumber": 12,
    "Cluster": 7,
    "Proc": 0,
    "EventTime": "2026-11-16T18:00:03",
    "HoldReason": "no disk",
    "HoldReasonCode": 6
}
...
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (held(7, "no disk"), "no disk"),
        (held(7, "  "), "no reason given"),
        (HELD_AS_JSON, "no disk"),
        (HELD_AS_JSON.replace("no disk", r"no \"disk\"\n\u00e9\/"), 'no "disk" é/'),
    ],
)
def test_a_job_on_hold_is_known_with_the_reason(tmp_path, text, reason):
    told, jobs = outcomes(tmp_path / "log", submitted(7, "a") + text)

    assert (told, jobs.held) == ([], {"a": reason})


def test_a_job_that_runs_again_is_not_on_hold(tmp_path):
    text = submitted(7, "a") + held(7, "no disk") + began(7, 5)

    assert outcomes(tmp_path / "log", text)[1].held == {}


def test_an_event_counts_once_it_is_whole(tmp_path):
    """The log is cut at every byte, and then goes on."""
    text = (submitted(7, "a") + began(7, 1) + terminated(7, 2, EXIT_3)).encode()
    path = tmp_path / "log"
    for at in range(len(text)):
        path.write_bytes(text[:at])
        log = Log(path)
        jobs = Jobs(DagFile({}, tmp_path, {"a": 0}))
        first = list(jobs.ended(log.fresh()))
        path.write_bytes(text)
        assert [*first, *jobs.ended(log.fresh())] == [Outcome(0, 1.0, "exit code 3")]
