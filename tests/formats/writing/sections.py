"""Sections as text, and what is in the files after a change."""

from pathlib import Path

from icsched.formats.dagman.submission import read_submission
from icsched.formats.dagman.writer import Change
from tests.unstamped import unstamped

BEGIN = "# icsched: begin. Made by icsched; icsched prio --remove takes it out."
JOINED = f"{BEGIN} (The file had no line end here.)"
END = "# icsched: end."


TAKES = "priority = $(jobpriority)"


CHAIN = "JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n"


def section_text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in (BEGIN, *lines, END))


def make(some: list[Change]) -> None:
    for change in some:
        if not change.is_none:
            change.make()


def contents(folder: Path) -> dict[str, str]:
    """All files below *folder*, by name."""
    return {
        str(path.relative_to(folder)): unstamped(path.read_bytes().decode(errors="surrogateescape"))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def as_dagman_reads(name: str = "wf.dag") -> dict[str, int]:
    """Priorities that the file gives, its section included, for which icsched's reader is blind."""
    path = Path(name)
    path.with_suffix(".seen").write_bytes(path.read_bytes().replace(b"# icsched:", b"# other:"))
    seen = read_submission(path.with_suffix(".seen"), rescue=False)
    path.with_suffix(".seen").unlink()
    return dict(zip(seen.names, seen.priorities.tolist(), strict=True))
