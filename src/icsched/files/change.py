"""A change of a file, as data: it can be looked at before it is made."""

from dataclasses import dataclass

from icsched.files.writing import check_rewritable, remove, rewrite, write_bytes


@dataclass(frozen=True)
class Change:
    """A file as it was read, and as it is to be; None where there is no file."""

    path: str
    old: bytes | None
    new: bytes | None

    @property
    def is_none(self) -> bool:
        """Whether the file says already what it should."""
        return self.new == self.old

    def original(self) -> bytes | None:
        """Return what the backup is to hold: the file as the user had it."""
        return self.old

    def check(self) -> list[str]:
        """Raise FormatError if `make` cannot replace the file; say what may surprise its user."""
        is_rewritten = self.old is not None and self.new is not None and not self.is_none
        return check_rewritable(self.path) if is_rewritten else []

    def make(self) -> str | None:
        """Change the file in place; return the name of a backup, if one is needed.

        Raises FormatError if the file is not as it was read, or cannot be written.
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
