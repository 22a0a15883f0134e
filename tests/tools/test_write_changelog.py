"""A release collects its fragments into one list by topic."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def load_tool():
    path = ROOT / "tools" / "write_changelog.py"
    spec = importlib.util.spec_from_file_location("write_changelog", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool = load_tool()
SAMPLE = {
    "learn.added.md": "- `icsched learn` reads\n  logs.\n- It fits a pool.\n",
    "order.added.md": "`prioritize` orders tasks.\n",
    "order-again.added.md": "`prioritize`  orders\ntasks.\n",
    "order-slow.fixed.md": "Ordering is fast.\n",
    "order-names.changed.md": "Names:\n\n| was | is |\n| --- | --- |\n| a | b |\n",
    "zebra.added.md": "Stripes.\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "changelog.d").mkdir()
    for name, text in SAMPLE.items():
        (tmp_path / "changelog.d" / name).write_text(text)
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    return tmp_path


def test_the_first_release_has_additions_alone_by_topic_and_each_once(folder):
    tool.main("0.1.0", "2026-12-01")

    assert (folder / "CHANGELOG.md").read_text() == (
        "# Changelog\n\n## 0.1.0 (2026-12-01)\n\n"
        "### Orders and proofs\n\n- `prioritize` orders tasks.\n\n"
        "### Run times and logs\n\n- `icsched learn` reads logs.\n- It fits a pool.\n\n"
        "### Other\n\n- Stripes.\n"
    )
    assert list((folder / "changelog.d").iterdir()) == []


def test_a_later_release_stands_on_top_and_has_every_kind(folder):
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## 0.1.0 (2026-12-01)\n\n- First.\n")
    tool.main("0.2.0", "2027-01-01")

    assert (folder / "CHANGELOG.md").read_text() == (
        "# Changelog\n\n## 0.2.0 (2027-01-01)\n\n"
        "### Orders and proofs\n\n- `prioritize` orders tasks.\n"
        "- Changed: Names:\n\n  | was | is |\n  | --- | --- |\n  | a | b |\n"
        "- Fixed: Ordering is fast.\n\n"
        "### Run times and logs\n\n- `icsched learn` reads logs.\n- It fits a pool.\n\n"
        "### Other\n\n- Stripes.\n\n"
        "## 0.1.0 (2026-12-01)\n\n- First.\n"
    )


def test_long_entries_are_filled_to_short_lines():
    lines = tool.bullet("added", "word " * 60).splitlines()

    assert [line[:3] for line in lines] == ["- w", "  w", "  w", "  w"]  # 19 words each
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("version", ["", "1", "v0.1.0", "0.1"])
def test_what_is_not_a_version_changes_nothing(folder, version):
    with pytest.raises(SystemExit, match="expected a version such as"):
        tool.main(version, "2026-12-01")
    assert len(list((folder / "changelog.d").iterdir())) == len(SAMPLE)
    assert not (folder / "CHANGELOG.md").exists()


def test_a_release_is_written_once(folder):
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## 0.1.0 (2026-12-01)\n\n- First.\n")
    with pytest.raises(SystemExit, match=r"CHANGELOG.md has 0\.1\.0 already"):
        tool.main("0.1.0", "2026-12-01")
    assert len(list((folder / "changelog.d").iterdir())) == len(SAMPLE)


def test_a_fragment_of_unknown_kind_is_told(folder):
    (folder / "changelog.d" / "a.better.md").write_text("A.\n")
    with pytest.raises(SystemExit, match=r"a\.better\.md: expected <slug>"):
        tool.main("0.1.0", "2026-12-01")


def test_every_fragment_has_a_name_that_the_tool_can_read():
    assert tool.read_fragments(ROOT / "changelog.d") is not None
