"""The jobs that a script submits: what the options of sbatch say."""

import re
from collections import Counter
from dataclasses import dataclass, field

from icsched.errors import FormatError
from icsched.formats.found import Found
from icsched.formats.slurm.script import VARIABLE, Submission, Word
from icsched.formats.words import command_of
from icsched.workflow import Command, seen_from_file

# Options whose value, if they may have one, is always behind an equals sign.
_FLAGS = """
contiguous exclusive get-user-env help hold ignore-pbs nice no-kill no-requeue overcommit
oversubscribe parsable propagate quiet reboot requeue spread-job test-only use-min-nodes usage
verbose version wait
"""
_WITHOUT_VALUE = frozenset(_FLAGS.split())
_SHORT_WITHOUT_VALUE = "HhkOQsvVW"
_SHORT = {"d": "dependency", "J": "job-name", "D": "chdir", "i": "input", "o": "output"}
_SHORT |= {"e": "error", "a": "array"}
_READ = ("dependency", "job-name", "nice", "wrap", "chdir", "input", "output", "error", "array")
_SHORTEST = 3  # letters of an option that sbatch completes
_WAITS = ("afterok", "afterany", "aftercorr")
_JOB_ID = re.compile(r"[0-9]+(?:_[0-9]+)?")
STREAMS = ("input", "output", "error")  # options with a name of a file
_FILLED = re.compile("(?:^|[^%])(?:%%)*+%(?!%)")
NOTHING = ":"  # the command of a job that runs nothing


@dataclass(slots=True)
class Job:
    """One job: its options by their long names, and the script with its arguments."""

    line: Submission
    name: str = ""
    options: dict[str, Word] = field(default_factory=dict)
    nice: Word | None = None  # the whole option
    script: list[Word] = field(default_factory=list)


def job_of(line: Submission, found: Found) -> Job:
    """Return the job that a line submits; raises FormatError for an option without its value."""
    job, words = Job(line), iter(line.words)
    for word in words:
        if not word.text.startswith("-") or word.text == "-":
            job.script = [word, *words]
        elif word.text == "--":
            job.script = [*words]
        else:
            name, value = _split(word)
            if value is None and not _has_no_value(word, name):
                value = next(words, None)
                if value is None:
                    raise found.error(word.start, f"expected a value after {word.text}")
            _take(job, name, word, value)
    if not job.script and "wrap" not in job.options:
        raise found.error(line.start, "expected a script or --wrap after sbatch")
    return job


def _split(word: Word) -> tuple[str, Word | None]:
    """Return the long name of an option, and the value that is in the same word."""
    if not word.text.startswith("--"):
        rest = word.text[2:]
        name = _SHORT.get(word.text[1], word.text[:2])
        return name, Word(rest, word.start, word.end, word.is_plain) if rest else None
    name, equals, rest = word.text[2:].partition("=")
    if len(name) >= _SHORTEST and name not in _WITHOUT_VALUE:
        name = next((known for known in _READ if known.startswith(name)), name)
    return name, Word(rest, word.start, word.end, word.is_plain) if equals else None


def _has_no_value(word: Word, name: str) -> bool:
    if word.text.startswith("--"):
        return name in _WITHOUT_VALUE
    return word.text[1] in _SHORT_WITHOUT_VALUE


def _take(job: Job, name: str, word: Word, value: Word | None) -> None:
    if name == "nice":
        job.nice = word
        job.options["nice"] = value or Word("100", word.start, word.end)  # the default of sbatch
    elif value is not None:
        job.options[name] = value


# Names and dependencies


def named(jobs: list[Job], found: Found) -> None:
    """Give each job a name: --job-name, else its variable, else its script; "-2" for a second."""
    for job in jobs:
        given = job.options.get("job-name")
        if given is not None and not given.is_plain:
            raise found.error(given.start, "job name: expected plain text without variables")
        script = job.script[0].text.rpartition("/")[2] if job.script else ""
        job.name = (given.text if given else "") or job.line.variable or script or "wrap"
    taken, used = {job.name for job in jobs}, Counter[str]()
    for job in jobs:
        used[job.name] += 1
        if used[job.name] > 1:
            found.remark("jobs of the same name get a number", job.line.start)
            job.name = _free(job.name, used, taken)


def _free(name: str, used: Counter[str], taken: set[str]) -> str:
    while f"{name}-{used[name]}" in taken:
        used[name] += 1
    taken.add(f"{name}-{used[name]}")
    return f"{name}-{used[name]}"


def parents_of(job: Job, jobs_in: dict[str, int], found: Found) -> list[int]:
    """Return the tasks that a job waits for; *jobs_in* has the task of each variable so far."""
    word = job.options.get("dependency")
    if word is None:
        return []
    parents = []
    for part in word.text.split(","):
        kind, *numbers = part.split(":")
        if kind not in _WAITS or not numbers:
            told = f"expected --dependency=afterok:$j1:..., got {shown(word.text)!r}"
            raise found.error(word.start, told)
        if kind == "afterany":
            found.remark("afterany: these jobs run even if their parents fail", word.start)
        for number in numbers:
            parent = _parent(number, jobs_in, word, found)
            parents += [] if parent is None else [parent]
    return parents


def _parent(number: str, jobs_in: dict[str, int], word: Word, found: Found) -> int | None:
    name = number.strip(VARIABLE)
    if number == f"{VARIABLE}{name}{VARIABLE}" and name in jobs_in:
        return jobs_in[name]
    if _JOB_ID.fullmatch(number):
        told = "the order leaves out dependencies on jobs that this script does not submit"
        found.remark(told, word.start)
        return None
    problem = f"expected a variable with the number of an earlier job, got {shown(number)!r}"
    raise found.error(word.start, problem)


def shown(text: str) -> str:
    """Return the text of a word as the file has it."""
    return re.sub(f"{VARIABLE}([^{VARIABLE}]*){VARIABLE}", r"$\1", text)


# Commands


def command_in(job: Job, found: Found) -> Command | None:
    """Return what a job runs; raises FormatError if a shell would have to look at it first.

    Slurm gives the text of --wrap to a shell, and so does the command if the words are not plain.
    """
    words = [job.options["wrap"]] if "wrap" in job.options else job.script
    strange = next((word for word in words if not word.is_plain), None)
    if strange is not None:
        raise _unknown(job, strange, found)
    if "wrap" not in job.options:
        program = words[0].text if "/" in words[0].text else f"./{words[0].text}"
        command = Command((program, *(word.text for word in words[1:])))
    else:
        text = words[0].text
        if text.strip() == NOTHING:
            return None
        plain = command_of(text)
        command = plain if plain and plain.argv else Command(("/bin/sh", "-c", text))
    return _directed(command, job)


def _directed(command: Command, job: Job) -> Command:
    """Return *command* with its directory and streams; without --error both streams are one."""
    place = job.options.get("chdir")
    directory = place.text if place is not None and place.is_plain else None
    given = {name: stream_in(job.options[name]) for name in STREAMS if name in job.options}
    stdin, output, error = (seen_from_file(given.get(name), directory) for name in STREAMS)
    stderr = error if "error" in job.options else output
    return Command(command.argv, directory, command.environment, stdin, output, stderr)


def stream_in(word: Word) -> str | None:
    """Return the name of a file; None if it has variables, or patterns such as %j.

    >>> stream_in(Word("5%%.txt", 0, 7)), stream_in(Word("%j.txt", 0, 6))
    ('5%.txt', None)
    """
    if not word.is_plain or _FILLED.search(word.text):
        return None
    return word.text.replace("%%", "%")


def _unknown(job: Job, word: Word, found: Found) -> FormatError:
    told = f"command of job {job.name!r}: expected words without variables and patterns"
    return found.error(word.start, f"{told}, got {shown(word.text)!r}")
