"""Certificates that `icsched verify` checks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from icsched.audit import Audited, audit
from icsched.commands.inputs import Reading, check_output
from icsched.commands.order_options import WantedOrder
from icsched.commands.proofs import percent
from icsched.commands.terminal import QUIET, Signs, named
from icsched.commands.words import counted
from icsched.dag import Dag
from icsched.errors import CertificateError
from icsched.files import read_bytes, write_bytes


@dataclass(frozen=True)
class CertificateAnswer:
    """What a certificate proves of an order of a workflow.

    `ordered_by` is None for a certificate that was only checked.
    """

    file: str
    certificate: str
    ordered_by: str | None
    jobs: int
    arcs: int
    ic_optimal: bool
    min_ratio: float
    mean_ratio: float
    area_ratio: float

    @property
    def is_written(self) -> bool:
        """Whether the certificate was made now, and written."""
        return self.ordered_by is not None


def checked_certificate(
    file: str, certificate: str, *, reading: Reading, signs: Signs = QUIET
) -> CertificateAnswer:
    """Check a certificate against a workflow; raises CertificateError if it proves nothing."""
    dag = reading.read([file], signs=signs).dag
    with signs.working("checking", len(dag)):
        proved = _audited(dag, _decoded(certificate))
    return _answer(file, certificate, dag, proved, None)


def written_certificate(
    file: str, wanted: WantedOrder, certificate: str, *, reading: Reading, signs: Signs = QUIET
) -> CertificateAnswer:
    """Write the certificate of an order, once the checker has accepted it.

    Raises ArgumentError if that would overwrite a file of the workflow.
    """
    import msgspec  # slow to import

    wanted.check()
    workflow = reading.read([file], signs=signs)
    check_output(workflow, certificate)
    plan = wanted.plan(workflow, signs=signs)
    with signs.working("bounding", len(workflow.dag)):
        data = msgspec.json.encode(plan.certificate.to_dict())
        proved = _audited(workflow.dag, msgspec.json.decode(data))
    write_bytes(certificate, data + b"\n")
    return _answer(file, certificate, workflow.dag, proved, plan.ordered_by)


def _decoded(path: str) -> object:
    import msgspec

    data = read_bytes(path)
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CertificateError(path, f"not JSON that can be read: {error}") from None


def _audited(dag: Dag, certificate: object) -> Audited:
    return audit(list(dag.names), dag.arcs.astype(np.int64), certificate)


def _answer(
    file: str, certificate: str, dag: Dag, proved: Audited, ordered_by: str | None
) -> CertificateAnswer:
    ratios = proved.min_ratio, proved.mean_ratio, proved.area_ratio
    size = len(dag), dag.arc_count
    return CertificateAnswer(file, certificate, ordered_by, *size, proved.is_ic_optimal, *ratios)


def text(found: CertificateAnswer) -> str:
    """Return what the certificate proves, in a sentence."""
    done = "written" if found.is_written else "accepted"
    head = f"{named(found.certificate)}: certificate {done}"
    jobs = f"{named(found.file)} ({counted(found.jobs, 'job')})"
    if found.ic_optimal:
        return f"{head}\nIC-optimal: no order of {jobs} has more eligible jobs at any step\n"
    return (
        f"{head}\nAt every step at least {percent(found.min_ratio)} of the eligible jobs that any"
        f" order of {jobs} could have, {percent(found.mean_ratio)} on average (certified).\n"
    )


def keys(found: CertificateAnswer) -> dict[str, object]:
    """Return what the certificate proves as JSON shows it."""
    return {
        "jobs": found.jobs,
        "arcs": found.arcs,
        "ordered_by": found.ordered_by,
        "certificate": found.certificate,
        "written": found.is_written,
        "ic_optimal": found.ic_optimal,
        "min_ratio": found.min_ratio,
        "mean_ratio": found.mean_ratio,
        "area_ratio": found.area_ratio,
    }
