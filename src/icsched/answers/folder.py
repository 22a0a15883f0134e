"""Tables in a folder of their own, which a later command writes again."""

from collections.abc import Mapping
from pathlib import Path

from icsched.files import naming, remove, write_text


def write_tables(directory: str, texts: Mapping[str, str]) -> None:
    """Write *texts* to the files with these names, and remove the files of an earlier workflow.

    Raises FormatError for a file that cannot be written or removed.
    """
    folder = Path(directory)
    with naming(directory):
        (folder / "blocks").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_text(folder / name, text)
    for old in (*folder.glob("blocks/[0-9]*.dot"), folder / "superdag.dot"):
        if old.relative_to(folder).as_posix() not in texts:
            remove(old)
