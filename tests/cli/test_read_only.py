"""Files that users made read-only are not replaced by what a command writes, not even for root."""

import pytest

from tests.cli.workflows import PAIR_AND_FORK, log_of

REFUSAL = "it is read-only (mode 0444): make it writable by chmod u+w, or use another name"
WRITING = [
    "prio wf.dag --order prio -o FILE.dag",
    "prio wf.dag --order prio -o FILE.dag --flatten",
    "convert wf.dag FILE.dot --force",
    "make airsn 6 -o FILE.dag",
    "cluster wf.dag --size 2 -o FILE.dag",
    "plot curves wf.dag -o FILE.svg",
    "report wf.dag -o FILE.html",
    "verify wf.dag --write-certificate FILE.json",
    "learn wf.log -o FILE.csv",
    "learn wf.log --pool-file FILE.json",
]


@pytest.fixture(autouse=True)
def workflow(put):
    put(
        {"wf.dag": PAIR_AND_FORK, "wf.log": log_of("a"), "x.sub": "executable = /bin/true\nqueue\n"}
    )


@pytest.fixture
def read_only(folder):
    """Make a file that nobody may write, or a link to one."""

    def make(name: str, *, is_link: bool = False) -> None:
        kept = folder / "kept" if is_link else folder / name
        kept.write_text("mine")
        kept.chmod(0o444)
        if is_link:
            (folder / name).symlink_to("kept")

    return make


@pytest.mark.parametrize("is_link", [False, True], ids=["file", "link"])
@pytest.mark.parametrize("words", WRITING)
def test_a_read_only_file_is_not_replaced(icsched, folder, read_only, words, is_link):
    name = next(word for word in words.split() if word.startswith("FILE"))
    read_only(name, is_link=is_link)
    before = sorted(folder.iterdir())

    result = icsched(*words.split())

    assert (result.code, result.complaint) == (1, f"{name}: {REFUSAL}")
    assert (folder / name).read_text() == "mine"
    assert sorted(folder.iterdir()) == before


def test_nothing_is_written_if_one_of_two_files_is_read_only(icsched, folder, read_only):
    read_only("pool.json")

    result = icsched("learn", "wf.log", "-o", "times.csv", "--pool-file", "pool.json")

    assert result.complaint == f"pool.json: {REFUSAL}"
    assert not (folder / "times.csv").exists()


def test_a_file_that_only_its_owner_may_write_is_replaced(icsched, folder):
    (folder / "out.dag").write_text("old")
    (folder / "out.dag").chmod(0o600)

    assert icsched("prio", "wf.dag", "--order", "prio", "-o", "out.dag").code == 0
    assert "PRIORITY" in (folder / "out.dag").read_text()


def test_tables_do_not_replace_a_read_only_table(icsched, folder):
    icsched("show", "wf.dag", "--tables", "t")
    table = next(path for path in (folder / "t").iterdir() if path.is_file())
    table.chmod(0o444)

    result = icsched("show", "wf.dag", "--tables", "t", "--json")

    assert (result.code, result.complaint) == (1, f"t/{table.name}: {REFUSAL}")
