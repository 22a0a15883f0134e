r"""Submit descriptions, read as far as a program other than HTCondor can run what they describe.

A value is kept as it is written and expanded when it is used, as HTCondor does. A value that only
HTCondor can know, such as the machine a job runs on, is an error here. `tests/htcondor` compares
the results with what condor_submit makes of the same descriptions.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from icsched.errors import FormatError
from icsched.files import is_special, read_bytes
from icsched.formats.dagman.source import check_text, shortened
from icsched.formats.dagman.statements import BLANKS, Vars
from icsched.formats.dagman.submission import Job

_ASSIGNMENT = re.compile(r"(\+?[A-Za-z0-9_.]+)[ \t]*=[ \t]*(.*)", re.DOTALL)
_QUEUE = re.compile(r"queue\b[ \t]*(.*)", re.IGNORECASE)
_QUEUE_WORD = re.compile(rb"queue\b", re.IGNORECASE)
_MULTILINE = re.compile(rb"@=([^ \t]+)$")  # opens a value that ends on a line of its own
_MACRO = re.compile(r"\$\(([A-Za-z0-9_.]+)(?::([^()]*))?\)")  # an innermost one
_UNKNOWABLE = re.compile(r"\$\$(?=[(\[])|\$[A-Za-z_]+(?=\()")
_DOLLAR = "\0"  # stands for a $ that opens no macro; descriptions never have this character
_MOST_BYTES = (1 << 24) - 1  # of a file to look through: a larger file was not written by hand
_MOST_LETTERS = 1 << 17  # of an expanded value: a program accepts no longer argument
_MOST_STEPS = 10_000  # of an expansion
# These number the jobs of a description; here a description has one job.
_ALWAYS_ZERO = dict.fromkeys(("process", "procid", "step", "row"), "0")
# HTCondor and DAGMan choose these when they submit.
_LATER = {"cluster", "clusterid", "retry", "dag_status", "failed_count"}
_UNIVERSES = ("vanilla", "local", "scheduler")
# Names of settings that mean the same.
DIRECTORY = ("initialdir", "initial_dir", "job_iwd", "iwd")
SENT = ("transfer_input_files", "transferinputfiles", "transferinput", "public_input_files")
RETURNED = ("transfer_output_files", "transferoutputfiles", "transferoutput")
RENAMED = ("transfer_output_remaps", "output_destination", "transfer_checkpoint_files")
# What no other program than HTCondor can do, by the setting, with what is expected instead.
REFUSED = {
    "arguments2": "arguments",
    "environment2": "environment",
    "env2": "environment",
    "success_exit_code": "success to be exit code 0",
    "checkpoint_exit_code": "no checkpoints",
}
REFUSED_STEMS = ("container_", "docker_", "vm_", "grid_", "java_", "ec2_", "gce_", "machine_count")


@dataclass(frozen=True, slots=True)
class Setting:
    """A value as it is in a file, not expanded."""

    value: str
    path: str
    line: int

    def error(self, problem: str) -> FormatError:
        """Return the error that reports *problem* at this setting."""
        return FormatError(self.path, self.line, problem)


@dataclass(frozen=True)
class Description:
    """The settings of one job, by their names in small letters.

    ``+Attribute`` is called ``my.attribute``, which means the same.
    """

    path: str
    line: int  # where it begins
    settings: Mapping[str, Setting]
    macros: Mapping[str, str] = field(default_factory=dict)  # that need no setting
    queued: int = 1  # how many queue statements it has

    def setting(self, *names: str) -> Setting | None:
        """Return the first setting with one of these names that is not empty."""
        for name in names:
            found = self.settings.get(name)
            if found and found.value:
                return found
        return None

    def value(self, *names: str) -> str:
        """Return the expanded value of the first of these settings that is not empty, or ""."""
        setting = self.setting(*names)
        return self.expanded(setting) if setting else ""

    def expanded(self, setting: Setting) -> str:
        r"""Return a value with its macros expanded; raises FormatError for one without a value.

        >>> lines = ["x = 1", "arguments = $(x) $(y:none) $(job)"]
        >>> description = parsed("a.sub", lines).of_job("a")
        >>> description.value("arguments")
        '1 none a'
        """
        text = setting.value
        for _ in range(_MOST_STEPS):
            if unknowable := _UNKNOWABLE.search(text):
                got = shortened(text[unknowable.start() :], 40)
                raise setting.error(f"expected a value that can be known now, got {got}")
            match = _MACRO.search(text)
            if not match:
                return text.replace(_DOLLAR, "$").strip(BLANKS)
            text = text[: match.start()] + self._macro(setting, match) + text[match.end() :]
            if len(text) > _MOST_LETTERS:
                break
        raise setting.error(f"expected macros that come to an end, got {setting.value}")

    def _macro(self, setting: Setting, match: re.Match[str]) -> str:
        name = match[1].lower()
        if name == "dollar":
            return _DOLLAR
        if known := self.settings.get(name):
            return known.value
        if name in self.macros or name in _ALWAYS_ZERO:
            return self.macros.get(name, "0")
        if name in _LATER:
            raise setting.error(f"expected a value that can be known now, got {match[0]}")
        if match[2] is not None:
            return match[2]
        expected = f"expected a value for {match[0]} in the submit description or in VARS"
        raise setting.error(f"{expected}, got none")

    def of_job(
        self,
        name: str,
        before: Iterable[tuple[str, Setting]] = (),
        after: Iterable[tuple[str, Setting]] = (),
    ) -> "Description":
        """Return the description of a job, with variables *before* its settings and *after*."""
        settings: dict[str, Setting] = {}
        for key, setting in (*before, *self.settings.items(), *after):
            _set(settings, key, setting)
        macros = {"job": name, "dag_node_name": name}
        return Description(self.path, self.line, settings, macros)

    @property
    def referred(self) -> set[str]:
        """Names of the macros that the values refer to."""
        values = "\n".join(setting.value for setting in self.settings.values())
        return {name.lower() for name in re.findall(r"\$\(([A-Za-z0-9_.]+)", values)}


def read_submit_file(path: str) -> Description:
    """Return the description in a submit file; raises FormatError unless it describes one job."""
    if is_special(path):
        raise FormatError(path, None, "expected an ordinary file")
    data = read_bytes(path)
    check_text(path, data)
    lines = data.decode(errors="surrogateescape").split("\n")
    description = parsed(path, lines)
    if (count := description.queued) != 1:
        raise FormatError(path, None, f"expected one queue statement, got {count or 'none'}")
    return description


def read_settings(path: str) -> Description:
    """Return the settings before the first queue statement, for however many jobs these are.

    Raises FormatError for statements that icsched does not know.
    """
    if is_special(path):
        raise FormatError(path, None, "expected an ordinary file")
    data = read_bytes(path, _MOST_BYTES)
    check_text(path, data)
    return parsed(path, data[: queue_at(data)].decode(errors="surrogateescape").split("\n"))


def parsed(path: str, lines: list[str], first_line: int = 1) -> Description:
    """Return the description in these lines of a file."""
    settings: dict[str, Setting] = {}
    queued = 0
    for line, text in _statements(path, lines, first_line):
        if queue := _QUEUE.fullmatch(text):
            if queue[1] not in ("", "1"):
                raise FormatError(path, line, f"expected queue for one job, got {shortened(text)}")
            queued += 1
        elif match := _ASSIGNMENT.fullmatch(text):
            if not queued:  # what follows would be about later jobs
                _set(settings, canonical(match[1]), Setting(match[2].strip(BLANKS), path, line))
        else:
            expected = "expected key = value or queue, which is all that icsched knows"
            raise FormatError(path, line, f"{expected}, got {shortened(text)}")
    return Description(path, first_line, settings, queued=queued)


def canonical(key: str) -> str:
    """Return the name of a setting as `Description` has it.

    >>> canonical("+ProjectName")
    'my.projectname'
    """
    return "my." + key[1:].lower() if key.startswith("+") else key.lower()


def _set(settings: dict[str, Setting], key: str, setting: Setting) -> None:
    """Add a setting; if its value refers to itself, that means the earlier value."""
    value = setting.value
    own = re.compile(rf"\$\({re.escape(key)}\)", re.IGNORECASE)
    if own.search(value):
        before = settings[key].value if key in settings else ""
        value = own.sub(lambda _: before, value)
        if len(value) > _MOST_LETTERS:
            raise setting.error(f"expected at most {_MOST_LETTERS:,} letters in {key}")
    settings[key] = Setting(value, setting.path, setting.line)


def _statements(path: str, lines: list[str], first: int) -> Iterable[tuple[int, str]]:
    """Yield each statement on one line, with the number of the line it begins on."""
    parts: list[str] = []
    begin = first
    for line, raw in enumerate(lines, first):
        text = raw.strip(BLANKS)
        if not parts:
            begin = line
            if not text or text.startswith("#"):
                continue
        elif not text or text.startswith("#"):
            raise FormatError(path, line, f"expected the rest of the line {begin}, got {text!r}")
        parts.append(text.removesuffix("\\"))
        if not text.endswith("\\"):
            yield begin, "".join(parts)
            parts = []
    if parts:
        raise FormatError(path, begin, "expected another line after the \\ at the end of this one")


def queue_at(data: bytes) -> int | None:
    """Return where the first queue statement of any submit file begins, if it has one."""
    at, closing, continued = 0, None, False
    for line in data.splitlines(keepends=True):
        text = line.strip()
        if closing is not None:
            closing = None if text == closing else closing
        elif not continued and _QUEUE_WORD.match(text):
            return at
        elif opening := _MULTILINE.search(text):
            closing = b"@" + opening[1]
        continued = text.endswith(b"\\")
        at += len(line)
    return None


def arguments(setting: Setting, text: str) -> list[str]:
    r"""Return the words of expanded arguments, in HTCondor's new quotes or in its old syntax.

    >>> here = Setting("", "a.sub", 1)
    >>> arguments(here, "\"one 'two three' \"\"four\"\" 'it''s'\"")
    ['one', 'two three', '"four"', "it's"]
    >>> arguments(here, "one 'two \\\"three")
    ['one', "'two", '"three']
    """
    if text.startswith('"'):
        return _new_words(setting, _inside_quotes(setting, text))
    if re.search(r'(?<!\\)"', text):
        raise setting.error(f'expected \\" for a quote, or all in quotes, got {shortened(text)}')
    return [word.replace('\\"', '"') for word in re.split(r"[ \t]+", text) if word]


def attribute_arguments(setting: Setting, text: str) -> list[str]:
    r"""Return the words of expanded arguments that are the attribute Arguments of a job.

    >>> attribute_arguments(Setting("", "a.sub", 1), "\"one '' 'two \\\"three\\\"'\"")
    ['one', '', 'two "three"']
    """
    match = re.fullmatch(r'"((?:[^"]|(?<=\\)")*)"', text, re.DOTALL)
    if not match:
        expected = 'expected one text in quotes, with \\" for a quote'
        raise setting.error(f"{expected}, got {shortened(text)}")
    return _new_words(setting, match[1].replace('\\"', '"'))


def environment(setting: Setting, text: str) -> list[str]:
    r"""Return the NAME=VALUE pairs of an expanded environment; of equal names the last one counts.

    >>> environment(Setting("", "a.sub", 1), "A=1; B=two words;A=3")
    ['A=3', 'B=two words']
    """
    if text.startswith('"'):
        pairs = _new_words(setting, _inside_quotes(setting, text))
    else:
        pairs = [pair.lstrip(BLANKS) for pair in text.split(";") if pair.strip(BLANKS)]
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals or name.startswith("-"):
            raise setting.error(f"expected NAME=VALUE in the environment, got {shortened(pair)!r}")
        found[name] = value
    return [f"{name}={value}" for name, value in found.items()]


def _inside_quotes(setting: Setting, text: str) -> str:
    match = re.fullmatch(r'"((?:[^"]|"")*)"', text, re.DOTALL)
    if not match:
        raise setting.error(f'expected "" for a quote within quotes, got {shortened(text)}')
    return match[1].replace('""', '"')


def _new_words(setting: Setting, text: str) -> list[str]:
    """Split at blanks outside single quotes; inside them '' stands for one single quote."""
    words = re.findall(r"(?:[^ \t']|'(?:[^']|'')*')+|'", text)
    if "'" in words:
        raise setting.error(f"expected a second ' for each, got {shortened(text)}")
    return [re.sub(r"'((?:[^']|'')*)'", lambda m: m[1].replace("''", "'"), word) for word in words]


class Descriptions:
    """The submit descriptions of a workflow, each read once, files by *read*."""

    def __init__(self, read: Callable[[str], Description] = read_submit_file) -> None:
        self._read = read
        self._known: dict[str | tuple[str, int], Description] = {}  # by file, or file and line

    def of(self, job: Job) -> Description:
        """Return a job's description, with its variables; raises FormatError."""
        return self.plain(job).of_job(job.name, *variables(job))

    def plain(self, job: Job) -> Description:
        """Return a job's description without its variables; raises FormatError."""
        submit, named = job.node.submit, job.place.scope.descriptions
        if job.has_description:  # inside a DAGMan file
            statement = named[submit] if submit else job.statement
            text = statement.command.text if submit else job.node.text
            path, first = statement.source.path, statement.line + text.head_lines
            if (path, first) not in self._known:
                self._known[path, first] = parsed(path, text.body, first)
            return self._known[path, first]
        path = os.path.join(job.directory, submit)
        if path not in self._known:
            try:
                self._known[path] = self._read(path)
            except FormatError as error:
                if error.line is not None:
                    raise
                raise job.error(f"{path}: {error.problem}") from error
        return self._known[path]


def variables(job: Job) -> tuple[list[tuple[str, Setting]], list[tuple[str, Setting]]]:
    """Return what VARS sets before the description, and after it."""
    before: list[tuple[str, Setting]] = []
    after: list[tuple[str, Setting]] = []
    for modifier, statement in ((said.modifier, said.statement) for said in job.said):
        if isinstance(modifier, Vars):
            if modifier.variables is None:
                problem = "expected quotes that all versions of DAGMan read alike"
                raise statement.error(f"{problem}, got {shortened(modifier.around_name[1])!r}")
            found = after if modifier.variables.place == "APPEND" else before
            for key, value in modifier.variables.pairs:
                # DAGMan itself puts the name of the job into VARS.
                setting = Setting(value, statement.source.path, statement.line)
                found.append((canonical(key), setting))
    return before, after


def executable(directory: str, description: Description) -> str:
    """Return the program of a job that is submitted in *directory*; raises FormatError."""
    setting = description.setting("executable", "cmd")
    if not setting:
        raise FormatError(description.path, description.line, "expected an executable, got none")
    value = description.expanded(setting)
    transferred = description.value("transfer_executable").upper() not in ("FALSE", "NO", "0")
    if not transferred and not os.path.isabs(value):
        expected = "expected an absolute name of an executable that is not transferred"
        raise setting.error(f"{expected}, got {value}")
    return os.path.join(directory, value)


def argument_words(description: Description) -> list[str]:
    """Return the words after the program; the attribute of the job overrides `arguments`."""
    if attribute := description.setting("my.arguments"):
        return attribute_arguments(attribute, description.expanded(attribute))
    setting = description.setting("arguments", "args")
    return arguments(setting, description.expanded(setting)) if setting else []


def environment_pairs(description: Description) -> list[str]:
    """Return the variables that a job is given, as NAME=VALUE."""
    setting = description.setting("environment", "env")
    return environment(setting, description.expanded(setting)) if setting else []


def universe(description: Description, *, where: str = "") -> tuple[str, Setting] | None:
    """Return in which universe a job runs, None if it does not say; raises FormatError."""
    setting = description.setting("universe", "jobuniverse")
    if setting is None:
        return None
    value = description.expanded(setting).lower()
    if value not in _UNIVERSES:
        expected = f"expected one of the universes {', '.join(_UNIVERSES)}{where}"
        raise setting.error(f"{expected}, got {value}")
    return value, setting


def refusal(key: str, setting: Setting, refused: Mapping[str, str]) -> FormatError:
    """Return the error at a setting that is in *refused*, or begins like `REFUSED_STEMS`."""
    expected = refused.get(key, "a job that runs on the machine as it is")
    return setting.error(f"expected {expected}, got {key} = {shortened(setting.value)}")
