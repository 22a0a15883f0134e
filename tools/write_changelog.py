"""Move the fragments of changelog.d into CHANGELOG.md. Usage: write_changelog.py VERSION."""

import re
import sys
import textwrap
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
TITLE = "# Changelog\n"
KINDS = ("added", "changed", "removed", "fixed")
WIDTH = 100
# A fragment belongs to the topic that has the longest prefix of its slug; topics in this order.
TOPICS = {
    "Start here": (
        "foundation",
        "demo",
        "command-line",
        "doctor",
        "first",
        "tour",
        "terminal",
        "completion",
        "man",
    ),
    "Orders and proofs": (
        *("order", "auto", "area", "settle", "lone-ends", "timed-orders", "ties", "one-order"),
        *("reticulated", "strategies", "bound", "certificate", "verify", "prio", "proof"),
    ),
    "Workflow files": (
        *("format", "graph-formats", "wfformat", "pegasus", "convert", "workflow", "data"),
        *("dagman", "diff", "present-priorities", "stale", "throttle", "kept", "flatten"),
    ),
    "Simulation and studies": (
        *("simulat", "study", "pool", "evaluation", "gains", "ratio", "area-ratio"),
    ),
    "Run times and logs": ("learn", "read-run-times", "run-times", "workflow-run-times"),
    "Batches, clusters and memory": ("batch", "cluster", "memory", "done-told", "dagman-clusters"),
    "Engines": ("engine", "dask", "snakemake", "run"),
    "Pictures and reports": ("report", "plot", "picture", "notebook", "page", "figure", "player"),
    "Documentation and releases": ("docs", "guide", "papers", "release", "wheel", "version"),
}
OTHER = "Other"


class Fragment(NamedTuple):
    """One file of changelog.d."""

    slug: str
    kind: str  # one of KINDS
    text: str


def read_fragments(folder: Path) -> list[Fragment]:
    """Return all fragments by name; a file with another name is an error."""
    fragments = []
    for path in sorted(folder.glob("*")):
        match = re.fullmatch(rf"([\w-]+)\.({'|'.join(KINDS)})\.md", path.name)
        if not match:
            raise SystemExit(f"{path.name}: expected <slug>.<{'|'.join(KINDS)}>.md")
        fragments.append(Fragment(*match.groups(), path.read_text()))
    return fragments


def topic_of(slug: str) -> str:
    """Return the topic with the longest prefix of *slug*; OTHER if there is none."""
    fits = [(len(p), topic) for topic, some in TOPICS.items() for p in some if slug.startswith(p)]
    return max(fits, key=lambda fit: fit[0])[1] if fits else OTHER


def entries(fragment: Fragment) -> list[str]:
    """Return the entries of a fragment: its bullets, or its whole text if it has none."""
    if fragment.text.startswith("- "):
        return [each.strip() for each in re.split(r"^- ", fragment.text, flags=re.MULTILINE)[1:]]
    return [fragment.text.strip()]


def bullet(kind: str, entry: str) -> str:
    """Return an entry as a bullet; paragraphs are filled, and tables and lists stay as they are."""
    blocks = (entry if kind == "added" else f"{kind.title()}: {entry}").split("\n\n")
    shown = [each if each[0] in "|-" else filled(each) for each in blocks]
    return "- " + textwrap.indent("\n\n".join(shown), "  ").strip() + "\n"


def filled(paragraph: str) -> str:
    """Return a paragraph in lines that leave room for the bullet."""
    words = " ".join(paragraph.split())
    return textwrap.fill(words, WIDTH - 2, break_long_words=False, break_on_hyphens=False)


def distinct(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return kinds and entries without those whose words stood before."""
    seen: dict[str, tuple[str, str]] = {}
    for kind, entry in pairs:
        seen.setdefault(" ".join(entry.lower().split()), (kind, entry))
    return list(seen.values())


def section(version: str, date: str, fragments: list[Fragment], *, is_first: bool) -> str:
    """Return what a release says, by topic. The first release has only additions."""
    told = [each for each in fragments if each.kind == "added" or not is_first]
    told.sort(key=lambda each: (KINDS.index(each.kind), each.slug))
    pairs = distinct((each.kind, entry) for each in told for entry in entries(each))
    home = {entry: topic_of(each.slug) for each in reversed(told) for entry in entries(each)}
    parts = [f"## {version} ({date})\n"]
    for topic in (*TOPICS, OTHER):
        bullets = [bullet(kind, entry) for kind, entry in pairs if home[entry] == topic]
        parts += ["".join([f"### {topic}\n\n", *bullets])] if bullets else []
    return "\n".join(parts)


def changelog(before: str, version: str, date: str, fragments: list[Fragment]) -> str:
    """Return the changelog with a new release on top; a version that is there is an error."""
    if f"\n## {version} " in before:
        raise SystemExit(f"CHANGELOG.md has {version} already")
    if not fragments:
        raise SystemExit("changelog.d has no fragments")
    older = before.removeprefix(TITLE)
    return TITLE + "\n" + section(version, date, fragments, is_first="\n## " not in before) + older


def main(version: str, date: str) -> None:
    """Write CHANGELOG.md, then remove the fragments."""
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        raise SystemExit(f"expected a version such as 0.1.0, not {version!r}")
    file, folder = ROOT / "CHANGELOG.md", ROOT / "changelog.d"
    fragments = read_fragments(folder)
    before = file.read_text() if file.exists() else TITLE
    file.write_text(changelog(before, version, date, fragments))
    for each in fragments:
        (folder / f"{each.slug}.{each.kind}.md").unlink()
        if topic_of(each.slug) == OTHER and each.kind == "added":
            print(f"no topic: {each.slug} (TOPICS in tools/write_changelog.py)")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("expected a version: make changelog VERSION=0.1.0")
    main(sys.argv[1], datetime.now(UTC).date().isoformat())
