"""The words of a statement, as each of DAGMan's two parsers finds them."""

import re
from dataclasses import dataclass

BLANKS = " \t\r\v\f"
_OLD_WORD = re.compile(r"[ \t]*([^ \t]*)")
_OLD_QUOTED = re.compile(r'[ \t]*"([^"]*)"?')
_OLD_PAIR = re.compile(r'\s*(\+?[A-Za-z0-9_.]+)\s*=\s*"((?:[^"\\]|\\["\\])*)"', re.ASCII)


class UnreadableError(ValueError):
    """A statement does not fit the grammar; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class Variables:
    """What a VARS statement sets."""

    place: str  # PREPEND, APPEND or "", which DAGMan treats as PREPEND
    pairs: tuple[tuple[str, str], ...]


def upper(word: str) -> str:
    """Return *word* in capitals, unless it has letters that DAGMan does not capitalise."""
    return word.upper() if word.isascii() else word


class _Cursor:
    """A place in a statement's text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def rest(self) -> str:
        """Return all that is left."""
        rest, self._at = self._text[self._at :].strip(BLANKS), len(self._text)
        return rest


class OldWords(_Cursor):
    """Words end at blanks; a double quote begins only the name of a file or directory."""

    def next(self) -> str:
        """Return the next word, "" at the end."""
        return self._match(_OLD_WORD)

    def next_path(self) -> str:
        """Return the next word, or all between double quotes."""
        return self._match(_OLD_QUOTED) or self.next()

    def next_dag_path(self) -> str:
        """Return the next word; it cannot begin with a quote, which would be part of the name."""
        word = self.next()
        if word.startswith(("'", '"')):
            raise UnreadableError
        return word

    def _match(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if not match:
            return ""
        self._at = match.end()
        return match[1]

    def pairs(self) -> Variables:
        """Read the rest as key="value" pairs, perhaps after PREPEND or APPEND."""
        text = self.rest()
        place = re.match("PREPEND|APPEND|", text)
        rest = text[place.end() :] if place else text
        pairs = []
        at = 0
        while match := _OLD_PAIR.match(rest, at):
            _check_key(match[1])
            pairs.append((match[1], re.sub(r"\\(.)", r"\1", match[2])))
            at = match.end()
        if not at or rest[at:].strip(BLANKS):
            raise UnreadableError
        return Variables(place[0] if place else "", tuple(pairs))


class NewWords(_Cursor):
    """A quote of either kind may begin anywhere; blanks around the first = are dropped."""

    def next(self) -> str:
        """Return the next word, quotes included, "" at the end."""
        return self._word(keep_quotes=True)

    def next_path(self) -> str:
        """Return the next word without its quotes."""
        return self._word(keep_quotes=False)

    next_dag_path = next_path

    def pairs(self) -> Variables:
        """Read the rest as key=value pairs, perhaps after PREPEND or APPEND."""
        word, place, pairs = self.next(), "", []
        if upper(word) in ("PREPEND", "APPEND"):
            word, place = self.next(), upper(word)
        if not word:
            raise UnreadableError
        while word:
            key, equals, value = word.partition("=")
            if not (key and equals and value) or "'" in key or '"' in key:
                raise UnreadableError
            _check_key(key)
            is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            pairs.append((key, value[1:-1] if is_quoted else value))
            word = self.next()
        return Variables(place, tuple(pairs))

    def _word(self, *, keep_quotes: bool) -> str:
        text, word = self._text, list[str]()  # a long str would be copied for each character
        in_pair = complete = False
        while self._at < len(text):
            char = text[self._at]
            if char in "\"'":
                word += self._quoted(keep_quotes=keep_quotes)
                complete = in_pair
            elif char in " \t":
                self._skip_blanks()
                joins = in_pair or text[self._at : self._at + 1] == "="
                if word and (complete or not joins):
                    return "".join(word)
            else:
                word += char
                self._at += 1
                complete = in_pair
                in_pair = in_pair or char == "="
        if in_pair and not complete:
            raise UnreadableError
        return "".join(word)

    def _skip_blanks(self) -> None:
        while self._at < len(self._text) and self._text[self._at] in " \t":
            self._at += 1

    def _quoted(self, *, keep_quotes: bool) -> str:
        text, quote = self._text, self._text[self._at]
        inside: list[str] = []
        at = self._at + 1
        while at < len(text) and text[at] != quote:
            at += text[at] == "\\"
            inside += text[at : at + 1]
            at += 1
        if at >= len(text):
            raise UnreadableError
        self._at = at + 1
        quoted = "".join(inside)
        return f"{quote}{quoted}{quote}" if keep_quotes else quoted


def _check_key(key: str) -> None:
    if key == "+" or key.lower().startswith("queue"):
        raise UnreadableError
