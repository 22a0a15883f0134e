"""How large temporary files are, as far as the run has shown."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from icsched.arrays import Sizes
from icsched.engines.snakemake.jobs import File, Job, members, rule_of


class TemporarySizes:
    """Sizes of temporary files by file, and their means by rule."""

    def __init__(self) -> None:
        self._rule_of: dict[str, str] = {}  # by temporary file
        self._bytes: dict[str, int] = {}
        self._sums: dict[str, list[int]] = defaultdict(list)

    def expect(self, jobs: Iterable[Job]) -> None:
        """Note which rules make the temporary files."""
        for job in jobs:
            for file in _temporary(job.output):
                self._rule_of[str(file)] = rule_of(job)

    def learn(self, ready: Iterable[Job], sizes: Mapping[File, int | None]) -> bool:
        """Note the sizes of the temporary inputs of *ready*; whether a rule was unknown before."""
        is_news = False
        for job in ready:
            for single in members(job):
                for file in _temporary(single.input):
                    is_news |= self._note(str(file), sizes.get(file))
        return is_news

    def _note(self, file: str, size: int | None) -> bool:
        rule = self._rule_of.get(file)
        if rule is None or size is None or file in self._bytes:
            return False
        is_news = rule not in self._sums
        self._bytes[file] = size
        self._sums[rule].append(size)
        return is_news

    def of(self, jobs: Sequence[Job]) -> Sizes:
        """Return the bytes of temporary files of each job, and 1, so that equals finish early.

        A file that is not known has the mean of its rule, else the mean of all that is known,
        else one megabyte.
        """
        means = {rule: int(np.mean(sizes)) for rule, sizes in self._sums.items()}
        usual = int(np.mean(list(self._bytes.values()))) if self._bytes else 10**6
        totals = [
            sum(
                self._bytes.get(str(file), means.get(rule_of(job), usual))
                for file in _temporary(job.output)
            )
            for job in jobs
        ]
        return np.array(totals, np.int64) + 1


def _temporary(files: Iterable[File]) -> list[File]:
    return [file for file in files if file.is_flagged("temp")]
