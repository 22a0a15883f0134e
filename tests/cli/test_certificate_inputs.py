"""Certificates of unusual workflows, and certificates that belong to another workflow."""

import json
import re
from pathlib import Path

import pytest

JOBS = "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\nJOB d x.sub\n"
WORKFLOW = JOBS + "PARENT a CHILD b c\nPARENT b CHILD d\n"


@pytest.fixture
def certified(icsched, tmp_path):
    """Write a workflow and its certificate; return both paths."""

    def write(text: str) -> tuple[str, str]:
        workflow, certificate = tmp_path / "wf.dag", tmp_path / "certificate.json"
        workflow.write_text(text)
        result = icsched("verify", str(workflow), "--write-certificate", str(certificate))
        assert (result.code, result.err) == (0, "")
        return str(workflow), str(certificate)

    return write


UNUSUAL = {
    "one job": "JOB a x.sub\n",
    "no arcs": JOBS,
    "100,000 jobs without arcs": "".join(f"JOB j{number} x.sub\n" for number in range(100_000)),
    "a chain": JOBS + "PARENT a CHILD b\nPARENT b CHILD c\nPARENT c CHILD d\n",
    "an arc twice": JOBS + "PARENT a CHILD b\nPARENT a CHILD b\n",
    "a shortcut": JOBS + "PARENT a CHILD b d\nPARENT b CHILD c\nPARENT c CHILD d\n",
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_a_workflow_without_choices_has_a_certificate_of_an_optimal_order(icsched, certified, name):
    workflow, certificate = certified(UNUSUAL[name])

    result = icsched("verify", workflow, "--certificate", certificate, "--json")

    assert (result.code, result.err) == (0, "")
    told = json.loads(result.out)
    assert told["ic_optimal"]
    assert [told[key] for key in ("min_ratio", "mean_ratio", "area_ratio")] == [1, 1, 1]


OTHERS = {
    "a job more": (WORKFLOW + "JOB e x.sub\n", "tasks: .* has 5 tasks"),
    "an arc more": (WORKFLOW + "PARENT c CHILD d\n", "arcs: .* has 4 arcs"),
    "an arc less": (WORKFLOW.replace("PARENT b CHILD d\n", ""), "arcs: .* has 2 arcs"),
    "a renamed job": (WORKFLOW.replace("JOB d", "JOB e").replace("D d", "D e"), "fingerprint"),
    "an arc elsewhere": (WORKFLOW.replace("PARENT b", "PARENT c"), "fingerprint"),
    "jobs in another order": (
        WORKFLOW.replace("JOB a x.sub\nJOB b", "JOB b x.sub\nJOB a"),
        "fingerprint",
    ),
    "no jobs in common": ("JOB x x.sub\n", "tasks: .* has 1 tasks"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_certificate_of_another_workflow_is_refused(icsched, certified, tmp_path, name):
    text, problem = OTHERS[name]
    _, certificate = certified(WORKFLOW)
    other = tmp_path / "other.dag"
    other.write_text(text)

    result = icsched("verify", str(other), "--certificate", certificate)

    assert result.code == 1
    assert result.complaint.startswith("certificate refused: ")
    assert "the certificate is for another dag" in result.complaint
    assert re.search(problem, result.complaint)


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("schema", 2, "schema: expected 1"),
        ("tasks", 10**18, "tasks: the certificate is for another dag"),
        ("order", [3, 2, 1, 0], "order: a task runs before one of its parents"),
        ("min_ratio", 0.99, "min_ratio: the order and the bound give 1.0"),
        ("bound", {"rule": "tree"}, "bound.tree: the tasks are not a bipartite tree"),
    ],
)
def test_a_changed_certificate_is_refused(icsched, certified, tmp_path, key, value, problem):
    workflow, certificate = certified(WORKFLOW)
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(json.loads(Path(certificate).read_text()) | {key: value}))

    result = icsched("verify", workflow, "--certificate", str(changed))

    assert result.code == 1
    assert result.complaint.startswith(f"certificate refused: {problem}")
