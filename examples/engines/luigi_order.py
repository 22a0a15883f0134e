"""Luigi runs a workflow in the order of icsched: python examples/engines/luigi_order.py."""

import luigi
from common import WORKFLOW, plan, show

from icsched.plugins.engine_arguments import luigi_priorities

PLAN = plan()
PRIORITIES = luigi_priorities(PLAN)
started = []


class Work(luigi.Task):
    """One task of the workflow."""

    name = luigi.Parameter()
    is_done = False

    @property
    def priority(self):
        """The priority that icsched gives the task."""
        return PRIORITIES[self.name]

    def requires(self):
        """Return the parents of the task."""
        return [Work(name=parent) for parent in WORKFLOW[self.name]]

    def run(self):
        """Note that the task has started."""
        started.append(self.name)
        self.is_done = True

    def complete(self):
        """Return whether the task has run."""
        return self.is_done


tasks = [Work(name=name) for name in WORKFLOW]
if not luigi.build(tasks, workers=1, local_scheduler=True, log_level="WARNING"):
    raise SystemExit("luigi: the workflow failed")
show(PLAN.names, started)
