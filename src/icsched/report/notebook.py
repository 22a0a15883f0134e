"""What notebooks show: the main facts of dags, workflows, orders and answers, and a picture.

`frames.Shown` calls this module by its name, because it is in a layer above the shown classes.
The picture needs matplotlib (the extra ``plot``).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial, singledispatch
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from icsched.dag import Dag
from icsched.errors import EngineError
from icsched.messages import counted
from icsched.orders import Plan
from icsched.pebble import Profile, Schedule
from icsched.report.figures import curves_figure, dag_figure, rendered, shown
from icsched.report.proofs import percent
from icsched.report.scene import dag_picture
from icsched.report.subject import short_name
from icsched.sim import Mean, Ratio, Simulation
from icsched.theory.certificate import Certificate
from icsched.theory.proof import Proof
from icsched.workflow import Workflow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DAG, _CURVES = (6.7, 3.3), (5.4, 2.9)  # inches, at most
_MOST_DRAWN = 300  # tasks that are drawn one by one
_MOST_NAMED = 100_000  # tasks whose kinds are told apart by their names
_FIRST = 5  # tasks of an order that are named
_LETTERS = 40  # of a name


class _View(NamedTuple):
    """A heading, rows of facts that begin with a name, and how to draw it, if it can be drawn."""

    heading: str
    rows: Sequence[Sequence[str]]
    draw: Callable[[], Figure] | None = None


def html(thing: object) -> str:
    """Return the facts of a dag, workflow, order or answer as HTML, and a picture of it.

    Without matplotlib there is no picture. Names cannot act on the page.

    >>> "2 tasks" in html(Dag({"<b>": [], "b": ["<b>"]}))
    True
    """
    heading, rows, draw = _view(thing)
    heading, image = _safe(heading), ""
    if draw is not None:
        with suppress(EngineError):  # no matplotlib
            data = b64encode(rendered(draw(), "svg")).decode()  # in an image no script runs
            source = f"data:image/svg+xml;base64,{data}"
            image = f'<img alt="{heading}" style="max-width:100%" src="{source}"/>'
    cells = ("".join(f"<td>{_safe(cell)}</td>" for cell in row) for row in rows)
    table = "".join(f"<tr>{row}</tr>" for row in cells)
    head = f"<div><strong>{heading}</strong></div>"
    return f'<div class="icsched">{head}{image}<table>{table}</table></div>'


def _safe(words: str) -> str:
    return escape(shown(words))


@singledispatch
def _view(thing: object) -> _View:
    raise TypeError(f"expected a dag, a workflow, an order or an answer, got {thing!r}")


@_view.register
def _(dag: Dag) -> _View:
    return _View(_size(dag), _shape(dag), _dag(dag))


@_view.register
def _(workflow: Workflow) -> _View:
    left, facts = workflow.residual, list[tuple[str, str]]()
    if done := int(workflow.done.sum()):
        facts.append(("done", f"{counted(done, 'more task')}, not drawn"))
    facts += _shape(left.dag)
    if left.run_times is not None:
        times = left.run_times
        longest = f"the longest {times.max(initial=0):,.6g} s"
        facts.append(("run times", f"{times.sum():,.6g} s in all, {longest}"))
    if workflow.remarks:
        facts.append(("remarks", f"{len(workflow.remarks):,}"))
    files = list(workflow.files)[:1]
    return _View(": ".join([*files, _size(left.dag)]), facts, _dag(left.dag))


@_view.register
def _(schedule: Schedule) -> _View:
    fifo = Schedule.trusted(schedule.dag, schedule.dag.fifo_order).eligible
    curves = {"fifo": fifo, "this order": schedule.eligible}
    return _View(f"order of {_size(schedule.dag)}", _first(schedule), _curves(curves))


@_view.register
def _(plan: Plan) -> _View:
    order = plan.ordered_by if plan.ordered_by != "fifo" else "this order"
    # The bound may take seconds, so it is drawn only if it is known.
    known: Certificate | None = vars(plan).get("certificate")
    curves = {"fifo": plan.fifo.eligible, order: plan.schedule.eligible}
    draw = _curves(curves, None if known is None else known.bound)
    rows = [("proved", _proved(plan.proof)), *_first(plan.schedule)]
    return _View(f"{plan.ordered_by}: order of {_size(plan.schedule.dag)}", rows, draw)


@_view.register
def _(certificate: Certificate) -> _View:
    draw = _curves({"this order": certificate.eligible}, certificate.bound)
    least, mean = percent(certificate.min_ratio), percent(certificate.mean_ratio)
    share = f"at least {least} of the eligible tasks that any order could have, {mean} on average"
    proved = _IC_OPTIMAL if certificate.is_ic_optimal else share
    heading = f"certificate of an order of {_size(certificate.bounded.dag)}"
    return _View(heading, [("proved", proved)], draw)


@_view.register
def _(found: Simulation) -> _View:
    over = {key: _interval(ratios.time, ".3f") for key, ratios in found.ratio.items()}
    pairs = [
        (name, [f"{o}_over_{name}" for o in found.orders if o != name]) for name in found.orders
    ]
    baseline = next((name for name, keys in pairs if keys and keys == list(found.ratio)), "")
    rows = [("order", "time", f"time over {baseline}'s" if baseline else "", "found nothing")]
    for name, one in found.orders.items():
        ratio = over.get(f"{name}_over_{baseline}", "")
        rows.append((name, _interval(one.time, ",.6g"), ratio, f"{one.stall.mean:.1%}"))
    return _View(f"times in {counted(found.runs, 'run')} of each order", rows)


def _interval(found: Mean | Ratio, digits: str) -> str:
    middle = found.mean if isinstance(found, Mean) else found.median
    return f"{middle:{digits}} [{found.low:{digits}}, {found.high:{digits}}]"


_IC_OPTIMAL = "IC-optimal, no order has more eligible tasks at any step"


def _dag(dag: Dag) -> Callable[[], Figure] | None:
    if not len(dag):
        return None
    # Kinds take as long as all else together, and a large dag shows them by its levels anyway.
    alike = np.zeros(len(dag), np.int32), ("tasks",)
    kinds = alike if len(dag) > _MOST_NAMED or isinstance(dag.names, range) else None
    return lambda: dag_figure("", dag_picture(dag, kinds=kinds, most_drawn=_MOST_DRAWN), most=_DAG)


def _curves(
    curves: Mapping[str, Profile], ceiling: Profile | None = None
) -> Callable[[], Figure] | None:
    if any(len(profile) < 2 for profile in curves.values()):
        return None
    return partial(curves_figure, "", curves, ceiling, size=_CURVES, word="task")


def _size(dag: Dag) -> str:
    return f"{counted(len(dag), 'task')}, {counted(dag.arc_count, 'arc')}"


def _shape(dag: Dag) -> list[tuple[str, str]]:
    if not len(dag):
        return []
    ends = f"{counted(len(dag.sources), 'source')}, {counted(len(dag.sinks), 'sink')}"
    return [("shape", f"{counted(int(dag.levels.max()) + 1, 'level')}, {ends}")]


def _first(schedule: Schedule) -> list[tuple[str, str]]:
    tasks = schedule.order[:_FIRST].tolist()
    names = [short_name(str(schedule.dag.names[task]), _LETTERS) for task in tasks]
    if len(schedule.order) > _FIRST:
        names.append("...")
    return [("first", ", ".join(names))] if names else []


def _proved(proof: Proof) -> str:
    if proof.is_ic_optimal:
        return _IC_OPTIMAL
    if proof.no_order_is_ic_optimal:
        return "no order is IC-optimal"
    return "nothing; plan.certificate compares the order with a bound"
