"""`icsched prio` with the order auto: what it says, when it writes, --diff and --check."""

import json

import pytest

from tests.unstamped import unstamped

# Ten jobs without children come before a chain of five. Two workers that start with the chain
# need 8; first come, first served takes nearly all others first, and needs 10.
JOBS = "".join(f"JOB l{number} x.sub\n" for number in range(10))
CHAIN = "".join(f"JOB c{number} x.sub\n" for number in range(5))
ARCS = "".join(f"PARENT c{number} CHILD c{number + 1}\n" for number in range(4))
LATE_CHAIN = JOBS + CHAIN + ARCS
ALIKE = "JOB a x.sub\nJOB b x.sub\n"
BEST = [f"c{number}" for number in range(5)] + [f"l{number}" for number in range(10)]
BEST_LINES = "".join(f"PRIORITY {name} {15 - place}\n" for place, name in enumerate(BEST))
WORST_LINES = "".join(f"PRIORITY {name} {place}\n" for place, name in enumerate(BEST))
TWO = ("--workers", "2")


@pytest.fixture
def wf(put, folder):
    put({"wf.dag": LATE_CHAIN, "alike.dag": ALIKE})
    return folder / "wf.dag"


@pytest.fixture
def answer(icsched):
    """Run `icsched prio --json`; return what it says."""

    def runner(*words: str) -> dict:
        result = icsched("prio", *words, "--json")
        assert (result.code, result.err) == (0, "")
        return json.loads(result.out)

    return runner


# What is said


def test_the_choice_is_told_with_its_interval_and_what_it_was_compared_with(icsched, wf):
    result = icsched("prio", "wf.dag", *TWO)

    lines = result.out.splitlines()
    assert lines[0].startswith("wf.dag: 15 jobs, 4 dependencies, ordered by auto in ")
    assert lines[1].startswith("auto chose prio: on your pool the run should end ")
    assert lines[1].endswith("%] earlier than with first come, first served.")
    assert lines[2].startswith("Simulated (")
    assert lines[2].endswith(" runs, seed 0, times vary by 30%), time of the run:")
    assert lines[3].split()[0] == "prio"
    assert lines[3].endswith(", checked in further runs")
    assert lines[4].split("  ")[1:] == ["first come, first served", "1"]
    assert any(line.startswith("IC-optimal, no order has more") for line in lines)
    assert wf.read_text() == LATE_CHAIN


@pytest.mark.usefixtures("wf")
def test_json_has_the_choice(answer):
    found = answer("wf.dag", *TWO, "--seed", "5", "--budget", "0.5")

    choice = found["choice"]
    assert found["ordered_by"] == "auto"
    assert found["order"][:2] == ["c0", "c1"]
    assert (choice["chosen"], choice["present"], choice["seed"]) == ("prio", "fifo", 5)
    assert choice["is_own_pool"] is choice["is_worth_it"] is True
    assert choice["is_timed"] is False
    assert choice["pools"][0]["count"] == 2
    assert choice["ratio"]["low"] <= choice["ratio"]["mean"] <= choice["ratio"]["high"] < 0.95


def test_a_budget_that_is_too_small_is_told(icsched, answer, put):
    """A run of 2,000 jobs counts 2,000 requests too; a budget of 0.001 s is 3 runs of them."""
    put({"long.dag": "".join(f"JOB j{number} x.sub\n" for number in range(2000))})
    times = "".join(f"j{number},{1 + number**2}\n" for number in range(2000))
    put({"times.csv": times})
    words = "long.dag", *TWO, "--run-times", "times.csv", "--budget"

    choice = answer(*words, "0.001")["choice"]

    assert choice["exceeds_budget"] is True
    assert choice["budget"] == 0.001
    assert choice["budget_used"] == choice["runs"] * 4000 / 12_000_000
    told = "The fewest runs that tell anything took "
    assert told in icsched("prio", *words, "0.001").out
    assert told not in icsched("prio", *words, "1").out


@pytest.mark.usefixtures("wf")
def test_without_a_pool_usual_pools_are_simulated(icsched, answer):
    assert answer("wf.dag")["choice"]["is_own_pool"] is False
    assert " usual pools, on average, the run should end " in icsched("prio", "wf.dag").out


@pytest.mark.usefixtures("wf")
def test_a_pool_may_come_from_a_file(answer, put):
    put({"pool.json": '{"schema": 1, "kind": "workers", "count": 3}'})

    assert answer("wf.dag", "--pool", "pool.json")["choice"]["pools"][0]["count"] == 3


@pytest.mark.usefixtures("wf")
def test_unknown_run_times_are_told_with_what_they_gain(icsched, put):
    put({"times.txt": "".join(f"{name} 2\n" for name in BEST)})
    told = "Run times are not known: each job counts as 1. --run-times FILE gives them"

    assert told in icsched("prio", "wf.dag", *TWO).out
    timed = icsched("prio", "wf.dag", *TWO, "--run-times", "times.txt").out
    assert told not in timed
    assert "without run times" not in timed


@pytest.mark.usefixtures("wf")
def test_run_times_that_are_all_0_are_told_as_such(icsched, put):
    put({"zero.txt": "* 0\n"})
    out = icsched("prio", "wf.dag", *TWO, "--run-times", "zero.txt").out

    assert "\nAll run times are 0: each job counts as 1" in out
    assert "Run times are not known" not in out


@pytest.mark.usefixtures("wf")
def test_the_chart_calls_orders_as_the_text_does(icsched):
    chart = icsched("prio", "alike.dag").out.split("Eligible jobs")[1]

    assert "first come, first served" in chart
    assert "fifo" not in chart


@pytest.mark.usefixtures("wf")
def test_run_times_in_seconds_need_a_pool_in_seconds(icsched, put):
    put({"times.txt": "".join(f"{name} 2\n" for name in BEST)})

    result = icsched("prio", "wf.dag", "--run-times", "times.txt", "--batch", "4")

    assert result.code == 2
    assert result.complaint.startswith("--run-times: run times are in seconds: say --interval")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--order", "prio", "--workers", "2"), "an option of the pool cannot be used with"),
        (("--order", "fifo", "--budget", "2"), "--budget cannot be used with --order fifo"),
        (("--memory", "9", "--seed", "2"), "--seed cannot be used with --memory"),
        (("--budget", "0"), "budget: expected"),
        (("--diff", "--in-place"), "only one of -o, --in-place, --remove, --diff and --check"),
        (("--check", "--diff"), "only one of -o, --in-place, --remove, --diff and --check"),
        (("--check", "--force"), "--force needs --in-place or --remove"),
    ],
)
@pytest.mark.usefixtures("wf")
def test_options_without_a_use_are_one_line(icsched, words, complaint):
    result = icsched("prio", "wf.dag", *words)

    assert (result.code, result.complaint[: len(complaint)]) == (2, complaint)


# When it writes


def test_an_order_that_is_worth_it_is_written(answer, wf):
    found = answer("wf.dag", *TWO, "--in-place")

    assert [entry["file"] for entry in found["written"]] == ["wf.dag"]
    assert "PRIORITY c0 15\nPRIORITY c1 14\n" in wf.read_text()


@pytest.mark.usefixtures("wf")
def test_what_is_not_worth_it_is_not_written(icsched, answer, folder):
    before = sorted(path.name for path in folder.iterdir())

    result = icsched("prio", "alike.dag", "--in-place")
    found = answer("alike.dag", "--in-place")

    assert result.code == 0
    assert "\nnot worth it: on " in result.out
    assert " has no gain over first come, first served; --order NAME writes" in result.out
    assert "alike.dag: nothing was written, because it is not worth it: on" in found["notes"][0]
    assert (found["written"], found["choice"]["is_worth_it"]) == ([], False)
    assert sorted(path.name for path in folder.iterdir()) == before
    assert (folder / "alike.dag").read_text() == ALIKE
    assert answer("alike.dag", "--in-place", "--order", "prio")["written"] != []


def test_a_workflow_of_one_job_is_not_worth_an_order(icsched, put, folder):
    put({"one.dag": "JOB one x.sub\n"})

    result = icsched("prio", "one.dag", "--in-place")

    assert result.code == 0
    assert "one.dag: nothing was written, because it is not worth it" in result.out
    assert (folder / "one.dag").read_text() == "JOB one x.sub\n"


@pytest.mark.usefixtures("wf")
def test_a_copy_is_written_even_if_no_order_is_worth_it(icsched, folder):
    """A script that goes on with the copy must find the workflow in it."""
    result = icsched("prio", "alike.dag", "-o", "out.dag")

    assert result.code == 0
    assert "out.dag: a copy of alike.dag without an order, because it is not worth" in result.out
    assert (folder / "out.dag").read_text() == ALIKE
    streamed = icsched("prio", "alike.dag", "-o", "-")
    assert (streamed.code, streamed.out) == (0, ALIKE)


@pytest.mark.usefixtures("wf")
def test_a_copy_of_a_file_with_a_good_section_has_an_order(icsched, answer, folder):
    answer("wf.dag", *TWO, "--in-place")

    icsched("prio", "wf.dag", *TWO, "-o", "out.dag")

    assert "PRIORITY c0 15\nPRIORITY c1 14\n" in (folder / "out.dag").read_text()


def test_the_best_order_in_the_files_own_lines_is_left_alone(icsched, answer, put, folder):
    put({"wf.dag": LATE_CHAIN + BEST_LINES})

    found = answer("wf.dag", *TWO, "--in-place")

    assert found["choice"]["present"] == "present"
    assert found["written"] == []
    assert (folder / "wf.dag").read_text() == LATE_CHAIN + BEST_LINES
    assert "what the file has" in icsched("prio", "wf.dag", *TWO).out


def test_a_bad_order_in_the_files_own_lines_is_replaced(answer, put):
    put({"wf.dag": LATE_CHAIN + WORST_LINES})

    found = answer("wf.dag", *TWO, "--in-place")

    assert found["choice"]["ratios"]["present"] == 1.0
    assert [entry["file"] for entry in found["written"]] == ["wf.dag"]


def test_written_twice_is_written_once(answer, wf):
    answer("wf.dag", *TWO, "--in-place")
    first = wf.read_text()

    again = answer("wf.dag", *TWO, "--in-place")

    assert (again["written"], wf.read_text()) == ([], first)
    assert again["notes"] == ["nothing to change: the files say so already"]


def test_a_section_that_is_as_good_stays(answer, put, wf):
    """The chain comes first in both orders; the jobs without children are all alike."""
    lines = [*BEST[:5], *reversed(BEST[5:])]
    put({"mine.txt": "".join(f"{name}\n" for name in lines)})
    answer("wf.dag", "--order", "@mine.txt", "--in-place")
    mine = wf.read_text()

    found = answer("wf.dag", *TWO, "--in-place")

    assert (found["written"], wf.read_text()) == ([], mine)
    assert "nothing was written, and icsched's section stays" in found["notes"][0]
    deciding, free = found["choice"], found["choice_without_section"]
    assert (deciding["best"], deciding["present"], deciding["is_worth_it"]) == (
        "new",
        "present",
        False,
    )
    assert (free["chosen"], free["present"], free["is_worth_it"]) == ("prio", "fifo", True)


def test_the_report_begins_with_the_comparison_that_decides(icsched, answer, put, wf):
    put({"mine.txt": "".join(f"{name}\n" for name in [*BEST[:5], *reversed(BEST[5:])])})
    answer("wf.dag", "--order", "@mine.txt", "--in-place")
    before = wf.read_text()

    lines = icsched("prio", "wf.dag", *TWO, "--in-place").out.splitlines()

    assert wf.read_text() == before
    assert lines[1].startswith("not worth it: on your pool ")
    assert "the priorities in the file" in lines[1]
    assert lines[3].startswith("  the order chosen now  ")
    assert lines[4] == "  what the file has     1"
    assert lines[5].startswith("Without icsched's section: auto chose prio: on your pool the run ")
    assert lines[5].endswith("than with first come, first served.")


def test_without_a_section_one_comparison_is_told(answer, wf):
    assert answer("wf.dag", *TWO)["choice_without_section"] is None
    answer("wf.dag", *TWO, "--in-place")

    again = answer("wf.dag", *TWO)  # the section has the order that is chosen

    assert again["choice_without_section"] is None
    assert again["choice"]["present"] == "fifo"
    assert "PRIORITY" in wf.read_text()


@pytest.mark.usefixtures("wf")
def test_the_best_order_is_shown_with_its_checked_time_and_others_as_raced(icsched, answer, put):
    """Long jobs outside the chain: the orders differ, and none is dropped before it is told."""
    put({"times.txt": "".join(f"l{number} {number + 1}\n" for number in range(10)) + "c* 3\n"})
    words = ("wf.dag", *TWO, "--run-times", "times.txt")

    choice = answer(*words)["choice"]
    lines = icsched("prio", *words).out.splitlines()

    rows = {line.split()[0]: line for line in lines[3 : 3 + len(choice["ratios"])]}
    checked = f" {choice['ratio']['mean']:.3f}, checked in further runs"
    assert rows[choice["best"]].endswith(checked)
    others = [name for name in choice["ratios"] if name not in (choice["best"], "fifo")]
    assert others
    for name in others:
        assert rows[name].endswith(f" {choice['ratios'][name]:.2f} in the race")


def test_a_section_with_a_bad_order_is_replaced(answer, put, wf):
    put({"mine.txt": "".join(f"{name}\n" for name in [*BEST[5:], *BEST[:5]])})
    answer("wf.dag", "--order", "@mine.txt", "--in-place")

    assert answer("wf.dag", *TWO, "--in-place")["written"] != []
    assert "PRIORITY c0 15\n" in wf.read_text()


STALE = "# icsched: begin.\nPRIORITY c0 2\nPRIORITY gone 1\n# icsched: end.\n"


def test_a_section_that_is_out_of_date_is_replaced_if_that_is_worth_it(answer, put, folder):
    put({"wf.dag": LATE_CHAIN + STALE})

    assert answer("wf.dag", *TWO, "--in-place")["written"] != []
    text = (folder / "wf.dag").read_text()
    assert "gone" not in text
    assert "PRIORITY c0 15\n" in text


def test_a_section_that_is_out_of_date_is_removed_if_nothing_is_gained(icsched, put, folder):
    """DAGMan refuses a file with a priority for a job that it does not have."""
    put({"alike.dag": ALIKE + STALE})

    assert icsched("prio", "alike.dag", "--check").code == 1
    shown = icsched("prio", "alike.dag", "--diff").out
    assert [line for line in shown.splitlines() if line.startswith("-P")] == [
        "-PRIORITY c0 2",
        "-PRIORITY gone 1",
    ]
    result = icsched("prio", "alike.dag", "--in-place")

    assert "alike.dag: icsched's section was removed, because a new one is not worth it" in (
        result.out
    )
    assert "-maxjobs" not in result.out
    assert (folder / "alike.dag").read_text() == ALIKE
    assert icsched("prio", "alike.dag", "--check").code == 0


@pytest.mark.parametrize("options", [(), ("--flatten",)])
def test_a_copy_leaves_out_a_section_that_is_out_of_date(icsched, put, folder, options):
    """DAGMan accepts the copy, though no order is worth writing; the file itself is not changed."""
    put({"alike.dag": ALIKE + STALE})

    result = icsched("prio", "alike.dag", "-o", "out.dag", *options)

    assert "out.dag: a copy of alike.dag without an order, because it is not" in result.out
    assert "-maxjobs" not in result.out
    assert (folder / "out.dag").read_text() == ALIKE
    assert (folder / "alike.dag").read_text() == ALIKE + STALE


def test_a_copy_without_a_section_may_go_to_standard_output(icsched, put):
    put({"alike.dag": ALIKE + STALE})

    assert icsched("prio", "alike.dag", "-o", "-").out == ALIKE


def test_the_note_names_the_file_whose_section_is_removed(answer, put, folder):
    put({"a.dag": ALIKE, "b.dag": ALIKE + STALE})

    found = answer("a.dag", "b.dag", "--in-place")

    assert found["notes"][-1].startswith("b.dag: icsched's section was removed, because ")
    assert [entry["file"] for entry in found["written"]] == ["b.dag"]
    assert (folder / "b.dag").read_text() == ALIKE


def test_a_good_section_in_one_of_two_files_stays_if_nothing_is_gained(answer, put, folder):
    put({"a.dag": ALIKE, "b.dag": ALIKE})
    answer("b.dag", "--order", "prio", "--in-place")
    before = (folder / "b.dag").read_text()

    found = answer("a.dag", "b.dag", "--in-place")

    note = found["notes"][-1]
    assert note.startswith("b.dag: nothing was written, and icsched's section stays, because ")
    assert found["written"] == []
    assert ((folder / "a.dag").read_text(), (folder / "b.dag").read_text()) == (ALIKE, before)


def test_a_good_section_in_one_of_two_files_is_replaced_if_that_is_worth_it(answer, put, wf):
    put({"b.dag": ALIKE})
    answer("wf.dag", "--order", "fifo", "--in-place")

    found = answer("wf.dag", "b.dag", *TWO, "--in-place")

    assert {entry["file"] for entry in found["written"]} == {"wf.dag", "b.dag"}
    assert "PRIORITY c0 17\n" in wf.read_text()  # 17 jobs in both files


@pytest.mark.usefixtures("wf")
def test_an_inner_workflow_is_chosen_for_by_itself(answer, put, folder):
    put({"outer.dag": "SUBDAG EXTERNAL a wf.dag\nSUBDAG EXTERNAL b alike.dag\n"})

    found = answer("outer.dag", *TWO, "--in-place", "--recursive")

    assert [entry["file"] for entry in found["written"]] == ["wf.dag"]
    assert (folder / "alike.dag").read_text() == ALIKE


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

    assert " JOB a x.sub" in shown
    assert "-JOB b y.sub\n\\ No newline at end of file\n+JOB b y.sub\n" in shown


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

    assert check("wf.dag", *order) == (0, "wf.dag: the order in it is up to date.")


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
            "with these options it gives another order, or in another way",
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


def test_the_order_is_the_same_each_time(answer, wf):
    words = ("wf.dag", "--interval", "1", "--batch", "3")
    first, second = answer(*words), answer(*words)

    assert first["order"] == second["order"]
    assert first["choice"] == second["choice"]
    assert unstamped(wf.read_text()) == LATE_CHAIN


def test_priorities_are_not_kept_beside_an_order_that_was_simulated_without_them(icsched, wf):
    result = icsched("prio", "wf.dag", "--in-place", "--keep-existing")

    said = "--keep-existing needs --order NAME: auto does not simulate what is kept"
    assert (result.code, result.complaint) == (2, said)
    assert wf.read_text() == LATE_CHAIN
