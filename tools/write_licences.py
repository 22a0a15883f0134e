"""Write docs/licences.md: the licence of each package that pyproject.toml names."""

import re
import tomllib
from email.message import Message
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "licences.md"
INSTALLED = "run time"  # the group of what every installation has

# What each package is for; a package without an entry is an error.
PURPOSES = {
    "apache-airflow": "an example runs it",
    "atheris": "fuzzing of the readers",
    "cryptography": "certificates for the cluster of engine dask",
    "cyclopts": "the command line, from type annotations",
    "dask": "an engine, and its order to compare with",
    "furo": "the look of the guide",
    "hyperqueue": "an example runs it",
    "hypothesis": "property tests",
    "import-linter": "checks the layers",
    "ipykernel": "runs the notebooks of the guide",
    "luigi": "an example runs it",
    "matplotlib": "figures",
    "msgspec": "JSON of large answers",
    "mypy": "checks the types",
    "myst-nb": "Markdown and notebooks in the guide",
    "nanobind": "binds the C++ core; a part of it is compiled into each wheel",
    "networkx": "graphs in and out",
    "numba": "a peer in benches",
    "numpy": "arrays",
    "ortools": "integer programs for batches, maximum flows for bounds",
    "pandas": "answers as data frames",
    "parsl": "an example runs it",
    "pydot": "a peer that reads DOT in tests",
    "pytest": "runs the tests",
    "pytest-xdist": "runs the tests on all cores",
    "pyyaml": "workflows of Pegasus",
    "rich": "help, tables and spinners on terminals",
    "ruff": "checks and formats the code",
    "scikit-build-core": "builds the wheel",
    "selenium": "drives a browser in tests of the report",
    "setuptools-scm": "the version, from tags",
    "rustworkx": "a peer in benches",
    "simpy": "a peer in benches",
    "snakemake": "an engine, whose scheduler icsched can be",
    "snakemake-executor-plugin-cluster-generic": "tests of the scheduler",
    "snakemake-interface-scheduler-plugins": "the interface of the scheduler",
    "snakemake-scheduler-plugin-firstfit": "a peer in benches",
    "sphinx": "makes the guide",
    "sphinx-copybutton": "copies commands of the guide",
}
# Read from the licence files of these packages, because their metadata names none, or because the
# environment of the developers does not have them.
BY_HAND = {
    "apache-airflow": "Apache-2.0",
    "atheris": "Apache-2.0",
    "furo": "MIT",
    "hyperqueue": "MIT",
    "luigi": "Apache-2.0",
    "matplotlib": "Matplotlib License (like the PSF's)",
    "nanobind": "BSD-3-Clause",
    "numba": "BSD-2-Clause",
    "scikit-build-core": "Apache-2.0",
    "setuptools-scm": "MIT",
    "rustworkx": "Apache-2.0",
    "simpy": "MIT",
    "snakemake-interface-scheduler-plugins": "MIT",
    "snakemake-scheduler-plugin-firstfit": "MIT",
}


def requirements() -> dict[str, str]:
    """Return each package that pyproject.toml names, with the first group that names it."""
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = whole["project"]
    groups = {INSTALLED: project["dependencies"], "build": whole["build-system"]["requires"]}
    groups |= {f"extra `{name}`": some for name, some in project["optional-dependencies"].items()}
    found: dict[str, str] = {}
    for group, lines in groups.items():
        for line in lines:
            found.setdefault(re.split(r"[^\w.-]", line)[0].lower(), group)
    return {name: group for name, group in found.items() if name != "icsched"}


def licence_in(fields: Message) -> str:
    """Return the licence that the metadata of a package names: one line, or ""."""
    stated = fields.get("License-Expression") or fields.get("License") or ""
    return stated.strip().partition("\n")[0].strip()


def licence_of(name: str) -> str:
    """Return the licence of a package: what was read by hand, else what its metadata names."""
    if name in BY_HAND:
        return BY_HAND[name]
    try:
        stated = licence_in(metadata(name))
    except PackageNotFoundError as error:
        raise SystemExit(f"{name} is not installed: run make docs, or add it to BY_HAND") from error
    return stated or f"unknown: add {name} to BY_HAND"


def purpose_of(name: str) -> str:
    """Return what a package is for."""
    if name not in PURPOSES:
        raise SystemExit(f"{name} has no purpose yet: add it to PURPOSES in {Path(__file__).name}")
    return PURPOSES[name]


def page() -> str:
    """Return the whole page."""
    rows = [
        f"| {name} | {licence_of(name)} | {group} | {purpose_of(name)} |"
        for name, group in requirements().items()
    ]
    return "\n".join(
        [
            "# Licences of dependencies",
            "",
            "icsched is under the Apache License 2.0 (`LICENSE`). The sdist has no other code. A",
            "wheel also has the run-time part of nanobind, compiled in. pip installs the packages",
            "of the group *run time* beside icsched, and other packages only with their extra.",
            "Packages that these packages need themselves are not listed. `make docs` writes this",
            "table from the metadata of the installed packages.",
            "",
            "| package | licence | group | what for |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page())
