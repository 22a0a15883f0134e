"""`icsched verify`: prove or refute that an order is IC-optimal; make and check certificates."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from icsched import checks, pebble
from icsched.audit import audit
from icsched.commands.inputs import USUAL, FileOptions, check_output
from icsched.commands.options import WHOLE, WRITTEN, Json, PathName, refuse
from icsched.commands.ordering import OrderWord, WantedOrder
from icsched.commands.terminal import STANDARD_INPUT, STANDARD_OUTPUT, put, working
from icsched.errors import CertificateError, LimitError
from icsched.files import read_bytes, write_bytes
from icsched.frames import NOT_IN_JSON
from icsched.messages import counted, named
from icsched.pebble.referee import DEFAULT_LIMIT, Verdict
from icsched.report.proofs import Certified, certified_plan, certified_sentence, percent


@dataclass(frozen=True)
class VerifyAnswer:
    """The verdict on an order; `better` names the jobs that beat it, if there are any.

    `ic_optimal` is None if nobody knows: `undecided` then says why the referee gave up. The ratios
    say how close the order comes to a bound; None for a large workflow. `no_order_is_ic_optimal` is
    true if making the order has shown that; false if that is not known.
    """

    jobs: int
    arcs: int
    ordered_by: str
    ic_optimal: bool | None
    step: int | None
    eligible: int | None
    best_eligible: int | None
    better: tuple[Hashable, ...] | None
    min_ratio: float | None
    mean_ratio: float | None
    bound_area_ratio: float | None
    file: str = field(metadata=NOT_IN_JSON)
    certified: Certified | None = field(metadata=NOT_IN_JSON)
    undecided: str = field(metadata=NOT_IN_JSON)
    no_order_is_ic_optimal: bool = field(metadata=NOT_IN_JSON)


def verify_answer(
    file: str, wanted: WantedOrder, *, limit: int, reading: FileOptions
) -> VerifyAnswer:
    """Judge an order: by a bound if it meets one, else by the referee, which may give up."""
    workflow = reading.read([file])
    dag = workflow.residual.dag
    plan = wanted.plan(workflow)
    with working("bounding", len(dag)):
        certified = certified_plan(plan)
    verdict: Verdict | None = Verdict(ic_optimal=True)
    undecided = ""
    if certified is None or not certified.is_ic_optimal:
        try:
            verdict = pebble.verify(dag, plan.schedule, limit=limit)
        except LimitError as error:
            verdict, undecided = None, str(error)
    eligible = (verdict.eligible, verdict.best_eligible) if verdict else (None, None)
    least, mean, area = certified or (None, None, None)
    return VerifyAnswer(
        len(dag),
        dag.arc_count,
        plan.ordered_by,
        verdict.ic_optimal if verdict else None,
        verdict.step if verdict else None,
        *eligible,
        (verdict.better_names or None) if verdict else None,
        least,
        mean,
        area,
        file=file,
        certified=certified,
        undecided=undecided,
        no_order_is_ic_optimal=plan.proof.no_order_is_ic_optimal,
    )


def text(found: VerifyAnswer) -> str:
    """Return the verdict as a sentence, and how close the order comes to a bound."""
    tested = f"the order {named(found.ordered_by)}"
    if found.ic_optimal:
        order = f"no order of {named(found.file)} ({counted(found.jobs, 'job')})"
        return f"IC-optimal: {order} has more eligible jobs at any step than {tested}\n"
    share = f"{certified_sentence(found.certified)}\n" if found.certified else ""
    if found.ic_optimal is None:
        return f"not decided: whether {tested} is IC-optimal; {found.undecided}\n{share}"
    better = ", ".join(map(str, found.better or ()))
    none = "No order is IC-optimal (exact).\n" if found.no_order_is_ic_optimal else ""
    return (
        f"not IC-optimal: after {counted(found.step or 0, 'job')} {tested} has"
        f" {found.eligible:,} eligible, but {found.best_eligible:,} are possible by running"
        f" {better} first\n{none}{share}"
    )


@dataclass(frozen=True)
class CertificateAnswer:
    """What a certificate proves of an order of a workflow.

    `ordered_by` is None for a certificate that was only checked, and not `written`.
    """

    jobs: int
    arcs: int
    ordered_by: str | None
    certificate: str
    written: bool
    ic_optimal: bool
    min_ratio: float
    mean_ratio: float
    area_ratio: float
    file: str = field(metadata=NOT_IN_JSON)


def certificate_answer(
    file: str, certificate: str, reading: FileOptions, wanted: WantedOrder | None = None
) -> CertificateAnswer:
    """Check a certificate against a workflow, or write that of a *wanted* order if it is accepted.

    Raises CertificateError if it proves nothing, ArgumentError if that would overwrite a file of
    the workflow.
    """
    import msgspec  # slow to import

    workflow, ordered_by = reading.read([file]), None
    dag = workflow.residual.dag
    if wanted is None:
        data = read_bytes(certificate)
    else:
        check_output(workflow, certificate)
        plan = wanted.plan(workflow)
        with working("bounding", len(dag)):
            data, ordered_by = msgspec.json.encode(plan.certificate.to_dict()), plan.ordered_by
    with working("checking", len(dag)):
        try:
            decoded = msgspec.json.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise CertificateError(certificate, f"not JSON that can be read: {error}") from None
        proved = audit(list(dag.names), dag.arcs.astype(np.int64), decoded)
    if wanted is not None:
        write_bytes(certificate, data + b"\n")
    return CertificateAnswer(
        jobs=len(dag),
        arcs=dag.arc_count,
        ordered_by=ordered_by,
        certificate=certificate,
        written=wanted is not None,
        ic_optimal=proved.is_ic_optimal,
        min_ratio=proved.min_ratio,
        mean_ratio=proved.mean_ratio,
        area_ratio=proved.area_ratio,
        file=file,
    )


def certificate_text(found: CertificateAnswer) -> str:
    """Return what the certificate proves, in a sentence."""
    done = "written" if found.written else "accepted"
    head = f"{named(found.certificate)}: certificate {done}"
    jobs = f"{named(found.file)} ({counted(found.jobs, 'job')})"
    if found.ic_optimal:
        return f"{head}\nIC-optimal: no order of {jobs} has more eligible jobs at any step\n"
    return (
        f"{head}\nAt every step at least {percent(found.min_ratio)} of the eligible jobs that any"
        f" order of {jobs} could have, {percent(found.mean_ratio)} on average (certified).\n"
    )


EXIT_CODES = {True: 0, False: 3, None: 4}  # by the verdict; 1 and 2 are errors

CertificateFile = Annotated[PathName | None, Parameter(show_default=False)]


def verify(
    file: PathName,
    /,
    *,
    order: OrderWord = "prio",
    limit: Annotated[int, WHOLE] = DEFAULT_LIMIT,
    certificate: CertificateFile = None,
    write_certificate: Annotated[CertificateFile, WRITTEN] = None,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> int:
    """Say whether an order keeps as many jobs eligible as any order could, at every step.

    A proof or a bound decides first. Else icsched looks at every set of jobs that can have run.
    The exit code is 0 for yes, 3 for no, and 4 if that was not decided.

    Parameters
    ----------
    file
        Workflow file; - for standard input.
    limit
        Give up after this many sets of executed jobs, 1 or more; the default takes seconds.
    certificate
        Check the certificate in this file instead; the order is in the certificate.
    write_certificate
        Compare the order with a bound instead, and write a certificate to this file.
    json_
        Print one JSON object instead of a sentence.

    """
    checks.whole_number("--limit", limit, least=1)
    reads, writes = certificate is not None, write_certificate is not None
    has_limit = limit != DEFAULT_LIMIT
    is_stream = write_certificate in (STANDARD_INPUT, STANDARD_OUTPUT)
    refuse(
        {
            "--order cannot be used with --certificate": reads and order != "prio",
            "--write-certificate cannot be used with --certificate": reads and writes,
            "--limit cannot be used with --certificate": reads and has_limit,
            "--limit cannot be used with --write-certificate": writes and has_limit,
            "--write-certificate: expected a file, got a standard stream": is_stream,
        }
    )
    wanted = WantedOrder(order)
    if certificate is not None:
        proved = certificate_answer(file, certificate, reading)
    elif write_certificate is not None:
        proved = certificate_answer(file, write_certificate, reading, wanted)
    else:
        found = verify_answer(file, wanted, limit=limit, reading=reading)
        put(found, text, as_json=json_)
        return EXIT_CODES[found.ic_optimal]
    put(proved, certificate_text, as_json=json_)
    return 0
