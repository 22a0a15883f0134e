"""`icsched prio` with the order auto: when an order is written."""

import pytest

from tests.cli.auto.late_chain import ALIKE, BEST, LATE_CHAIN, TWO

BEST_LINES = "".join(f"PRIORITY {name} {15 - place}\n" for place, name in enumerate(BEST))
WORST_LINES = "".join(f"PRIORITY {name} {place}\n" for place, name in enumerate(BEST))


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
    assert "\nnot worth it: the best order found gains less than 1% on " in result.out
    assert " usual pools, on average (0.0% [0.0%, 0.0%]); --order NAME writes" in result.out
    assert "alike.dag: nothing was written, because it is not worth it: the" in found["notes"][0]
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


def test_own_lines_are_told_apart_from_a_section(icsched, answer, put):
    """The section has the chosen order; the comparison is with the worst order in own lines."""
    put({"wf.dag": LATE_CHAIN + WORST_LINES})
    before = icsched("prio", "wf.dag", *TWO).out.splitlines()
    answer("wf.dag", *TWO, "--in-place")

    after = icsched("prio", "wf.dag", *TWO).out.splitlines()

    assert before[1].endswith("than with the priorities in the file.")
    assert after[1].endswith("than with your own priorities, without icsched's section.")
    assert "  your own priorities  1.000" in after


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
    assert again["notes"] == ["nothing to change: the file has this order already"]


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
    assert (deciding["present"], deciding["is_worth_it"]) == ("present", False)
    interval = deciding["intervals"]["new"]
    assert interval["low"] <= 1 <= interval["high"]
    assert (free["chosen"], free["present"], free["is_worth_it"]) == ("prio", "fifo", True)


def test_the_report_begins_with_the_comparison_that_decides(icsched, answer, put, wf):
    put({"mine.txt": "".join(f"{name}\n" for name in [*BEST[:5], *reversed(BEST[5:])])})
    answer("wf.dag", "--order", "@mine.txt", "--in-place")
    before = wf.read_text()

    lines = icsched("prio", "wf.dag", *TWO, "--in-place").out.splitlines()

    assert wf.read_text() == before
    assert lines[1].startswith("not worth it: ")
    assert lines[2].endswith(
        "time of the run over that of the priorities in the file, with 95% intervals:"
    )
    assert lines[3].startswith("  the order chosen now  ")
    assert lines[4] == "  what the file has     1.000"
    assert lines[5].startswith("Without icsched's section: auto chose prio: with run times ")
    assert lines[5].endswith("than with first come, first served.")


def test_without_a_section_one_comparison_is_told(answer, wf):
    assert answer("wf.dag", *TWO)["choice_without_section"] is None
    answer("wf.dag", *TWO, "--in-place")

    again = answer("wf.dag", *TWO)  # the section has the order that is chosen

    assert again["choice_without_section"] is None
    assert again["choice"]["present"] == "fifo"
    assert "PRIORITY" in wf.read_text()


def interval(ratio):
    return f" {ratio['mean']:.3f} [{ratio['low']:.3f}, {ratio['high']:.3f}]"


@pytest.mark.usefixtures("wf")
def test_the_best_order_is_shown_with_its_checked_time_and_others_as_raced(icsched, answer, put):
    """Long jobs outside the chain: the orders differ, and none is dropped before it is told."""
    put({"times.txt": "".join(f"l{number} {number + 1}\n" for number in range(10)) + "c* 3\n"})
    words = ("wf.dag", *TWO, "--run-times", "times.txt")

    choice = answer(*words)["choice"]
    lines = icsched("prio", *words).out.splitlines()

    rows = {line.split()[0]: line for line in lines[3 : 3 + len(choice["ratios"])]}
    assert rows[choice["best"]].endswith(f"{interval(choice['ratio'])} (checked in further runs)")
    others = [name for name in choice["ratios"] if name not in (choice["best"], "fifo")]
    assert others
    for name in others:
        assert rows[name].endswith(interval(choice["intervals"][name]))
        assert choice["intervals"][name]["mean"] == choice["ratios"][name]


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
