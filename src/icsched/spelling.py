"""Names that a misspelt word may have been meant to be."""

from collections.abc import Iterable

_CLOSE = 0.75  # how alike two words must be, from 0 to 1, that one is taken for a slip of the other
_MOST = 3  # names to suggest


def close_names(word: str, known: Iterable[str]) -> list[str]:
    """Return the *known* names that are close to *word*, the closest first; at most three.

    Only letters and digits count, and small letters are as good as capitals.

    >>> close_names("Critical_path", ["critical-path", "fifo"]), close_names("best", ["fifo"])
    (['critical-path'], [])
    """
    from difflib import get_close_matches  # needed after a slip alone

    by_letters = {_letters(name): name for name in known}
    close = get_close_matches(_letters(word), by_letters, n=_MOST, cutoff=_CLOSE)
    return [by_letters[letters] for letters in close]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question with the names that are close to *word*; empty if no name is close.

    >>> did_you_mean("pio", ["prio", "fifo"]), did_you_mean("best", ["prio"])
    ('did you mean prio?', '')
    """
    close = close_names(word, known)
    return f"did you mean {' or '.join(close)}?" if close else ""


def _letters(word: str) -> str:
    return "".join(sign for sign in word.lower() if sign.isalnum())
