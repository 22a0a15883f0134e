"""Jobs and dependencies of one file that is made of several."""

import pytest

from icsched.formats.dagman.writer import flat_file, job_priorities

JOIN = "PARENT p q CHILD r s\n"


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


def test_a_job_keeps_the_root_directory(flat):
    assert flat("JOB a x DIR /\nJOB b x DIR d/\n") == ["JOB a x DIR /", "JOB b x DIR d"]


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


def test_jobs_stand_in_dagmans_order(flat):
    """At the end of a file DAGMan adds the jobs of splices, by the splices' names."""
    lines = flat(
        "SPLICE T in.dag\nSPLICE S in.dag\nJOB a x\nINCLUDE one.dag\nINCLUDE two.dag\n",
        {"in.dag": "JOB p x\n", "one.dag": "JOB b x\n", "two.dag": "JOB c x\n"},
    )

    assert lines == ["JOB a x", "JOB b x", "JOB S-p x", "JOB T-p x", "JOB c x"]
