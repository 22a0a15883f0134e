"""A scheduler that never fails a user's run, and never hides why it would have."""

import logging
import traceback
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from icsched.plugins.snakemake.chooser import Chooser
from icsched.plugins.snakemake.jobs import File, Job, name_of
from icsched.plugins.snakemake.waiting import Amount, fits, needs


class Supervisor:
    """Asks a `Chooser`. If that fails by a bug, logs the traceback and starts jobs by name.

    *graph* is Snakemake's. With *skip_input_sizes*, Snakemake's own look at the sizes of all inputs
    is left out from the second round on. Raises ArgumentError for an unknown order.
    """

    def __init__(
        self, graph: Any, order: str, logger: logging.Logger, *, skip_input_sizes: bool
    ) -> None:
        self._workflow = getattr(graph, "workflow", None)
        settings = getattr(self._workflow, "scheduling_settings", None)
        is_sampled = getattr(settings, "subsample", None) is not None
        self._chooser: Chooser | None = Chooser(graph, order, logger, is_sampled=is_sampled)
        self._logger = logger
        self._must_skip = skip_input_sizes

    def select(
        self,
        selectable: Collection[Job],
        remaining: Sequence[Job],
        available: Mapping[str, object],
        input_sizes: Mapping[File, int | None],
    ) -> list[Job]:
        """Return the jobs to start now."""
        if self._must_skip:
            self._must_skip = False
            self._skip_input_sizes()
        if self._chooser is not None:
            try:
                return self._chooser.select(selectable, remaining, available, input_sizes)
            except Exception:  # an exception would end the user's run
                self._chooser = None
                self._logger.error(
                    "icsched: jobs start by name from now on, because of a bug in icsched. Please "
                    f"report it.\n{traceback.format_exc()}"
                )
        return by_name(selectable, available)

    def _skip_input_sizes(self) -> None:
        """Replace the method of Snakemake's scheduler that looks at the sizes of inputs."""
        scheduler = getattr(self._workflow, "scheduler", None)
        if not callable(getattr(scheduler, "update_input_sizes", None)):
            self._logger.warning("icsched: this Snakemake cannot skip the sizes of inputs")
            return

        async def update_input_sizes(_: object) -> None:
            return None

        scheduler.update_input_sizes = update_input_sizes  # type: ignore[union-attr]


def by_name(selectable: Collection[Job], available: Mapping[str, object]) -> list[Job]:
    """Return the jobs that fit, by priority and name."""
    names = [name for name, most in available.items() if isinstance(most, int | float)]
    left: list[Amount] = [available[name] for name in names]  # type: ignore[misc]
    picked = []
    for job in sorted(selectable, key=lambda job: (-job.priority, name_of(job))):
        need = needs(job, names)
        if fits(need, left):
            left = [most - amount for most, amount in zip(left, need, strict=True)]
            picked.append(job)
    return picked
