"""A workflow, its dag, and options that make few runs."""

from icsched import Dag

WORKFLOW = """\
JOB lone x.sub
JOB a x.sub
JOB b x.sub
JOB c x.sub
PARENT a CHILD b c
"""
DAG = Dag({"lone": [], "a": [], "b": ["a"], "c": ["a"]})
QUICK = ["--runs", "60"]
