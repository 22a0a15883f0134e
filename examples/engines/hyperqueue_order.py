"""HyperQueue runs a workflow in the order of icsched: python examples/engines/hyperqueue_order.py.

The tasks write their names into one file as they start. The cluster has one worker of one core.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from common import WORKFLOW, plan, show
from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

from icsched.plugins.engine_arguments import hyperqueue_priorities

PLAN = plan()
PRIORITIES = hyperqueue_priorities(PLAN)


def job(log: Path) -> Job:
    """Make a job of the workflow, its tasks in an order that is not that of the plan."""
    made, tasks = Job(), {}
    for name, parents in WORKFLOW.items():
        tasks[name] = made.program(
            ["sh", "-c", f"echo {name} >> {log}"],
            deps=[tasks[parent] for parent in parents],
            priority=PRIORITIES[name],
            stdout=None,
            stderr=None,
        )
    return made


with TemporaryDirectory() as folder, LocalCluster(f"{folder}/server") as cluster:
    log = Path(folder, "log")
    client = cluster.client()
    submitted = client.submit(job(log))
    cluster.start_worker(WorkerConfig(cores=1))  # all tasks are known before the first one starts
    client.wait_for_jobs([submitted])
    show(PLAN.names, log.read_text().split())
