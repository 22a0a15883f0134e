"""Limits, settings and descriptions of one file that is made of several."""

from dataclasses import replace

import pytest

from icsched.formats.dagman.flat import flattened
from tests.formats.flat.texts import QUEUE


def limits_of(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("MAXJOBS")]


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        ("SPLICE S in.dag\nMAXJOBS S+c 1", "MAXJOBS c 5", ["MAXJOBS S+c 1"]),
        ("SPLICE S in.dag\nMAXJOBS S+c 1", "", ["MAXJOBS S+c 1"]),
        ("SPLICE S in.dag\nMAXJOBS +g 1", "MAXJOBS +g 5", ["MAXJOBS +g 1"]),
        ("SPLICE S in.dag\nMAXJOBS +g 0", "MAXJOBS +g 5", ["MAXJOBS +g 0"]),
        (
            "SPLICE S in.dag\nMAXJOBS +g 1\nINCLUDE /dev/null\nMAXJOBS +g 2",
            "MAXJOBS +g 5",
            ["MAXJOBS +g 2"],
        ),
        ("SPLICE S in.dag\nMAXJOBS S-c 1", "MAXJOBS c 2", ["MAXJOBS S+c 2", "MAXJOBS S-c 1"]),
    ],
)
def test_of_several_limits_the_outer_one_counts(flat, outer, inner, expected):
    assert (
        limits_of(flat(f"{outer}\n", {"in.dag": f"JOB p x\nCATEGORY p c\n{inner}\n"})) == expected
    )


@pytest.mark.parametrize(
    ("outer", "limit"),
    [
        ("SPLICE B one.dag\nSPLICE A two.dag", 2),  # A is lifted before B
        ("SPLICE A one.dag\nSPLICE B two.dag", 1),
        ("SPLICE A none.dag\nSPLICE B two.dag", 2),
        ("SPLICE B one.dag\nINCLUDE more.dag", 2),  # A of the included file is lifted with B
        ("SPLICE B one.dag\nINCLUDE /dev/null\nINCLUDE more.dag", 1),  # and here after it
    ],
)
def test_of_limits_in_several_splices_that_counts_which_is_lifted_first(flat, outer, limit):
    lines = flat(
        f"{outer}\n",
        {
            "one.dag": "JOB p x\nMAXJOBS +g 1\n",
            "two.dag": "JOB p x\nMAXJOBS +g 2\n",
            "none.dag": "JOB p x\nCATEGORY p +g\n",
            "more.dag": "SPLICE A two.dag\n",
        },
    )

    assert limits_of(lines) == [f"MAXJOBS +g {limit}"]


def test_limits_reach_splices_inside_splices(flat):
    lines = flat(
        "SPLICE A mid.dag\nMAXJOBS A+B+c 1\n",
        {
            "mid.dag": "SPLICE B in.dag\nMAXJOBS B+c 2\nMAXJOBS B+d 3\n",
            "in.dag": "JOB p x\nCATEGORY p c\nMAXJOBS c 4\nMAXJOBS d 5\nMAXJOBS e 6\n",
        },
    )

    assert limits_of(lines) == ["MAXJOBS A+B+c 1", "MAXJOBS A+B+d 3", "MAXJOBS A+B+e 6"]
    assert "CATEGORY A-B-p A+B+c" in lines


def test_only_jobs_before_the_end_of_the_first_file_are_in_the_splices_directory(flat, read):
    """DAGMan puts jobs into the DIR of a splice when it has come to the end of some file."""
    files = {
        "d/in.dag": "JOB p x\nSPLICE T more.dag DIR e\nINCLUDE one.dag\nINCLUDE two.dag\n",
        "d/e/more.dag": "JOB q x\n",
        "d/one.dag": "JOB b x\n",
        "d/two.dag": "JOB c x DIR f\nSPLICE U last.dag DIR g\n",
        "d/g/last.dag": "JOB r x\n",
    }

    assert flat("SPLICE S in.dag DIR d\n", files) == [
        "JOB S-p x DIR d",
        "JOB S-b x DIR d",
        "JOB S-T-q x DIR d/e",
        "JOB S-c x DIR f",
        "JOB S-U-r x DIR g",
    ]
    found = {job.name: job.directory for job in read("SPLICE S in.dag DIR d\n").jobs()}
    assert found == {"S+p": "d/", "S+b": "d/", "S+T+q": "d/e/", "S+c": "f", "S+U+r": "g/"}


def test_settings_of_the_submission_count_only_in_the_file_that_is_submitted(flat):
    """condor_submit_dag does not read included files."""
    lines = flat(
        "CONFIG a\nINCLUDE in.dag\n",
        {"in.dag": "CONFIG b\nENV SET X=1\nSET_JOB_ATTR A = 1\nDOT graph\n"},
    )

    assert lines == ["CONFIG a", "DOT graph"]


def test_a_save_point_file_keeps_the_name_that_dagman_gives_it(flat):
    text = "JOB p x\nJOB q x\nSAVE_POINT_FILE p\nSAVE_POINT_FILE q mine\n"

    assert flat("SPLICE S in.dag\n", {"in.dag": text})[2:] == [
        "SAVE_POINT_FILE S-p p-in.dag.save",
        "SAVE_POINT_FILE S-q mine",
    ]


@pytest.mark.parametrize("point", ["SAVE_POINT_FILE p", "Save-Point-File \\\n p"])
def test_a_file_spliced_under_two_names_has_two_default_save_points(flat, folder, point):
    (folder / "one.dag").write_text(f"JOB p x\n{point}\n")
    (folder / "two.dag").symlink_to("one.dag")

    lines = flat("SPLICE S one.dag\nSPLICE T two.dag\n")[2:]

    assert [line.split()[-2:] for line in lines] == [
        ["T-p", "p-two.dag.save"],
        ["S-p", "p-one.dag.save"],
    ]


class Counted(list):
    """A list that counts how often it is gone through."""

    times = 0

    def __iter__(self):
        self.times += 1
        return super().__iter__()


def test_included_files_are_gone_through_a_few_times_not_for_each_job(read):
    files = {f"in{n}.dag": f"JOB a{n} x\n" for n in range(30)}
    workflow = read("".join(f"INCLUDE {name}\n" for name in files), files)
    jobs = Counted(workflow.scope.jobs)
    counted = replace(workflow, scope=replace(workflow.scope, jobs=jobs))

    assert len(flattened(counted)) == 30
    assert jobs.times < 10


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("{", "u7b.description"),
        ("@=E", "u40u3dE.description"),
        ('"a"', "u22au22.description"),
        ("it's", "itu27s.description"),
    ],
)
def test_a_description_has_a_name_that_opens_nothing(flat, name, description):
    assert flat(f"JOB {name} {{\n x = 1\n}}\nRETRY {name} 3\n") == [
        f"SUBMIT-DESCRIPTION {description} {{",
        " x = 1",
        "}",
        f"JOB {name} {description}",
        f"RETRY {name} 3",
    ]


@pytest.mark.parametrize(
    ("inner", "line"),
    [
        ("JOB p d", "JOB S-p ./d"),  # the outer description is not known in a splice
        ("JOB p /d", "JOB S-p /./d"),
        ('JOB p "{x"', "JOB S-p ./{x"),
        ('JOB p "@=x"', "JOB S-p ./@=x"),
        ('JOB p "it\'s.sub"', 'JOB S-p "it\'s.sub"'),
        ("JOB { x", "JOB S-{ x"),
        ('JOB "p" x', 'JOB S-"p" x'),
    ],
)
def test_a_file_stays_a_file(flat, inner, line):
    described = f"SUBMIT-DESCRIPTION d {QUEUE}\nSUBMIT-DESCRIPTION /d {QUEUE}\n"

    assert flat(f"{described}SPLICE S in.dag\n", {"in.dag": f"{inner}\n"})[-1] == line
