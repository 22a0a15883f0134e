"""Record what icsched answers, or compare the answers of now with the recorded ones.

Usage: python -m tools.golden record|compare [--only GLOB] [--hash-seed N]. A case is called
"WORKFLOW $ icsched COMMAND" or "WORKFLOW >>> EXPRESSION"; the glob is matched with this name.
tools/golden/cases.py explains where cases are written down. The answers are in
tools/golden/answers, one file for each workflow, and belong to the commit that changes them.
"""

import argparse
import difflib
import os
import resource
import sys
from pathlib import Path

from tools.golden.cases import Subject, selected, subjects
from tools.golden.play import answers_of

ANSWERS = Path(__file__).parent / "answers"
MOST_LINES = 16  # of the difference of one case
MARK = "ICSCHED_GOLDEN"


def main() -> int:
    """Record or compare; return the exit code."""
    options = _options()
    _fix_environment(options.hash_seed)
    known = subjects()
    chosen = selected(known, options.only)
    answers = answers_of(chosen)
    if options.act == "record":
        _record(known, answers)
        code = 0
    else:
        code = _compare(chosen, answers, is_all=options.only == "*")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{used.ru_utime + used.ru_stime:.0f} s of processor time")
    return code


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.golden", description=__doc__)
    parser.add_argument("act", choices=["record", "compare"])
    parser.add_argument("--only", default="*", metavar="GLOB", help="cases, by their names")
    parser.add_argument("--hash-seed", default="0", help="PYTHONHASHSEED of all processes")
    return parser.parse_args()


def _fix_environment(hash_seed: str) -> None:
    """Start again with variables that are the same for everybody."""
    fixed = {
        MARK: hash_seed,
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": os.environ.get("HOME", "/"),
        "PYTHONHASHSEED": hash_seed,
        "PYTHONWARNINGS": "ignore",
        "OPENBLAS_NUM_THREADS": "1",  # its threads do not survive a fork
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }
    if os.environ.get(MARK) != hash_seed:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], fixed)  # noqa: S606
    os.umask(0o022)


def _record(known: list[Subject], answers: dict[str, dict[str, str]]) -> None:
    """Write the answers; those of other cases stay, unless there is no such case any more."""
    ANSWERS.mkdir(exist_ok=True)
    for path in ANSWERS.glob("*.txt"):
        if path.stem not in {one.name for one in known}:
            path.unlink()
    for one in known:
        told = {**_recorded(one.name), **answers.get(one.name, {})}
        text = "".join(f"{line}\n{told[line]}\n" for line in one.lines if line in told)
        (ANSWERS / f"{one.name}.txt").write_text(text)
    print(f"recorded {sum(map(len, answers.values()))} cases of {len(answers)} workflows")


def _compare(chosen: list[Subject], answers: dict[str, dict[str, str]], *, is_all: bool) -> int:
    """Print what differs; return the exit code."""
    differing = 0
    for name in [path.stem for path in sorted(ANSWERS.glob("*.txt"))] if is_all else []:
        answers.setdefault(name, {})
    for name, told in answers.items():
        recorded = _recorded(name)
        gone = dict.fromkeys(recorded, "") if is_all else {}
        for line, now in {**gone, **told}.items():
            if (then := recorded.get(line, "")) != now:
                differing += 1
                _show_difference(f"{name} {line}", then, now)
    count = sum(map(len, answers.values()))
    print(f"{differing} of {count} cases differ, of {len(chosen)} workflows")
    return 1 if differing else 0


def _recorded(name: str) -> dict[str, str]:
    """Return the recorded answers of a workflow by case: a case begins in the first column."""
    path = ANSWERS / f"{name}.txt"
    found: dict[str, list[str]] = {}
    text = path.read_text().removesuffix("\n") if path.exists() else ""
    for line in text.split("\n"):
        if line.startswith(("$ ", ">>> ")):
            lines = found.setdefault(line, [])
        elif found:
            lines.append(line)
    return {line: "\n".join(lines) for line, lines in found.items()}


def _show_difference(name: str, then: str, now: str) -> None:
    lines = list(
        difflib.unified_diff(then.split("\n"), now.split("\n"), "recorded", "now", "", "", 1, "")
    )[2:]
    print(f"== {name}")
    print("\n".join(line[:160] for line in lines[:MOST_LINES]))
    if len(lines) > MOST_LINES:
        print(f"(and {len(lines) - MOST_LINES} more lines)")


if __name__ == "__main__":
    sys.exit(main())
