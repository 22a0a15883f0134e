"""What tests ask of a real HTCondor: how DAGMan reads a file, and how it runs it.

`tools/htcondor.sh` makes the chroot and starts the pool; commands run in there as the user
`tester`. Paths are the host's.
"""

import itertools
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

# DAGMan puts such a node between the parents and the children of a line with several of both.
JOIN = re.compile(r"(.*\+)?_condor_join_node\d+")

RESCUE = re.compile(r"\.rescue\d+$")


@dataclass(frozen=True)
class Dump:
    """A dag as DAGMan understood it, splices flattened; see `-DumpRescue`.

    DAGMan writes a PROVISIONER as a JOB and no SERVICE at all, and looks for no cycle here.
    """

    text: str
    jobs: tuple[str, ...]  # JOB and SUBDAG, in the dump's order
    final: str | None
    arcs: frozenset[tuple[str, str]]  # from parents to children, past the join nodes
    joins: int
    done: frozenset[str]
    noop: frozenset[str]
    priorities: dict[str, int]
    retries: dict[str, int]
    vars: dict[str, dict[str, str]]  # without the escapes


@dataclass(frozen=True)
class Rejection:
    """DAGMan refused a file, by exit code 1, or fell over it, by 4 or a signal, -6 or -11."""

    code: int
    reason: str


@dataclass(frozen=True)
class Run:
    """A dag that DAGMan ran to its end."""

    submitted: list[str]  # nodes in order of submission; join nodes too, a retry again
    started: list[str]  # nodes in the order in which their jobs began to run, a retry again
    status: int  # DAGMan's own
    job_prio: dict[str, list[int]]  # JobPrio of each job of a node; a NOOP has none
    log: str


def text_of(path: Path) -> str:
    """Decode without touching line ends: DAGMan's lines end at a newline alone."""
    return path.read_bytes().decode("utf-8", "surrogateescape")


def parse_dump(text: str) -> Dump:
    """Read what `-DumpRescue` wrote: a command, a name and the rest, with blanks between.

    No `str.split()` and no `splitlines()`: a name may hold what they take for space.
    """
    plain = re.sub("^SUBDAG EXTERNAL ", "JOB ", text, flags=re.MULTILINE)
    lines = [f"{line}  ".split(" ", 2) for line in plain.split("\n")]

    def rest(keyword: str) -> Iterator[tuple[str, str]]:
        return ((name, tail) for command, name, tail in lines if command == keyword)

    files = dict(rest("JOB"))
    arcs = frozenset(
        (parent, child)
        for parent, tail in rest("PARENT")
        for child in filter(None, tail.removeprefix("CHILD ").split(" "))
    )
    jobs = tuple(name for name in files if not JOIN.fullmatch(name))
    return Dump(
        text=text,
        jobs=jobs,
        final=next((name for name, _ in rest("FINAL")), None),
        arcs=without_joins(arcs),
        joins=len(files) - len(jobs),
        done=frozenset(name for name, _ in rest("DONE")),
        noop=frozenset(name for name in jobs if "NOOP" in files[name].split(" ")[1:]),
        priorities={name: int(tail) for name, tail in rest("PRIORITY")},
        retries={name: int(tail.split(" ")[0]) for name, tail in rest("RETRY")},
        vars={name: parse_vars(tail) for name, tail in rest("VARS")},
    )


def parse_vars(text: str) -> dict[str, str]:
    r"""Read `key="value" ...`.

    >>> parse_vars(r'a="1 2" b="say \"so\""')
    {'a': '1 2', 'b': 'say "so"'}
    """
    pairs = re.findall(r'([^\s=]+)="((?:[^"\\]|\\.)*)"', text)
    return {key: re.sub(r"\\(.)", r"\1", value) for key, value in pairs}


def without_joins(arcs: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Draw the arcs past the join nodes, from each parent to each child.

    >>> sorted(without_joins(frozenset({("a", "_condor_join_node1"), ("_condor_join_node1", "b")})))
    [('a', 'b')]
    """
    for join in {name for arc in arcs for name in arc if JOIN.fullmatch(name)}:
        parents = [parent for parent, child in arcs if child == join]
        children = [child for parent, child in arcs if parent == join]
        kept = {arc for arc in arcs if join not in arc}
        arcs = frozenset(kept | set(itertools.product(parents, children)))
    return arcs


def submit_file(directory: Path, name: str = "task.sub", lines: Sequence[str] = ()) -> Path:
    """Describe a job that does nothing; *lines* come last and so prevail.

    DAGMan chooses what to submit before any universe matters; `local` starts jobs soonest.
    """
    usual = ("universe = local", "executable = /bin/true", "should_transfer_files = NO")
    path = directory / name
    path.write_text("\n".join([*usual, *lines, "queue", ""]))
    return path


def complaints(log: str) -> str:
    """What a log of DAGMan's says against the files it read, in plain words or the last ones."""
    said = re.split(r"Parsing \d+ dagfiles\n", log)[-1].partition("Dumping rescue DAG")[0]
    found = re.findall(r"^\S+ \S+ (?!Running: )(.*(?:ERROR|Error|REJECT).*)$", said, re.MULTILINE)
    return "\n".join(found) or said[-500:]


def starts(log: str) -> list[str]:
    """Return the nodes in the order in which a log of HTCondor's says that their jobs ran.

    >>> text = "000 (7.0.0) now Job submitted from host: <h>\\n    DAG Node: a\\n...\\n"
    >>> starts(text + "001 (7.0.0) now Job executing on host: <h>\\n...\\n")
    ['a']
    """
    event = r"^000 \((\S+)\) .*\n\s+DAG Node: (\S+)|^001 \((\S+)\) "
    found = re.findall(event, log, re.MULTILINE)
    node = {job: name for job, name, _ in found if job}
    return [node[started] for _, _, started in found if started]


def await_true(condition: Callable[[], object], deadline: float, what: str) -> None:
    """Look ten times a second; raise TimeoutError after *deadline*, on the monotonic clock."""
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.1)


class Condor:
    """The pool in the chroot *root*."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home" / "tester"
        self.root = root
        self.directory_of_logs = root / "var/log/condor"
        self._directories: list[Path] = []
        self._busy = False  # a run did not come to its end
        self._version = self.command(self.home, "condor_version").stdout.splitlines()[0]

    def fresh(self) -> Path:
        """A new directory, where dag files may live: not in the chroot's /tmp, says DAGMan."""
        directory = Path(tempfile.mkdtemp(dir=self.home))
        self._directories.append(directory)
        return directory

    def command(
        self,
        directory: Path,
        *arguments: str,
        config: Mapping[str, str] | None = None,
        timeout_s: float = 20,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in *directory* as tester, who then owns what is there."""
        owner = self.home.stat()
        for path in (directory, *directory.rglob("*")):
            with suppress(FileNotFoundError):  # a dag that was removed may still be ending
                os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
        return self._execute(directory, arguments, config or {}, timeout_s)

    def _execute(
        self,
        directory: Path,
        arguments: Sequence[str],
        config: Mapping[str, str],
        timeout_s: float,
    ) -> subprocess.CompletedProcess[str]:
        inside = f"/{directory.relative_to(self.root)}"
        settings = [f"_CONDOR_{key}={value}" for key, value in config.items()]
        environment = ("HOME=/home/tester", "PATH=/usr/sbin:/usr/bin", *settings)
        within = ("chroot", "--userspec=tester:tester", self.root, "env", "-i", "-C", inside)
        return subprocess.run(
            [*within, *environment, *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=timeout_s,
            check=False,
        )

    def dump(
        self,
        directory: Path,
        *files: str,
        rescue: int = 0,
        config: Mapping[str, str] | None = None,
        usedagdir: bool = False,
    ) -> Dump | Rejection:
        """Have DAGMan read *files*, and rescue file number *rescue* if not 0; leave no trace."""
        before = set(directory.rglob("*"))
        done = self.command(
            directory,
            *("condor_dagman", "-f", "-l", ".", "-Lockfile", f"{files[0]}.lock"),
            *("-AutoRescue", "0", "-DoRescueFrom", str(rescue)),
            *(argument for file in files for argument in ("-Dag", file)),
            *(["-UseDagDir"] if usedagdir else []),
            *("-CsdVersion", self._version, "-DumpRescue"),
            config={"DAGMAN_WRITE_PARTIAL_RESCUE": "False", **(config or {})},
        )
        left = {path: text_of(path) for path in set(directory.rglob("*")) - before}
        for path in left:
            path.unlink()
        if done.returncode != 0:
            log = left.get(directory / "default.dagman.out", done.stderr)
            return Rejection(done.returncode, complaints(log))
        (dump,) = (text for path, text in left.items() if RESCUE.search(path.name))
        return parse_dump(dump)

    def run(
        self,
        directory: Path,
        file: str,
        *,
        options: Sequence[str] = ("-maxjobs", "1"),
        config: Mapping[str, str] | None = None,
        fast: bool = True,
        timeout_s: float = 120,
    ) -> Run:
        """Submit the dag *file* and wait for its end; *fast* has DAGMan's clock run faster.

        Raises TimeoutError if the dag has not ended by then; `clear` must follow.
        """
        deadline = time.monotonic() + timeout_s
        dagman = ("-dagman", "/usr/local/bin/fast_dagman") if fast else ()
        self._busy = True
        done = self.command(directory, "condor_submit_dag", *options, *dagman, file, config=config)
        assert done.returncode == 0, done.stdout + done.stderr
        cluster = re.search(r"submitted to cluster (\d+)", done.stdout)[1]
        path = directory / f"{file}.dagman.out"
        await_true(lambda: not self.queue(cluster), deadline, f"{path} of cluster {cluster}")
        # The dag goes into the history after its jobs, a moment after it leaves the queue.
        of_dag = ("-constraint", f"ClusterId == {cluster}", "-af", "ClusterId")
        await_true(lambda: self._ask("condor_history", *of_dag), deadline, f"history of {cluster}")
        self._busy = False
        log = text_of(path).rpartition("STARTING UP")[2]  # after a rescue, the last run's alone
        return Run(
            submitted=re.findall(r"Submitting HTCondor Node (\S+) job", log),
            started=starts(text_of(directory / f"{file}.nodes.log")),
            status=int(re.findall(r"EXITING WITH STATUS (\d+)", log)[-1]),
            job_prio=self._job_prio(cluster),
            log=log,
        )

    @contextmanager
    def configured(self, settings: Mapping[str, str]) -> Iterator[None]:
        """Have the pool run with *settings*; `tools/htcondor.sh` makes the file anew each time."""
        file = self.root / "etc/condor/config.d/90-icsched"
        before = file.read_text()
        lines = [f"{key} = {value}\n" for key, value in settings.items()]
        file.write_text(before + "".join(lines))
        try:
            self._reconfigure(settings)
            yield
        finally:
            file.write_text(before)
            self._reconfigure({})

    def _reconfigure(self, settings: Mapping[str, str]) -> None:
        """Have all daemons read their files again; wait until the queue's knows *settings*."""
        subprocess.run(["chroot", self.root, "condor_reconfig"], check=True, capture_output=True)
        deadline = time.monotonic() + 30
        for key, value in settings.items():
            asked = ("condor_config_val", "-schedd", key)
            await_true(lambda a=asked, v=value: self._ask(*a).strip() == v, deadline, f"no {key}")

    def queue(self, cluster: str) -> str:
        """What of a dag is in the queue: DAGMan itself, and its jobs."""
        dag = f"ClusterId == {cluster} || DAGManJobId == {cluster}"
        return self._ask("condor_q", "-allusers", "-constraint", dag, "-af", "ClusterId")

    def _job_prio(self, cluster: str) -> dict[str, list[int]]:
        jobs = ("-constraint", f"DAGManJobId == {cluster}", "-af", "DAGNodeName", "JobPrio")
        prio: dict[str, list[int]] = {}
        for line in reversed(self._ask("condor_history", *jobs).splitlines()):  # latest first
            node, value = line.split()
            prio.setdefault(node, []).append(int(value))
        return prio

    def _ask(self, *arguments: str) -> str:
        # While a dag runs its files come and go: none of them may be touched here.
        done = self._execute(self.home, arguments, {}, 20)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def clear(self) -> None:
        """Remove what a broken run left in the queue."""
        if not self._busy:
            return
        everything = ("-constraint", "true")
        for options in ((), ("-forcex",)):
            self._execute(self.home, ("condor_rm", *options, *everything), {}, 20)
        await_true(self.is_idle, time.monotonic() + 30, "the queue does not empty")
        self._busy = False

    def is_idle(self) -> bool:
        """Whether the queue is empty."""
        return not self._ask("condor_q", "-allusers", "-af", "ClusterId")

    def is_used_by_others(self) -> None:
        """Have the queue emptied at the end of the test, because others will fill it."""
        self._busy = True

    def remove_directories(self) -> None:
        """Remove all that `fresh` made."""
        for directory in self._directories:
            shutil.rmtree(directory)
