"""`icsched prio`: order a workflow, and write the order into its files."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import Parameter

from icsched.answers.changes import Writing
from icsched.answers.ordered import Wanted
from icsched.answers.orders import AUTO
from icsched.answers.pools import GivenPool
from icsched.answers.prio import PrioAnswer, prio_answer, with_changes_made
from icsched.answers.reading import Reading
from icsched.answers.streams import STANDARD_INPUT, STANDARD_OUTPUT
from icsched.cli import typed
from icsched.cli.inputs import USUAL, FileName, FileOptions, PathName, check_streams, refuse
from icsched.cli.model import USUAL_POOL, PoolOptions, naming_pool
from icsched.cli.orders import CHOSEN, AutoOptions
from icsched.cli.output import SIGNS, Flag, Json, OutputName
from icsched.cli.printing import put, put_content, put_json, report, say
from icsched.errors import ArgumentError, FormatError
from icsched.render import prio as render


@Parameter(name="*")
@dataclass(frozen=True)
class WriteOptions(Writing):
    """What to do to the files.

    Parameters
    ----------
    output
        Write a copy of the file with the order in it to this file; - for standard output. If the
        name ends in .csv, write a table instead: task,priority, first to run first. If there is a
        file of that name without a section of icsched's, it is kept in OUTPUT.bak.
    in_place
        Write the order into the file itself; the original is kept in FILE.bak.
    remove
        Remove from the file what icsched wrote into it.
    force
        With --in-place or --remove: also change a file that is read-only or has hard links.
        Other hard links keep the old file.
    keep_existing
        Jobs that have a priority of their own in the files keep it; not with auto, which does not
        simulate what is kept.
    flatten
        With -o: write one file without splices and includes; not with --usedagdir or --lenient.
    via
        Give priorities by PRIORITY lines, or by variables that the submit files use (not with -o).
    recursive
        With --in-place, --remove, --diff or --check: do the same to the files of SUBDAG EXTERNAL.
    diff
        Show what --in-place would change, and change nothing. The report goes to standard error.
    check
        Exit with code 1 if --in-place would change something, and change nothing.

    """

    output: Annotated[PathName | None, OutputName] = None
    in_place: Flag = False
    remove: Flag = False
    force: Flag = False
    keep_existing: Flag = False
    flatten: Flag = False
    via: Literal["priority", "vars"] = "priority"
    recursive: Flag = False
    diff: Flag = False
    check: Flag = False


@Parameter(name="*")
@dataclass(frozen=True)
class MemoryOptions:
    """How much memory the order may need.

    Parameters
    ----------
    memory
        Keep at most this many results of jobs whose children have not all run; with --sizes, bytes.
        The limit holds if jobs run one at a time, in this order. The order is prio.
    sizes
        With --memory: file with the size of each job's result, NAME BYTES on each line.

    """

    memory: str | None = None
    sizes: PathName | None = None

    @property
    def limit(self) -> int | None:
        """What --memory says; 0 if it is not a positive integer."""
        word = self.memory
        return None if word is None else int(word) if word.isascii() and word.isdigit() else 0


NOTHING = WriteOptions()
BOUNDLESS = MemoryOptions()


def prio(
    *files: FileName,
    order: AutoOptions = CHOSEN,
    pool_options: PoolOptions = USUAL_POOL,
    writing: WriteOptions = NOTHING,
    reading: FileOptions = USUAL,
    memory: MemoryOptions = BOUNDLESS,
    json_: Json = False,
) -> None:
    """Order a workflow so that its run ends as early as possible.

    Parameters
    ----------
    json_
        Print one JSON object with the order, the priorities and the profiles.

    """
    _check_writing(files, writing, reading, as_json=json_)
    check_streams(*files, order.order, *order.run_times, memory.sizes, pool_options.pool_file)
    _check_ordering(order.order, writing, memory)
    given = _pool(order.order, pool_options, memory)
    wanted = Wanted(order, memory.limit, memory.sizes, given)
    with naming_pool(pool_options.pool_file):
        found = prio_answer(files, wanted, writing, reading=Reading(reading), signs=SIGNS)
    if writing.only_looks:
        _show(found, writing, as_json=json_)
        return
    found = with_changes_made(found, writing)
    if writing.output != STANDARD_OUTPUT:
        put(found, render.text, render.keys, as_json=json_)
    else:
        put_content(found.streamed or b"")
        report(found, render.text, stream=sys.stderr)


def _show(found: PrioAnswer, writing: WriteOptions, *, as_json: bool) -> None:
    """Show what would be written; raises FormatError with --check if there is something."""
    if as_json:
        put_json(render.looked_keys(found))
    elif writing.diff:
        say(render.diff(found), wraps=False)
        report(found, render.text, stream=sys.stderr)
    elif not found.stale:
        report(found, render.up_to_date)
    if writing.check and found.stale:
        first = found.stale[0]
        again = typed.again({"--check": "--in-place"})
        raise FormatError(first.path, first.line, render.stale_sentence(found.stale, again))


def _pool(order: str, pool: PoolOptions, memory: MemoryOptions) -> GivenPool | None:
    """Return the pool on which an order is chosen; raises ArgumentError if none is chosen."""
    if pool.given and (order != AUTO or memory.memory is not None):
        other = "--memory" if memory.memory is not None else f"--order {order}"
        raise ArgumentError(f"{pool.given} cannot be used with {other}: nothing is simulated then")
    return pool.pool()


def _check_writing(
    files: Sequence[str], writing: WriteOptions, reading: FileOptions, *, as_json: bool
) -> None:
    """Raise ArgumentError for options of writing that cannot be used together."""
    asked = writing.in_place, writing.remove, writing.diff, writing.check
    chosen = [writing.output is not None, *asked]
    only_one = "only one of -o, --in-place, --remove, --diff and --check can be used"
    refuse({only_one: sum(chosen) > 1, **_misused_output(files, writing, reading)})
    changes = writing.in_place or writing.remove or writing.only_looks
    real = {os.path.realpath(file) for file in files}
    refuse(
        {
            **_idle(writing, changes=changes),
            "-o - cannot be used with --json": writing.output == STANDARD_OUTPUT and as_json,
            "standard input cannot be changed: use -o": STANDARD_INPUT in files and changes,
            "the same file is given twice": changes and len(real) < len(files),
        }
    )


def _misused_output(
    files: Sequence[str], writing: WriteOptions, reading: FileOptions
) -> dict[str, bool]:
    """Return, by its message, whether -o or --flatten is used where it cannot be."""
    return {
        "-o cannot be used with several files": bool(writing.output) and len(files) > 1,
        "--flatten needs -o": writing.flatten and writing.output is None,
        "--flatten cannot be used with --usedagdir": writing.flatten and reading.usedagdir,
        "--flatten cannot be used with --lenient": writing.flatten and reading.lenient,
        "--flatten cannot be used with -o NAME.csv": writing.flatten and writing.makes_table,
        "--keep-existing cannot be used with -o NAME.csv": (
            writing.keep_existing and writing.makes_table
        ),
    }


def _idle(writing: WriteOptions, *, changes: bool) -> dict[str, bool]:
    """Return, by its message, whether an option has no use, because nothing *changes* files."""
    writes_here = writing.in_place or writing.remove
    return {
        "--keep-existing needs -o or --in-place": (
            writing.keep_existing and not writing.writes_order
        ),
        "--via vars changes submit files: it needs --in-place": (
            writing.via == "vars" and not changes
        ),
        "--force needs --in-place or --remove": writing.force and not writes_here,
        "--recursive needs --in-place or --remove": writing.recursive and not changes,
    }


def _check_ordering(order: str, writing: WriteOptions, memory: MemoryOptions) -> None:
    """Raise ArgumentError for options of ordering that cannot be used together."""
    limited = memory.memory is not None
    refuse(
        {
            "--keep-existing needs --order NAME: auto does not simulate what is kept": (
                writing.keep_existing and order == AUTO and not limited
            ),
            "--memory cannot be used with --remove": writing.remove and limited,
            f"--memory: expected a whole number, 1 or more, got {memory.memory!r}": memory.limit
            == 0,
            "--sizes needs --memory": memory.sizes is not None and not limited,
            f"--memory cannot be used with --order {order}": limited
            and order not in (AUTO, "prio"),
            "--memory cannot be used with --recursive": limited and writing.recursive,
        }
    )
