"""What a report is about: a workflow, the orders that it compares, and a picture of its dag."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from icsched.arrays import Floats
from icsched.dag import Dag
from icsched.messages import in_unit, rounded
from icsched.orders import Plan
from icsched.pebble import Schedule
from icsched.report.proofs import Certified, certified_plan
from icsched.report.scene import DagPicture
from icsched.sim import AnyPool, Played, Simulation
from icsched.theory import Proof
from icsched.workflow import Workflow

Keys: TypeAlias = dict[str, Any]  # of JSON; the page reads them, and docs/report.md explains them
NOW = "now"  # the priorities that the files have now, beside other orders
_MOST_LETTERS = 200  # of a name: longer ones end in three dots
_DIGITS = 6  # of a time, counted from the first digit of the longest


@dataclass(frozen=True, eq=False)
class ReportOrder:
    """An order as a list, how the simulator plays it, and what is proved about it."""

    schedule: Schedule
    played: Played
    proof: Proof | None = None


@dataclass(frozen=True, eq=False)
class Subject:
    """What is left of a workflow with the orders that a report compares, simulated on one pool.

    `plan` is the order "auto". `baseline` is the order that the others are compared with.
    """

    workflow: Workflow
    plan: Plan
    pool: AnyPool
    orders: Mapping[str, ReportOrder]
    baseline: str
    found: Simulation
    picture: DagPicture

    @property
    def dag(self) -> Dag:
        """What is left to run."""
        return self.workflow.dag

    @property
    def means(self) -> Floats:
        """The mean run times, 1 for each task if they are not known."""
        times = self.workflow.run_times
        return np.ones(len(self.dag)) if times is None else times

    @cached_property
    def certified(self) -> Certified | None:
        """How close "auto" comes to a bound; None if the workflow is too large for that."""
        return certified_plan(self.plan)

    @property
    def word(self) -> str:
        """What the file calls a task."""
        return "job" if self.workflow.format == "dagman" else "task"

    @property
    def unit(self) -> str:
        """The unit of all times: seconds, or the mean run time."""
        return "run times" if self.workflow.run_times is None else "s"

    def called(self, text: str) -> str:
        """Return a sentence with the file's word for a task; no names may be in *text*."""
        return re.sub(r"\b(?:job|task)(?=s?\b)", self.word, text)

    def time(self, value: float) -> str:
        """Return a time with three digits and its unit."""
        return in_unit(rounded(value), self.unit)

    def name(self, task: int) -> str:
        """Return the name of a task, or its beginning."""
        return short_name(str(self.dag.names[task]))

    def task_keys(self, task: int, words: str) -> Keys:
        """Return a task by its name and its node in the picture, and what *words* say of it."""
        return {"task": self.name(task), "node": int(self.picture.node[task]), "words": words}


def short_name(name: str, most: int = _MOST_LETTERS) -> str:
    """Return a name, or only its beginning if it is long."""
    return name if len(name) <= most else f"{name[: most - 3]}..."


def order_called(name: str) -> str:
    """Name an order in a sentence; "the order now" would read as an adverb."""
    return "the order that the file has now" if name == NOW else f"the order {name}"


def capital(text: str) -> str:
    """Return *text* with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def six_digits(values: Floats) -> Floats:
    """Return numbers to six digits of the largest; nobody sees more, and they take less room."""
    most = float(np.abs(values).max(initial=0.0))
    if not 1e-290 < most < math.inf:
        return values
    decimals = _DIGITS - 1 - math.floor(math.log10(most))
    return np.array([round(value, decimals) for value in values.tolist()])
