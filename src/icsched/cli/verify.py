"""`icsched verify`: prove or refute that an order is IC-optimal, and check certificates."""

from typing import Annotated

from cyclopts import Parameter

from icsched import checks
from icsched.answers.certificate import checked_certificate, written_certificate
from icsched.answers.orders import WantedOrder
from icsched.answers.reading import Reading
from icsched.answers.streams import STANDARD_INPUT, STANDARD_OUTPUT
from icsched.answers.verify import VerifyAnswer, verify_answer
from icsched.cli.inputs import USUAL, WHOLE, FileOptions, PathName, check_streams, refuse
from icsched.cli.orders import OrderWord
from icsched.cli.output import SIGNS, WRITTEN, Json
from icsched.cli.printing import put
from icsched.pebble.referee import DEFAULT_LIMIT
from icsched.render import certificate as render_certificate
from icsched.render import verify as render

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
        put(found, render.text, render.keys, as_json=json_)
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
