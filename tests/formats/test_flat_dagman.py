"""Workflows of several files written as one, without splices and includes."""

from dataclasses import replace

import pytest

from icsched import FormatError
from icsched.formats.dagman import flat_file, job_priorities
from icsched.formats.dagman.flat import flattened
from icsched.formats.dagman.modifiers import statements_about_jobs
from icsched.formats.dagman.place import places
from tests.unstamped import unstamped

QUEUE = "{\nqueue\n}"
JOIN = "PARENT p q CHILD r s\n"
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
        "CONFIG dagman.config",
        "SCRIPT POST f tell",
        "MAXJOBS S+big 1",
        "MAXJOBS big 2",
        "SUBMIT-DESCRIPTION S-desc {",
        "  executable = x",
        "}",
        "JOB a a.sub DONE",
        "JOB S-p p.sub DIR d/e NOOP",
        "JOB S-q S-desc DIR d",
        "PARENT a CHILD S-p",
        "PARENT S-p CHILD S-q",
        "RETRY S-p 3 UNLESS-EXIT 2",
        "SCRIPT POST S-q check $JOB",
        "CATEGORY S-q S+big",
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

    assert lines[4:] == [
        "PARENT S-p CHILD T-r",
        "PARENT S-q CHILD T-r",
        "PARENT S-q CHILD T-s",
    ]


def test_a_dependency_by_two_pins_is_written_once(flat):
    """DAGMan takes it twice by pins, and aborts at some that two PARENT lines have."""
    lines = flat(
        "SPLICE S out.dag\nSPLICE T in.dag\nCONNECT S T\n",
        {
            "out.dag": "JOB p x\nPIN_OUT p 1\nPIN_OUT p 2\n",
            "in.dag": "JOB r x\nJOB s x\nPIN_IN r 1\nPIN_IN r 2\nPIN_IN s 2\n",
        },
    )

    assert lines[3:] == ["PARENT S-p CHILD T-r", "PARENT S-p CHILD T-s"]


@pytest.mark.parametrize("line", ["PARENT S CHILD T", "PARENT S \\\nCHILD T"])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_dependency_by_a_pin_and_a_parent_line_is_written_once(flat, line, is_first):
    lines = [line, "CONNECT S T"] if is_first else ["CONNECT S T", line]
    text = flat(
        "SPLICE S out.dag\nSPLICE T in.dag\n" + "".join(f"{line}\n" for line in lines),
        {"out.dag": "JOB p x\nPIN_OUT p 1\n", "in.dag": "JOB r x\nPIN_IN r 1\n"},
    )

    assert text[2:] == ["PARENT S-p CHILD T-r"]


def test_a_dependency_by_a_pin_and_a_parent_line_around_the_splice_is_written_once(flat):
    lines = flat(
        "JOB a x\nSPLICE M mid.dag\nINCLUDE /dev/null\nPARENT M+S+p CHILD M+T+r\n",
        {
            "mid.dag": "SPLICE S out.dag\nSPLICE T in.dag\nCONNECT S T\n",
            "out.dag": "JOB p x\nPIN_OUT p 1\n",
            "in.dag": "JOB r x\nPIN_IN r 1\n",
        },
    )

    assert lines[3:] == ["PARENT M-S-p CHILD M-T-r"]


def test_pins_make_no_join_nodes_so_numbers_stay_positive(read):
    """DAGMan makes a node of its own of `PARENT p q CHILD r s`, and none of CONNECT."""
    workflow = read(
        "SPLICE S out.dag\nSPLICE T in.dag\nCONNECT S T\n",
        {
            "out.dag": "JOB p x\nJOB q x\nPIN_OUT p 1\nPIN_OUT q 1\n",
            "in.dag": "JOB r x\nJOB s x\nPIN_IN r 1\nPIN_IN s 1\n",
        },
    )

    lines = flat_file(workflow, job_priorities(workflow, [0, 1, 2, 3])).decode().splitlines()

    assert lines[4:6] == ["PARENT S-p CHILD T-r T-s", "PARENT S-q CHILD T-r T-s"]
    assert lines[7:11] == [
        "PRIORITY S-p 4",
        "PRIORITY S-q 3",
        "PRIORITY T-r 2",
        "PRIORITY T-s 1",
    ]


def test_a_line_of_several_parents_and_children_keeps_its_join_node(flat):
    lines = flat("SPLICE S in.dag\n", {"in.dag": "JOB p x\nJOB q x\nJOB r x\nJOB s x\n" + JOIN})

    assert lines[4:] == ["PARENT S-p S-q CHILD S-r S-s"]


def test_weak_parents_stay_weak(flat):
    lines = flat("SPLICE S in.dag\n", {"in.dag": "JOB p x\nJOB q x\nWeak Parent p CHILD q\n"})

    assert lines[2:] == ["WEAK PARENT S-p CHILD S-q"]


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


def test_jobs_stand_in_dagmans_order(flat):
    """At the end of a file DAGMan adds the jobs of splices, by the splices' names."""
    lines = flat(
        "SPLICE T in.dag\nSPLICE S in.dag\nJOB a x\nINCLUDE one.dag\nINCLUDE two.dag\n",
        {"in.dag": "JOB p x\n", "one.dag": "JOB b x\n", "two.dag": "JOB c x\n"},
    )

    assert lines == ["JOB a x", "JOB b x", "JOB S-p x", "JOB T-p x", "JOB c x"]


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
    found = {placed.name: placed.directory for placed in read("SPLICE S in.dag DIR d\n").nodes()}
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

    about = list(statements_about_jobs(places(workflow)))

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
