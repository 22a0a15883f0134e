"""A change of a file, as data: the change can be looked at before it is made."""

from dataclasses import dataclass

from icsched.files.backups import check_rewritable, rewrite
from icsched.files.reading import naming
from icsched.files.temporary import sweep
from icsched.files.writing import remove, target_of, write_bytes


@dataclass(frozen=True)
class Change:
    """The content of a file before and after a change; None means that there is no file."""

    path: str
    old: bytes | None
    new: bytes | None

    @property
    def is_none(self) -> bool:
        """Whether the file has the wanted content already."""
        return self.new == self.old

    def original(self) -> bytes | None:
        """Return what the backup gets: the file as the user had it."""
        return self.old

    def check(self) -> list[str]:
        """Raise FormatError if `make` cannot replace the file; return possible surprises.

        What a killed icsched left beside the file is removed, even if there is nothing to change.
        """
        if self.is_none and self.old is not None:
            with naming(self.path):
                sweep(target_of(self.path).parent)
        is_rewritten = self.old is not None and self.new is not None and not self.is_none
        return check_rewritable(self.path) if is_rewritten else []

    def make(self) -> str | None:
        """Change the file in place; return the name of the backup, if one was made.

        Raises FormatError if the file changed since it was read, or cannot be written.
        """
        if self.new is None:
            remove(self.path)
        elif self.old is None:
            write_bytes(self.path, self.new)
        else:
            original = self.original()
            keep = None if original == self.new else original
            return rewrite(self.path, self.old, self.new, keep=keep)
        return None
