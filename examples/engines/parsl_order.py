"""Parsl runs a workflow in the order of icsched: python examples/engines/parsl_order.py.

Parsl sorts only the tasks that wait for a worker. So the worker starts after all tasks without
parents are in the queue. Run this with the programs of Parsl on the PATH, as in an active
environment.
"""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import parsl
from common import WORKFLOW, plan, show
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.providers import LocalProvider

from icsched.plugins.engine_arguments import parsl_specifications

PLAN = plan()
SPECIFICATIONS = parsl_specifications(PLAN)


@parsl.python_app
def work(name, log, inputs=(), parsl_resource_specification=None):  # noqa: ARG001  for Parsl
    """Note that the task has started; *inputs* are the parents."""
    from pathlib import Path

    with Path(log).open("a") as file:
        file.write(f"{name}\n")


def submit(log: Path) -> list:
    """Submit all tasks, in an order that is not that of the plan."""
    futures = {}
    for name, parents in WORKFLOW.items():
        futures[name] = work(
            name,
            str(log),
            inputs=[futures[parent] for parent in parents],
            parsl_resource_specification=SPECIFICATIONS[name],
        )
    return list(futures.values())


with TemporaryDirectory() as folder:
    executor = HighThroughputExecutor(
        address="127.0.0.1",
        max_workers_per_node=1,
        provider=LocalProvider(init_blocks=0, max_blocks=1),
    )
    with parsl.load(Config(executors=[executor], run_dir=folder, strategy="none")):
        log = Path(folder, "log")
        submitted = submit(log)
        roots = sum(not parents for parents in WORKFLOW.values())
        while executor.outstanding() < roots:
            time.sleep(0.05)
        executor.scale_out_facade(1)
        for future in submitted:
            future.result()
        show(PLAN.names, log.read_text().split())
