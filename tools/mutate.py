"""Mutation testing: change modules one place at a time, and see whether the tests notice.

    python tools/mutate.py icsched.audit.rules icsched.audit.leaves --count 20 --seed 1

A mutant is a module with one small change. It is killed if a test fails or runs too long. One that
survives shows what no test looks at, unless it does the same as the module. tools/mutants.toml says
which tests belong to a module, and which mutants are known to do the same, and why.

The tests run in a copy of the tree. A `sitecustomize` on PYTHONPATH makes every Python process that
the tests start import the mutant. Before the first mutant and after the last, the module itself
must pass the tests, and a module that cannot be imported must fail them.
"""

import argparse
import ast
import copy
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_SLACK, _SLACK_S = 4, 30  # a mutant may take so many times as long as its module, and longer
_FINDER = """\
import importlib.util, sys
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == {name!r}:
            return importlib.util.spec_from_file_location(name, {path!r})
sys.meta_path.insert(0, Finder)
"""
_BROKEN = "raise ImportError('a mutant that cannot be imported')\n"

_PAIRS = (
    "Lt LtE, Gt GtE, Eq NotEq, Is IsNot, In NotIn, And Or, Add Sub, Mult FloorDiv, BitAnd BitOr"
)
_OTHER = {getattr(ast, a): getattr(ast, b) for a, b in map(str.split, _PAIRS.split(", "))}
_OTHER |= {there: here for here, there in _OTHER.items()} | {ast.Div: ast.Mult}
_OPPOSITE = {"min": "max", "any": "all", "minimum": "maximum", "argmin": "argmax", "left": "right"}
_OPPOSITE |= {there: here for here, there in _OPPOSITE.items()}
_NO_CODE = {"annotation", "returns", "decorator_list"}
_CONDITIONS = {"test", "ifs", "guard"}


@dataclass(frozen=True)
class Mutant:
    """A module with one change, in the line *number*, which reads *line*."""

    number: int
    line: str
    change: str
    source: str


@dataclass(frozen=True)
class _Site:
    """A node of a tree and what may stand in its place."""

    holder: ast.AST
    field: str
    at: int | None  # index, if the field is a list
    old: Any
    new: ast.AST

    def changed(self, tree: ast.AST) -> str:
        """Return the source of *tree* with the change; *tree* stays as it is."""
        self._put(self.new)
        try:
            return ast.unparse(ast.fix_missing_locations(tree))
        finally:
            self._put(self.old)

    def _put(self, node: ast.AST) -> None:
        if self.at is None:
            setattr(self.holder, self.field, node)
        else:
            getattr(self.holder, self.field)[self.at] = node

    def __str__(self) -> str:
        """Return both, a name or number with what is around it."""
        is_word = isinstance(self.old, ast.Constant | ast.Name)
        node = self.holder if is_word and isinstance(self.holder, ast.expr) else self.old
        before = ast.unparse(node)
        self._put(self.new)
        after = ast.unparse(self.new if node is self.old else node)
        self._put(self.old)
        return " -> ".join(text.partition("\n")[0] for text in (before, after))


def mutants(source: str, count: int, seed: str) -> list[Mutant]:
    """Return *count* mutants of a module, or all if it has fewer, line by line.

    The same source and *seed* always give the same mutants. Changes that change nothing are left
    out after the choice.
    """
    tree, lines = ast.parse(source), source.splitlines()
    sites = list(_sites(tree))
    chosen = random.Random(seed).sample(sites, min(count, len(sites)))  # noqa: S311
    chosen.sort(key=lambda site: (site.old.lineno, site.old.col_offset))
    whole, found = ast.unparse(tree), []
    for site in chosen:
        number, text = site.old.lineno, site.changed(tree)
        if text != whole:
            found.append(Mutant(number, lines[number - 1].strip(), str(site), text))
    return found


def _sites(holder: ast.AST) -> Iterator[_Site]:
    for field, value in ast.iter_fields(holder):
        is_list = isinstance(value, list)
        for at, node in enumerate(value if is_list else [value]):
            if isinstance(node, ast.AST) and field not in _NO_CODE and not _is_check(node):
                for new in _replacements(node, field):
                    yield _Site(holder, field, at if is_list else None, node, new)
                yield from _sites(node)


def _is_check(node: ast.AST) -> bool:
    """Whether *node* is the keyword of zip that checks what is always so."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _replacements(node: ast.AST, field: str) -> Iterator[ast.AST]:
    """Yield what may stand in the place of *node*, which is in *field* of another node."""
    if field in _CONDITIONS and not isinstance(node, ast.Compare | ast.UnaryOp):
        yield ast.UnaryOp(ast.Not(), node)  # type: ignore[arg-type]
    match node:
        case ast.Compare():
            for at, op in enumerate(node.ops):
                yield _with(node, ops=[*node.ops[:at], _OTHER[type(op)](), *node.ops[at + 1 :]])
        case ast.BoolOp():
            yield _with(node, op=_OTHER[type(node.op)]())
            for at in range(len(node.values)):
                yield _with(node, values=node.values[:at] + node.values[at + 1 :])
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.BinOp() | ast.AugAssign() if type(node.op) in _OTHER:
            yield _with(node, op=_OTHER[type(node.op)]())
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int()):
            yield ast.Constant(1 - node.value if node.value in (0, 1) else node.value + 1)
        case ast.Constant(value=str()) if node.value in _OPPOSITE:
            yield ast.Constant(_OPPOSITE[node.value])
        case ast.Name(id="min" | "max" | "any" | "all"):
            yield ast.Name(_OPPOSITE[node.id])
        case ast.Attribute() if node.attr in _OPPOSITE:
            yield _with(node, attr=_OPPOSITE[node.attr])
        case ast.IfExp():
            yield from (node.body, node.orelse)
        case ast.Slice():
            ends = [end for end in ("lower", "upper") if getattr(node, end)]
            yield from (_with(node, **{end: None}) for end in ends)
        case ast.ExceptHandler(type=ast.AST()):
            yield _with(node, type=ast.Name("ZeroDivisionError"))
        case ast.Return(value=ast.AST()):
            yield ast.Return(ast.Constant(None))
        case ast.Call():
            yield from _calls(node)
    if _can_be_removed(node):
        yield ast.Pass()


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    """Yield a call with two arguments swapped, and one without each keyword."""
    if len(node.args) > 1 and not any(isinstance(arg, ast.Starred) for arg in node.args[:2]):
        yield _with(node, args=[node.args[1], node.args[0], *node.args[2:]])
    for keyword in itertools.filterfalse(_is_check, node.keywords):
        yield _with(node, keywords=[other for other in node.keywords if other is not keyword])


def _can_be_removed(node: ast.AST) -> bool:
    """Whether *node* is a statement that acts; to remove a name's value would only break names."""
    match node:
        case ast.Expr():
            return not isinstance(node.value, ast.Constant)  # a docstring
        case ast.Assign():
            return not isinstance(node.targets[0], ast.Name | ast.Tuple)
        case ast.Raise() | ast.AugAssign() | ast.Delete() | ast.Break() | ast.Continue():
            return True
    return False


def _with(node: Any, **fields: Any) -> ast.AST:
    """Return a copy of *node* with other *fields*."""
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    if isinstance(new, ast.BoolOp) and len(new.values) == 1:
        return new.values[0]
    return new


class Trial:
    """Runs *tests* with mutants of the module *name*, in a copy of the tree in *folder*."""

    def __init__(self, name: str, tests: Sequence[str], folder: Path) -> None:
        self.name, self.tests, self.folder = name, tests, folder
        self.limit_s = 600.0
        folder.chmod(0o755)  # some tests run as another user
        words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(words, cwd=ROOT, capture_output=True, check=True)  # noqa: S603
        for path in map(os.fsdecode, listed.stdout.split(b"\0")[:-1]):
            target = folder / "tree" / path
            if (ROOT / path).is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, target, follow_symlinks=False)

    def check(self, source: str) -> None:
        """Raise SystemExit unless the module passes the tests, and a broken one does not."""
        began = time.monotonic()
        if self.ending(ast.unparse(ast.parse(source))) != "survived":
            raise SystemExit(f"{self.name}: without a change it fails {' '.join(self.tests)}")
        self.limit_s = _SLACK * (time.monotonic() - began) + _SLACK_S
        if self.ending(_BROKEN) != "killed":
            raise SystemExit(f"{self.name}: {' '.join(self.tests)} do not import mutants")

    def ending(self, source: str) -> str:
        """Return what becomes of a mutant: killed, survived or timed out."""
        with tempfile.TemporaryDirectory(dir=self.folder, ignore_cleanup_errors=True) as place:
            Path(place).chmod(0o755)
            path = Path(place) / "mutant.py"  # in a new directory: no old bytecode fits
            path.write_text(source)
            finder = _FINDER.format(name=self.name, path=str(path))
            path.with_name("sitecustomize.py").write_text(finder)
            return self._tested({"PYTHONPATH": place, "TMPDIR": place})

    def _tested(self, environment: dict[str, str]) -> str:
        pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        process = subprocess.Popen(  # noqa: S603
            ["nice", "-n", "5", *pytest, *self.tests],  # noqa: S607
            cwd=self.folder / "tree",
            env=os.environ | environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            return "killed" if process.wait(self.limit_s) else "survived"
        except subprocess.TimeoutExpired:
            return "timed out"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def endings(
    name: str, tests: Sequence[str], found: list[Mutant], same: Collection[tuple[str, str]]
) -> list[str]:
    """Return what becomes of each of the mutants that were *found* of a module.

    *same* has the lines and changes of those that are known to do the same as the module.
    """

    def ending(one: Mutant) -> str:
        return "the same" if (one.line, one.change) in same else trial.ending(one.source)

    with tempfile.TemporaryDirectory(prefix="mutate") as folder, ThreadPoolExecutor(2) as pool:
        trial = Trial(name, tests, Path(folder))
        trial.check(source_of(name))
        found_endings = list(pool.map(ending, found))
        trial.check(source_of(name))  # a mutant may have damaged the copy
    return found_endings


def source_of(name: str) -> str:
    """Return the source of a module of the package."""
    path = ROOT / "src" / name.replace(".", "/")
    return path.with_suffix(".py").read_text()


def main() -> None:
    """Try mutants of the modules on the command line, and print what becomes of them."""
    table = tomllib.loads((ROOT / "tools" / "mutants.toml").read_text())
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="+", metavar="MODULE", help="such as icsched.audit.rules")
    parser.add_argument("--count", type=int, default=25, help="mutants of each module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", nargs="+", help="instead of those in tools/mutants.toml")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    for name in given.modules:
        found = mutants(source_of(name), given.count, f"{given.seed} {name}")
        same = {(one["line"], one["change"]) for one in table["same"] if one["module"] == name}
        became = endings(name, given.tests or table["tests"][name], found, same)
        for one, ending in zip(found, became, strict=True):
            print(f"{ending:10}{name}:{one.number}: {one.line}\n{'':12}{one.change}")
        total.update(became)
        print(f"{name}: {len(found)} mutants, {dict(sorted(Counter(became).items()))}", flush=True)
    print(f"all: {total.total()} mutants, {dict(sorted(total.items()))}")
    sys.exit(total["survived"] > 0)


if __name__ == "__main__":
    main()
