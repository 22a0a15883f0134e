"""What `icsched verify` prints of certificates."""

from icsched.answers.certificate import CertificateAnswer
from icsched.render.proofs import percent
from icsched.render.visible import named
from icsched.render.words import counted


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
