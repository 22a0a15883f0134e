"""What one DAGMan statement says, as frozen data with the statement's exact text.

`grammar` makes these objects, one for each statement. All writers use them: no other module parses
the text of a statement. A class stands for statements with the same fields; `Command.keyword`
tells them apart.
"""

import re
from dataclasses import dataclass, field

BLANKS = " \t\r\v\f"
RESERVED = frozenset({"PARENT", "CHILD", "ALL_NODES"})
ALL_NODES = "ALL_NODES"

_HAS_BODY = re.compile(
    r"(?:JOB|FINAL|PROVISIONER|SERVICE|SUBMIT[-_]DESCRIPTION)[ \t]+[^ \t]+[ \t]+(?:\{|@=)",
    re.IGNORECASE,
)
_SCRIPT_NAME = re.compile(
    r"([^ \t]+(?:[ \t]+(?:DEFER|DEBUG)[ \t]+[^ \t]+[ \t]+[^ \t]+)*[ \t]+(?:PRE|POST|HOLD)[ \t]+)"
    r"[^ \t]+",
    re.IGNORECASE,
)
_NAME = re.compile(r"([^ \t]+[ \t]+)[^ \t]+")


def upper(word: str) -> str:
    """Return *word* in capitals, unless it has letters that DAGMan does not capitalise."""
    return word.upper() if word.isascii() else word


@dataclass(frozen=True, slots=True)
class Text:
    r"""The exact text of a statement, *raw*, which may be several lines.

    >>> Text("PARENT a \\\n  # why\n  b CHILD c").head
    'PARENT a  b CHILD c'
    >>> text = Text("JOB a {\n executable = x\n} DONE")
    >>> text.head, text.body, text.tail
    ('JOB a {', [' executable = x'], ' DONE')
    """

    raw: str
    head: str = field(init=False)  # on one line, up to the start of an inline description
    head_lines: int = field(init=False)  # how many lines come before that description

    def __post_init__(self) -> None:
        head, lines = _head(self.raw)
        object.__setattr__(self, "head", head)  # because the class is frozen
        object.__setattr__(self, "head_lines", lines)

    @property
    def keyword(self) -> str:
        """The first word, in capitals and with _ for -, for example ABORT_DAG_ON."""
        word, _, _ = self.head.partition(" ")[0].partition("\t")
        return upper(word).replace("-", "_")

    @property
    def tail(self) -> str | None:
        """What follows the end of the inline description; None if there is no description."""
        if not _HAS_BODY.match(self.head):
            return None
        last = self.raw.rsplit("\n", 1)[-1].strip(BLANKS)
        closing = re.match(r"\}|[^ \t]+", last)
        return last[closing.end() :] if closing else ""

    @property
    def body(self) -> list[str]:
        """The lines of the inline description."""
        return self.raw.split("\n")[self.head_lines : -1]

    def description(self, name: str) -> str:
        """Return the inline description as a SUBMIT-DESCRIPTION called *name*."""
        opening = re.split(r"[ \t]+", self.head, maxsplit=2)[2].split()[0]
        closing = "}" if opening.startswith("{") else f"@{opening[2:]}"
        return "\n".join([f"SUBMIT-DESCRIPTION {name} {opening}", *self.body, closing])


def _head(raw: str) -> tuple[str, int]:
    """Return the head of a statement on one line, and how many lines it has."""
    line = raw.strip(BLANKS)
    if "\n" not in line and not line.endswith("\\"):  # nearly all statements
        return line, 1
    parts, number = [], 0
    for number, line in enumerate((line.strip(BLANKS) for line in raw.split("\n")), 1):  # noqa: B007
        if line and not line.startswith(("#", "//")):
            parts.append(line.removesuffix("\\"))
            if not line.endswith("\\"):
                break
    head = " ".join(parts)
    return head if _HAS_BODY.match(head) else head.strip(BLANKS), number


@dataclass(frozen=True, slots=True)
class Command:
    """What a statement says; two are equal if they say the same, however they are written."""

    text: Text = field(compare=False, repr=False)

    @property
    def keyword(self) -> str:
        """The first word, in capitals and with _ for -."""
        return self.text.keyword


@dataclass(frozen=True, slots=True)
class Node(Command):
    """JOB, FINAL, PROVISIONER, SERVICE or SUBDAG EXTERNAL."""

    kind: str  # the keyword
    name: str
    submit: str  # submit file or description, DAG file of a SUBDAG, "" for an inline description
    directory: str
    noop: bool
    done: bool


@dataclass(frozen=True, slots=True)
class Splice(Command):
    """SPLICE name file [DIR directory]."""

    name: str
    file: str
    directory: str


@dataclass(frozen=True, slots=True)
class Parent(Command):
    """[WEAK] PARENT names CHILD names; a weak arc orders jobs just as a strong one does."""

    parents: tuple[str, ...]
    children: tuple[str, ...]

    @property
    def is_weak(self) -> bool:
        """Whether the children run even if a parent fails."""
        return self.keyword == "WEAK"


@dataclass(frozen=True, slots=True)
class Connect(Command):
    """CONNECT of two splices by their pins."""

    parent: str
    child: str


@dataclass(frozen=True, slots=True)
class Pin(Command):
    """PIN_IN or PIN_OUT."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Modifier(Command):
    """A statement about one job or ALL_NODES.

    DONE, PRE_SKIP, SAVE_POINT_FILE and TOLERANCE have no class of their own.
    """

    name: str

    @property
    def around_name(self) -> tuple[str, str]:
        """The text of the head before the name of the job, and after it."""
        pattern = _SCRIPT_NAME if isinstance(self, Script) else _NAME
        match = pattern.match(self.text.head)
        assert match  # noqa: S101  the grammar has checked this
        return match[1], self.text.head[match.end() :]


@dataclass(frozen=True, slots=True)
class Script(Modifier):
    """SCRIPT: *when* is PRE, POST or HOLD."""

    when: str


@dataclass(frozen=True, slots=True)
class Priority(Modifier):
    """PRIORITY name value."""

    value: int


@dataclass(frozen=True, slots=True)
class Category(Modifier):
    """CATEGORY name category."""

    category: str


@dataclass(frozen=True, slots=True)
class Retry(Modifier):
    """RETRY name count [UNLESS-EXIT code]."""

    count: int = field(compare=False)
    limit: str = field(compare=False)  # "UNLESS-EXIT code" as the file writes the code, or ""


@dataclass(frozen=True, slots=True)
class Abort(Modifier):
    """ABORT-DAG-ON name code [RETURN value]."""

    condition: str = field(compare=False)  # the words after the name, in capitals


@dataclass(frozen=True, slots=True)
class Variables:
    """What a VARS statement sets."""

    place: str  # PREPEND, APPEND or "", which DAGMan treats as PREPEND
    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Vars(Modifier):
    """VARS name key="value" ..."""

    variables: Variables | None = field(compare=False)  # None if DAGMan's parsers disagree


@dataclass(frozen=True, slots=True)
class Directive(Command):
    """A statement about the whole workflow; *argument* is the part of it that icsched needs."""

    argument: str = ""


@dataclass(frozen=True, slots=True)
class MaxJobs(Directive):
    """MAXJOBS category limit; the argument is the category."""

    limit: int = 0
