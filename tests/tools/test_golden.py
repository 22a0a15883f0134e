"""The tables of tools/golden: what they cover, and how they are read."""

from icsched.commands.app import app
from tools.golden.cases import selected, subjects


def test_every_command_has_a_case():
    played = {line.split()[2] for one in subjects() for line in one.lines if line.count(" ") > 1}

    assert [name for name in app if not name.startswith("-") and name not in played] == []


def test_no_two_workflows_have_one_name():
    names = [one.name for one in subjects()]

    assert len(names) == len(set(names))


def test_a_case_names_the_files_of_its_workflow():
    (one,) = selected(subjects(), "crlf $ icsched show wf.dag")

    assert one.lines == ["$ icsched show wf.dag"]
    assert one.files == {"wf.dag": b"JOB a a.sub\r\nJOB b b.sub\r\nPARENT a CHILD b\r\n"}


def test_a_glob_chooses_cases_of_one_workflow():
    (one,) = selected(subjects(), "cycle *prio*")

    assert one.name == "cycle"
    assert one.lines == ["$ icsched prio wf.dag --order prio --json"]
