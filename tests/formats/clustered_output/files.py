"""Workflows to cluster, and what is in the files."""

from pathlib import Path

FILES = {
    "wf.dag": "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\n",
    "x.sub": "executable = t\nqueue\n",
}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
