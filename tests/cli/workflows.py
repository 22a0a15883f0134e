"""Workflows that several commands are tried on."""

PAIR_AND_FORK = """\
JOB a x
JOB b x
JOB c x
JOB d x
JOB e x
PARENT a CHILD b
PARENT c CHILD d e
"""
