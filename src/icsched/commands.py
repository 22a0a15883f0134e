"""What a task runs: a program and its arguments, as plain words."""

from dataclasses import dataclass
from pathlib import Path


def seen_from_file(file: str | None, directory: str | None) -> str | None:
    """Return the file of a stream, which a job sees from its *directory*, as `Command` names it.

    >>> seen_from_file("in.txt", "data"), seen_from_file("/in.txt", "data")
    ('data/in.txt', '/in.txt')
    """
    is_seen_from_here = not file or not directory or file.startswith("/")
    return file if is_seen_from_here else f"{directory}/{file}"


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments. No shell reads them.

    `directory` is where the program runs. It is relative to the directory of the workflow file, and
    so are `stdin`, `stdout` and `stderr`, the files of its standard streams; None means that the
    workflow does not say. `environment` has variables that are set in addition to those of the
    run.

    >>> Command(("sort", "-n", "in.txt")).program
    'sort'
    """

    argv: tuple[str, ...]  # the program comes first
    directory: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    stdin: str | None = None
    stdout: str | None = None
    stderr: str | None = None

    @property
    def line(self) -> str:
        """What a shell reads, where one is asked to: the words as they are, with blanks between.

        >>> Command(("echo", "$HOME", "a b")).line
        'echo $HOME a b'
        """
        return " ".join(self.argv)

    @property
    def program(self) -> str:
        """The program that runs."""
        return self.argv[0]

    def as_seen_inside(self, file: str | None, path: str) -> str | None:
        """Return the file of a stream as `directory` sees it; *path* is that of the workflow file.

        >>> Command(("sort",), "data", stdin="data/in.txt").as_seen_inside("data/in.txt", "wf.dag")
        'in.txt'
        """
        if not file or not self.directory or file.startswith("/"):
            return file
        rest = file.removeprefix(f"{self.directory}/")
        if rest != file and rest and not rest.startswith("/"):
            return rest
        return str(Path(path).absolute().parent / file)
