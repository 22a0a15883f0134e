"""What `show` and `prio` say of an old section, a rescue file, priorities and strictness."""

import json
import os
from pathlib import Path

import pytest

JOBS = "JOB a x\nJOB b x\nJOB c x\n"
SECTION = "# icsched: begin.\nPRIORITY a 3\nPRIORITY b 2\nPRIORITY c 1\n# icsched: end.\n"
DO = "run prio --in-place again, or prio --remove"


@pytest.fixture(autouse=True)
def lenient(monkeypatch):
    monkeypatch.delenv("_CONDOR_DAGMAN_USE_STRICT", raising=False)


@pytest.fixture
def shown(icsched, put):
    """Put files down; return what `show` says in JSON."""

    def show(files, *options):
        put(files if isinstance(files, dict) else {"wf.dag": files})
        return json.loads(icsched("show", "wf.dag", "--json", *options).out)

    return show


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "JOB a x\nJOB b x\n",
            "it names job c that the workflow no longer has, so DAGMan refuses the file",
        ),
        (
            "JOB a x\n",
            "it names 2 jobs (b, ...) that the workflow no longer has, so DAGMan refuses the file",
        ),
        (f"{JOBS}JOB d x\n", "it gives job d no priority"),
        (f"{JOBS}JOB d x\nJOB e x\n", "it gives 2 jobs (d, ...) no priority"),
        (f"{JOBS}PARENT c CHILD b\n", "it puts job b before a parent"),
        (
            f"{JOBS}PARENT a b CHILD c d\nJOB d x\nPRIORITY d 0\n",
            "its numbers make DAGMan's own join nodes wait",
        ),
    ],
)
def test_a_section_that_no_longer_fits_is_told_in_one_line(icsched, shown, text, problem):
    line = text.count("\n") + 1
    told = f"wf.dag:{line}: icsched's section is out of date: {problem}; "

    section = {"file": "wf.dag", "line": line, "jobs": 3, "problems": [problem]}
    assert shown(text + SECTION)["sections"] == [section]
    assert f"\n{told}{DO}.\n" in icsched("show", "wf.dag").out
    assert f"\n{told}{DO}.\n" in icsched("prio", "--order", "prio", "wf.dag").out
    assert (
        f"\n{told}icsched writes it again.\n"
        in icsched("prio", "--order", "prio", "wf.dag", "--in-place").out
    )
    assert "out of date" not in icsched("show", "wf.dag").out


@pytest.mark.parametrize(
    "text",
    [
        JOBS,
        f"{JOBS}PARENT a CHILD b c\n",
        f"{JOBS}JOB d x\nPRIORITY d 9\n",  # as --keep-existing leaves it
        "JOB a x\nJOB b x\nJOB c x DONE\nPARENT c CHILD a\n",  # the order was of what remains
    ],
)
def test_a_section_that_fits_is_nothing_to_tell_of(icsched, shown, text):
    assert shown(text + SECTION)["sections"][0]["problems"] == []
    assert (
        "out of date"
        not in icsched("show", "wf.dag").out + icsched("prio", "--order", "prio", "wf.dag").out
    )


@pytest.mark.parametrize("options", [[], ["--keep-existing"], ["--via", "vars"]])
@pytest.mark.parametrize(
    "text",
    [
        "JOB a x\nJOB b x\nPARENT b CHILD a\nPRIORITY a 7\n",
        "JOB a x\nSPLICE S in.dag\nPARENT a CHILD S\n",
        "JOB a x\nJOB b x\nJOB c x\nJOB d x\nPARENT a b CHILD c d\nPRIORITY ALL_NODES -4\n",
    ],
)
def test_what_was_written_a_moment_ago_is_not_out_of_date(icsched, shown, put, text, options):
    files = {"wf.dag": text, "in.dag": "JOB p x\nJOB q x\n", "x": "queue\n"}
    put(files)
    assert icsched("prio", "--order", "prio", "wf.dag", "--in-place", *options).code == 0

    assert [section["problems"] for section in shown({})["sections"]] == [[]]


CHANGED = "dependencies changed since icsched wrote it"


@pytest.mark.parametrize("options", [[], ["--keep-existing"], ["--via", "vars"]])
def test_changed_dependencies_are_told_though_every_child_is_behind_its_parents(
    icsched, shown, put, options
):
    """b has the children of a now, but all have their old numbers: 5 for a, 4 for b."""
    jobs = "".join(f"JOB {name} x\n" for name in "abcde")
    put({"wf.dag": f"{jobs}PARENT a CHILD c d e\n", "x": "queue\n"})
    icsched("prio", "--order", "prio", "wf.dag", "--in-place", *options)
    written = Path("wf.dag").read_text()

    (section,) = shown(written.replace("PARENT a", "PARENT b"))["sections"]

    assert section["problems"] == [CHANGED]
    told = f"wf.dag:7: icsched's section is out of date: {CHANGED}; {DO}.\n"
    assert told in icsched("show", "wf.dag").out
    assert told in icsched("prio", "--order", "prio", "wf.dag").out
    assert icsched("prio", "--order", "prio", "wf.dag", "--in-place", *options).code == 0
    assert shown({})["sections"][0]["problems"] == []


def test_the_order_of_lines_and_jobs_that_are_done_change_no_dependencies(icsched, shown, put):
    put({"wf.dag": f"{JOBS}PARENT a CHILD b c\n"})
    icsched("prio", "--order", "prio", "wf.dag", "--in-place")
    section = Path("wf.dag").read_text().partition("# icsched")[2]
    text = f"JOB c x\nJOB b x\nJOB a x DONE\nPARENT a CHILD c\nPARENT a CHILD b\n# icsched{section}"

    assert shown(text)["sections"][0]["problems"] == []
    assert shown({"wf.dag.rescue001": "DONE b\n"})["sections"][0]["problems"] == []


def test_dependencies_that_change_in_a_splice_are_told(icsched, shown, put):
    put({"wf.dag": "SPLICE S in.dag\n", "in.dag": f"{JOBS}PARENT a CHILD c\n"})
    icsched("prio", "--order", "prio", "wf.dag", "--in-place")

    assert shown({})["sections"][0]["problems"] == []
    assert shown({"in.dag": f"{JOBS}PARENT a CHILD b\n"})["sections"][0]["problems"] == [CHANGED]


def test_dependencies_that_change_in_a_flattened_file_are_told(icsched, shown, put):
    put({"in.dag": "SPLICE S inner.dag\n", "inner.dag": f"{JOBS}PARENT a CHILD c\n"})
    icsched("prio", "--order", "prio", "in.dag", "--flatten", "-o", "wf.dag")

    assert shown({})["sections"][0]["problems"] == []
    text = Path("wf.dag").read_text().replace("CHILD S-c", "CHILD S-b")
    assert shown(text)["sections"][0]["problems"] == [CHANGED]


def test_dependencies_count_by_file_where_several_are_submitted_together(icsched, put):
    def problems(*files):
        found = json.loads(icsched("show", *files, "--json").out)["sections"]
        return [section["problems"] for section in found]

    put({"a.dag": f"{JOBS}PARENT a CHILD c\n", "b.dag": f"{JOBS}PARENT a CHILD c\n"})
    icsched("prio", "--order", "prio", "a.dag", "b.dag", "--in-place")

    assert problems("a.dag", "b.dag") == [[], []]
    assert problems("b.dag") == [[]]
    put({"b.dag": Path("b.dag").read_text().replace("CHILD c", "CHILD b")})
    assert problems("a.dag", "b.dag") == [[], [CHANGED]]


def test_several_problems_of_a_section_are_told_one_after_the_other(icsched, put):
    put({"wf.dag": f"JOB a x\nJOB b x\nJOB d x\nPARENT b CHILD a\n{SECTION}"})

    assert (
        "out of date: it names job c that the workflow no longer has, so DAGMan refuses the file;"
        f" it gives job d no priority; it puts job a before a parent; {DO}.\n"
    ) in icsched("show", "wf.dag").out


def test_the_missing_companion_of_a_section_is_told(icsched, put, folder):
    put({"wf.dag": "SPLICE S in.dag\n", "in.dag": "JOB p x\n"})
    icsched("prio", "--order", "prio", "wf.dag", "--in-place")
    (folder / "wf.dag.icsched").unlink()

    complaint = icsched("show", "wf.dag")

    assert "wf.dag.icsched is missing, so DAGMan refuses the file" in complaint.out


def test_each_of_several_files_has_its_own_section(icsched, put):
    put({"a.dag": "JOB a x\n", "b.dag": "JOB a x\n"})
    icsched("prio", "--order", "prio", "a.dag", "b.dag", "--in-place")

    found = json.loads(icsched("show", "a.dag", "b.dag", "--json").out)["sections"]

    assert [(s["file"], s["jobs"], s["problems"]) for s in found] == [
        ("a.dag", 1, []),
        ("b.dag", 1, []),
    ]


def test_show_tells_of_the_rescue_file_that_dagman_will_use(icsched, shown):
    files = {"wf.dag": JOBS, "wf.dag.rescue001": "", "wf.dag.rescue002": "DONE a\n"}

    assert shown(files)["rescue"] == "wf.dag.rescue002"
    assert (
        "\nDAGMan will resume from wf.dag.rescue002: 1 job done.\n" in icsched("show", "wf.dag").out
    )
    assert shown({}, "--no-rescue")["rescue"] is None


def test_show_tells_of_a_rescue_file_by_which_nothing_is_done(icsched, shown):
    assert shown({"wf.dag": JOBS, "wf.dag.rescue001": ""})["rescue"] == "wf.dag.rescue001"
    told = icsched("show", "wf.dag").out
    assert "DAGMan will resume from wf.dag.rescue001: 0 jobs done.\n" in told


def test_show_counts_the_jobs_that_are_marked_done(icsched, put):
    put({"wf.dag": f"{JOBS}DONE a\n"})

    told = icsched("show", "wf.dag").out
    assert "\n1 job done by DONE in the files; 2 jobs left to order.\n" in told


def test_show_counts_the_jobs_with_priorities_of_the_files_own(icsched, shown):
    text = f"{JOBS}PRIORITY a 3\nPRIORITY b 0\n"

    assert shown(text + SECTION)["priorities"] == 2
    assert (
        "the files already have PRIORITY lines for 2 jobs: prio overrides them unless"
        " --keep-existing is given.\n" in icsched("show", "wf.dag").out
    )


REFUSED = (
    "makes DAGMan refuse a second priority for a job: give --keep-existing, or take the"
    " PRIORITY lines out of the files.\n"
)
OWN = f"{JOBS}PRIORITY a 7\nCONFIG dagman.config\n"


def test_strict_settings_of_the_workflow_are_told_where_dagman_would_refuse(icsched, shown):
    config = "DAGMAN_USE_STRICT = 1\n dagman_use_strict = 2\n"
    text = "dagman_use_strict = 2"

    found = shown({"wf.dag": OWN, "dagman.config": config})["strict"]

    assert found == {"file": "dagman.config", "line": 2, "text": text, "count": 1}
    assert f"dagman.config:2: '{text}' {REFUSED}" in icsched("show", "wf.dag").out


@pytest.mark.parametrize("options", [["-o", "out.dag"], ["--in-place"]])
def test_what_dagman_would_refuse_for_certain_is_not_written(icsched, put, folder, options):
    put({"wf.dag": OWN, "dagman.config": "DAGMAN_USE_STRICT = 2\n"})

    refused = icsched("prio", "--order", "prio", "wf.dag", *options)

    told = f"dagman.config:1: 'DAGMAN_USE_STRICT = 2' {REFUSED}"
    assert (refused.code, refused.complaint) == (1, told.removesuffix(".\n"))
    assert {path.name for path in folder.iterdir()} == {"wf.dag", "dagman.config"}
    assert (folder / "wf.dag").read_text() == OWN
    assert icsched("prio", "--order", "prio", "wf.dag", *options, "--keep-existing").code == 0


@pytest.mark.parametrize(
    "options", [["-o", "out.dag", "--flatten"], ["--in-place", "--via", "vars"]]
)
def test_an_order_without_a_second_priority_line_is_written(icsched, put, options):
    config = "DAGMAN_USE_STRICT = 2\n"
    put({"wf.dag": OWN, "dagman.config": config, "x": "queue\n"})

    written = icsched("prio", "--order", "prio", "wf.dag", *options)

    assert written.code == 0
    assert REFUSED not in written.out


def test_strict_settings_of_the_environment_count_where_the_workflow_has_none(
    icsched, shown, monkeypatch
):
    monkeypatch.setenv("_CONDOR_DAGMAN_USE_STRICT", "3")

    assert shown(OWN)["strict"]["file"] == "environment"
    told = f"environment: '_CONDOR_DAGMAN_USE_STRICT=3' {REFUSED}"
    assert told in icsched("show", "wf.dag").out
    assert told in icsched("prio", "--order", "prio", "wf.dag", "-o", "out.dag").out
    assert shown({"dagman.config": "DAGMAN_USE_STRICT = 1\n"})["strict"] is None


def test_strict_settings_do_not_matter_without_priorities_of_the_files_own(icsched, shown):
    shown({"wf.dag": f"{JOBS}CONFIG my\n", "my": "DAGMAN_USE_STRICT = 2\n"})

    assert REFUSED not in icsched("show", "wf.dag").out


def test_settings_named_in_included_files_do_not_count(shown):
    """condor_submit_dag does not read included files."""
    files = {
        "wf.dag": f"{JOBS}PRIORITY a 3\nINCLUDE in.dag\n",
        "in.dag": "CONFIG my\n",
        "my": "DAGMAN_USE_STRICT = 2\nDAGMAN_DEFAULT_PRIORITY = 5\n",
        "x": "queue\n",
    }

    found = shown(files)

    assert (found["strict"], found["advice"]) == (None, [])


@pytest.mark.parametrize(
    "config",
    [
        "DAGMAN_USE_STRICT = \\\n2\n",
        "X = 1\nDAGMAN_USE_\\\n  STRICT \\  \r\n = 2\r\n",
        "# no \\\nDAGMAN_USE_STRICT = 2\n",
        "X = \\\n# DAGMAN_USE_STRICT = 1\nDAGMAN_USE_STRICT : 2\n",
    ],
)
def test_continued_lines_of_the_config_file_are_read_as_htcondor_reads_them(shown, config):
    """Each was seen with condor_config_val: a comment does not continue at the top."""
    assert shown({"wf.dag": OWN, "dagman.config": config})["strict"] is not None


@pytest.mark.parametrize(
    "config",
    [
        "X = \\\nDAGMAN_USE_STRICT = 2\n",
        "X = \\\n # y \\\nDAGMAN_USE_STRICT = 2\n",
        "DAGMAN_USE_STRICT = \\\n\n2\n",
    ],
)
def test_a_continuation_is_no_setting_of_its_own(shown, config):
    assert shown({"wf.dag": OWN, "dagman.config": config})["strict"] is None


def make_large(path):
    path.touch()
    os.truncate(path, 2**24 + 1)


MAKERS = {
    "does not exist: DAGMan will not start": lambda _: None,
    "is not an ordinary file: icsched does not know its settings": os.mkfifo,
    "has more than 16,777,216 bytes: icsched does not know its settings": make_large,
}


@pytest.mark.parametrize("problem", MAKERS)
def test_a_config_file_that_cannot_be_read_is_told(icsched, shown, folder, problem):
    """DAGMan 23.9 does not start without the file, and waits at a FIFO for ever."""
    MAKERS[problem](folder / "dagman.config")

    advice = shown({"wf.dag": OWN, "x": "queue\n"})["advice"]
    written = icsched("prio", "wf.dag", "--order", "prio", "--in-place")

    told = f"the CONFIG file {problem}"
    assert advice == [{"file": "dagman.config", "line": None, "text": told, "count": 1}]
    assert f"dagman.config: {told}.\n" in written.out
