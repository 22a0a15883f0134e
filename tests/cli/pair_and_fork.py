"""A workflow of a pair and a fork; the drawing stands with the fixture `workflow`."""

WORKFLOW = """\
JOB a x.sub
JOB b x.sub
JOB c x.sub
JOB d x.sub
JOB e x.sub
PARENT a CHILD b
PARENT c CHILD d e
"""
