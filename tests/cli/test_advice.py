"""`icsched show` tells of POST scripts and inner workflows, which disturb an order."""

import json

import pytest

POST = (
    "SCRIPT POST: children wait for the script, and under -maxjobs another job takes the job's"
    " place at once"
)
SUBDAG = (
    "SUBDAG EXTERNAL: -maxjobs does not reach the inner workflow, and counts it as one job while"
    " it runs"
)
THROTTLE = (
    "-maxjobs does not reach inner workflows: put DAGMAN_MAX_JOBS_SUBMITTED = N into a CONFIG file"
    " of each"
)


def advice(icsched):
    found = json.loads(icsched("show", "wf.dag", "--json").out)["advice"]
    return {(one["file"], one["line"], one["text"], one["count"]) for one in found}


@pytest.mark.parametrize(
    "scripts",
    [
        "SCRIPT POST a check\nSCRIPT POST b check\n",
        "SCRIPT DEFER 4 60 POST a check\nscript post b check $RETURN\n",
        "SCRIPT DEBUG out ALL POST a check\nSCRIPT POST b check\n",
    ],
)
def test_show_tells_once_a_file_of_post_scripts(icsched, put, scripts):
    put({"wf.dag": f"JOB a x\nJOB b x\nSCRIPT HOLD a hold\n{scripts}", "x": "queue\n"})

    assert advice(icsched) == {("wf.dag", 4, POST, 2)}


def test_show_tells_of_post_scripts_in_a_splice_where_they_are(icsched, put):
    """Two splices of one file, and ALL_NODES in the outer file."""
    put(
        {
            "wf.dag": "SPLICE S in.dag\nSPLICE T in.dag\nJOB a x\nSCRIPT POST ALL_NODES check\n",
            "in.dag": "JOB p x\nSCRIPT POST p check\n",
            "x": "queue\n",
        }
    )

    assert advice(icsched) == {("wf.dag", 4, POST, 1), ("in.dag", 2, POST, 1)}


def test_show_tells_of_inner_workflows(icsched, put):
    put({"wf.dag": "SUBDAG EXTERNAL a in.dag\nSUBDAG EXTERNAL b in.dag\n", "in.dag": ""})

    assert advice(icsched) == {("wf.dag", 1, SUBDAG, 2)}


@pytest.mark.parametrize("outer", ["SUBDAG EXTERNAL a in.dag\n", "JOB a x\n"])
def test_prio_says_that_a_throttle_does_not_reach_inner_workflows(icsched, put, outer):
    put({"wf.dag": f"{outer}JOB b x\n", "in.dag": "JOB p x\n", "x": "queue\n"})

    said = icsched("prio", "wf.dag", "--order", "prio", "--recursive", "--in-place").out

    assert (f"{THROTTLE}.\n" in said) == outer.startswith("SUBDAG")
