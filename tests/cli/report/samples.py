"""A small workflow and pools for reports."""

from icsched import Pool

WORKFLOW = "JOB lone x.sub\nJOB a x.sub\nJOB b x.sub\nJOB c x.sub\nPARENT a CHILD b c\n"
POOL = '{"schema": 1, "kind": "workers", "count": 2}'
ONE_BY_ONE = Pool(interval=1, batch=1)


def workflow_json(tasks: list[dict]) -> dict:
    """A workflow of WfFormat."""
    specification = {"tasks": [{**task, "children": []} for task in tasks]}
    return {"name": "x", "schemaVersion": "1.5", "workflow": {"specification": specification}}
