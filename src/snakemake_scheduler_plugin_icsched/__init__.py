"""The scheduler ``icsched`` of Snakemake: ``snakemake --scheduler icsched``.

Every start of Snakemake imports this package, so icsched itself is imported only when the
scheduler is used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from snakemake_interface_common.exceptions import ApiError
from snakemake_interface_scheduler_plugins.base import SchedulerBase
from snakemake_interface_scheduler_plugins.settings import SchedulerSettingsBase

__all__ = ["Scheduler", "SchedulerSettings"]

INTERFACE = "snakemake-interface-scheduler-plugins"
OLDEST = 2  # major version of the interface


@dataclass
class SchedulerSettings(SchedulerSettingsBase):
    """What a user can set by ``--scheduler-icsched-...``."""

    order: str = field(
        default="auto",
        metadata={
            "help": "The order of jobs: lean finishes samples and deletes temp files early; auto "
            "ends the run early, by the run times of past runs; others are prio, critical-path "
            "and fifo. Priorities of rules come first in any order."
        },
    )
    skip_input_sizes: bool = field(
        default=False,
        metadata={
            "help": "Keep Snakemake from looking at the size of every input of every ready job "
            "in each round. This replaces a private method of Snakemake."
        },
    )


class Scheduler(SchedulerBase):
    """Starts ready jobs by the priority of their rules, then in an order of icsched."""

    def __post_init__(self) -> None:
        """Import icsched; raises ApiError, which Snakemake shows as one line."""
        _check_interface()
        from icsched.errors import IcschedError
        from icsched.plugins.snakemake import Supervisor

        settings = self.settings or SchedulerSettings()
        try:
            self._supervisor = Supervisor(
                self.dag,
                settings.order,
                self.logger,
                skip_input_sizes=settings.skip_input_sizes,
            )
        except IcschedError as error:
            raise ApiError(f"--scheduler-icsched-{error}") from None

    def select_jobs(
        self,
        selectable_jobs: Sequence[Any],
        remaining_jobs: Sequence[Any],
        available_resources: Mapping[str, Any],
        input_sizes: Mapping[Any, Any],
    ) -> list[Any]:
        """Return the jobs to start now, first to start first."""
        return self._supervisor.select(
            selectable_jobs, remaining_jobs, available_resources, input_sizes
        )


def _check_interface() -> None:
    """Raise ApiError if the interface of plugins is too old."""
    from importlib.metadata import version

    found = version(INTERFACE)
    if int(found.partition(".")[0]) < OLDEST:
        raise ApiError(
            f"--scheduler icsched needs {INTERFACE} {OLDEST}.0 or later, got {found}: "
            "run pip install --upgrade 'icsched[snakemake]'"
        )
