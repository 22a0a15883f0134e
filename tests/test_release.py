"""What a release rests on: the version, the public API, licences, citation, configuration."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from difflib import unified_diff
from importlib.metadata import version
from pathlib import Path

import pytest

import icsched

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def load(tool: str):
    spec = importlib.util.spec_from_file_location(tool, ROOT / "tools" / f"{tool}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_public_api_is_what_the_committed_file_says():
    tool = load("write_public_api")
    before, now = tool.FILE.read_text(), tool.public_api()
    changes = unified_diff(before.splitlines(), now.splitlines(), "committed", "now", lineterm="")

    assert before == now, "\n".join(
        ["the public API changed; if that is on purpose, run make public-api", *changes]
    )


def test_a_signature_has_names_kinds_and_defaults_but_no_types():
    def example(graph: str, *, limit: int = 3) -> None: ...

    assert load("write_public_api").signature(example) == "(graph, *, limit=3)"


def test_the_command_and_the_library_say_the_version_of_the_package():
    command = [Path(sys.executable).parent / "icsched", "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert icsched.__version__ == version("icsched")
    assert said == f"icsched {icsched.__version__}\n"


def git(folder: Path, *words: str) -> None:
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *words], cwd=folder, env={**os.environ, **settings}, check=True)


def version_in(folder: Path) -> str:
    """What the build would call a tree: it asks setuptools-scm, by our configuration."""
    command = [sys.executable, "-W", "ignore", "-m", "setuptools_scm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def tree(tmp_path):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def commit(folder: Path) -> None:
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")


def test_a_tagged_commit_has_the_version_of_its_tag(tree):
    commit(tree)
    git(tree, "tag", "v1.2.3")

    assert version_in(tree) == "1.2.3"


def test_a_commit_after_a_tag_is_a_development_version_of_the_next_release(tree):
    commit(tree)
    git(tree, "tag", "v1.2.3")
    git(tree, "commit", "--quiet", "--allow-empty", "-m", "second")

    assert re.fullmatch(r"1\.2\.4\.dev1\+g[0-9a-f]+", version_in(tree))


def test_a_clone_without_tags_is_a_development_version(tree):
    commit(tree)

    assert re.fullmatch(r"0\.1\.dev1\+g[0-9a-f]+", version_in(tree))


def test_an_sdist_keeps_its_version_without_git(tree):
    (tree / "PKG-INFO").write_text("Metadata-Version: 2.4\nName: icsched\nVersion: 3.1.4\n")

    assert version_in(tree) == "3.1.4"


def test_a_copy_without_git_and_metadata_gets_the_fallback(tree):
    assert version_in(tree) == PROJECT["tool"]["setuptools_scm"]["fallback_version"] == "0.0"


def test_an_sdist_with_a_file_too_much_or_too_few_is_told():
    findings = load("sdist_check").findings({"LICENSE", "tests/data.bin"}, {"LICENSE", "README.md"})

    assert findings == ["missing: README.md", "not needed: tests/data.bin"]


def test_the_page_of_licences_has_every_dependency_with_a_licence_and_a_purpose():
    page = (ROOT / "docs" / "licences.md").read_text()
    rows = re.findall(r"^\| ([\w.-]+) \| (.+?) \| (.+?) \| (.+?) \|$", page, re.MULTILINE)
    licences = {name: licence for name, licence, _, _ in rows[2:]}
    named = load("write_licences").requirements()

    assert {"numpy", "ortools", "apache-airflow", "nanobind", "scikit-build-core"} <= set(named)
    assert set(named) == set(licences), "stale docs/licences.md: run make docs"
    assert not [name for name, licence in licences.items() if licence.startswith("unknown")]


def test_the_citation_names_the_five_papers_as_the_glossary_does():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    glossary = (ROOT / "docs" / "glossary.md").read_text().partition("## The papers")[2]
    papers = citation["references"]

    assert citation["cff-version"] == "1.2.0"
    assert citation["license"] == PROJECT["project"]["license"]
    assert len(papers) == glossary.count("\n| ") - 2  # less the head and the rule
    assert len(papers) == 5
    for paper in papers:
        assert f"*{paper['title']}*" in glossary
        assert paper.get("doi", "10.1007/11549468_31") in glossary
        assert ", ".join(map(short_name, paper["authors"])) in glossary


def short_name(author: dict[str, str]) -> str:
    initials = [f"{word[0]}." for word in author["given-names"].split()]
    return " ".join([*initials, author["family-names"]])


def test_a_release_builds_wheels_on_every_system_that_is_configured():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    built = [each["arch"] for each in workflow["jobs"]["wheels"]["strategy"]["matrix"]["include"]]
    configured = PROJECT["tool"]["cibuildwheel"]

    assert sorted(built) == sorted(configured["linux"]["archs"] + configured["macos"]["archs"])
    assert configured["build"][0] == "cp311-*"  # the oldest Python of requires-python
    assert PROJECT["project"]["requires-python"] == ">=3.11"


def test_every_action_is_pinned_to_a_commit_and_says_its_version():
    """A tag can be moved to other code, and the release publishes with our identity."""
    workflows = (ROOT / ".github" / "workflows").glob("*.y*ml")
    uses = [use for file in workflows for use in re.findall(r"\buses:.*", file.read_text())]

    assert len(uses) >= 5
    for use in uses:
        assert re.fullmatch(r"uses: [\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", use), use
