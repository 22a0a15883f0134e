"""`run_members.sh`: words, names, streams and variables reach members as they are."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from icsched.formats.dagman.clusters import write_clustered
from icsched.formats.dagman.submission import read_submission
from tests.formats.run_members.runs import CLUSTER, SHOW, log, run, trace

NASTY = [
    *("", " ", "a b", "  lead", "trail  ", "*", "?", "~", "$HOME", "$(id)", "`id`", "${x}", "$"),
    *("'", "''", '"', '""', "it's", 'say "so"', "\\", "\\n", "a\\", "-n", "--", "-e", "!", "#x"),
    *(";ls", "&", "|", "<x", ">x", "a=b", "=", "%s", "{a,b}", "[a]", "run", "end", "member x"),
    *("\t", "tab\tin", "ä ö", "€", "\udcff\udcfe", "a\rb", "\x01"),
]


def quoted(word: str) -> str:
    """A word as HTCondor's new syntax has it, macros and all."""
    inside = word.replace("$", "$(DOLLAR)").replace("'", "''").replace('"', '""')
    return f"'{inside}'"


# Started wrongly


def test_without_a_cluster_or_from_elsewhere_one_line_says_what_was_expected(cluster, shell):
    cluster(["a", "b"], "executable = work\narguments = $(JOB)\nqueue\n")
    script = str(Path("out.dag.clusters/run-members").resolve())
    before = sorted(Path("out.dag.clusters").iterdir())

    def started(*words: str, cwd: str = ".") -> tuple[int, str]:
        command = [*shell, script, *words]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
        return ended.returncode, ended.stderr

    assert started() == (
        64,
        "run-members: expected one argument, such as out.dag.clusters/cluster_0001, got 0\n",
    )
    assert started("cluster_0001", cwd="/") == (
        66,
        "run-members: cluster_0001.members: expected a list of members;"
        " start this from the directory in which icsched ran\n",
    )
    assert (trace(), sorted(Path("out.dag.clusters").iterdir())) == ([], before)


# Data stays data


def test_words_and_variables_reach_a_program_as_they_are(place, put, shell):
    """All nasty words at once, and one of them as the value of a variable."""
    words = " ".join(map(quoted, NASTY))
    value = quoted('V=it\'s "$HOME" `id`; x')
    text = f'executable = show\narguments = "{words}"\nenvironment = "{value}"\n'
    put({"wf.dag": "JOB a x.sub\nJOB b x.sub\n"})
    Path("x.sub").write_bytes(
        f"{text}output = $(JOB).out\nqueue\n".encode(errors="surrogateescape")
    )
    write_clustered(read_submission("wf.dag"), [range(2)], "out.dag")

    assert run(shell).returncode == 0
    for name in "ab":
        got = Path(f"{name}.out").read_bytes().decode(errors="surrogateescape").split("\0")
        assert got == [*NASTY, 'it\'s "$HOME" `id`; x', str(place), ""]
    assert sorted(p.name for p in place.iterdir()) == [
        *("a.out", "b.out", "out.dag", "out.dag.clusters", "show", "wf.dag", "work", "x.sub")
    ]


def test_random_words_reach_a_program_as_they_are(put):
    draw = random.Random(7)  # noqa: S311
    letters = "ab '\"\\$`(){};&|<>*?[]~#=-\t%!^,.ä"
    words = ["".join(draw.choices(letters, k=draw.randrange(12))) for _ in range(300)]
    groups = [words[at : at + 30] for at in range(0, 300, 30)]
    names = [f"j{n}" for n in range(10)]
    said = "".join(
        f"JOB j{n} {{\n executable = show\n output = j{n}.out\n"
        f' arguments = "{" ".join(map(quoted, group))}"\n}}\n'
        for n, group in enumerate(groups)
    )
    put({"wf.dag": said})
    write_clustered(read_submission("wf.dag"), [range(10)], "out.dag")

    assert run(["sh"]).returncode == 0
    for name, group in zip(names, groups, strict=True):
        assert Path(f"{name}.out").read_text().split("\0")[:30] == group


ODD_NAMES = ["$HOME", "`id`", "a'b", 'a"b', "*", "a;b", "-e", "a\\b", "a&b", "$(id)", "é", "1"]


def test_odd_names_are_names(cluster, shell):
    cluster(ODD_NAMES, "executable = work\nqueue\n")

    assert run(shell).returncode == 0
    assert [line for line in log() if line.startswith("start")] == [f"start {n}" for n in ODD_NAMES]


def test_odd_paths_are_paths(tmp_path, monkeypatch, shell):
    """Blanks, quotes and = in the directories, and a program that env might take for a variable."""
    folder = tmp_path / "it's = $x"
    (folder / "in side").mkdir(parents=True)
    monkeypatch.chdir(folder)
    Path("a=b show").write_text(SHOW)
    Path("a=b show").chmod(0o755)
    Path("x.sub").write_text(
        'executable = a=b show\nenvironment = "V=1"\ninitialdir = in side\n'
        "output = o $(JOB)\nqueue\n"
    )
    Path("wf.dag").write_text("JOB a x.sub\nJOB b x.sub\n")
    write_clustered(read_submission("wf.dag"), [range(2)], "out.dag")

    assert run(shell).returncode == 0
    assert Path("in side/o b").read_text().split("\0") == ["1", str(folder / "in side"), ""]


def test_streams_are_the_files_that_the_description_names(put, shell):
    """Both streams in one file keep their order; what is not named is kept beside the list."""
    both = "executable = /bin/sh\narguments = \"-c 'cat; echo two >&2; echo three'\"\ninput = in\n"
    put({"x.sub": f"{both}output = both\nerror = both\nqueue\n", "in": "one\n"})
    put({"y.sub": f"{both}queue\n", "wf.dag": "JOB a x.sub\nJOB b y.sub\n"})
    write_clustered(read_submission("wf.dag"), [[0, 1]], "out.dag")

    assert run(shell).returncode == 0
    assert Path("both").read_text() == "one\ntwo\nthree\n"
    assert Path(f"{CLUSTER}.2.out").read_text() == "one\nthree\n"
    assert Path(f"{CLUSTER}.2.err").read_text() == "two\n"


# The environment

EVERY_BYTE = bytes(range(1, 256))
# What a shell drops, sets or uses itself, what this script calls its own variables, and odd values.
ODD_VARIABLES = {
    b"my.var": b"1",
    b"a-b": b"2",
    b"BASH_FUNC_date%%": b"() { exit 9; }",
    b"1st": b"3",
    b"-i": b"4",
    b"a b": b"5",
    "\u00e4".encode(): b"6",
    b"\xff": b"7",
    b"a\nb": b"8",
    b"IFS": b"x",
    b"PWD": b"/nowhere",
    b"OLDPWD": b"/before",
    b"PS4": b"$(id)",
    b"_": b"u",
    b"SHLVL": b"7",
    b"OPTIND": b"5",
    b"PPID": b"1",
    b"LINENO": b"12",
    b"CDPATH": b"/usr",
    b"PATH": b"/no/where",
    b"LC_ALL": b"C.UTF-8",
    b"LANG": b"C",
    b"HOME": b"",
    **dict.fromkeys((b"name", b"path", b"line", b"value", b"child", b"code", b"nice"), b"mine"),
    **dict.fromkeys((b"number", b"start", b"cluster", b"stopped", b"has_journal"), b"mine"),
    **dict.fromkeys((b"input", b"output", b"error", b"directory", b"began"), b"mine"),
    b"EMPTY": b"",
    b"LINES_": b"\n\na\n\n",
    b"EQUALS": b"=a=b",
    b"BYTES": EVERY_BYTE,
    b"PERCENT": b"%s%d\\n",
    b"LONG": b"x" * 100_000,
}


def environment_of(name: str) -> dict[bytes, bytes]:
    words = Path(name).read_bytes().split(b"\0")[:-1]
    assert len(words) == len({word.partition(b"=")[0] for word in words})
    return {word.partition(b"=")[0]: word.partition(b"=")[2] for word in words}


@pytest.fixture(params=["dump", "a=b"])
def dump(request) -> str:
    """Return lines of a description whose program, no shell, writes its environment to a file."""
    Path(request.param).symlink_to(shutil.which("cat"))
    return f"executable = {request.param}\narguments = /proc/self/environ\noutput = $(JOB).out\n"


def test_a_member_gets_the_environment_that_the_cluster_got_to_the_byte(cluster, dump, shell):
    cluster(["a", "b"], f"{dump}queue\n")
    command = [shutil.which(shell[0]), *shell[1:], "out.dag.clusters/run-members", CLUSTER]

    ended = subprocess.run(command, env=ODD_VARIABLES, capture_output=True, check=False)

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    assert environment_of("a.out") == environment_of("b.out") == ODD_VARIABLES


def test_the_variables_of_a_submit_description_reach_its_member_alone(put, dump, shell):
    """They come on top of those of the cluster, also under names that no shell can have."""
    put(
        {
            "x.sub": dump + "environment = \"my.var=own a-b='c d' IFS=: PWD=/tmp path=x\"\nqueue\n",
            "y.sub": f"{dump}queue\n",
            "wf.dag": "JOB a x.sub\nJOB b y.sub\n",
        }
    )
    write_clustered(read_submission("wf.dag"), [[0, 1]], "out.dag")
    command = [shutil.which(shell[0]), *shell[1:], "out.dag.clusters/run-members", CLUSTER]

    given = {b"my.var": b"given", b"V": b"1"}
    subprocess.run(command, env=given, check=True)

    own = {b"my.var": b"own", b"a-b": b"c d", b"IFS": b":", b"PWD": b"/tmp", b"path": b"x"}
    assert environment_of("a.out") == {b"V": b"1", **own}
    assert environment_of("b.out") == given
