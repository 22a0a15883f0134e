"""Dags that aim at the slow paths: seconds at n, 2n and 4n tasks, and how they grow.

A module of MODULES has one public function per case. The function gets a number of tasks. It
returns a Dag, which is then ordered, or a callable without arguments, which is then timed. If a
module has a table ACTIONS, it says by the name of the function what to do with a dag instead.
Every run is a process of its own with limits on time and memory. Making the dag is not timed and
not limited. A run that fails says why: "memory", "> 20" seconds, or "died" with the exit code of
its process, which is the negative number of the signal that killed it. Nothing is asserted.
"""

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from multiprocessing.connection import Connection
from pathlib import Path
from types import FunctionType, ModuleType

from harness import adversarial_order, adversarial_serve, adversarial_theory, show
from order import limit_memory

import icsched
from icsched import Dag
from icsched.commands.show import show as show_workflow

MAKING_S = 300  # the limit for making one dag

MODULES: Sequence[ModuleType] = (adversarial_theory, adversarial_order, adversarial_serve)

Act = Callable[[], object]


def shown(dag: Dag) -> Act:
    """Run `icsched show` on a DAGMan file of *dag*, including the reading of the file."""
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "workflow.dag"
    icsched.formats.write_dagman(dag, path)

    def act() -> None:
        with folder, redirect_stdout(StringIO()):
            show_workflow(str(path))

    return act


ACTIONS: Mapping[str, Callable[[Dag], Act]] = {
    "order": lambda dag: lambda: icsched.prioritize(dag, "prio"),
    "show": shown,
}


@dataclass(frozen=True)
class Case:
    """A function of a module, by its place and name, and what is done with its dags."""

    module: int
    name: str
    action: str

    def act(self, tasks: int) -> Act:
        """Return what is timed, on a dag of about *tasks* tasks."""
        made = getattr(MODULES[self.module], self.name)(tasks)
        return ACTIONS[self.action](made) if isinstance(made, Dag) else made


def cases() -> Iterator[Case]:
    for place, module in enumerate(MODULES):
        actions = getattr(module, "ACTIONS", {})
        for name, value in vars(module).items():
            ours = isinstance(value, FunctionType) and value.__module__ == module.__name__
            if ours and not name.startswith("_"):
                usual = ["order" if value.__annotations__["return"] is Dag else "its own"]
                yield from (Case(place, name, action) for action in actions.get(name, usual))


def work(case: Case, tasks: int, results: Connection) -> None:
    """Make the dag, say that it is made, run, and send the seconds or what went wrong."""
    try:
        limit_memory()
        act = case.act(tasks)
        results.send("made")
        start = time.perf_counter()
        act()
        results.send(time.perf_counter() - start)
    except MemoryError:
        results.send("memory")


def seconds(case: Case, tasks: int, limit_s: float) -> float | str:
    """Seconds of one run without making its dag, or a word that says why the run failed."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    worker = spawn.Process(target=work, args=(case, tasks, theirs))
    worker.start()
    theirs.close()  # now only the worker has this end, so the pipe ends when the worker dies
    try:
        made = answer(ours, MAKING_S, "not made")
        return answer(ours, limit_s, f"> {limit_s:g}") if made == "made" else made
    except EOFError:
        worker.join()
        return f"died ({worker.exitcode})"
    finally:
        worker.kill()
        worker.join()


def answer(results: Connection, limit_s: float, late: str) -> float | str:
    """Return what the worker sends next, or *late* after *limit_s*. Raises EOFError if it died."""
    return results.recv() if results.poll(limit_s) else late


def row(case: Case, tasks: int, limit_s: float) -> list[object]:
    """Seconds at n, 2n and 4n tasks, and each divided by the one before; stops after a failure."""
    times: list[float | str] = []
    for size in (tasks, 2 * tasks, 4 * tasks):
        hopeless = bool(times) and isinstance(times[-1], str)
        times.append("" if hopeless else seconds(case, size, limit_s))
    pairs = zip(times[1:], times[:-1], strict=True)
    both = [isinstance(b, float) and isinstance(a, float) for b, a in pairs]
    growth = [times[i + 1] / times[i] if known else "" for i, known in enumerate(both)]
    return [case.name.replace("_", " "), case.action, *times, *growth]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="run only cases whose name holds one of these")
    parser.add_argument("--tasks", type=int, default=25_000, help="n; %(default)s by default")
    parser.add_argument("--limit", type=float, default=20, help="seconds of a run; %(default)s")
    parser.add_argument("--quick", action="store_true", help="n of 1,000, under a minute")
    options = parser.parse_args()
    tasks = 1_000 if options.quick else options.tasks
    chosen = [c for c in cases() if not options.names or any(n in c.name for n in options.names)]
    rows = [row(case, tasks, options.limit) for case in chosen]
    head = ["dag", "action", f"{tasks:,}", f"{2 * tasks:,}", f"{4 * tasks:,}", "x", "x"]
    show("seconds by number of tasks (bars: 10^5 order 2 s, show 4 s; 10^6 order 20 s)", head, rows)


if __name__ == "__main__":
    main()
