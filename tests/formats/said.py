"""What DAGMan files say of their jobs."""

from pathlib import Path

PAIR = "JOB p x\nJOB q x\nPARENT p CHILD q\n"


def priorities(workflow) -> dict[str, int]:
    """What the files give each job; jobs to which they give nothing are left out."""
    given = zip(workflow.names, workflow.priorities.tolist(), workflow.has_priority, strict=True)
    return {name: value for name, value, is_given in given if is_given}


def done(workflow) -> set[str]:
    return {name for name, is_done in zip(workflow.names, workflow.done, strict=True) if is_done}


def places(workflow) -> dict[str, str]:
    """Where each job's submit file is looked for."""
    return {p.name: str(Path(p.directory, p.node.submit)) for p in workflow.jobs()}
