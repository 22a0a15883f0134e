"""Check that an sdist has what a build needs, and nothing else. Usage: sdist_check.py SDIST."""

import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOT_FILES = {
    "CHANGELOG.md",
    "CITATION.cff",
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "pyproject.toml",
}
FOLDERS = ("cpp/bind", "cpp/include", "cpp/src", "man", "src")


def tracked() -> set[str]:
    """Return the files of the tree that an sdist must have; git says which are no build output."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    return set(listed.stdout.splitlines()) | {name for name in ROOT_FILES if (ROOT / name).exists()}


def contents(sdist: str) -> set[str]:
    """Return the files of *sdist*, without its top folder and the metadata that the build adds."""
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    return names - {"PKG-INFO"}


def findings(packed: set[str], expected: set[str]) -> list[str]:
    """Return one line for each file that is missing or too much."""
    missing = [f"missing: {name}" for name in sorted(expected - packed)]
    return missing + [f"not needed: {name}" for name in sorted(packed - expected)]


if __name__ == "__main__":
    found = findings(contents(sys.argv[1]), tracked())
    sys.exit("\n".join(f"sdist check: {line}" for line in found) or None)
