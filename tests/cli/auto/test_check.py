"""`icsched prio --diff` and `--check`."""

import json

import pytest

from tests.cli.auto.late_chain import ALIKE, LATE_CHAIN, TWO

# --diff


def test_diff_shows_what_would_be_written_and_writes_nothing(icsched, wf, folder):
    result = icsched("prio", "wf.dag", *TWO, "--diff")

    assert result.code == 0
    assert "auto chose prio" in result.err
    lines = result.out.splitlines()
    assert lines[:2] == ["--- wf.dag", "+++ wf.dag"]
    added = [line[1:] for line in lines[2:] if line.startswith("+")]
    assert added[1:3] == ["PRIORITY c0 15", "PRIORITY c1 14"]
    assert wf.read_text() == LATE_CHAIN
    assert not (folder / "wf.dag.bak").exists()

    icsched("prio", "wf.dag", *TWO, "--in-place")
    assert wf.read_text() == LATE_CHAIN + "".join(f"{line}\n" for line in added)
    assert icsched("prio", "wf.dag", *TWO, "--diff").out == ""


def test_diff_marks_a_file_without_a_line_end_and_keeps_carriage_returns(icsched, put):
    put({"wf.dag": "JOB a x.sub\r\nJOB b y.sub"})

    shown = icsched("prio", "wf.dag", "--order", "prio", "--diff").out

    assert " JOB a x.sub\\r\n" in shown
    assert "-JOB b y.sub\n\\ No newline at end of file\n+JOB b y.sub\\r\n" in shown


@pytest.mark.usefixtures("wf")
def test_diff_in_json_is_a_string(answer):
    found = answer("wf.dag", *TWO, "--diff")

    assert found["diff"].startswith("--- wf.dag\n+++ wf.dag\n")
    assert found["written"] == []


# --check


@pytest.fixture
def check(icsched):
    """Run `icsched prio --check`; return the exit code and the one line that it says."""

    def runner(*words: str) -> tuple[int, str]:
        result = icsched("prio", *words, "--check")
        line = result.complaint if result.code else result.out.removesuffix("\n")
        assert "\n" not in line
        return result.code, line

    return runner


def test_a_file_without_a_section_that_is_worth_it_is_not_up_to_date(check, wf):
    code, line = check("wf.dag", *TWO)

    assert code == 1
    assert line == "wf.dag: does not have this order; --in-place would write it"
    assert wf.read_text() == LATE_CHAIN


@pytest.mark.parametrize("order", [TWO, ("--order", "prio"), ("--order", "critical-path")])
@pytest.mark.usefixtures("wf")
def test_what_was_just_written_is_up_to_date(check, answer, order):
    answer("wf.dag", *order, "--in-place")

    assert check("wf.dag", *order) == (
        0,
        "wf.dag: the order in it is what icsched writes with these options.",
    )


@pytest.mark.usefixtures("wf")
def test_a_file_for_which_nothing_is_worth_it_is_up_to_date(check):
    code, line = check("alike.dag")

    assert code == 0
    assert "nothing would be written, because it is not worth it" in line


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("JOB l9 ", "JOB renamed ", "it names job l9 that the workflow no longer has"),
        ("JOB l0 ", "JOB more x.sub\nJOB l0 ", "it gives job more no priority"),
        ("JOB l0 x.sub\n", "", "it names job l0 that the workflow no longer has"),
        ("PARENT c0 ", "PARENT l0 c0 ", "it puts job c1 before a parent"),
        (
            "PRIORITY c0 15",
            "PRIORITY c0 16",
            "with these options icsched writes other lines; if other options wrote the section",
        ),
    ],
)
@pytest.mark.parametrize("order", [TWO, ("--order", "prio")])
def test_what_changed_since_is_told_in_one_line(check, answer, wf, order, old, new, problem):
    answer("wf.dag", *order, "--in-place")
    wf.write_text(wf.read_text().replace(old, new, 1))

    code, line = check("wf.dag", *order)

    assert code == 1
    assert line.startswith("wf.dag:")
    assert problem in line
    answer("wf.dag", *order, "--in-place")
    assert check("wf.dag", *order)[0] == 0


def test_the_command_to_write_again_has_the_options_that_were_given(check, answer, put):
    put({"my wf.dag": LATE_CHAIN})
    answer("my wf.dag", "--order", "fifo", "--in-place")

    line = check("my wf.dag", *TWO, "--lenient")[1]

    assert f"write the section again: icsched prio 'my wf.dag' {' '.join(TWO)} --lenient " in line
    assert line.endswith(" --in-place")


@pytest.mark.usefixtures("wf")
def test_another_order_is_told(check, answer):
    answer("wf.dag", "--order", "fifo", "--in-place")

    assert check("wf.dag", "--order", "prio")[0] == 1
    assert check("wf.dag", *TWO)[0] == 1


def test_check_looks_into_inner_workflows(check, answer, put, wf):
    put({"outer.dag": "SUBDAG EXTERNAL a wf.dag\nSUBDAG EXTERNAL b gone.dag\n"})
    words = ("outer.dag", "--order", "prio", "--recursive")
    answer(*words, "--in-place")
    assert check(*words)[0] == 0

    wf.write_text(wf.read_text().replace("JOB l9 ", "JOB renamed "))

    code, line = check(*words)
    assert (code, line.split(":")[0]) == (1, "wf.dag")


@pytest.mark.usefixtures("wf")
def test_check_in_json_lists_the_files(icsched):
    result = icsched("prio", "wf.dag", *TWO, "--check", "--json")

    assert result.code == 1
    (stale,) = json.loads(result.out)["stale"]
    assert (stale["file"], stale["line"]) == ("wf.dag", None)


@pytest.mark.parametrize("order", [(), ("--order", "prio")])
def test_check_tells_of_a_section_in_a_submit_file_that_is_to_go(icsched, put, folder, order):
    put({"alike.dag": ALIKE, "x.sub": "queue\n"})
    icsched("prio", "alike.dag", "--order", "prio", "--via", "vars", "--in-place")
    with (folder / "alike.dag").open("a") as file:
        file.write("JOB new x.sub\n")

    stale = json.loads(icsched("prio", "alike.dag", *order, "--check", "--json").out)["stale"]

    assert [(each["file"], each["line"]) for each in stale] == [("alike.dag", 3), ("x.sub", 1)]
    assert stale[1]["problem"] == "its section of icsched's is no longer needed"


@pytest.mark.usefixtures("wf")
def test_check_does_not_call_a_submit_file_with_a_section_one_without(check, answer, put):
    put({"x.sub": "queue\n"})
    answer("wf.dag", "--order", "prio", "--via", "vars", "--in-place")

    line = check("wf.dag", "--order", "prio")[1]

    assert line.startswith("x.sub:1: icsched's section is not what would be written now: ")
