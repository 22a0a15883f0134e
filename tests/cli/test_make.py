"""`icsched make`."""

import subprocess

import pytest

import icsched as package
from icsched.families import FAMILIES

W_3_2 = """\
# icsched make w 3 2: 7 jobs, 6 dependencies
JOB 0 task.sub
JOB 1 task.sub
JOB 2 task.sub
JOB 3 task.sub
JOB 4 task.sub
JOB 5 task.sub
JOB 6 task.sub
PARENT 0 CHILD 3 4
PARENT 1 CHILD 4 5
PARENT 2 CHILD 5 6
"""


def test_a_dag_goes_to_standard_output(icsched):
    r"""
    0   1   2
    |\ / \ /|      W(3, 2): three sources of two children, neighbours share one.
    3 4   5 6
    """
    result = icsched("make", "w", "3", "2")

    assert (result.code, result.out, result.err) == (0, W_3_2, "")


@pytest.mark.parametrize("option", ["-o", "--output"])
def test_a_dag_goes_to_a_file_and_nothing_is_said(icsched, tmp_path, option):
    path = tmp_path / "w.dag"

    result = icsched("make", "w", "3", "2", option, str(path))

    assert (result.code, result.out, result.err) == (0, "", "")
    assert path.read_text() == W_3_2
    assert package.read(path).dag.arc_count == 6


@pytest.mark.parametrize(
    ("words", "jobs", "dependencies"),
    [
        ("w 3 2", 7, 6),
        ("clique 4", 4 + 6, 12),
        ("mesh 3", 6, 6),  # rows of 3, 2 and 1
        ("out-tree 3", 15, 14),
        ("fft 2", 3 * 4, 2 * 8),
        ("pbt 4,1/2,3", 8, 7),
        ("matmul", 8 + 8 + 4, 16 + 8),
        ("airsn 250", 3 * 250 + 23, 1270),
        ("random-bipartite 5 6 20", 11, 20),
        ("random-layered 50 5 --seed 3", 50, None),
    ],
)
def test_the_file_has_as_many_jobs_and_dependencies_as_it_says(icsched, words, jobs, dependencies):
    lines = icsched("make", *words.split()).out.splitlines()

    written = sum(line.startswith("JOB ") for line in lines)
    arcs = sum(len(line.partition(" CHILD ")[2].split()) for line in lines if "CHILD" in line)
    assert written == jobs
    assert dependencies in (arcs, None)
    assert lines[0] == f"# icsched make {words}: {written:,} jobs, {arcs:,} dependencies"


def test_the_list_has_every_family_with_its_arguments_and_summary(icsched):
    result = icsched("make")

    assert (result.code, result.err) == (0, "")
    rows = [tuple(part.strip() for part in line.split("  ", 1)) for line in result.out.splitlines()]
    assert rows == [(family.usage, family.summary) for family in FAMILIES.values()]
    assert all(summary for _, summary in rows)


def test_the_suffix_of_the_file_chooses_the_format(icsched, tmp_path):
    path = tmp_path / "w.dot"

    result = icsched("make", "w", "1", "2", "-o", str(path))

    assert (result.code, result.out, result.err) == (0, "", "")
    assert path.read_text() == (
        'digraph "icsched make w 1 2: 3 jobs, 2 dependencies" {\n'
        '  "0";\n  "1";\n  "2";\n  "0" -> "1";\n  "0" -> "2";\n}\n'
    )


def test_the_seed_decides_a_random_family(icsched):
    words = ("make", "random-layered", "50", "5")
    default, zero, three, again = (
        icsched(*words, *seed).out.splitlines()[1:]  # without the title, which names the seed
        for seed in [(), ("--seed", "0"), ("--seed", "3"), ("--seed", "3")]
    )

    assert default == zero
    assert three == again
    assert three != zero


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["-o", "x.dag"], "expected the name of a family; `icsched make` lists them all"),
        (["--seed", "0"], "expected the name of a family; `icsched make` lists them all"),
        (["--force"], "expected the name of a family; `icsched make` lists them all"),
        (["mehs", "3"], "unknown family 'mehs': did you mean mesh? "),
        (["qqq"], "unknown family 'qqq': `icsched make` lists them all"),
        (["w"], "w: expected 2 arguments, got 0; usage: w S D"),
        (["w", "3"], "w: expected 2 arguments, got 1; usage: w S D"),
        (["w", "3", "2", "1"], "w: expected 2 arguments, got 3; usage: w S D"),
        (["w", "3", "x"], "w: argument d: expected an integer, got 'x'"),
        (["w", "3", "2.0"], "w: argument d: expected an integer, got '2.0'"),
        (["w", "3", ""], "w: argument d: expected an integer, got ''"),
        (["w", "0", "2"], "w: argument s: expected a whole number, 1 or more, got 0"),
        (["w", "-3", "2"], "w: argument s: expected a whole number, 1 or more, got -3"),
        (["mesh", "9" * 30], "mesh: "),
        (["fft", "9" * 30], "fft: "),
        (["pbt", "nonsense"], "pbt: "),
        (["cordasco2007-fig6", "up"], "cordasco2007-fig6: argument which: expected left or right"),
        (
            ["w", "3", "2", "--seed", "1"],
            "w: a seed cannot be used, the family is not random; got 1",
        ),
        (["random-layered", "9", "3", "--seed", "-1"], "random-layered: argument seed: "),
        (
            ["w", "3", "2", "--seed", "x"],
            "Invalid value for --seed: expected a whole number, got 'x'",
        ),
        (["w", "3", "2", "--bogus"], "Unknown option: --bogus"),
        (["w", "3", "2", "-o"], "Command "),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(icsched, words, complaint):
    result = icsched("make", *words)

    assert result.code == 2
    assert result.complaint.startswith(complaint)


def test_bad_usage_does_not_touch_the_output(icsched, tmp_path):
    path = tmp_path / "w.dag"
    path.write_text("precious")

    assert icsched("make", "w", "0", "2", "-o", str(path)).code == 2
    assert path.read_text() == "precious"


def test_a_file_that_cannot_be_written_is_one_line_and_exit_1(icsched, tmp_path):
    (tmp_path / "file").touch()
    for path, problem in [
        (tmp_path / "file" / "w.dag", "not a directory"),
        (tmp_path / "missing" / "w.dag", "its directory does not exist"),
        (tmp_path, "is a directory"),
    ]:
        result = icsched("make", "w", "3", "2", "-o", str(path))
        assert result.code == 1
        assert result.complaint == f"{path}: {problem}"


@pytest.mark.parametrize("words", [["w", "3\n", "2"], ["w", "3", "2\nJOB x x"], ["pbt", "4\n,1"]])
def test_an_argument_of_several_lines_does_not_spoil_the_file(icsched, tmp_path, words):
    path = tmp_path / "wf.dag"

    result = icsched("make", *words, "-o", str(path))

    if result.code == 0:
        package.read(path)
    else:
        assert result.code == 2
        assert result.complaint


# What only a process can show


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_name_for_standard_output_goes_where_that_goes(icsched_process, tmp_path, name):
    assert icsched_process("make", "w", "3", "2", "-o", name).out == W_3_2

    with (tmp_path / "file").open("w") as file:
        icsched_process("make", "w", "3", "2", "-o", name, stdout=file)
    assert (tmp_path / "file").read_text() == W_3_2


def test_a_reader_that_leaves_early_ends_it_quietly(script):
    """As in `icsched make montage | head -1`: the rest is more than a pipe holds."""
    with subprocess.Popen(
        [script, "make", "montage"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        first = process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()

    assert first.startswith("# icsched make montage: 7,881 jobs, ")
    assert errors == ""
    assert process.returncode == 0


def test_a_random_dag_is_the_same_on_every_hash_seed(icsched_process):
    words = ("make", "random-layered", "50", "5", "--seed", "3")
    first, second = (icsched_process(*words, PYTHONHASHSEED=seed) for seed in "01")

    assert first == second
    assert first.code == 0
    assert first.out.count("JOB ") == 50


def test_a_file_that_exists_is_replaced_only_by_force(icsched, put, folder):
    put({"w.dag": "JOB mine x\n"})

    refused = icsched("make", "w", "3", "2", "-o", "w.dag")

    assert (refused.code, refused.complaint) == (1, "w.dag: file exists: --force replaces it")
    assert (folder / "w.dag").read_text() == "JOB mine x\n"
    assert icsched("make", "w", "3", "2", "-o", "w.dag", "--force").code == 0
    assert (folder / "w.dag").read_text() == W_3_2


def test_force_without_a_file_is_refused(icsched):
    assert icsched("make", "w", "3", "2", "--force").complaint == "--force needs -o"
