"""Tables in a folder of their own, which a later command writes again."""

from collections.abc import Mapping
from pathlib import Path

from icsched.errors import FormatError
from icsched.files import write_text


def write_tables(directory: str, texts: Mapping[str, str]) -> None:
    """Write *texts* to the files with these names, and remove the files of an earlier workflow.

    Raises FormatError if they cannot be written.
    """
    folder = Path(directory)
    try:
        (folder / "blocks").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(directory, None, (error.strerror or str(error)).lower()) from error
    for name, text in texts.items():
        write_text(folder / name, text)
    for old in (*folder.glob("blocks/[0-9]*.dot"), folder / "superdag.dot"):
        if old.relative_to(folder).as_posix() not in texts:
            old.unlink(missing_ok=True)
