"""What is said of jobs in several files, said in one, or refused."""

import pytest

from icsched import FormatError
from icsched.formats.dagman.flat import flattened
from icsched.formats.dagman.writer import flat_file
from tests.formats.flat.texts import QUEUE
from tests.unstamped import unstamped

PAIR = "JOB p x\nJOB q x\nPARENT p CHILD q\n"


@pytest.mark.parametrize(
    ("outer", "inner", "problem"),
    [
        (
            "SPLICE S in.dag",
            'JOB "a b" x',
            'job S-"a b" has a blank in its name, so it cannot be written into one file: rename it',
        ),
        (
            'SPLICE S in.dag DIR "my d"',
            'JOB p x DIR e"f',
            'path my d/e"f has a blank or quote, and a double quote or backslash, so it cannot be'
            " written into one file",
        ),
        (
            'SPLICE S in.dag DIR "my d"',
            "JOB p x DIR e\\f",
            "path my d/e\\f has a blank or quote, and a double quote or backslash, so it cannot be"
            " written into one file",
        ),
    ],
)
def test_what_one_file_cannot_say_is_refused_at_its_line(read, outer, inner, problem):
    workflow = read(f"{outer}\n", {"in.dag": f"\n{inner}\n", "my d/in.dag": f"\n{inner}\n"})

    with pytest.raises(FormatError) as caught:
        flat_file(workflow, {})

    assert str(caught.value).removeprefix("my d/") == f"in.dag:2: {problem}"


def test_a_word_for_all_is_read_once_however_many_jobs_it_reaches(read):
    workflow = read("".join(f"JOB j{n} x\n" for n in range(500)) + "RETRY ALL_NODES 3\n")

    about = list(workflow.statements_about_jobs())

    assert [one.slot for one in about] == list(range(500))
    assert len({id(one.modifier) for one in about}) == 1
    assert flattened(workflow)[500:502] == ["RETRY j0 3", "RETRY j1 3"]


def test_too_many_lines_for_all_are_refused_at_the_statement(read, monkeypatch):
    workflow = read("JOB a x\nJOB b x\nRETRY ALL_NODES 3\nRETRY ALL_NODES 4\n")
    monkeypatch.setattr("icsched.formats.dagman.flat._MOST_LINES", 3)

    with pytest.raises(FormatError) as caught:
        flattened(workflow)

    assert str(caught.value) == (
        "wf.dag:4: ALL_NODES lines would make more than 3 lines: name the jobs instead"
    )


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("RETRY p 3\nRETRY ALL_NODES 5", "RETRY S-p 5"),
        ("RETRY ALL_NODES 5\nRETRY p 3", "RETRY S-p 3"),
        ('VARS p k="1"\nVARS p k=2', "VARS S-p k=2"),
        ('VARS p k=2\nVARS p k="1"', 'VARS S-p k="1"'),
        ("PRIORITY p 3\nPRIORITY ALL_NODES 5", "PRIORITY S-p 5"),
        ("PRIORITY ALL_NODES 5\nPRIORITY p 3", "PRIORITY S-p 3"),
    ],
)
def test_what_is_said_of_a_job_keeps_its_order_for_the_last_word_counts(flat, text, last):
    assert flat("SPLICE S in.dag\n", {"in.dag": f"JOB p x\n{text}\n"})[-1] == last


def test_what_is_said_around_a_splice_beats_what_is_said_in_it(flat):
    lines = flat(
        "SPLICE S mid.dag\nINCLUDE /dev/null\nRETRY S+T+p 5\n",
        {
            "mid.dag": "SPLICE T in.dag\nINCLUDE /dev/null\nRETRY T+p 3\n",
            "in.dag": "JOB p x\nRETRY p 1\n",
        },
    )

    assert lines == ["JOB S-T-p x", "RETRY S-T-p 1", "RETRY S-T-p 3", "RETRY S-T-p 5"]


@pytest.mark.parametrize(
    ("script", "flat_script"),
    [
        ("SCRIPT DEBUG post ALL PRE p x.sh", "SCRIPT DEBUG post ALL PRE S-p x.sh"),
        ("SCRIPT DEFER 4 60 POST p x.sh p", "SCRIPT DEFER 4 60 POST S-p x.sh p"),
        ("script debug p ALL defer 1 2 pre p p", "script debug p ALL defer 1 2 pre S-p p"),
    ],
)
def test_a_script_keeps_its_words_and_only_the_jobs_name_changes(flat, script, flat_script):
    assert flat("SPLICE S in.dag\n", {"in.dag": f"JOB p x\n{script}\n"})[-1] == flat_script


def test_what_is_done_in_a_splice_stays_forgotten(flat):
    assert flat("SPLICE S in.dag\n", {"in.dag": "JOB p x DONE\nJOB q x\nDONE q\n"}) == [
        "JOB S-p x",
        "JOB S-q x",
    ]


def test_what_the_rescue_file_says_is_done_is_done(flat):
    lines = flat("SPLICE S in.dag\n", {"in.dag": PAIR, "wf.dag.rescue001": "DONE S+p\n"})

    assert lines == ["JOB S-p x DONE", "JOB S-q x", "PARENT S-p CHILD S-q"]


def test_what_a_statement_says_is_done_is_marked_where_the_job_is_defined(flat):
    """Also behind an inline description, where old versions would not see it."""
    assert flat("JOB a {\nqueue\n}\nSUBDAG EXTERNAL b in.dag\nDONE a\nDONE b\n") == [
        "SUBMIT-DESCRIPTION a.description {",
        "queue",
        "}",
        "JOB a a.description DONE",
        "SUBDAG EXTERNAL b in.dag DONE",
    ]


@pytest.mark.parametrize(
    ("outer", "inner", "clash"),
    [
        ("JOB S-p x", "JOB p x", "jobs would be called S-p"),
        ("FINAL S-p x", "JOB p x", "jobs would be called S-p"),
        ("SPLICE S-T end.dag", "SPLICE T end.dag", "jobs would be called S-T-p"),
        (
            f"SUBMIT-DESCRIPTION S-d {QUEUE}",
            f"SUBMIT-DESCRIPTION d {QUEUE}",
            "descriptions would be called S-d",
        ),
        (
            f"JOB S-p.x d\nSUBMIT-DESCRIPTION S-p.description {QUEUE}",
            f"JOB p {QUEUE}",
            "descriptions would be called S-p.description",
        ),
    ],
)
def test_names_that_would_fall_together_are_refused(read, outer, inner, clash):
    files = {"in.dag": f"{inner}\n", "end.dag": "JOB p x\n"}
    workflow = read(f"{outer}\nSPLICE S in.dag\n", files)

    with pytest.raises(FormatError) as caught:
        flat_file(workflow, {})

    assert str(caught.value) == f"wf.dag: two {clash} in one file: rename one of them"


@pytest.mark.parametrize("kind", ["SERVICE", "PROVISIONER"])
def test_nodes_that_only_a_splice_can_say_are_refused_at_their_line(read, kind):
    """DAGMan does not run them there, and would in one file."""
    workflow = read("SPLICE S in.dag\n", {"in.dag": f"JOB p x\n{kind} s s.sub\n"})

    with pytest.raises(FormatError) as caught:
        flat_file(workflow, {})

    problem = f"{kind} in a splice cannot be written into one file"
    what = "take it out, because DAGMan does not run it in a splice"
    assert str(caught.value) == f"in.dag:2: {problem}: {what}"


def test_priorities_of_the_files_own_are_left_out_unless_they_are_kept(read):
    workflow = read("SPLICE S in.dag\n", {"in.dag": f"{PAIR}PRIORITY q 9\n"})
    told = {"S+p": 2, "S+q": 1}

    assert unstamped(flat_file(workflow, told).decode()).splitlines()[3:] == [
        "# icsched: begin. Made by icsched; icsched prio --remove takes it out.",
        "PRIORITY S-p 2",
        "PRIORITY S-q 1",
        "# icsched: end.",
    ]
    kept = flat_file(workflow, told, keep_existing=True).decode().splitlines()
    assert kept[3] == "PRIORITY S-q 9"
    assert kept[5:] == ["PRIORITY S-p 2", "# icsched: end."]


def test_bytes_that_are_no_utf_8_come_through(read):
    workflow = read(b'JOB a caf\xe9.sub\nVARS a k="caf\xe9"\n')

    text = flat_file(workflow, {})

    assert text.startswith(b'JOB a caf\xe9.sub\nVARS a k="caf\xe9"\n')
