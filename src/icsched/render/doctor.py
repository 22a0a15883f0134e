"""What `icsched doctor` prints."""

from dataclasses import asdict

from icsched.answers.doctor import DoctorAnswer, EngineFound, Extra, Package
from icsched.render.layout import listing
from icsched.render.visible import named
from icsched.render.words import counted


def text(found: DoctorAnswer) -> str:
    """Return a report in five parts."""
    core = found.core or f"cannot be loaded: {found.problem}"
    parts = {
        "icsched": [
            ("icsched", found.icsched),
            ("C++ core", named(core)),
            ("Python", f"{found.python}, {named(found.executable)}"),
        ],
        "Packages that icsched needs": list(map(_package, found.dependencies)),
        "Extras": list(map(_extra, found.extras)),
        "Engines that run workflows": list(map(_engine, found.engines)),
        "This machine": _machine(found),
    }
    return "\n".join(f"{title}:\n{listing(rows, indent='  ')}" for title, rows in parts.items())


def _package(package: Package) -> tuple[str, str]:
    version = package.version or "not installed"
    if package.problem is None:
        return package.name, version
    repair = f"pip install --force-reinstall {package.name}"
    return package.name, f"{version}; BROKEN: {named(package.problem)}; to repair: {repair}"


def _extra(extra: Extra) -> tuple[str, str]:
    if not extra.is_installed:
        return extra.name, f"not installed; for {extra.purpose}: {extra.install}"
    versions = ", ".join(f"{package.name} {package.version}" for package in extra.packages)
    return extra.name, f"{versions}; for {extra.purpose}"


def _engine(engine: EngineFound) -> tuple[str, str]:
    if engine.found is None:
        return engine.name, f"not found; it needs {engine.needs}"
    use = "; it runs Snakefiles by snakemake --scheduler icsched" * (engine.name == "snakemake")
    return engine.name, f"{named(engine.found)}{use}"


def _machine(found: DoctorAnswer) -> list[tuple[str, str]]:
    machine = found.machine
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


def keys(found: DoctorAnswer) -> dict[str, object]:
    """Return what was found as JSON shows it."""
    extras = [{**asdict(extra), "installed": extra.is_installed} for extra in found.extras]
    return {**asdict(found), "extras": extras}
