"""Text for people, and JSON: characters from files and arguments cannot control a terminal.

Only text for people is changed: tables and files keep every character, and JSON its meaning.
"""

import re

from icsched.files.terminal import HIDDEN, escaped

SCHEMA = 1  # of every JSON object; it becomes 2 if a key is removed or changes its meaning

_NOT_ASCII = re.compile(r"[^\0-\x7f]+")


def named(*words: str) -> str:
    r"""Return *words* with blanks between them, on one line whatever characters they have.

    >>> print(named("a.dag", "b\n.dag"))
    a.dag b\n.dag
    """
    return escaped(" ".join(words)).replace("\n", "\\n")


def json_safe(text: str) -> str:
    r"""Return JSON with the same meaning, without characters that act on a terminal.

    JSON itself requires escapes only for control characters below the blank.

    >>> print(json_safe('["a\x7fb\u202e"]'))
    ["a\u007fb\u202e"]
    """
    if text.isascii() and "\x7f" not in text:  # nearly always, and the text may be large
        return text
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def json_ascii(text: str) -> str:
    r"""Return JSON with the same meaning in ASCII, for streams of other encodings than UTF-8.

    >>> print(json_ascii('["é", "😀"]'))
    ["\u00e9", "\ud83d\ude00"]
    """
    if text.isascii():
        return text
    import json

    return _NOT_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)


def json_text(keys: dict[str, object]) -> str:
    """Return one JSON object, alone on its line; `schema` numbers the meaning of its keys."""
    import msgspec  # slow to import, and only needed for JSON

    try:
        text = msgspec.json.encode({"schema": SCHEMA, **keys}).decode()
    except UnicodeEncodeError:  # a name that is not UTF-8
        return slow_json_text(keys)
    return json_safe(text) + "\n"


def slow_json_text(keys: dict[str, object]) -> str:
    """Return the same as `json_text`, by what comes with Python."""
    import json

    text = json.dumps({"schema": SCHEMA, **keys}, separators=(",", ":"))
    return json_safe(text) + "\n"
