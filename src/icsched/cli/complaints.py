"""What is wrong with a command line, in one line."""

from collections.abc import Iterable

from cyclopts import CycloptsError, UnknownCommandError, UnknownOptionError, ValidationError

from icsched.spelling import close_names


def complaint(error: CycloptsError) -> str:
    """Return what is wrong; a suggestion only if it is close, else where help is."""
    if isinstance(error, UnknownOptionError):
        return _unknown_option(error)
    if isinstance(error, UnknownCommandError) and error.unused_tokens and error.app:
        word = error.unused_tokens[0]
        kind = "option" if word.startswith("-") else "command"
        return f"Unknown {kind}: {word}.{_hint(word, error.app, [])}"
    if isinstance(error, ValidationError) and error.argument and error.argument.tokens:
        option = error.argument.tokens[0].keyword or error.argument.name.upper()
        return f"{option}: {error.exception_message}"
    return str(error)


def _unknown_option(error: UnknownOptionError) -> str:
    word = (error.token.keyword or error.token.value).partition("=")[0]
    names = [name for argument in error.argument_collection for name in argument.names]
    return f"Unknown option: {word}.{_hint(word, names, error.command_chain or [])}"


def _hint(word: str, known: Iterable[str], command: Iterable[str]) -> str:
    """Return a sentence with the known word that *word* was meant to be, or with the help."""
    close = close_names(word, known)
    if close:
        return f" Did you mean {close[0]}?"
    return f" {' '.join(['icsched', *command, '--help'])} lists what there is."
