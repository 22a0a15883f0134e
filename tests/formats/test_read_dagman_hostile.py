"""DAGMan files made to exhaust a reader: refused, or read, in a few seconds and little memory."""

import re
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
import pytest

from tests.hostile import outcome_of

MOST_CPU_SECONDS = 10  # a few times what a slow machine needs
MOST_MEGABYTES = 1_000  # of which the interpreter and its libraries take 60


@pytest.fixture
def outcome(put) -> Callable[..., str]:
    """Read hostile files in a process of its own; return the complaint or the number of jobs."""

    def reader(files: Mapping[str, str | bytes], first: str = "wf.dag") -> str:
        put(files)
        limits = {"cpu_seconds": MOST_CPU_SECONDS, "megabytes": MOST_MEGABYTES}
        return outcome_of("read_submission(sys.argv[1]).dag", first, **limits)

    return reader


def jobs(count: int) -> str:
    return "".join(f"JOB {number} x\n" for number in range(count))


def chain(text: str, length: int, last: str) -> dict[str, str]:
    """Files 0.dag, 1.dag, ... in which {} is the name of the next; the last one differs."""
    files = {f"{number}.dag": text.format(f"{number + 1}.dag") for number in range(length)}
    return {**files, f"{length}.dag": last}


# Long lines


def test_a_line_of_a_hundred_megabytes(outcome):
    assert outcome({"wf.dag": b"\nJOB a " + b"x" * 100_000_000}) == (
        "wf.dag:2: expected at most 67,108,864 bytes in a line"
    )


def test_a_comment_of_a_hundred_megabytes(outcome):
    assert outcome({"wf.dag": b"# " + b"x" * 100_000_000 + b"\nJOB a x\n"}) == "1 jobs"


@pytest.mark.parametrize("value", ["'x{}'", '"\\x{}"', "x={}"])
def test_a_long_line_that_is_not_plain(outcome, value):
    text = f"JOB a x\nVARS a k={value.format('x' * 2_000_000)}\n"

    assert outcome({"wf.dag": text}) == "wf.dag:2: expected at most 1,048,576 bytes"


TOO_MANY_ARCS = (
    "expected at most 30,000,000 dependencies in all (a PARENT line makes one for each parent and"
    " child): put a NOOP job between the many parents and the many children"
)


def test_a_million_parents_of_a_million_children(outcome):
    names = " ".join(map(str, range(1_000_000)))

    found = outcome({"wf.dag": f"{jobs(1_000_000)}PARENT {names} CHILD {names}\n"})

    assert found == f"wf.dag:1000001: {TOO_MANY_ARCS}"


@pytest.mark.parametrize("command", ["PARENT", "WEAK PARENT"])
def test_the_same_parents_and_children_over_and_over(outcome, command):
    many = f"{command} {'0 ' * 20_000} CHILD {'1 ' * 20_000}\n"

    assert outcome({"wf.dag": jobs(2) + many}) in {
        f"wf.dag:3: {TOO_MANY_ARCS}",
        "2 jobs",
    }


@pytest.mark.parametrize(
    "line",
    [
        "WEAK PARENT 0 CHILD " + "1 " * 400_000,
        "WEAK PARENT 0 CHILD 1 " + "\\\n" * 300_000 + "1",
        "VARS 0 " + 'k= "" ' * 150_000,
        "VARS 0 " + 'k="' * 300_000,
        "VARS 0 k='" + "\\'" * 400_000 + "'",
        "SCRIPT DEFER 1 1 " * 50_000 + "POST 0 x",
        "JOB a {\n" + "}x\n" * 300_000 + "}",
        "VARS 0 k" + " " * 1_000_000 + "=v",
    ],
    ids=["names", "continued", "pairs", "quotes", "escapes", "options", "body", "blanks"],
)
def test_a_megabyte_that_the_careful_parser_gets(outcome, line):
    """Whatever is said of it, it is said soon."""
    assert outcome({"wf.dag": f"{jobs(2)}{line}\n"})


# Many lines


def test_a_hundred_thousand_priorities_for_all(outcome):
    text = jobs(10_000) + "PRIORITY ALL_NODES 1\n" * 100_000

    assert outcome({"wf.dag": text}) == "10000 jobs"


def test_a_hundred_thousand_retries_for_all(outcome):
    text = jobs(10_000) + "RETRY ALL_NODES 1\n" * 100_000

    assert outcome({"wf.dag": text}) == "10000 jobs"


def test_ten_thousand_splices_in_a_row(outcome):
    splices = "".join(f"SPLICE S{number} in.dag\n" for number in range(10_000))
    arcs = "".join(f"PARENT S{number} CHILD S{number + 1}\n" for number in range(9_999))

    assert outcome({"wf.dag": splices + arcs, "in.dag": "JOB p x\n"}) == "10000 jobs"


def test_a_million_marks_of_a_section(outcome):
    assert outcome({"wf.dag": "# icsched: begin.\n" * 1_000_000}) == (
        "wf.dag:1000000: expected one section of icsched's with its begin and end lines,"
        " got other marks: take them out, or go back to the newest of wf.dag.bak*"
    )


# Bytes without sense


def test_ten_megabytes_of_noise(outcome):
    noise = np.random.default_rng(0).bytes(10_000_000)

    assert "expected text, got a NUL byte" in outcome({"wf.dag": noise})


def test_ten_megabytes_of_noise_without_nul(outcome):
    noise = np.random.default_rng(0).bytes(10_000_000).replace(b"\0", b"\n")

    assert outcome({"wf.dag": noise}).startswith("wf.dag:")


def test_a_file_that_is_too_large(outcome, folder):
    """It has no bytes on the disk, only a length."""
    with (folder / "wf.dag").open("wb") as file:
        file.truncate(3 << 30)

    assert outcome({}) == "wf.dag: expected less than 2 GiB"


# Files in files


@pytest.mark.parametrize("command", ["INCLUDE {}", "SPLICE S {}"])
def test_sixty_files_inside_each_other(outcome, command):
    assert outcome(chain(f"{command}\n", 60, "JOB a x\n"), "0.dag") == (
        "50.dag:1: expected files nested at most 50 deep"
    )


@pytest.mark.parametrize("command", ["INCLUDE {}", "SPLICE S {}"])
def test_fifty_files_inside_each_other(outcome, command):
    assert outcome(chain(f"{command}\n", 50, "JOB a x\n"), "0.dag") == "1 jobs"


TWICE = "SPLICE A {0}\nSPLICE B {0}\n"


def test_nothing_spliced_twice_forty_times_over(outcome):
    """It would make a million million splices.

    A file that is N from the end has 2^(N+1) - 2 splices inside. Files 25 to 39 have 131,038 in
    all, and each line of 24.dag brings 65,535. 80 statements were read before: 100,000 + 80,000.
    """
    assert outcome(chain(TWICE, 40, ""), "0.dag") == (
        "24.dag:1: expected splices to make at most 180,000 jobs and splices from 80 statements,"
        " got 196,573: make some of the splices SUBDAG EXTERNAL"
    )


def test_a_job_spliced_twice_forty_times_over(outcome):
    """It would make a million million jobs."""
    said = outcome(chain(TWICE, 40, "JOB a x\n"), "0.dag")

    assert re.match(r"\d+\.dag:[12]: expected splices to make at most 181,000 jobs and spl", said)


def ten_splices(number: int) -> str:
    return "".join(f"SPLICE S{at} {number + 1}.dag\n" for at in range(10))


def test_seven_small_files_that_would_make_two_million_jobs(outcome):
    r"""
    Of 62 statements. Splices bring 10 * (2 + 1) into 5.dag, 10 * (20 + 10 + 1) into 4.dag, then
    3,110 into 3.dag, 31,110 into 2.dag, and 311,110 would come into 1.dag. In all 34,560 are there
    when 1.dag is read, each line of which brings 31,111: the fifth is one too many.
    """
    files = {f"{number}.dag": ten_splices(number) for number in range(6)}

    assert outcome({**files, "6.dag": jobs(2)}, "0.dag") == (
        "1.dag:5: expected splices to make at most 162,000 jobs and splices from 62 statements,"
        " got 190,115: make some of the splices SUBDAG EXTERNAL"
    )


def test_a_thousand_splices_of_a_thousand_jobs(outcome):
    splices = "".join(f"SPLICE S{number} in.dag\n" for number in range(1_000))

    assert outcome({"wf.dag": splices, "in.dag": jobs(1_000)}) == "1000000 jobs"


def test_splices_of_an_included_file_count_as_well(outcome):
    r"""
    Of 141 statements. Splices bring 10 * 101 jobs and splices into 3.dag, 10 * 1,011 into 2.dag and
    10 * 10,111 into 1.dag, 112,230 in all. Each line of 0.dag brings 101,111 more.
    """
    files = {f"{number}.dag": ten_splices(number) for number in range(4)}

    assert outcome({"wf.dag": "INCLUDE 0.dag\n", **files, "4.dag": jobs(100)}) == (
        "0.dag:2: expected splices to make at most 241,000 jobs and splices from 141 statements,"
        " got 314,452: make some of the splices SUBDAG EXTERNAL"
    )


@pytest.mark.parametrize("line", ["PARENT S CHILD T", "WEAK PARENT S CHILD T"])
def test_splices_as_parents_and_children_of_each_other(outcome, line):
    """5,000 * 5,000, less the one that the line names; 10 * (100,000 + 153 * 1,000) may be."""
    fan = "".join(f"SPLICE S{at} in.dag\n" for at in range(50))
    text = f"SPLICE S fan.dag\nSPLICE T fan.dag\n{line}\n"

    assert outcome({"wf.dag": text, "fan.dag": fan, "in.dag": jobs(100)}) == (
        "wf.dag:3: expected splices to make at most 2,530,000 dependencies from 153 statements,"
        " got 24,999,999: make some of the splices SUBDAG EXTERNAL"
    )


def test_a_splice_named_four_hundred_thousand_times_in_a_line(outcome):
    """The same as once; its 10,000 jobs are not put together again and again."""
    files = {"in.dag": jobs(10_000), "wf.dag": f"SPLICE S in.dag\nJOB b x\nPARENT {'S ' * 400_000}"}
    files["wf.dag"] += "CHILD b\n"

    assert outcome(files) == "10001 jobs"


def test_a_pair_spliced_twice_ten_times_over(outcome):
    assert outcome(chain(TWICE, 10, "JOB a x\nJOB b x\nPARENT a CHILD b\n"), "0.dag") == "2048 jobs"


def test_nothing_included_twice_forty_times_over(outcome):
    said = outcome(chain("INCLUDE {0}\nINCLUDE {0}\n", 40, ""), "0.dag")

    assert said.endswith(".dag:1: expected at most 10,000 INCLUDE")


def test_a_megabyte_included_again_and_again(outcome):
    """Once it is free; after sixteen times more it is enough."""
    files = {"wf.dag": "INCLUDE in.dag\n" * 10_000, "in.dag": "#" * 2**20}

    assert outcome(files) == (
        "wf.dag:18: expected at most 16,777,216 bytes in files that INCLUDE reads again and again:"
        " write fewer of these lines, or take in.dag apart"
    )
    assert outcome({"wf.dag": "INCLUDE in.dag\n" * 17}) == "0 jobs"


def test_a_megabyte_included_again_and_again_under_other_names(outcome, folder):
    (folder / "hard.dag").write_text("#" * 2**20)
    (folder / "in.dag").hardlink_to(folder / "hard.dag")
    (folder / "soft.dag").symlink_to("hard.dag")
    names = ["in.dag", "hard.dag", "soft.dag", "./in.dag", ".//in.dag"]

    said = outcome({"wf.dag": "".join(f"INCLUDE {name}\n" for name in names * 4)})

    assert said.startswith("wf.dag:18: expected at most 16,777,216 bytes in files that INCLUDE")


def spliced(count: int, file: object) -> str:
    return "".join(f"SPLICE S{number} {file} DIR d{number}\n" for number in range(count))


def test_twenty_thousand_variables_spliced_fifty_thousand_times_in_other_directories(
    outcome, folder
):
    """They are the same everywhere, and so read once."""
    inner = "JOB a x\n" + "".join(f'VARS a k{number}="v"\n' for number in range(20_000))
    files = {"wf.dag": spliced(50_000, folder / "in.dag"), "in.dag": inner}

    assert outcome(files) == "50000 jobs"


@pytest.mark.parametrize("line", ["SPLICE T {}", "INCLUDE {}"])
def test_what_depends_on_its_directory_is_read_again_only_so_often(outcome, folder, line):
    """Once it is free; 65 times more a megabyte is too much."""
    inner = line.format(folder / "empty.dag") + "\n"
    inner += "#" * (2**20 - len(inner))
    files = {"wf.dag": spliced(50_000, folder / "in.dag"), "in.dag": inner, "empty.dag": ""}

    assert outcome(files) == (
        "wf.dag:66: expected at most 67,108,864 bytes in files that SPLICE reads again and again:"
        f" write fewer of these lines, or take {folder}/in.dag apart"
    )
    assert outcome({"wf.dag": spliced(65, folder / "in.dag")}) == "0 jobs"


def test_a_cycle_of_a_hundred_thousand_jobs(outcome):
    """One line, with its two ends: 20 names, 99,961 left out, 20 names; n0 is said twice."""
    names = [f"n{number}" for number in range(100_000)]
    arcs = "".join(f"PARENT {a} CHILD {b}\n" for a, b in pairwise([*names, "n0"]))

    said = outcome({"wf.dag": "".join(f"JOB {name} x\n" for name in names) + arcs})

    assert " -> ... 99,961 more ... -> " in said
    assert said.count(" -> ") == 40
    assert len(said) < 1_000


def test_nothing_spliced_twice_forty_times_over_in_directories_of_many_names(outcome, folder):
    for name in "xy":
        (folder / name).symlink_to(".")
    text = "SPLICE A {0} DIR x\nSPLICE B {0} DIR y\n"

    said = outcome(chain(text, 40, ""), "0.dag")

    assert " expected splices to make at most 180,000 jobs and splices from 80 statements" in said


def test_an_endless_device(outcome):
    assert outcome({"wf.dag": "INCLUDE /dev/zero\n"}) == (
        "wf.dag:1: /dev/zero: expected an ordinary file"
    )


@pytest.mark.parametrize("command", ["INCLUDE", "SPLICE S"])
def test_a_file_inside_itself_by_other_names(outcome, folder, command):
    inside = "expected a file that is not inside itself, got"
    (folder / "link.dag").symlink_to("wf.dag")
    (folder / "sub").symlink_to(".")

    for file in ["link.dag", "sub/sub/wf.dag", folder / "wf.dag"]:
        assert outcome({"wf.dag": f"{command} {file}\n"}) == f"wf.dag:1: {inside} {file}"

    (folder / "hard.dag").hardlink_to(folder / "wf.dag")
    assert outcome({"wf.dag": f"{command} hard.dag\n"}) == f"hard.dag:1: {inside} hard.dag"
