"""`icsched verify`: prove or refute that an order is IC-optimal, and check certificates."""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from icsched import checks, pebble
from icsched.commands import certificate as render_certificate
from icsched.commands.certificate import checked_certificate, written_certificate
from icsched.commands.comparison import Certified, certified_plan
from icsched.commands.inputs import Reading
from icsched.commands.options import (
    STANDARD_INPUT,
    STANDARD_OUTPUT,
    USUAL,
    WHOLE,
    FileOptions,
    PathName,
    check_streams,
    refuse,
)
from icsched.commands.order_options import OrderWord, WantedOrder
from icsched.commands.proofs import certified_sentence, ratio_keys
from icsched.commands.terminal import QUIET, SIGNS, WRITTEN, Json, Signs, named, put
from icsched.commands.words import counted
from icsched.errors import LimitError
from icsched.orders import Plan
from icsched.pebble.referee import DEFAULT_LIMIT


@dataclass(frozen=True)
class VerifyAnswer:
    """The verdict on an order; `better` names the jobs that beat it, if there are any.

    `verdict` is None if nobody knows: `undecided` then says why the referee gave up. `certified`
    says how close the order comes to a bound; None for a large workflow. `no_order_is_ic_optimal`
    is true if making the order has shown that; false if that is not known.
    """

    file: str
    ordered_by: str
    jobs: int
    arcs: int
    verdict: pebble.Verdict | None
    better: tuple[object, ...] | None
    certified: Certified | None
    undecided: str = ""
    no_order_is_ic_optimal: bool = False


def verify_answer(
    file: str, wanted: WantedOrder, *, limit: int, reading: Reading, signs: Signs = QUIET
) -> VerifyAnswer:
    """Judge an order: by a bound if it meets one, else by the referee, which may give up."""
    wanted.check()
    workflow = reading.read([file], signs=signs)
    dag = workflow.dag
    plan = wanted.plan(workflow, signs=signs)
    with signs.working("bounding", len(dag)):
        certified = certified_plan(plan)
    verdict, undecided = _judged(plan, certified, limit)
    beating = None if verdict is None else verdict.better
    better = None if beating is None else tuple(dag.names[t] for t in beating)
    sizes = len(dag), dag.arc_count
    none = plan.proof.no_order_is_ic_optimal
    return VerifyAnswer(file, plan.ordered_by, *sizes, verdict, better, certified, undecided, none)


def _judged(
    plan: Plan, certified: Certified | None, limit: int
) -> tuple[pebble.Verdict | None, str]:
    """Return the verdict, or None with the reason why the referee gave up."""
    if certified is not None and certified.is_ic_optimal:
        return pebble.Verdict(ic_optimal=True), ""
    try:
        return pebble.verify(plan.dag, plan.order, limit=limit), ""
    except LimitError as error:
        return None, str(error)


def text(found: VerifyAnswer) -> str:
    """Return the verdict as a sentence, and how close the order comes to a bound."""
    verdict, tested = found.verdict, f"the order {named(found.ordered_by)}"
    if verdict is not None and verdict.ic_optimal:
        jobs = counted(found.jobs, "job")
        order = f"no order of {named(found.file)} ({jobs})"
        return f"IC-optimal: {order} has more eligible jobs at any step than {tested}\n"
    share = f"{certified_sentence(found.certified)}\n" if found.certified else ""
    if verdict is None:
        return f"not decided: whether {tested} is IC-optimal; {found.undecided}\n{share}"
    better = ", ".join(map(str, found.better or ()))
    none = "No order is IC-optimal (exact).\n" if found.no_order_is_ic_optimal else ""
    return (
        f"not IC-optimal: after {counted(verdict.step or 0, 'job')} {tested} has"
        f" {verdict.eligible:,} eligible, but {verdict.best_eligible:,} are possible by running"
        f" {better} first\n{none}{share}"
    )


def keys(found: VerifyAnswer) -> dict[str, object]:
    """Return the verdict as JSON shows it."""
    verdict = found.verdict
    return {
        "jobs": found.jobs,
        "arcs": found.arcs,
        "ordered_by": found.ordered_by,
        "ic_optimal": verdict and verdict.ic_optimal,
        "step": verdict and verdict.step,
        "eligible": verdict and verdict.eligible,
        "best_eligible": verdict and verdict.best_eligible,
        "better": found.better,
        **ratio_keys(found.certified),
    }


NOT_OPTIMAL, UNDECIDED = 3, 4  # exit codes of their own: 1 and 2 are errors, these are answers

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
    check_streams(file, order, certificate)
    _check_certificates(order, limit, certificate, write_certificate)
    files, wanted = Reading(reading), WantedOrder(order)
    if certificate is not None:
        proved = checked_certificate(file, certificate, reading=files, signs=SIGNS)
        put(proved, render_certificate.text, render_certificate.keys, as_json=json_)
    elif write_certificate is not None:
        made = written_certificate(file, wanted, write_certificate, reading=files, signs=SIGNS)
        put(made, render_certificate.text, render_certificate.keys, as_json=json_)
    else:
        found = verify_answer(file, wanted, limit=limit, reading=files, signs=SIGNS)
        put(found, text, keys, as_json=json_)
        return _code(found)
    return 0


def _check_certificates(
    order: str, limit: int, certificate: str | None, write_certificate: str | None
) -> None:
    """Raise ArgumentError for options that cannot be used with those for certificates."""
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


def _code(found: VerifyAnswer) -> int:
    """Return the exit code that says the verdict."""
    if found.verdict is None:
        return UNDECIDED
    return 0 if found.verdict.ic_optimal else NOT_OPTIMAL
