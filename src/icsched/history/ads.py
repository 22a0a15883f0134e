"""What `condor_history` knows of jobs that left the queue, as events."""

from collections.abc import Iterator

import msgspec

from icsched.errors import FormatError
from icsched.history.events import Event, Kind, objects

_DAGMAN_UNIVERSE = 7  # the scheduler universe, where DAGMan itself runs
_COMPLETED = 4  # of JobStatus
_MOST_SECONDS = 253_402_300_799  # the last second of the year 9999


class _Ad(msgspec.Struct):
    """Attributes of a job; any may be missing, because users choose them."""

    ClusterId: int | None = None
    ProcId: int = 0
    DAGNodeName: str = ""
    JobUniverse: int = 0
    QDate: float = 0
    JobStartDate: float = 0
    JobCurrentStartDate: float = 0
    CompletionDate: float = 0
    EnteredCurrentStatus: float = 0
    RemoteWallClockTime: float = 0
    CommittedSuspensionTime: float = 0
    NumJobStarts: int = 1
    JobStatus: int = 0
    ExitCode: int | None = None
    LastRemoteHost: str = ""


def history_events(path: str, data: bytes) -> list[Event]:
    """Return the events of the last attempt of each job in *data*, earliest job first.

    The history has the times of the last attempt alone. Raises FormatError if it has no job.
    """
    ads = [ad for ad in _ads(data) if _is_useful(ad)]
    if not ads:
        raise FormatError(path, None, "expected jobs with ClusterId and CompletionDate, got none")
    ads.sort(key=lambda ad: (_start(ad), ad.ClusterId, ad.ProcId))
    return [event for ad in ads for event in _events(ad)]


def _ads(data: bytes) -> list[_Ad]:
    try:
        return msgspec.json.decode(data, type=list[_Ad])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return [ad for _, ad in objects(data, _Ad)]  # several lists, one object a line, a cut list


def _is_useful(ad: _Ad) -> bool:
    is_dagman = ad.JobUniverse == _DAGMAN_UNIVERSE and not ad.DAGNodeName
    moments = (ad.QDate, ad.JobStartDate, ad.JobCurrentStartDate, _end(ad), ad.RemoteWallClockTime)
    is_sane = all(0 <= moment < _MOST_SECONDS for moment in moments)
    return ad.ClusterId is not None and not is_dagman and is_sane and _end(ad) > 0


def _end(ad: _Ad) -> float:
    return ad.CompletionDate or ad.EnteredCurrentStatus


def _start(ad: _Ad) -> float:
    """Return when the last attempt started, or 0."""
    is_alone = ad.NumJobStarts <= 1
    first = ad.JobStartDate if is_alone else 0.0
    counted = _end(ad) - ad.RemoteWallClockTime if is_alone and ad.RemoteWallClockTime else 0.0
    return ad.JobCurrentStartDate or first or counted


def _events(ad: _Ad) -> Iterator[Event]:
    assert ad.ClusterId is not None  # noqa: S101  # _is_useful has seen to it
    job, start, end = (ad.ClusterId, ad.ProcId), _start(ad), _end(ad)
    yield Event(Kind.SUBMIT, job, ad.QDate or start or end, ad.DAGNodeName)
    if start:
        yield Event(Kind.EXECUTE, job, start, ad.LastRemoteHost)
        if 0 < ad.CommittedSuspensionTime <= end - start:
            yield Event(Kind.SUSPENDED, job, start)
            yield Event(Kind.UNSUSPENDED, job, start + ad.CommittedSuspensionTime)
    if ad.CompletionDate and ad.JobStatus in (0, _COMPLETED):
        yield Event(Kind.TERMINATED, job, end, "", ad.ExitCode == 0)
    elif start:
        yield Event(Kind.ABORTED, job, end)
