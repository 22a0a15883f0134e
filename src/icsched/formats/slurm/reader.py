r"""Workflows as scripts of sbatch lines, read without a shell.

Only lines like these are read. All other lines are refused, because a shell could do anything::

    j1=$(sbatch --parsable --job-name=prepare prepare.sh)
    sbatch -d afterok:$j1 --nice=3 --wrap='plot --all'
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from icsched.errors import FormatError
from icsched.files import read_text
from icsched.formats.command_line import VARIABLE, Word, command_of, end_of, word_at
from icsched.formats.draft import Draft
from icsched.formats.facts import MOST_READ, whole_in
from icsched.formats.port import NoOptions
from icsched.formats.requests import HIDDEN
from icsched.formats.slurm.resources import OPTIONS, AmountError, needs_in
from icsched.workflow import Command, Workflow, seen_from_file

_EXPECTED = "expected a line such as j1=$(sbatch --parsable ...), sbatch ..., or a comment"

_IGNORED = re.compile(
    r"(?:\#[^\n]*+|set[ \t]++[-+][^\n`$;|&<>()]*+|echo\b(?:[^\n`$;|&<>()]|\$(?!\())*+)?(?=\r?\n|\Z)"
)
_CAPTURE = re.compile(r"""([A-Za-z_]\w*)=(?:("?)\$\([ \t]*+|("?)`[ \t]*+)(?=sbatch\b)""")
_SBATCH = re.compile(r"sbatch(?=(?:\\\r?\n)*+[ \t])")  # a shell joins parts that no blank separates
_BLANKS = re.compile(r"(?:[ \t]|\\\r?\n)*+")
_LINE_END = re.compile(r"[ \t]*+(?:\#[^\n]*+)?(?=\r?\n|\Z)")

# Options with an optional value, which always follows an equals sign.
_FLAGS = """
contiguous exclusive get-user-env help hold ignore-pbs nice no-kill no-requeue overcommit
oversubscribe parsable propagate quiet reboot requeue spread-job test-only use-min-nodes usage
verbose version wait
"""
_WITHOUT_VALUE = frozenset(_FLAGS.split())
_SHORT_WITHOUT_VALUE = "HhkOQsvVW"
_SHORT = {
    "d": "dependency",
    "J": "job-name",
    "D": "chdir",
    "i": "input",
    "o": "output",
    "e": "error",
    "a": "array",
    "c": "cpus-per-task",
    "n": "ntasks",
    "N": "nodes",
    "G": "gpus",
}
_READ = ("dependency", "job-name", "nice", "wrap", "chdir", "input", "output", "error", "array")
_COMPLETED = (*_READ, *OPTIONS)
_SHORTEST = 3  # letters of an option that sbatch completes
_WAITS = ("afterok", "afterany", "aftercorr")
_JOB_ID = re.compile(r"[0-9]+(?:_[0-9]+)?")
MOST_NICE = 2_147_483_645  # Slurm's limit
STREAMS = ("input", "output", "error")  # options with a name of a file
_FILLED = re.compile("(?:^|[^%])(?:%%)*+%(?!%)")
NOTHING = ":"  # the command of a job that runs nothing


@dataclass(slots=True)
class Job:
    """One sbatch line: the `variable` that gets the number of its job, and its words.

    `options` has the values of options by their long names, `script` the script with its arguments.
    """

    variable: str
    start: int
    after: int  # the end of the word sbatch
    words: list[Word] = field(default_factory=list)
    name: str = ""
    options: dict[str, Word] = field(default_factory=dict)
    nice: Word | None = None  # the whole option
    script: list[Word] = field(default_factory=list)


@dataclass(eq=False)
class SlurmSource(Draft):
    """A script, and its sbatch lines."""

    has_commands = True
    jobs: list[Job] = field(default_factory=list)

    def commands(self) -> list[Command | None]:
        """Return what each job runs."""
        return [_command(job, self) for job in self.jobs]

    def lines(self) -> list[Command | None]:
        """Return the commands: a shell reads the words of one as they are."""
        return self.commands()


def read_slurm(paths: Sequence[str], _options: NoOptions) -> Workflow[str]:
    """Return the workflow that a script of sbatch lines submits.

    No shell reads the script. A line is a comment, an sbatch command, or ``name=$(sbatch ...)``.
    ``--dependency`` takes the names of these variables. A priority is the negative of ``--nice``.
    Raises FormatError with file and line for all other lines.
    """
    [path] = paths
    draft = SlurmSource(path, read_text(path, MOST_READ))
    jobs = draft.jobs = _jobs(draft)
    for job in jobs:
        _take_options(job, draft)
    _name_all(jobs, draft)
    jobs_in: dict[str, int] = {}
    for job in jobs:
        task = draft.task(job.name)
        for parent in _parents(job, jobs_in, draft):
            draft.arc(parent, task, job.start)
        if job.variable:
            jobs_in[job.variable] = task
        _note(job, task, draft)
    return draft.workflow("slurm")


def _note(job: Job, task: int, draft: Draft) -> None:
    if job.nice is not None:
        nice = job.options["nice"]
        try:
            number = whole_in(nice.text, -MOST_NICE, MOST_NICE)
        except ValueError as error:
            problem = f"--nice: expected {error}, got {_shown(nice)!r}"
            raise draft.error(nice.start, problem) from None
        draft.say("priority", task, str(-number), nice.start)
    for option in STREAMS:
        if option in job.options and _stream(job.options[option]) is None:
            told = "icsched does not read names of files with variables, or patterns such as %j"
            draft.remark(told, job.options[option].start)
    _note_needs(job, task, draft)
    if "array" in job.options:
        draft.remark("an array of jobs counts as one task", job.start)


def _note_needs(job: Job, task: int, draft: Draft) -> None:
    try:
        needs, hidden = needs_in(job.options)
    except AmountError as error:
        word = job.options[error.option]
        told = f"--{error.option}: expected {error.expected}, got {_shown(word)!r}"
        raise draft.error(word.start, told) from None
    for resource, amount in needs.items():
        if resource not in hidden:
            draft.need(resource, task, amount)
    for resource, option in hidden.items():
        word = job.options[option]
        draft.hide(resource, task, f"--{option}={_shown(word)}: {HIDDEN}", word.start)


# Lines of a script


def _jobs(draft: Draft) -> list[Job]:
    """Return the sbatch lines of a script; raises FormatError for any other line."""
    text, jobs, place = draft.text, list[Job](), 0
    while place < len(text):
        place = end_of(_BLANKS, text, place)
        ignored = _IGNORED.match(text, place)
        if ignored is not None:
            place = ignored.end()
        else:
            job, place = _job(draft, place)
            jobs.append(job)
        end = _LINE_END.match(text, place)
        if end is None:
            raise _refused(draft, place)
        place = text.find("\n", end.end()) + 1 or len(text)
    return jobs


def _job(draft: Draft, start: int) -> tuple[Job, int]:
    """Read an sbatch line; return the job and the end of the line."""
    text = draft.text
    capture = _CAPTURE.match(text, start)
    sbatch = _SBATCH.match(text, capture.end() if capture else start)
    if sbatch is None:
        raise _refused(draft, start)
    closing = ""
    if capture is not None:
        closing = (")" if capture[2] is not None else "`") + (capture[2] or capture[3] or "")
    job = Job(capture[1] if capture else "", start, sbatch.end())
    place = end_of(_BLANKS, text, sbatch.end())
    while not _is_end(text, place, closing):
        word = _word(draft, place)
        job.words.append(word)
        place = end_of(_BLANKS, text, word.end)
    if closing and not text.startswith(closing, place):
        raise draft.error(start, f"expected {closing} after the words of sbatch")
    return job, place + len(closing)


def _is_end(text: str, place: int, closing: str) -> bool:
    at_end = place >= len(text) or text[place] in "\r\n#"
    return at_end or bool(closing and text[place] == closing[0])


def _word(draft: Draft, start: int) -> Word:
    word = word_at(draft.text, start)
    if word is None:
        raise _refused(draft, start)
    return word


def _refused(draft: Draft, place: int) -> FormatError:
    line = draft.text[place : place + 200].split("\n")[0].strip()[:60]
    return draft.error(place, f"{_EXPECTED}, got {line!r}")


# Options of sbatch


def _take_options(job: Job, draft: Draft) -> None:
    """Split a job into options and script; raises FormatError for an option without its value."""
    words = iter(job.words)
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
                    raise draft.error(word.start, f"expected a value after {word.text}")
            if name == "nice":
                job.nice = word
                value = value or word._replace(text="100", is_plain=True)  # sbatch's default
            if value is not None:
                job.options[name] = value
    if not job.script and "wrap" not in job.options:
        raise draft.error(job.start, "expected a script or --wrap after sbatch")


def _split(word: Word) -> tuple[str, Word | None]:
    """Return the long name of an option, and the value that is in the same word."""
    if not word.text.startswith("--"):
        rest = word.text[2:]
        name = _SHORT.get(word.text[1], word.text[:2])
        return name, word._replace(text=rest) if rest else None
    name, equals, rest = word.text[2:].partition("=")
    if len(name) >= _SHORTEST and name not in _WITHOUT_VALUE:
        name = next((known for known in _COMPLETED if known.startswith(name)), name)
    return name, word._replace(text=rest) if equals else None


def _has_no_value(word: Word, name: str) -> bool:
    if word.text.startswith("--"):
        return name in _WITHOUT_VALUE
    return word.text[1] in _SHORT_WITHOUT_VALUE


# Names and dependencies


def _name_all(jobs: list[Job], draft: Draft) -> None:
    """Give each job a name: --job-name, else its variable, else its script; duplicates get "-2"."""
    for job in jobs:
        given = job.options.get("job-name")
        if given is not None and not given.is_plain:
            raise draft.error(given.start, "job name: expected plain text without variables")
        script = job.script[0].text.rpartition("/")[2] if job.script else ""
        job.name = (given.text if given else "") or job.variable or script or "wrap"
    taken, used = {job.name for job in jobs}, Counter[str]()
    for job in jobs:
        used[job.name] += 1
        if used[job.name] > 1:
            draft.remark("jobs of the same name get a number", job.start)
            job.name = _free(job.name, used, taken)


def _free(name: str, used: Counter[str], taken: set[str]) -> str:
    while f"{name}-{used[name]}" in taken:
        used[name] += 1
    taken.add(f"{name}-{used[name]}")
    return f"{name}-{used[name]}"


def _parents(job: Job, jobs_in: dict[str, int], draft: Draft) -> list[int]:
    """Return the tasks that a job waits for; *jobs_in* maps each earlier variable to its task."""
    word = job.options.get("dependency")
    if word is None:
        return []
    parents: list[int | None] = []
    for part in word.text.split(","):
        kind, *numbers = part.split(":")
        if kind not in _WAITS or not numbers:
            told = f"expected --dependency=afterok:$j1:..., got {_shown(word)!r}"
            raise draft.error(word.start, told)
        if kind == "afterany":
            draft.remark("afterany: these jobs run even if their parents fail", word.start)
        parents += [_parent(number, jobs_in, word, draft) for number in numbers]
    return [parent for parent in parents if parent is not None]


def _parent(number: str, jobs_in: dict[str, int], word: Word, draft: Draft) -> int | None:
    name = number.strip(VARIABLE)
    if number == f"{VARIABLE}{name}{VARIABLE}" and name in jobs_in:
        return jobs_in[name]
    if _JOB_ID.fullmatch(number):
        told = "the order leaves out dependencies on jobs that this script does not submit"
        draft.remark(told, word.start)
        return None
    got = _shown(word._replace(text=number))
    problem = f"expected a variable with the number of an earlier job, got {got!r}"
    raise draft.error(word.start, problem)


def _shown(word: Word) -> str:
    """Return the text of a word as written in the file."""
    return re.sub(f"{VARIABLE}([^{VARIABLE}]*){VARIABLE}", r"$\1", word.text)


# Commands


def _command(job: Job, draft: Draft) -> Command | None:
    """Return the command of a job; raises FormatError if only a shell could interpret it.

    Slurm gives the text of --wrap to a shell, and so does the command if the words are not plain.
    """
    words = [job.options["wrap"]] if "wrap" in job.options else job.script
    strange = next((word for word in words if not word.is_plain), None)
    if strange is not None:
        told = f"command of job {job.name!r}: expected words without variables and patterns"
        raise draft.error(strange.start, f"{told}, got {_shown(strange)!r}")
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
    given = {name: _stream(job.options[name]) for name in STREAMS if name in job.options}
    stdin, output, error = (seen_from_file(given.get(name), directory) for name in STREAMS)
    stderr = error if "error" in job.options else output
    return replace(command, directory=directory, stdin=stdin, stdout=output, stderr=stderr)


def _stream(word: Word) -> str | None:
    """Return the name of a file; None if it has variables, or patterns such as %j.

    >>> _stream(Word("5%%.txt", 0, 7)), _stream(Word("%j.txt", 0, 6))
    ('5%.txt', None)
    """
    if not word.is_plain or _FILLED.search(word.text):
        return None
    return word.text.replace("%%", "%")
