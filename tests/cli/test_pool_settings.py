"""Settings of DAGMan that hold for the whole pool: HTCondor's own program says them."""

import json
from pathlib import Path

import pytest

WORKFLOW = {"wf.dag": "JOB a x\nJOB b x\nPARENT a CHILD b\nPRIORITY a 7\n", "x": "queue\n"}
ASKED = ["-verbose", "DAGMAN_DEFAULT_PRIORITY", "DAGMAN_USE_STRICT"]
DEFAULT = """DAGMAN_DEFAULT_PRIORITY = 0
 # at: <Default>
 # raw: DAGMAN_DEFAULT_PRIORITY = 0

DAGMAN_USE_STRICT = 1
 # at: <Default>
 # raw: DAGMAN_USE_STRICT = 1

"""
# As condor_config_val 23.9 says it, with both in a file of /etc/condor/config.d.
POOL = """DAGMAN_DEFAULT_PRIORITY = 5
 # at: /etc/condor/config.d/99-site, line 2
 # raw: DAGMAN_DEFAULT_PRIORITY = 5

DAGMAN_USE_STRICT = 3
 # at: /etc/condor/config.d/99-site, line 1
 # raw: DAGMAN_USE_STRICT = 3

"""
REFUSED = (
    "/etc/condor/config.d/99-site:1: 'DAGMAN_USE_STRICT = 3' makes DAGMan refuse a second priority"
    " for a job: give --keep-existing, or take the PRIORITY lines out of the files"
)


@pytest.fixture
def program(tmp_path_factory, monkeypatch, put):
    """Have a condor_config_val on the PATH that says *text*; its arguments go to a file."""
    place = tmp_path_factory.mktemp("bin")
    monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
    monkeypatch.delenv("_CONDOR_DAGMAN_DEFAULT_PRIORITY", raising=False)
    monkeypatch.delenv("_CONDOR_DAGMAN_USE_STRICT", raising=False)
    put(WORKFLOW)

    def install(text: str, *, ending: str = "exit 0") -> Path:
        program = place / "condor_config_val"
        said = f"cat <<'SAID'\n{text}SAID\n"
        program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >>{place}/asked\n{said}{ending}\n')
        program.chmod(0o755)
        return place / "asked"

    return install


def shown(icsched):
    return json.loads(icsched("show", "wf.dag", "--json").out)


def test_show_tells_of_settings_of_the_pool(icsched, program):
    asked = program(POOL)

    found = shown(icsched)

    place = {"file": "/etc/condor/config.d/99-site", "count": 1}
    assert found["strict"] == {**place, "line": 1, "text": "DAGMAN_USE_STRICT = 3"}
    shift = "shifts the whole workflow against your others; its own order stays"
    assert found["advice"] == [
        {**place, "line": 2, "text": f"'DAGMAN_DEFAULT_PRIORITY = 5' {shift}"}
    ]
    assert asked.read_text().split() == ASKED


def test_prio_does_not_write_what_the_pool_makes_dagman_refuse(icsched, program):
    program(POOL)

    refused = icsched("prio", "wf.dag", "--order", "prio", "--in-place")

    assert (refused.code, refused.complaint) == (1, REFUSED)
    assert Path("wf.dag").read_text() == WORKFLOW["wf.dag"]


def test_the_config_file_of_the_workflow_counts_before_the_pool(icsched, program, put):
    program(POOL)
    config = "DAGMAN_USE_STRICT = 1\nDAGMAN_DEFAULT_PRIORITY = 0\n"
    put({"wf.dag": f"{WORKFLOW['wf.dag']}CONFIG c\n", "c": config})

    found = shown(icsched)

    assert (found["strict"], found["advice"]) == (None, [])
    assert icsched("prio", "wf.dag", "--order", "prio", "--in-place").code == 0


def test_the_environment_is_told_as_itself(icsched, program, monkeypatch):
    program(POOL.replace("/etc/condor/config.d/99-site, line 1", "<Environment>"))
    monkeypatch.setenv("_CONDOR_DAGMAN_USE_STRICT", "3")

    assert shown(icsched)["strict"]["file"] == "environment"


def test_defaults_are_not_told(icsched, program):
    program(DEFAULT)

    assert (shown(icsched)["strict"], shown(icsched)["advice"]) == (None, [])


@pytest.mark.parametrize("ending", ["exit 1", "kill -9 $$"])
def test_a_program_that_fails_says_nothing(icsched, program, ending):
    program(POOL, ending=ending)

    assert shown(icsched)["strict"] is None
    assert icsched("prio", "wf.dag", "--order", "prio", "--in-place").code == 0


def test_a_program_that_takes_too_long_says_nothing(icsched, program, monkeypatch):
    monkeypatch.setattr("icsched.plugins.htcondor._MOST_SECONDS", 0.2)
    program(POOL, ending="sleep 60 &\nwait")

    assert shown(icsched)["strict"] is None


def test_a_program_in_the_working_directory_is_never_started(icsched, program, monkeypatch):
    asked = program(POOL)
    monkeypatch.chdir(asked.parent)
    for name, text in WORKFLOW.items():
        Path(name).write_text(text)
    monkeypatch.setenv("PATH", ".")

    assert shown(icsched)["strict"] is None
    assert not asked.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["prio", "wf.dag"],
        ["prio", "wf.dag", "--order", "prio", "--in-place", "--keep-existing"],
        ["simulate", "wf.dag", "--workers", "2"],
        ["show", "wf.edges"],
    ],
)
def test_the_program_is_started_only_where_its_answer_matters(icsched, program, put, arguments):
    asked = program(POOL)
    put({"wf.edges": "a b\n"})

    assert icsched(*arguments).code == 0
    assert not asked.exists()
