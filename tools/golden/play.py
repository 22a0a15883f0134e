"""Plays cases, each in a process and a directory of its own.

One process imports icsched and all that its commands import; it forks for each case. So a case
costs what it computes, and no case can change what another one answers.
"""

import atexit
import difflib
import gc
import json
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from tools.golden.cases import Subject
from tools.golden.library import value_lines
from tools.golden.shown import bytes_lines, is_unsteady, many_lines, steady, text_lines

AT_ONCE = 2
LIMIT_S = 600  # a case that takes longer, on a busy machine, is ended by SIGALRM
RUN = ["run"]  # starts processes of its own, so it must be a real program; it measures time
MEASURED = re.compile(r"\d+\.\d+(e-\d+)?|[+-]?[\d,]+(?=%)")
WARM = [  # what these import is imported once, before any case
    ["prio", "wf.dag", "--json"],
    ["show", "wf.dag"],
    ["simulate", "wf.dag", "--runs", "20", "--order", "dask"],
    ["report", "wf.dag", "-o", "page.html"],
    ["plot", "curves", "wf.dag", "-o", "curves.png"],
    ["study", "wf.dag", "-o", "study", "--intervals", "1", "--batches", "4", "--runs", "20"],
    ["batch", "wf.dag", "--take", "1", "--method", "exact"],
    ["cluster", "wf.dag", "--size", "2"],
    ["convert", "wf.dag", "new.yml"],
    ["convert", "wf.dag", "new.graphml"],
    ["learn", "wf.dag"],
    ["show", "--help"],
    ["verify", "wf.dag"],
]

Files = dict[str, tuple[int, bytes | None]]  # mode and content by name; None for a directory


def answers_of(chosen: list[Subject]) -> dict[str, dict[str, str]]:
    """Return the answers of all cases: by workflow, then by the line of the case."""
    top = Path(tempfile.mkdtemp(prefix="golden-"))  # forked processes must not remove it
    _warm(top)
    units = [(one, lines) for one in chosen for lines in _units(one)]
    ended = _played(units, top)
    found: dict[str, dict[str, str]] = {one.name: {} for one in chosen}
    for at, (one, lines) in enumerate(units):
        result = top / f"{at}.json"
        texts = json.loads(result.read_text()) if result.exists() else {}
        for line in lines:
            found[one.name][line] = texts.get(line, f"  ended with {ended[at]}")
    shutil.rmtree(top)
    return found


def _units(one: Subject) -> list[list[str]]:
    """Return what shares a process: each command alone, all expressions together."""
    expressions = [line for line in one.lines if line.startswith(">>>")]
    commands = [[line] for line in one.lines if line.startswith("$")]
    return commands + ([expressions] if expressions else [])


def _played(units: list[tuple[Subject, list[str]]], top: Path) -> list[int]:
    """Play all units, some at once; return how each process ended."""
    codes = [0] * len(units)
    running: dict[int, int] = {}
    for at, (one, lines) in enumerate(units):
        while len(running) >= AT_ONCE:
            _wait(running, codes)
        pid = os.fork()
        if not pid:
            _leave(lambda one=one, lines=lines, at=at: _play(one, lines, top, at))  # type: ignore[misc]
        running[pid] = at
    while running:
        _wait(running, codes)
    return codes


def _wait(running: dict[int, int], codes: list[int]) -> None:
    pid, status = os.wait()
    codes[running.pop(pid)] = os.waitstatus_to_exitcode(status)


def _leave(act: Callable[[], int]) -> None:
    """Do *act* in this forked process, and end the process."""
    code = 70
    try:
        signal.alarm(LIMIT_S)
        code = act()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _play(one: Subject, lines: list[str], top: Path, at: int) -> int:
    folder = top / str(at)
    folder.mkdir()
    os.chdir(folder)
    for name, content in one.files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)
    texts = {}
    for line in lines:
        if line.startswith("$"):
            shown = _steps(line[2:].split(" && "), str(folder))
        else:
            shown = value_lines(line[4:], one.main, str(folder))
        texts[line] = "\n".join(f"  {text}".rstrip() for text in shown)
    (top / f"{at}.json").write_text(json.dumps(texts))
    return 0


def _steps(steps: list[str], folder: str) -> list[str]:
    if len(steps) == 1:
        return _step(steps[0], folder)
    return [line for step in steps for line in (f"$ {step}", *_step(step, folder))]


def _step(step: str, folder: str) -> list[str]:
    """Run one command line; return its exit code, what it printed and the files that changed."""
    before = _files()
    words, _, standard_input = step.partition(" < ")
    printed = [Path(f"{folder}.{name}") for name in ("out", "err")]
    command = words.split()[1:2]
    code = _run(shlex.split(words)[1:], standard_input or os.devnull, printed)
    lines = [f"exit {code}"]
    for name, path in zip(("stdout", "stderr"), printed, strict=True):
        if text := steady(path.read_bytes().decode(errors="backslashreplace"), folder):
            lines += [f"{name}:", *(f"  {line}" for line in text_lines(text))]
    lines += many_lines(_changes(before, _files(), folder))
    return [MEASURED.sub("N", line) for line in lines] if command == RUN else lines


def _run(words: list[str], standard_input: str, printed: list[Path]) -> int:
    pid = os.fork()
    if not pid:
        handles = [os.open(standard_input, os.O_RDONLY)]
        handles += [os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for path in printed]
        for number, handle in enumerate(handles):
            os.dup2(handle, number)
        _leave(lambda: _command(words))
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _command(words: list[str]) -> int:
    """Be the program icsched; return its exit code."""
    if words[:1] == RUN and "--dry-run" not in words:
        program = str(Path(sys.executable).with_name("icsched"))
        os.execv(program, ["icsched", *words])  # noqa: S606
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  until the process ends
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    code: object = 0
    try:
        _main(words)
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


def _main(words: list[str]) -> None:
    (entry,) = entry_points(group="console_scripts", name="icsched")
    sys.argv = ["icsched", *words]
    entry.load()()


def _files() -> Files:
    """Return everything below the current directory."""
    found = ((path, path.lstat().st_mode & 0o7777) for path in sorted(Path().rglob("*")))
    return {str(p): (mode, None if p.is_dir() else _content(p)) for p, mode in found}


def _content(path: Path) -> bytes:
    """Return the bytes of a file; the cells of a study sorted, because they end in any order."""
    data = path.read_bytes()
    is_unordered = path.name == "cells.jsonl"
    return b"".join(sorted(data.splitlines(keepends=True))) if is_unordered else data


def _changes(before: Files, after: Files, folder: str) -> list[str]:
    lines = [f"removed {name}" for name in before if name not in after]
    for name, (mode, content) in after.items():
        if before.get(name) == (mode, content):
            continue
        is_usual = mode == (0o755 if content is None else 0o644)
        old = before[name][1] if name in before else None
        head = f"{'changed' if name in before else 'new'} {name}"
        head += "" if is_usual else f", mode {mode:o}"
        same = [other for other, (_, given) in before.items() if given == content]
        if content is None or is_unsteady(name):
            lines.append(f"{head}{'/' if content is None else ''}")
        elif same:
            lines.append(f"{head}: as {same[0]} was")
        else:
            lines += [f"{head}:", *(f"  {line}" for line in _file_lines(old, content, folder))]
    return lines


def _file_lines(old: bytes | None, new: bytes, folder: str) -> list[str]:
    """Return the lines to show of a file: the difference to its old content if there was one."""
    if old is None:
        return bytes_lines(new, folder)
    then, now = (
        steady(data.decode(errors="backslashreplace"), folder).splitlines(keepends=True)
        for data in (old, new)
    )
    return text_lines("".join(list(difflib.unified_diff(then, now, n=1))[2:]))


def _warm(top: Path) -> None:
    """Import all modules that commands import; a forked process finds out which these are."""
    folder = top / "warm"
    folder.mkdir()
    (folder / "wf.dag").write_text("JOB a a.sub\nJOB b a.sub\nPARENT a CHILD b\n")
    pid = os.fork()
    if not pid:
        os.chdir(folder)
        _leave(lambda: _warm_up(folder / "modules"))
    os.waitpid(pid, 0)
    for name in (folder / "modules").read_text().split():
        with suppress(Exception):
            import_module(name)
    gc.freeze()  # or each forked process would copy what it looks at


def _warm_up(modules: Path) -> int:
    for number in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    for words in WARM:
        with suppress(SystemExit):
            _main(words)
    modules.write_text(" ".join(sys.modules))
    return 0
