"""Files: bounded reads, writes that happen whole or not at all."""

from icsched.files.backups import Change, back_up, check_rewritable, rewrite
from icsched.files.reading import (
    is_own_file,
    is_special,
    naming,
    read_bytes,
    read_if_there,
    read_text,
    text_of,
)
from icsched.files.writing import (
    WITHDRAWN,
    check_replaceable,
    encoded,
    remove,
    sync_directory,
    would_replace,
    write_bytes,
    write_text,
    write_texts,
    write_with_directory,
)

__all__ = [
    "WITHDRAWN",
    "Change",
    "back_up",
    "check_replaceable",
    "check_rewritable",
    "encoded",
    "is_own_file",
    "is_special",
    "naming",
    "read_bytes",
    "read_if_there",
    "read_text",
    "remove",
    "rewrite",
    "sync_directory",
    "text_of",
    "would_replace",
    "write_bytes",
    "write_text",
    "write_texts",
    "write_with_directory",
]
