"""`icsched verify` with certificates."""

import json

import pytest

from tests.cli.pair_and_fork import WORKFLOW


@pytest.fixture
def certificate(icsched, workflow, tmp_path):
    """A certificate of the order by file, which runs a first."""
    path = tmp_path / "certificate.json"
    result = icsched("verify", str(workflow), "--order", "fifo", "--write-certificate", str(path))
    assert (result.code, result.err) == (0, "")
    return path


def test_a_certificate_is_written_and_says_how_close_the_order_comes(icsched, workflow, tmp_path):
    path = tmp_path / "certificate.json"

    result = icsched("verify", str(workflow), "--order", "fifo", "--write-certificate", str(path))

    assert (result.code, result.err) == (0, "")
    assert result.out == (
        f"{path}: certificate written\n"
        "At every step at least 66.6% of the eligible jobs that any order of"
        f" {workflow} (5 jobs) could have, 93.3% on average (certified).\n"
    )
    assert json.loads(path.read_text())["order"] == [0, 2, 1, 3, 4]


def test_a_certificate_is_accepted(icsched, workflow, certificate):
    result = icsched("verify", str(workflow), "--certificate", str(certificate), "--json")

    assert (result.code, result.err) == (0, "")
    told = json.loads(result.out)
    assert (told["ic_optimal"], told["written"], told["ordered_by"]) == (False, False, None)
    assert told["min_ratio"] == pytest.approx(2 / 3)
    assert told["area_ratio"] == pytest.approx(10 / 11)


def test_an_order_that_meets_the_bound_is_called_optimal(icsched, workflow, tmp_path):
    path = tmp_path / "certificate.json"

    result = icsched("verify", str(workflow), "--write-certificate", str(path))

    assert result.out == (
        f"{path}: certificate written\n"
        f"IC-optimal: no order of {workflow} (5 jobs) has more eligible jobs at any step\n"
    )


def test_a_certificate_of_a_changed_workflow_is_refused(icsched, workflow, certificate):
    workflow.write_text(WORKFLOW.replace("PARENT a CHILD b", "PARENT a CHILD b e"))

    result = icsched("verify", str(workflow), "--certificate", str(certificate))

    assert (result.code, result.out) == (1, "")
    assert result.err == (
        "icsched: certificate refused: arcs: the certificate is for another dag,"
        " the workflow has 4 arcs\n"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not JSON that can be read"),
        ("JOB a x.sub", "not JSON that can be read"),
        ("[" * 100_000, "not JSON that can be read"),
        ("[]", "expected a JSON object"),
        ("{}", "expected the keys"),
        ('{"bound": NaN}', "not JSON that can be read"),
    ],
)
def test_a_file_that_is_no_certificate_is_refused_in_one_line(
    icsched, workflow, tmp_path, text, problem
):
    path = tmp_path / "certificate.json"
    path.write_text(text)

    result = icsched("verify", str(workflow), "--certificate", str(path))

    assert (result.code, result.out) == (1, "")
    assert result.err.count("\n") == 1
    assert problem in result.err


@pytest.mark.parametrize(
    "options",
    [
        ["--order", "fifo"],
        ["--write-certificate", "c.json"],
        ["--limit", "5"],
    ],
)
def test_an_option_that_a_certificate_has_no_use_for_is_refused(
    icsched, workflow, certificate, options
):
    result = icsched("verify", str(workflow), "--certificate", str(certificate), *options)

    complaint = f"{options[0]} cannot be used with --certificate"
    assert (result.code, result.complaint) == (2, complaint)


def test_no_limit_is_for_writing_a_certificate(icsched, workflow):
    words = ("--write-certificate", "c.json", "--limit", "5")
    result = icsched("verify", str(workflow), *words)

    complaint = "--limit cannot be used with --write-certificate"
    assert (result.code, result.complaint) == (2, complaint)


def test_a_certificate_does_not_overwrite_the_workflow(icsched, put, folder):
    put({"wf.dag": "JOB a x\n"})

    result = icsched("verify", "wf.dag", "--write-certificate", "wf.dag")

    assert result.code == 2
    assert result.complaint == "wf.dag is a file of the workflow: use another name"
    assert (folder / "wf.dag").read_text() == "JOB a x\n"


@pytest.mark.parametrize("words", [("--write-certificate", "-"), ("--write-certificate=-",)])
def test_a_certificate_is_written_to_a_file_alone(icsched, put, words):
    put({"wf.dag": "JOB a x\n"})

    result = icsched("verify", "wf.dag", *words)

    assert result.code == 2
    assert result.complaint == "--write-certificate: expected a file, got a standard stream"
