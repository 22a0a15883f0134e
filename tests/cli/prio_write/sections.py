"""Workflows, and the sections that icsched writes into them."""

from tests.cli.pair_and_fork import WORKFLOW as PAIR_AND_FORK

__all__ = ["BEGIN", "BLOCK", "END", "ONE", "ONE_BLOCK", "PAIR_AND_FORK", "names"]

BEGIN = "# icsched: begin. Made by icsched; icsched prio --remove takes it out.\n"
END = "# icsched: end.\n"
BLOCK = f"{BEGIN}PRIORITY c 5\nPRIORITY a 4\nPRIORITY b 3\nPRIORITY d 2\nPRIORITY e 1\n{END}"


ONE = "JOB a x.sub\n"
ONE_BLOCK = f"{BEGIN}PRIORITY a 1\n{END}"


def names(folder) -> set[str]:
    return {path.name for path in folder.iterdir()}
