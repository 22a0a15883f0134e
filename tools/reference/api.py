"""The page of the library: what users import, by what they do with it."""

import importlib
import inspect
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from types import ModuleType

import icsched
from icsched import errors
from tools.reference.signatures import (
    attributes_of,
    call_of,
    class_call_of,
    fields_of,
    inherited_by,
    member_of,
    members_of,
    summary,
)

ALIASES = ("typing", "types")  # modules of type aliases, which have no documentation of their own
WIDTH = 100
INTRODUCTION = """\
# Library

What you import, by what you do with it. `help(icsched.NAME)` says more, with an example.

| word in a signature | what you can give, or get |
| --- | --- |
| `Graph` | a `Dag`, a `Workflow`, a mapping from tasks to parents, a networkx graph |
| `T` | the type of task names: `prioritize({"a": []})` returns a `Plan[str]` |
| `ParentsOf` | a mapping from tasks to parents |
| `Order` | task names or ids, first to run first; also a `Plan` or a `Schedule` |
| `Ids`, `Counts`, `Floats`, `Mask` | arrays of numpy: task ids, whole numbers, numbers, booleans |
| `Profile` | an array with a count after each step, the first before any step |
| `RunTimes`, `PerTask` | a number for each task, by id or by name |
| `Sizes`, `ArrayLike` | a number for each task, by id |
| `AnyPool` | a `Pool`, `Workers`, `Recorded` or `Machines` |
| `Path` | a string or a `pathlib.Path` |

If tasks have integers for names, an integer that you give is a name, and an array of integers has
ids. The ids in batches, clusters, verdicts and games stay ids, also in a list of your own;
`plan.order.tolist()` has plain integers, so give `plan.order` or `plan.names`.

To make an object of a class with fields, give the fields as arguments. Most answers have
`to_dict()`: plain data, which JSON can hold. Answers that are tables have `to_pandas()`.
"""


@dataclass(frozen=True)
class Group:
    """What users do: the exports of `icsched` for it, the packages that have more, and a word."""

    title: str
    exports: str
    packages: str = ""
    text: str = ""


ERRORS = ", ".join(f"`{name}`" for name in icsched.__all__ if name.endswith("Error"))
GROUPS = (
    Group(
        "Read and write",
        "read write Workflow Dag read_run_times RunTimeTable",
        "formats history families",
        "[formats.md](formats.md) has the formats, [run-times.md](run-times.md) the run times.",
    ),
    Group(
        "Order",
        "prioritize Plan order_within LimitedOrder",
        "orders",
        "[order.md](order.md) has the orders, [memory.md](memory.md) those within a limit.",
    ),
    Group(
        "Simulate",
        "simulate Simulation Pool Workers Machines Machine HTCondor Times",
        "sim study",
        "[simulation.md](simulation.md) says what is simulated.",
    ),
    Group(
        "Hand out",
        "Sorter BatchServer best_batch Batch ClusterServer best_cluster plan_clusters Cluster",
        "serve",
        "[batch.md](batch.md) and [cluster.md](cluster.md) say how tasks are chosen.",
    ),
    Group(
        "Prove",
        "verify bound Proof",
        "theory audit",
        "[certificates.md](certificates.md) describes bounds and certificates.",
    ),
    Group(
        "Look",
        "Schedule eligibility_profile",
        "pebble",
        "A `Dag`, a `Plan` and a certificate show a picture in notebooks;\n"
        "[plots.md](plots.md) has more pictures.",
    ),
    Group(
        "Errors",
        "",
        "errors",
        "Every error that icsched raises on purpose is an `IcschedError`. `Sorter` is an\n"
        "exception: `add`, `prepare`, `get_ready`, `is_active`, `done` and `lost` raise a plain\n"
        "`ValueError` for a wrong call, as graphlib does.\n\n"
        + textwrap.fill(f"`icsched` exports {ERRORS}.", 100),
    ),
)


def api_page() -> str:
    """Return the whole page."""
    lines = [line for group in GROUPS for line in _group_lines(group)]
    return "\n".join([INTRODUCTION, *lines]).rstrip("\n") + "\n"


def exports_of(package: str) -> list[str]:
    """Return what a package exports and `icsched` does not; type aliases are left out."""
    module = importlib.import_module(f"icsched.{package}")
    if module is errors:
        return [kind.__name__ for kind in vars(errors).values() if _is_error(kind)]
    pairs = [(name, getattr(module, name)) for name in module.__all__]
    return [
        name
        for name, thing in pairs
        if name not in icsched.__all__ and type(thing).__module__ not in ALIASES
    ]


def _is_error(thing: object) -> bool:
    return inspect.isclass(thing) and issubclass(thing, errors.IcschedError)


def _group_lines(group: Group) -> Iterator[str]:
    yield from (f"## {group.title}", "", group.text, "")
    yield from _items(icsched, group.exports.split())
    for package in group.packages.split():
        yield from _package_lines(package)


def _package_lines(package: str) -> Iterator[str]:
    """Yield the section of a package; families have a page of their own."""
    module = importlib.import_module(f"icsched.{package}")
    yield from (f"### icsched.{package}", "", summary(module), "")
    if package == "families":
        yield from ("[families.md](families.md) has a table of all families.", "")
    else:
        yield from _items(module, exports_of(package))


def _items(module: ModuleType, names: Sequence[str]) -> Iterator[str]:
    """Yield an item for each name, with the members of classes below it."""
    for name in names:
        thing = getattr(module, name)
        if inspect.isclass(thing):
            yield from _item(class_call_of(name, thing), summary(thing))
            yield from _member_items(thing)
        else:
            shown = call_of(name, thing) if inspect.isroutine(thing) else name
            yield from _item(shown, summary(thing))
    if names:
        yield ""


def _member_items(kind: type) -> Iterator[str]:
    """Yield an item for the fields of a class, one for each member, one for inherited methods."""
    yield from _list_item("fields: ", fields_of(kind))
    yield from _list_item("attributes: ", attributes_of(kind))
    for name in members_of(kind):
        yield from _item(*member_of(kind, name), indent="  ")
    yield from _list_item("", list(getattr(kind, "__members__", ())))
    yield from _list_item("also ", [f"{name}()" for name in inherited_by(kind)])


def _list_item(word: str, names: Sequence[str]) -> list[str]:
    """Return one item below a class that lists *names*; nothing if there are none."""
    listed = ", ".join(f"`{name}`" for name in names)
    return _item("", f"{word}{listed}", indent="  ") if names else []


def _item(code: str, text: str, indent: str = "") -> list[str]:
    """Return an item of a list, broken at blanks; code goes on after a break as after a blank."""
    words = ": ".join(part for part in (f"`{code}`" if code else "", text) if part)
    return wrap(
        f"- {words}",
        WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_on_hyphens=False,
        break_long_words=False,
    )
