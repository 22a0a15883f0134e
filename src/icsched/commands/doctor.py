"""`icsched doctor`: what is installed, and what this machine can do.

It imports no other package before it knows whether that is broken.
"""

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from icsched.commands.terminal import listing, report, screen_of, slow_json_text
from icsched.frames import keys_of
from icsched.machine import usable_cores
from icsched.messages import counted, named
from icsched.tables import Table

# The extras for users; those for developers and for examples are left out.
PURPOSES = {
    "networkx": "graphs of networkx as workflows",
    "pandas": "plans and simulations as data frames",
    "plot": "pictures",
    "yaml": "workflows of Pegasus",
    "dask": "runs and studies on a Dask cluster, and the order dask",
    "snakemake": "a scheduler for Snakemake",
}
# What each engine needs: a program, or a package of Python.
_PROGRAMS = {"htcondor": "condor_submit_dag", "snakemake": "snakemake"}
_PACKAGES = {"dask": "distributed"}
_MODULES = {"ortools": "ortools.sat.python.cp_model"}  # to import, if not called like the package


@dataclass(frozen=True)
class Package:
    """A package of Python; `version` is None if it is not installed.

    `problem` says why icsched, which needs the package, cannot import it.
    """

    name: str
    version: str | None
    problem: str | None = None


@dataclass(frozen=True)
class Extra:
    """An extra of icsched: what it is for, its packages, and how to install it."""

    name: str
    purpose: str
    packages: tuple[Package, ...]
    install: str
    installed: bool  # all packages


@dataclass(frozen=True)
class EngineFound:
    """A program that can run workflows; `found` says where or which version, None if nowhere."""

    name: str
    needs: str
    found: str | None


@dataclass(frozen=True)
class OtherEntry:
    """An entry that another package adds to a table of icsched.

    `object` is where the package has it. `problem` says why it cannot be used; None if it can be.
    """

    kind: str
    name: str
    object: str
    problem: str | None


@dataclass(frozen=True)
class Surroundings:
    """What is known of the process: where it runs, and what its terminal can show."""

    system: str
    cores: int
    terminal: bool
    columns: int | None
    encoding: str
    ascii: bool


@dataclass(frozen=True)
class DoctorAnswer:
    """Versions, extras, engines and the machine; `problem` says why icsched itself cannot work."""

    icsched: str
    core: str | None
    problem: str | None
    python: str
    executable: str
    dependencies: tuple[Package, ...]
    extras: tuple[Extra, ...]
    engines: tuple[EngineFound, ...]
    entries: tuple[OtherEntry, ...]
    machine: Surroundings


def doctor_answer() -> DoctorAnswer:
    """Look at what is installed, and at standard output."""
    wanted = metadata.requires("icsched") or []
    dependencies = tuple(
        replace(package, problem=_import_problem(_MODULES.get(package.name, package.name)))
        for package in _packages([word for word in wanted if ";" not in word])
    )
    problem = _import_problem("icsched.dag")  # uses the C++ core
    core = None if problem else sys.modules["icsched._core"].__file__
    broken = [f"{one.name}: {one.problem}" for one in dependencies if one.problem]
    problem = next(iter(broken), problem)
    screen = screen_of(sys.stdout)
    return DoctorAnswer(
        icsched=metadata.version("icsched"),
        core=core,
        problem=problem,
        python=platform.python_version(),
        executable=sys.executable,
        dependencies=dependencies,
        extras=tuple(_extra(name, wanted) for name in PURPOSES),
        engines=tuple(_engines()),
        entries=() if problem else tuple(_entries()),
        machine=Surroundings(
            system=platform.platform(),
            cores=usable_cores(),
            terminal=sys.stdout.isatty(),
            columns=screen.columns,
            encoding=sys.stdout.encoding,
            ascii=screen.is_ascii,
        ),
    )


def _import_problem(module: str) -> str | None:
    """Return in one line why *module* cannot be imported; None if it can be."""
    try:
        import_module(module)
    except Exception as error:  # a broken package may raise anything
        return " ".join(f"{type(error).__name__}: {error}".split())
    return None


def _packages(requirements: Sequence[str]) -> tuple[Package, ...]:
    names = [re.split(r"[^\w.-]", word, maxsplit=1)[0] for word in requirements]
    return tuple(Package(name, _version(name)) for name in names)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _extra(name: str, wanted: Sequence[str]) -> Extra:
    marker = re.compile(rf";.*\bextra == ['\"]{name}['\"]")
    packages = _packages([word for word in wanted if marker.search(word)])
    is_installed = all(package.version is not None for package in packages)
    return Extra(name, PURPOSES[name], packages, f"pip install 'icsched[{name}]'", is_installed)


def _engines() -> Iterator[EngineFound]:
    yield EngineFound("local", "nothing: processes of this machine", sys.executable)
    # Programs are looked for beside Python first, as in a virtual environment.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    for name, program in _PROGRAMS.items():
        yield EngineFound(name, f"the program {program}", shutil.which(program, path=path))
    for name, package in _PACKAGES.items():
        version = _version(package)
        found = None if version is None else f"{package} {version}"
        yield EngineFound(name, f"the package {package}", found)


def _entries() -> Iterator[OtherEntry]:
    """Load the entries of other packages; icsched itself must not be broken."""
    from icsched.formats import FORMATS
    from icsched.orders import ORDERS
    from icsched.run.engines import ENGINES
    from icsched.serve import CLUSTERERS

    tables: dict[str, Table[Any]] = {
        "order": ORDERS,
        "format": FORMATS,
        "clusterer": CLUSTERERS,
        "engine": ENGINES,
    }
    for kind, table in tables.items():
        for entry in table.others():
            yield OtherEntry(kind, *entry)


def text(found: DoctorAnswer) -> str:
    """Return a report in five parts, and a sixth if other packages add to icsched."""
    core = found.core or f"cannot be loaded: {found.problem}"
    parts = {
        "icsched": [
            ("icsched", found.icsched),
            ("C++ core", named(core)),
            ("Python", f"{found.python}, {named(found.executable)}"),
        ],
        "Packages that icsched needs": list(map(_package, found.dependencies)),
        "Extras": list(map(_extra_row, found.extras)),
        "Engines that run workflows": list(map(_engine, found.engines)),
        "Entries of other packages": list(map(_entry, found.entries)),
        "This machine": _machine(found.machine),
    }
    return "\n".join(
        f"{title}:\n{listing(rows, indent='  ')}" for title, rows in parts.items() if rows
    )


def _package(package: Package) -> tuple[str, str]:
    version = package.version or "not installed"
    if package.problem is None:
        return package.name, version
    repair = f"pip install --force-reinstall {package.name}"
    return package.name, f"{version}; BROKEN: {named(package.problem)}; to repair: {repair}"


def _extra_row(extra: Extra) -> tuple[str, str]:
    if not extra.installed:
        return extra.name, f"not installed; for {extra.purpose}: {extra.install}"
    versions = ", ".join(f"{package.name} {package.version}" for package in extra.packages)
    return extra.name, f"{versions}; for {extra.purpose}"


def _engine(engine: EngineFound) -> tuple[str, str]:
    if engine.found is None:
        return engine.name, f"not found; it needs {engine.needs}"
    use = "; it runs Snakefiles by snakemake --scheduler icsched" * (engine.name == "snakemake")
    return engine.name, f"{named(engine.found)}{use}"


def _entry(entry: OtherEntry) -> tuple[str, str]:
    broken = "" if entry.problem is None else f"; BROKEN: {named(entry.problem)}"
    return f"{entry.kind} {named(entry.name)}", f"{named(entry.object)}{broken}"


def _machine(machine: Surroundings) -> list[tuple[str, str]]:
    terminal = "standard output is not a terminal"
    if machine.columns is not None:
        terminal = counted(machine.columns, "column")
    letters = f"{machine.encoding}, names in {'ASCII' if machine.ascii else 'Unicode'}"
    return [
        ("system", machine.system),
        ("cores", f"{machine.cores:,}"),
        ("terminal", terminal),
        ("encoding", letters),
    ]


def checkup(*, as_json: bool) -> int:
    """Print what is installed and what is broken; return the exit code."""
    found = doctor_answer()
    if as_json:
        sys.stdout.write(slow_json_text(keys_of(found)))
    else:
        report(found, text)
    return 0 if found.problem is None else 1
