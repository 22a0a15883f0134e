"""Workflows, and a log, that several commands are tried on."""

PAIR_AND_FORK = """\
JOB a x
JOB b x
JOB c x
JOB d x
JOB e x
PARENT a CHILD b
PARENT c CHILD d e
"""


def log_of(job: str) -> str:
    """Return the event log of one job, which waits for 10 s and runs for 30 s."""
    return f"""\
000 (001.000.000) 2026-11-16 12:00:00 Job submitted from host: <10.0.0.1:9618>
    DAG Node: {job}
...
001 (001.000.000) 2026-11-16 12:00:10 Job executing on host: <10.0.0.2:9618>
...
005 (001.000.000) 2026-11-16 12:00:40 Job terminated.
\t(1) Normal termination (return value 0)
...
"""
