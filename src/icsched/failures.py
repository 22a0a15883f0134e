"""Why a task failed, as one line that can be stored."""


def storable(text: str) -> str:
    r"""Return *text* as UTF-8 can hold it; file names may have bytes that are not UTF-8.

    >>> storable("caf\udce9")
    'caf\\udce9'
    """
    return text.encode(errors="backslashreplace").decode()


def problem_of(error: BaseException) -> str:
    r"""Return an error on one line: its type, and what it says.

    >>> problem_of(ValueError("two\nlines")), problem_of(KeyError())
    ('ValueError: two lines', 'KeyError')
    """
    said = f"{type(error).__name__}: {error}"
    return storable(" ".join(said.split()).removesuffix(":"))
