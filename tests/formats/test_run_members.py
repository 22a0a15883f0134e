"""The script that runs a cluster's members, by the shells that may be /bin/sh."""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from icsched.formats.dagman import read_submission, write_clustered

SHELLS = [shell for shell in ("dash", "bash", "busybox") if shutil.which(shell)]
CLUSTER = "out.dag.clusters/cluster_0001"
# Writes its arguments, the variable V and its directory, each with a NUL behind it.
SHOW = '#!/bin/sh\nprintf \'%s\\0\' "$@" "$V" "$PWD"\n'
# Notes in `trace` when it begins and when it has ended, with a moment between.
WORK = '#!/bin/sh\necho "start $1" >>trace\nsleep 0.02\necho "end $1" >>trace\n'
NASTY = [
    *("", " ", "a b", "  lead", "trail  ", "*", "?", "~", "$HOME", "$(id)", "`id`", "${x}", "$"),
    *("'", "''", '"', '""', "it's", 'say "so"', "\\", "\\n", "a\\", "-n", "--", "-e", "!", "#x"),
    *(";ls", "&", "|", "<x", ">x", "a=b", "=", "%s", "{a,b}", "[a]", "run", "end", "member x"),
    *("\t", "tab\tin", "ä ö", "€", "\udcff\udcfe", "a\rb", "\x01"),
]


@pytest.fixture(autouse=True)
def place(folder, put):
    """A working directory with the programs."""
    put({"show": SHOW, "work": WORK})
    for name in ("show", "work"):
        Path(name).chmod(0o755)
    return folder


@pytest.fixture(params=SHELLS)
def shell(request) -> list[str]:
    """A command that runs the script as /bin/sh would."""
    return {"bash": ["bash", "--posix"], "busybox": ["busybox", "sh"]}.get(
        request.param, [request.param]
    )


@pytest.fixture
def cluster(put):
    """Write one cluster of all the names, in their order, each with the submit file *sub*."""

    def writer(names: Sequence[str], sub: str) -> None:
        put({"wf.dag": "".join(f"JOB {name} x.sub\n" for name in names), "x.sub": sub})
        write_clustered(read_submission("wf.dag"), [range(len(names))], "out.dag")

    return writer


def run(shell: list[str], **options) -> subprocess.CompletedProcess[str]:
    command = [*shell, "out.dag.clusters/run-members", CLUSTER]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def trace() -> list[str]:
    return Path("trace").read_text().splitlines() if Path("trace").exists() else []


def await_trace(expected: list[str]) -> None:
    deadline = time.monotonic() + 10
    while trace() != expected:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def log() -> list[str]:
    """The log without its times."""
    text = Path(f"{CLUSTER}.log").read_text()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ", line) for line in text.splitlines())
    return [re.sub(r" seconds \d+$", "", line[21:]) for line in text.splitlines()]


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


# Failure and resumption

# Notes that it ran, and fails where a file says so.
FAILS = """executable = /bin/sh
arguments = "-c 'echo $(JOB) >>trace; test ! -e fail-$(JOB) || exit 7'"
queue
"""


def test_a_failed_member_stops_its_cluster_and_is_named(cluster, put, shell):
    cluster("abc", FAILS)
    put({"fail-b": ""})

    done = run(shell)

    assert done.returncode == 7
    assert done.stderr == "run-members: job b failed with exit code 7\n"
    assert trace() == ["a", "b"]
    assert log() == [
        *("start a", "end a exit code 0", "start b", "end b exit code 7"),
        "job b failed with exit code 7",
    ]


def test_a_log_that_cannot_be_written_is_no_fault_of_a_member(cluster, shell):
    cluster("ab", FAILS)
    Path(f"{CLUSTER}.log").mkdir()

    done = run(shell)

    assert done.returncode == 74
    assert done.stderr.endswith(f"run-members: cannot write ./{CLUSTER}.log\n")
    assert trace() == [], "nothing has run"


def test_a_restart_goes_on_after_the_members_that_ended_well(cluster, put, shell):
    cluster("abc", FAILS)
    put({"fail-b": ""})
    run(shell)
    run(shell)
    Path("fail-b").unlink()

    assert run(shell).returncode == 0
    assert trace() == ["a", "b", "b", "b", "c"]


def test_a_cluster_that_has_ended_well_runs_whole_if_it_is_run_again(cluster, shell):
    cluster("ab", FAILS)

    assert [run(shell).returncode for _ in range(2)] == [0, 0]
    assert trace() == ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    "line",
    ["executable = nowhere", "initialdir = nowhere", "input = nowhere", "output = nowhere/x"],
)
def test_a_member_that_cannot_start_has_failed(cluster, shell, line):
    cluster("ab", f"executable = work\narguments = 1\n{line}\nqueue\n")

    done = run(shell)

    assert done.returncode != 0
    assert "run-members: job a failed with exit code" in done.stderr
    assert trace() == []


def test_a_member_ended_by_a_signal_has_failed(cluster, shell):
    cluster(
        "ab",
        "executable = /bin/sh\narguments = \"-c 'kill -9 $(DOLLAR)$(DOLLAR)'\"\nqueue\n",
    )

    assert run(shell).returncode == 128 + 9


def test_a_list_that_is_cut_short_never_passes_for_a_whole_one(cluster):
    cluster("ab", FAILS)
    whole = Path(f"{CLUSTER}.members").read_bytes()
    for size in range(0, len(whole) - 1, 7):
        Path(f"{CLUSTER}.members").write_bytes(whole[:size])
        Path(f"{CLUSTER}.journal").unlink(missing_ok=True)

        assert run(["sh"]).returncode == 65, size


def test_a_journal_that_is_cut_short_skips_only_what_it_names_whole(cluster, put):
    """Names that begin alike, and a cut after each byte."""
    names = ["a", "ab", "abc", "1", "11"]
    cluster([*names, "z"], FAILS)
    put({"fail-z": ""})
    run(["sh"])
    whole = Path(f"{CLUSTER}.journal").read_bytes()
    assert whole == b"1 a\n2 ab\n3 abc\n4 1\n5 11\n"
    for size in range(len(whole)):
        Path(f"{CLUSTER}.journal").write_bytes(whole[:size])
        Path("trace").unlink()
        assert run(["sh"]).returncode == 7

        # A line counts from its last letter on: the line end says nothing more.
        ended = sum(size >= whole.index(line) + len(line) for line in whole.split(b"\n")[:-1])
        assert trace() == [*names[ended:], "z"], size
        assert run(["sh"]).returncode == 7
        assert trace() == [*names[ended:], "z", "z"], "what came after the cut is whole"


def test_however_it_is_killed_no_member_is_passed_over(cluster):
    """Kill all its processes at random moments until it comes through."""
    names = [f"j{n}" for n in range(12)]
    cluster(names, "executable = work\narguments = $(JOB)\nqueue\n")
    draw = random.Random(11)  # noqa: S311
    kills = 0
    while kills < 25:
        command = ["sh", "out.dag.clusters/run-members", CLUSTER]
        with subprocess.Popen(command, start_new_session=True) as process:
            time.sleep(draw.uniform(0, 0.15))
            if process.poll() is not None:
                break
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
    if process.returncode != 0:
        assert run(["sh"]).returncode == 0

    assert kills > 3
    ended: set[str] = set()
    for word, name in (line.split(" ") for line in trace()):
        assert set(names[: names.index(name)]) <= ended, "each waits for all before it"
        ended |= {name} if word == "end" else set()
    assert ended == set(names)
    assert not Path(f"{CLUSTER}.journal").exists()


def test_a_member_that_is_stopped_never_counts_as_done(cluster, put, shell):
    """It even ends with exit code 0 when it is told to stop."""
    put(
        {
            "polite": "#!/bin/sh\ntrap 'echo stopped >>trace; exit 0' TERM\necho up >>trace\n"
            "while :; do sleep 0.01; done\n"
        }
    )
    Path("polite").chmod(0o755)
    cluster("ab", "executable = polite\nqueue\n")
    command = [*shell, "out.dag.clusters/run-members", CLUSTER]
    with subprocess.Popen(command, start_new_session=True) as process:
        try:
            await_trace(["up"])
            process.terminate()
            assert process.wait(timeout=10) == 143
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    assert trace() == ["up", "stopped"]
    assert log() == ["start a", "stopped a"]
    assert not Path(f"{CLUSTER}.journal").exists()


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


def test_a_journal_whose_name_begins_with_a_hyphen_is_read_and_removed(put, shell):
    """Else a second run would pass over all jobs, or a restart over none."""
    put({"wf.dag": "JOB a x.sub\nJOB b x.sub\n", "x.sub": FAILS, "fail-b": ""})
    write_clustered(read_submission("wf.dag"), [[0, 1]], "-x.dag")
    command = [*shell, "./-x.dag.clusters/run-members", "-x.dag.clusters/cluster_0001"]

    codes = [subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode]
    Path("fail-b").unlink()
    codes += [subprocess.run(command, check=False).returncode for _ in range(2)]

    assert codes == [7, 0, 0]
    assert trace() == ["a", "b", "b", "a", "b"]
    assert not Path("-x.dag.clusters/cluster_0001.journal").exists()
