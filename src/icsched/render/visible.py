r"""Text for people: what comes out of files and arguments can neither steer a terminal nor lie.

An escape sequence in a path could rename a terminal's window or hide a line, and a mark of
direction could make a name read as another one. Such characters are shown as Python writes them,
`\x1b` or `\u202e`. Only text for people is changed: JSON, tables and files keep every character.
"""

import re

SCHEMA = 1  # of every JSON object; a key that goes or changes its meaning makes it 2

# Control characters but the newline; ends of lines, marks of direction, halves of characters.
_HIDDEN = re.compile(
    "[\0-\t\v-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Return *text* with a name for each character that would act on a terminal.

    >>> print(visible("a\x1b[31mb\x9bc\u202ed\te"))
    a\x1b[31mb\x9bc\u202ed\te
    """
    return _HIDDEN.sub(lambda found: repr(found[0])[1:-1], text)


def named(*words: str) -> str:
    r"""Return *words* with blanks between, on one line whatever they hold.

    >>> print(named("a.dag", "b\n.dag"))
    a.dag b\n.dag
    """
    return visible(" ".join(words)).replace("\n", "\\n")


def json_safe(text: str) -> str:
    r"""Return JSON that means the same, without characters that act on a terminal.

    JSON itself demands escapes for those below the blank only.

    >>> print(json_safe('["a\x7fb\u202e"]'))
    ["a\u007fb\u202e"]
    """
    if text.isascii() and "\x7f" not in text:  # most are, and may be large
        return text
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def json_text(keys: dict[str, object]) -> str:
    """Return one JSON object, alone on its line; `schema` numbers the meaning of its keys."""
    import json  # slow to import, as is msgspec, and for JSON alone

    import msgspec

    whole = {"schema": SCHEMA, **keys}
    try:
        text = msgspec.json.encode(whole).decode()
    except UnicodeEncodeError:  # a name that is not UTF-8
        text = json.dumps(whole, separators=(",", ":"))
    return json_safe(text) + "\n"
