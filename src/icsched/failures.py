"""Why a Python call failed in another process, so that it can be read in this one."""

import pickle
import traceback
from dataclasses import dataclass
from types import TracebackType


def storable(text: str) -> str:
    r"""Return *text* as UTF-8 can hold it; file names may have bytes that are not UTF-8.

    >>> storable("caf\udce9")
    'caf\\udce9'
    """
    return text.encode(errors="backslashreplace").decode()


class RemoteTraceback(Exception):  # noqa: N818  named as in concurrent.futures
    """The cause of an error that another process raised: the traceback there, as text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text}"""'


@dataclass(frozen=True)
class Failure:
    """The traceback of a call, and its error as a pickle, or None if the error does not pickle.

    The error stays a pickle until `cause` is asked for: a process that cannot import the class of
    the error must still be able to read the traceback.
    """

    traceback: str
    pickled: bytes | None

    @classmethod
    def of(cls, error: BaseException) -> "Failure":
        """Return what can be sent of an error that was just caught."""
        shown = error.with_traceback(_outside_of_icsched(error.__traceback__))
        text = "".join(traceback.format_exception(shown))
        return cls(text, _pickled(error))

    def cause(self) -> BaseException:
        """Return what to raise an error from: the error of the call, with its traceback."""
        remote = RemoteTraceback(self.traceback)
        error = _unpickled(self.pickled) if self.pickled else None
        if error is None:
            return remote
        error.__cause__ = remote
        return error


def _outside_of_icsched(trace: TracebackType | None) -> TracebackType | None:
    """Return the frames from the first one that is not of icsched on."""
    while trace and str(trace.tb_frame.f_globals.get("__name__")).startswith("icsched."):
        trace = trace.tb_next
    return trace


def _pickled(error: BaseException) -> bytes | None:
    """Return an error as a pickle that can be read back; an error with own arguments may not."""
    try:
        pickled = pickle.dumps(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # what a user's class raises cannot be foreseen
        return None
    return pickled if type(_unpickled(pickled)) is type(error) else None


def _unpickled(pickled: bytes) -> BaseException | None:
    try:
        error = pickle.loads(pickled)  # noqa: S301  made by this run
    except KeyboardInterrupt:
        raise
    except BaseException:  # this process may lack the class, or the class needs other arguments
        return None
    return error if isinstance(error, BaseException) else None
