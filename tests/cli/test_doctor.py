"""`icsched doctor` against what is really installed."""

import json
import re
import sys
from importlib import metadata
from pathlib import Path

import pytest

from icsched.commands.doctor import PURPOSES

FOR_DEVELOPERS = {"airflow", "bench", "browser", "dev", "docs", "engines", "fuzz", "test"}


@pytest.fixture
def found(icsched):
    result = icsched("doctor", "--json")
    assert (result.code, result.err) == (0, "")
    return json.loads(result.out)


def test_versions_are_those_of_the_installed_packages(found):
    assert found["icsched"] == metadata.version("icsched")
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    assert Path(found["core"]).name.startswith("_core.")
    assert found["problem"] is None
    for package in found["dependencies"]:
        assert package["version"] == metadata.version(package["name"])
    assert {"numpy", "cyclopts", "rich"} <= {package["name"] for package in found["dependencies"]}


def test_every_extra_for_users_has_a_purpose_and_a_line_for_pip(found):
    declared = set(metadata.metadata("icsched").get_all("Provides-Extra"))

    assert set(PURPOSES) == declared - FOR_DEVELOPERS
    assert {extra["name"] for extra in found["extras"]} == set(PURPOSES)
    for extra in found["extras"]:
        assert extra["install"] == f"pip install 'icsched[{extra['name']}]'"
        assert extra["packages"]


def test_an_engine_is_found_where_its_program_is(found, icsched, tmp_path, monkeypatch):
    program = tmp_path / "condor_submit_dag"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    engines = {engine["name"]: engine for engine in found["engines"]}
    report = icsched("doctor").out

    assert engines["dask"]["found"] == f"distributed {metadata.version('distributed')}"
    assert re.search(rf"^  htcondor +{program}$", report, re.MULTILINE)


def test_a_broken_core_is_named_and_the_exit_code_is_1(tmp_path, icsched_process):
    """A file of the same name that comes first cannot be loaded."""
    site = tmp_path / "sitecustomize.py"
    site.write_text("import sys\nsys.modules['icsched._core'] = None\n")
    result = icsched_process("doctor", PYTHONPATH=str(tmp_path))

    assert result.code == 1
    assert "C++ core  cannot be loaded: " in result.out
    assert "Traceback" not in result.err


@pytest.mark.parametrize("package", ["numpy", "msgspec", "cyclopts", "rich", "ortools"])
@pytest.mark.parametrize("error", ["ImportError", "AttributeError"])
def test_a_package_that_cannot_be_imported_is_named(tmp_path, icsched_process, package, error):
    """A package of the same name that comes first raises *error*."""
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text(f"raise {error}('no good')\n")

    report = icsched_process("doctor", PYTHONPATH=str(tmp_path))
    keys = json.loads(icsched_process("doctor", "--json", PYTHONPATH=str(tmp_path)).out)

    assert (report.code, report.err) == (1, "")
    assert re.search(rf"^  {package} .*BROKEN: {error}: no good", report.out, re.MULTILINE)
    broken = {one["name"]: one["problem"] for one in keys["dependencies"] if one["problem"]}
    assert broken[package] == f"{error}: no good"
    assert "no good" in keys["problem"]
