"""DAGMan does what icsched told it: orders of submission and priorities in a real pool.

With -maxjobs 1 a job is submitted when the one before has ended, so the whole order shows.
"""

import json
import os
import re

import pytest

from icsched import families
from icsched.commands.main import run as icsched
from icsched.formats.dagman.submission import read_submission
from icsched.formats.dagman.writer import dagman_text
from tests.htcondor.pool import JOIN, Rejection, submit_file


@pytest.fixture
def place(condor, monkeypatch):
    """A directory to be in, with a submit file."""
    directory = condor.fresh()
    submit_file(directory)
    monkeypatch.chdir(directory)
    return directory


@pytest.fixture
def prio(capsys):
    """Run `icsched prio`; return what it says in JSON."""

    def runner(*arguments: str):
        assert icsched(["prio", "--order", "prio", *arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return runner


def jobs_of(done) -> list[str]:
    """The jobs in order of submission, without DAGMan's own nodes."""
    return [name for name in done.submitted if not JOIN.fullmatch(name)]


def test_airsn_is_submitted_in_the_order_that_was_proved(condor, place, prio):
    (place / "wf.dag").write_text(
        dagman_text(
            families.airsn(20),
        )
    )
    said = prio("wf.dag", "--in-place")

    done = condor.run(place, "wf.dag")

    assert said["proof"]["status"] == "ic-optimal"
    assert done.status == 0
    assert done.submitted == said["order"]
    assert done.job_prio == {name: [value] for name, value in said["priorities"].items()}


def test_montage_is_submitted_in_our_order(condor, place, prio):
    (place / "wf.dag").write_text(dagman_text(families.montage(4, 4)))
    said = prio("wf.dag", "--in-place")

    done = condor.run(place, "wf.dag")

    assert done.submitted == said["order"]
    assert done.submitted != [str(name) for name in read_submission("wf.dag").names]


NESTED = {
    "wf.dag": "JOB first task.sub\nSPLICE A outer.dag\nSPLICE B inner.dag\nJOB last task.sub\n"
    "PARENT first CHILD A B\nPARENT A B CHILD last\n",
    "outer.dag": "JOB x task.sub\nJOB y task.sub\nSPLICE C inner.dag\nPARENT x y CHILD C\n",
    "inner.dag": "JOB p task.sub\nJOB q task.sub\nJOB r task.sub\nJOB s task.sub\nJOB t task.sub\n"
    "PARENT p q CHILD r s\nPARENT r CHILD t\n",
}


def write(place, files) -> None:
    for name, text in files.items():
        (place / name).write_text(text)


def test_nested_splices_and_joins_are_submitted_in_our_order(condor, place, prio):
    """Jobs of splices have priorities of their own, and DAGMan's join nodes never wait."""
    write(place, NESTED)
    said = prio("wf.dag", "--in-place")

    done = condor.run(place, "wf.dag")

    assert done.status == 0
    assert len(done.submitted) > len(jobs_of(done)), "there are join nodes"
    assert jobs_of(done) == said["order"]


def test_a_flattened_workflow_is_submitted_in_our_order(condor, place, prio):
    write(place, NESTED)
    said = prio("wf.dag", "--flatten", "-o", "flat.dag")

    done = condor.run(place, "flat.dag")

    assert jobs_of(done) == [name.replace("+", "-") for name in said["order"]]


def test_a_flattened_connection_is_submitted_in_our_order(condor, place, prio):
    """CONNECT has no join nodes in DAGMan, and none in the flattened file."""
    write(
        place,
        {
            "wf.dag": "JOB a task.sub\nJOB z task.sub\nSPLICE S out.dag\nSPLICE T in.dag\n"
            "CONNECT S T\nPARENT a CHILD S\n",
            "out.dag": "JOB p task.sub\nJOB q task.sub\nPIN_OUT p 1\nPIN_OUT q 1\n",
            "in.dag": "JOB r task.sub\nJOB s task.sub\nPIN_IN r 1\nPIN_IN s 1\n",
        },
    )
    said = prio("wf.dag", "--flatten", "-o", "flat.dag")

    done = condor.run(place, "flat.dag")

    assert min(said["priorities"].values()) == 1
    assert done.submitted == [name.replace("+", "-") for name in said["order"]]


@pytest.mark.parametrize("file", ["wf.dag", "flat.dag"])
def test_an_outer_limit_on_a_splices_category_holds_in_the_flattened_file(
    condor, place, prio, file
):
    """The splice allows 3 jobs of a kind at once and the outer file 1, so no two ever overlap."""
    submit_file(place, "short.sub", lines=["executable = /bin/sleep", "arguments = 0.2"])
    write(
        place,
        {
            "wf.dag": "SPLICE A in.dag\nMAXJOBS A+c 1\n",
            "in.dag": "JOB p short.sub\nJOB q short.sub\nJOB r short.sub\n"
            "CATEGORY ALL_NODES c\nMAXJOBS c 3\n",
        },
    )
    prio("wf.dag", "--flatten", "-o", "flat.dag")

    done = condor.run(place, file, options=())

    events = re.findall(r"Submitting HTCondor Node|completed successfully", done.log)
    assert done.status == 0
    assert [event[:6] for event in events] == ["Submit", "comple"] * 3


def test_a_priority_of_the_whole_workflow_keeps_the_order(condor, place, prio):
    write(place, NESTED)
    said = prio("wf.dag", "--in-place")

    done = condor.run(place, "wf.dag", options=("-maxjobs", "1", "-priority", "100"))

    assert jobs_of(done) == said["order"]
    assert done.job_prio == {name: [value + 100] for name, value in said["priorities"].items()}


def test_without_a_throttle_ready_jobs_are_submitted_by_priority(condor, place, prio):
    """All of a fork's leaves are ready at once; they go in our order, ties and all."""
    (place / "wf.dag").write_text(dagman_text(families.w(3, 4)))
    said = prio("wf.dag", "--in-place")
    sources = len(read_submission("wf.dag").dag.sources)

    done = condor.run(place, "wf.dag", options=("-maxidle", "1"))

    assert done.submitted[:sources] == said["order"][:sources]
    assert set(done.submitted) == set(said["order"])


def test_a_low_priority_for_all_does_not_hold_join_nodes_back(condor, place, prio):
    """PRIORITY ALL_NODES reaches DAGMan's join nodes too, so our numbers go below it."""
    text = "".join(f"JOB {name} task.sub\n" for name in "abcdxy")
    text += "PARENT a b CHILD c d\nPARENT c CHILD y\nPRIORITY ALL_NODES -100\n"
    (place / "wf.dag").write_text(text)
    said = prio("wf.dag", "--in-place")

    done = condor.run(place, "wf.dag")

    assert max(said["priorities"].values()) == -101
    assert jobs_of(done) == said["order"]


def test_a_workflow_with_a_rescue_file_can_be_flattened_and_run(condor, place, prio):
    text = "".join(f"JOB {name} task.sub\n" for name in "abc") + "PARENT a CHILD b c\n"
    write(place, {"wf.dag": text, "wf.dag.rescue001": "DONE a\n"})
    said = prio("wf.dag", "--flatten", "-o", "flat.dag")

    done = condor.run(place, "flat.dag")

    assert (done.status, done.submitted) == (0, said["order"])
    assert said["order"] == ["b", "c"]


def test_an_existing_priority_is_kept_if_asked(condor, place, prio):
    text = "".join(f"JOB {name} task.sub\n" for name in "abc") + "PRIORITY c 99\n"
    (place / "wf.dag").write_text(text)
    prio("wf.dag", "--in-place", "--keep-existing")

    done = condor.run(place, "wf.dag")

    assert done.submitted == ["c", "a", "b"]


def test_a_workflow_goes_on_from_its_rescue_file_in_the_order_of_what_remains(condor, place, prio):
    r"""
    a   b      `bad` fails in the first run, so that run stops after what else it could do;
    |  / \     then a rescue file says what is done, and the rest is ordered anew.
    bad   d
    |
    e f g
    """
    submit_file(place, "bad.sub", lines=["executable = /bin/false"])
    text = "".join(f"JOB {name} task.sub\n" for name in "abdefg") + "JOB bad bad.sub\n"
    text += "PARENT a b CHILD bad\nPARENT b CHILD d\nPARENT bad CHILD e f g\n"
    (place / "wf.dag").write_text(text)
    prio("wf.dag", "--in-place")
    assert condor.run(place, "wf.dag").status == 1
    assert (place / "wf.dag.rescue001").exists()

    submit_file(place, "bad.sub")
    said = prio("wf.dag", "--in-place")
    done = condor.run(place, "wf.dag")

    assert (said["jobs"], said["done"]) == (4, 3)
    assert done.status == 0
    assert done.submitted == said["order"] == ["bad", "e", "f", "g"]


def test_variables_in_submit_files_give_the_same_priorities_to_the_pool(condor, place, prio):
    files = {**NESTED, "wf.dag": NESTED["wf.dag"] + 'VARS last own="1"\n'}
    write(place, files)
    said = prio("wf.dag", "--in-place", "--via", "vars")
    assert "priority = $(jobpriority)" in (place / "task.sub").read_text()

    done = condor.run(place, "wf.dag", options=())

    assert done.status == 0
    assert done.job_prio == {name: [value] for name, value in said["priorities"].items()}


def test_nested_workflows_run_in_their_own_orders(condor, place, prio):
    """The outer -maxjobs does not reach the inner workflow, whose own configuration does."""
    write(
        place,
        {
            "wf.dag": "JOB a task.sub\nSUBDAG EXTERNAL in in.dag\nPARENT a CHILD in\n",
            "in.dag": "CONFIG one.config\n" + dagman_text(families.airsn(2)),
            "one.config": "DAGMAN_MAX_JOBS_SUBMITTED = 1\n",
        },
    )
    prio("wf.dag", "--in-place", "--recursive")
    inner = prio("in.dag")["order"]

    done = condor.run(place, "wf.dag")

    log = (place / "in.dag.dagman.out").read_text()
    submitted = [line.split()[5] for line in log.splitlines() if "Submitting HTCondor Node" in line]
    assert done.status == 0
    assert submitted == inner


def test_what_was_written_is_what_dagman_reads(condor, place, prio):
    write(place, NESTED)
    said = prio("wf.dag", "--in-place")

    dump = condor.dump(place, "wf.dag")

    assert {name: dump.priorities[name] for name in said["order"]} == said["priorities"]


def test_blocks_of_several_files_are_read_together(condor, place, prio):
    one, two = families.airsn(2), families.w(2, 2)
    write(place, {"one.dag": dagman_text(one), "two.dag": dagman_text(two)})
    said = prio("one.dag", "two.dag", "--in-place")

    dump = condor.dump(place, "one.dag", "two.dag")

    assert dump.priorities == said["priorities"]


def test_a_removed_block_leaves_the_workflow_as_it_was(condor, place, prio):
    write(place, NESTED)
    before = condor.dump(place, "wf.dag")
    prio("wf.dag", "--in-place")
    prio("wf.dag", "--remove")

    after = condor.dump(place, "wf.dag")

    assert (before.jobs, before.arcs, before.priorities) == (
        after.jobs,
        after.arcs,
        after.priorities,
    )


def test_dagman_refuses_a_section_that_names_a_job_that_is_gone(condor, place, prio):
    write(place, {"wf.dag": "JOB a task.sub\nJOB b task.sub\n"})
    prio("wf.dag", "--in-place")
    text = (place / "wf.dag").read_text().replace("JOB b task.sub\n", "")
    (place / "wf.dag").write_text(text)

    refused = condor.dump(place, "wf.dag")
    said = prio("wf.dag", "--in-place")["notes"]

    assert isinstance(refused, Rejection)
    assert "names job b that the workflow no longer has" in said[0]
    assert condor.dump(place, "wf.dag").jobs == ("a",)


@pytest.mark.parametrize("own", [0, 9])
@pytest.mark.parametrize("strict", [1, 2])
def test_a_strict_dagman_refuses_what_prio_refuses_to_write(condor, place, prio, strict, own):
    """The order is written while nobody is strict yet."""
    write(place, {"wf.dag": f"JOB a task.sub\nJOB b task.sub\nPRIORITY a {own}\nCONFIG c\n"})
    (place / "c").write_text("")
    prio("wf.dag", "--in-place")
    (place / "c").write_text(f"DAGMAN_USE_STRICT = {strict}\n")
    config = {"DAGMAN_USE_STRICT": str(strict)}

    refused = isinstance(condor.dump(place, "wf.dag", config=config), Rejection)
    prio("wf.dag", "--in-place", "--keep-existing")
    code = icsched(["prio", "--order", "prio", "wf.dag", "-o", "out.dag"])

    assert refused == (strict == 2 and own != 0)
    assert code == (1 if refused else 0)
    assert (place / "out.dag").exists() == (not refused)
    assert not isinstance(condor.dump(place, "wf.dag", config=config), Rejection)


def test_a_strict_pool_is_known_by_its_own_program(
    condor, place, prio, tmp_path, monkeypatch, capsys
):
    """The order is written before the pool becomes strict."""
    program = tmp_path / "condor_config_val"
    program.write_text(f'#!/bin/sh\nexec chroot {condor.root} condor_config_val "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    write(place, {"wf.dag": "JOB a task.sub\nJOB b task.sub\nPRIORITY a 9\n"})
    prio("wf.dag", "-o", "out.dag")

    with condor.configured({"DAGMAN_USE_STRICT": "3"}):
        refused = isinstance(condor.dump(place, "out.dag"), Rejection)
        code = icsched(["prio", "--order", "prio", "wf.dag", "-o", "new.dag"])

    assert refused
    assert code == 1
    assert "/etc/condor/config.d/90-icsched:" in capsys.readouterr().err
    assert not (place / "new.dag").exists()
