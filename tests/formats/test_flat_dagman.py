"""Workflows of several files written as one, without splices and includes."""

import pytest

from icsched import FormatError
from icsched.formats.dagman import flat_file
from icsched.formats.dagman.flat import flattened

QUEUE = "{\nqueue\n}"
PAIR = "JOB p x\nJOB q x\nPARENT p CHILD q\n"


@pytest.fixture
def flat(read):
    """Read a text as wf.dag, with other files beside it; return the lines of one file."""

    def flatten(text: str, files: dict[str, str] | None = None) -> list[str]:
        return "\n".join(flattened(read(text, files))).split("\n")

    return flatten


def test_one_file_says_what_several_say_together(flat):
    assert flat(
        'JOB a a.sub DONE\nSPLICE S in.dag DIR d\nPARENT a CHILD S\nFINAL f "f f.sub"\n'
        "CATEGORY a big\nMAXJOBS big 2\nCONFIG dagman.config\nSCRIPT POST f tell\n",
        {
            "d/in.dag": "JOB p p.sub DIR e NOOP\nJOB q desc\nPARENT p CHILD q\n"
            "SUBMIT-DESCRIPTION desc {\n  executable = x\n}\nRETRY p 3 UNLESS-EXIT 2\n"
            "SCRIPT POST q check $JOB\nCATEGORY q big\nCATEGORY p +all\nPRIORITY q 4\n"
            "MAXJOBS big 1\nCONFIG other.config\n",
        },
    ) == [
        'FINAL f "f f.sub"',
        "MAXJOBS big 2",
        "CONFIG dagman.config",
        "SCRIPT POST f tell",
        "SUBMIT-DESCRIPTION S-desc {",
        "  executable = x",
        "}",
        "MAXJOBS S-big 1",
        "JOB a a.sub DONE",
        "JOB S-p p.sub DIR d/e NOOP",
        "JOB S-q S-desc DIR d",
        "PARENT a CHILD S-p",
        "PARENT S-p CHILD S-q",
        "RETRY S-p 3 UNLESS-EXIT 2",
        "SCRIPT POST S-q check $JOB",
        "CATEGORY S-q S-big",
        "CATEGORY S-p +all",
        "PRIORITY S-q 4",
        "CATEGORY a big",
    ]


def test_splices_inside_splices_are_called_by_all_their_names(flat):
    assert flat(
        "SPLICE A mid.dag\nSPLICE B mid.dag\nPARENT A CHILD B\n",
        {"mid.dag": "SPLICE C in.dag\n", "in.dag": "JOB p x\n"},
    ) == ["JOB A-C-p x", "JOB B-C-p x", "PARENT A-C-p CHILD B-C-p"]


def test_included_jobs_are_among_the_others(flat):
    assert flat(
        "JOB a x\nSPLICE S in.dag\nINCLUDE more.dag\nPARENT S+p CHILD b\nRETRY S+p 3\n",
        {"in.dag": "JOB p x\n", "more.dag": "JOB b {\nqueue\n} NOOP\nPARENT a CHILD S\n"},
    ) == [
        "JOB a x",
        "SUBMIT-DESCRIPTION b.description {",
        "queue",
        "}",
        "JOB b b.description NOOP",
        "JOB S-p x",
        "PARENT a CHILD S-p",
        "PARENT S-p CHILD b",
        "RETRY S-p 3",
    ]


BRACED = ["SUBMIT-DESCRIPTION S-p.description {", " x = 1", "}"]
DESCRIBED = 'JOB S-p S-p.description DIR "my d"'


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("JOB p {\n x = 1\n} NOOP", [*BRACED, f"{DESCRIBED} NOOP"]),
        (
            "JOB p @=END\n}\n @END",
            ["SUBMIT-DESCRIPTION S-p.description @=END", "}", "@END", DESCRIBED],
        ),
        ("JOB \\\n p \\\n {\n x = 1\n}", [*BRACED, DESCRIBED]),
        ("JOB p \\\n# why\n\n {\n x = 1\n}", [*BRACED, DESCRIBED]),
        ('JOB p "x y"', ['JOB S-p "x y" DIR "my d"']),
        ("SUBDAG EXTERNAL p in.dag DIR e", ['SUBDAG EXTERNAL S-p in.dag DIR "my d/e"']),
    ],
)
def test_jobs_keep_their_descriptions_and_find_their_files(flat, text, lines):
    assert flat('SPLICE S in.dag DIR "my d"\n', {"my d/in.dag": f"{text}\n"}) == lines


def test_pins_become_dependencies(flat):
    lines = flat(
        "SPLICE S out.dag\nSPLICE T in.dag\nCONNECT S T\n",
        {
            "out.dag": "JOB p x\nJOB q x\nPIN_OUT p 1\nPIN_OUT q 1\nPIN_OUT q 2\n",
            "in.dag": "JOB r x\nJOB s x\nPIN_IN r 1\nPIN_IN s 2\n",
        },
    )

    assert lines[4:] == ["PARENT S-p S-q CHILD T-r", "PARENT S-q CHILD T-s"]


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
        ("JOB S-p x", "JOB p x", "job S-p"),
        ("FINAL S-p x", "JOB p x", "job S-p"),
        ("SPLICE S-T end.dag", "SPLICE T end.dag", "job S-T-p"),
        (f"SUBMIT-DESCRIPTION S-d {QUEUE}", f"SUBMIT-DESCRIPTION d {QUEUE}", "description S-d"),
        ("MAXJOBS S-c 1", "MAXJOBS c 2", "category S-c"),
    ],
)
def test_names_that_would_fall_together_are_refused(read, outer, inner, clash):
    files = {"in.dag": f"{inner}\n", "end.dag": "JOB p x\n"}
    workflow = read(f"{outer}\nSPLICE S in.dag\n", files)

    with pytest.raises(FormatError) as caught:
        flat_file(workflow, {})

    assert str(caught.value) == f"wf.dag: {clash} would mean two of them in one file"


@pytest.mark.parametrize("kind", ["SERVICE", "PROVISIONER"])
def test_nodes_that_only_a_splice_can_say_are_refused_at_their_line(read, kind):
    """DAGMan does not run them there, and would in one file."""
    workflow = read("SPLICE S in.dag\n", {"in.dag": f"JOB p x\n{kind} s s.sub\n"})

    with pytest.raises(FormatError) as caught:
        flat_file(workflow, {})

    problem = f"expected no {kind} in a splice, for a file without splices"
    assert str(caught.value) == f"in.dag:2: {problem}"


def test_the_block_is_the_last_word(read):
    workflow = read("SPLICE S in.dag\n", {"in.dag": f"{PAIR}PRIORITY q 9\n"})
    told = {"S+p": 2, "S+q": 1}

    assert flat_file(workflow, told).decode().splitlines()[3:] == [
        "PRIORITY S-q 9",
        "# icsched: begin. Made by icsched; icsched prio --remove takes it out.",
        "PRIORITY S-p 2",
        "PRIORITY S-q 1",
        "# icsched: end.",
    ]
    kept = flat_file(workflow, told, keep_existing=True).decode().splitlines()
    assert kept[5:] == ["PRIORITY S-p 2", "# icsched: end."]


def test_bytes_that_are_no_utf_8_come_through(read):
    workflow = read(b'JOB a caf\xe9.sub\nVARS a k="caf\xe9"\n')

    text = flat_file(workflow, {})

    assert text.startswith(b'JOB a caf\xe9.sub\nVARS a k="caf\xe9"\n')
