"""What notebooks show: a small picture and the main facts, of dags, workflows, orders and answers.

`frames.Shown` calls this module by its name, because it is in a layer above the shown classes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from icsched.compare import Simulation
from icsched.dag import Dag
from icsched.orders import Plan
from icsched.pebble import Profile, Schedule
from icsched.pictures import dag_picture
from icsched.render.proofs import percent
from icsched.render.svg import Drawing, curves_drawing, dag_drawing, ratios_drawing, svg_text
from icsched.render.svg.writing import safe_text
from icsched.render.words import counted
from icsched.sim import Ratio
from icsched.theory.certificate import Certificate
from icsched.theory.proof import Proof
from icsched.workflow import Workflow

_WIDE, _HIGH = 640.0, 320.0  # pixels, at most
_MOST_DRAWN = 300  # tasks that are drawn one by one
_MOST_NAMED = 100_000  # tasks whose kinds are told apart by their names
_FIRST = 5  # tasks of an order that are named
_LETTERS = 40  # of a name


@dataclass(frozen=True, eq=False)
class _View:
    """A heading, a picture and facts; a picture of nothing is left out."""

    heading: str
    drawing: Drawing | None
    facts: Mapping[str, str]


def html(shown: object) -> str:
    """Return the picture and the facts of a dag, workflow, order or answer as HTML.

    The text has the colour that the notebook gives it, so it can be read in light and dark themes.

    >>> "2 tasks" in html(Dag({"<b>": [], "b": ["<b>"]}))
    True
    """
    view = _view(shown)
    picture = "" if view.drawing is None else svg_text(view.drawing, is_inline=True)
    facts = "<br>".join(
        f"{safe_text(what)}: {safe_text(words)}" for what, words in view.facts.items()
    )
    head = f"<div><strong>{safe_text(view.heading)}</strong></div>"
    return f'<div class="icsched">{head}{picture}<div>{facts}</div></div>'


@singledispatch
def _view(shown: object) -> _View:
    raise TypeError(f"expected a dag, a workflow, an order or an answer, got {shown!r}")


@_view.register
def _(dag: Dag) -> _View:
    return _View(_size(dag), _dag_drawing(dag), _shape(dag))


@_view.register
def _(workflow: Workflow) -> _View:
    dag, facts = workflow.dag, dict[str, str]()
    if done := int(workflow.done.sum()):
        facts["done"] = f"{counted(done, 'more task')}, not drawn"
    facts |= _shape(dag)
    if workflow.run_times is not None:
        times = workflow.run_times
        facts["run times"] = (
            f"{times.sum():,.6g} s in all, the longest {times.max(initial=0):,.6g} s"
        )
    if workflow.remarks:
        facts["remarks"] = f"{len(workflow.remarks):,}"
    files = list(workflow.files)[:1]
    return _View(": ".join([*files, _size(dag)]), _dag_drawing(dag), facts)


@_view.register
def _(schedule: Schedule) -> _View:
    fifo = Schedule.trusted(schedule.dag, schedule.dag.fifo_order).eligible
    curves = {"fifo": fifo, "this order": schedule.eligible}
    return _View(f"order of {_size(schedule.dag)}", _curves(curves), _first(schedule))


@_view.register
def _(plan: Plan) -> _View:
    order = plan.ordered_by if plan.ordered_by != "fifo" else "this order"
    # The bound may take seconds, so it is drawn only if it is known.
    known: Certificate | None = vars(plan).get("certificate")
    curves = {"fifo": plan.fifo.eligible, order: plan.schedule.eligible}
    drawing = _curves(curves, None if known is None else known.bound)
    facts = {"proved": _proved(plan.proof)} | _first(plan.schedule)
    return _View(f"{plan.ordered_by}: order of {_size(plan.dag)}", drawing, facts)


@_view.register
def _(certificate: Certificate) -> _View:
    drawing = _curves({"this order": certificate.eligible}, certificate.bound)
    least, mean = percent(certificate.min_ratio), percent(certificate.mean_ratio)
    proved = f"at least {least} of the eligible tasks that any order could have, {mean} on average"
    if certificate.is_ic_optimal:
        proved = _IC_OPTIMAL
    heading = f"certificate of an order of {_size(certificate.settled.dag)}"
    return _View(heading, drawing, {"proved": proved})


@_view.register
def _(found: Simulation) -> _View:
    ratios, baseline = _time_ratios(found)
    times = {
        name: f"{one.time.mean:,.6g} [{one.time.low:,.6g}, {one.time.high:,.6g}]"
        f", {one.stall.mean:.1%} found nothing"
        for name, one in found.orders.items()
    }
    drawing = ratios_drawing(baseline, ratios) if ratios else None
    return _View(f"times in {counted(found.runs, 'run')} of each order", drawing, times)


_IC_OPTIMAL = "IC-optimal, no order has more eligible tasks at any step"


def _time_ratios(found: Simulation) -> tuple[dict[str, Ratio], str]:
    """Return the ratio of times of each order to the baseline, and the baseline."""
    over = {key: ratios.time for key, ratios in found.ratio.items()}
    compared = {
        key: name for name in found.orders for key in over if key.startswith(f"{name}_over_")
    }
    baseline = next((key.removeprefix(f"{name}_over_") for key, name in compared.items()), "")
    return {compared[key]: ratio for key, ratio in over.items()}, baseline


def _dag_drawing(dag: Dag) -> Drawing | None:
    if not len(dag):
        return None
    # Kinds take as long as all else together, and a large dag shows them by its levels anyway.
    alike = np.zeros(len(dag), np.int32), ("tasks",)
    kinds = alike if len(dag) > _MOST_NAMED or isinstance(dag.names, range) else None
    picture = dag_picture(dag, kinds=kinds, most_drawn=_MOST_DRAWN)
    return dag_drawing("", picture, most_wide=_WIDE, most_high=_HIGH, word="task")


def _curves(curves: Mapping[str, Profile], ceiling: Profile | None = None) -> Drawing | None:
    if any(len(profile) < 2 for profile in curves.values()):
        return None
    return curves_drawing("", curves, ceiling, width=520, height=260, word="task")


def _size(dag: Dag) -> str:
    return f"{counted(len(dag), 'task')}, {counted(dag.arc_count, 'arc')}"


def _shape(dag: Dag) -> dict[str, str]:
    if not len(dag):
        return {}
    ends = f"{counted(len(dag.sources), 'source')}, {counted(len(dag.sinks), 'sink')}"
    return {"shape": f"{counted(int(dag.levels.max()) + 1, 'level')}, {ends}"}


def _first(schedule: Schedule) -> dict[str, str]:
    first = [str(schedule.dag.names[task]) for task in schedule.order[:_FIRST].tolist()]
    more = ", ..." if len(schedule.order) > _FIRST else ""
    return {"first": ", ".join(map(_cut, first)) + more} if first else {}


def _cut(name: str) -> str:
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 3]}..."


def _proved(proof: Proof) -> str:
    if proof.is_ic_optimal:
        return _IC_OPTIMAL
    if proof.no_order_is_ic_optimal:
        return "no order is IC-optimal"
    return "nothing; plan.certificate compares the order with a bound"
