"""Files of several formats, as people and other tools may lay them out."""

import json
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from itertools import combinations

import yaml
from hypothesis import strategies as st

Arcs = Sequence[tuple[int, int]]


def _any(draw: st.DrawFn, *choices: str) -> str:
    return draw(st.sampled_from(choices))


def _parents(count: int, arcs: Arcs) -> list[list[int]]:
    return [[parent for parent, child in arcs if child == task] for task in range(count)]


# DOT


def dot(draw: st.DrawFn, count: int, arcs: Arcs) -> str:
    """Nodes with and without statements, braces, comments, and names that need care."""
    odd = ["{}", '"n {}"', "<n<b>{}</b>>", r'"n{}\\"', r'"a\"{}"', '"n" + "{}"', "n{}:port"]
    names = [_any(draw, *odd).format(task) for task in range(count)]
    defaults = _any(draw, "", "node [priority=9];", "subgraph {node [priority=4]}")
    statements = [f"{names[a]}{_any(draw, '->', ' -> ')}{names[b]}" for a, b in arcs]
    joined = {task for arc in arcs for task in arc}
    for task, name in enumerate(names):
        attributes = ("", "[]", " [ x=1 ]", "[x=1,]", "[x=1;priority=7]", ' ["priority"="7" y=2]')
        stated = _any(draw, *attributes)
        if draw(st.booleans()):
            statements.append(f"{name}{stated}")
        if task not in joined or draw(st.booleans()):
            statements.append(_any(draw, "{0}", "{{{0}}}", "subgraph s {{{0} }}").format(name))
    ends = [_any(draw, ";", "\n", " ", "; // }\n", "/* ] */ ") for _ in statements]
    ends[-1] = _any(draw, "", ";", "\n")
    body = "".join(f"{words}{end}" for words, end in zip(statements, ends, strict=True))
    last = _any(draw, "", " ", "\n", "\n  ")
    return f"{_any(draw, '', 'strict ')}digraph{{{defaults}{body}{last}}}{last}"


# Tables


def csv(draw: st.DrawFn, count: int, arcs: Arcs) -> str:
    """Columns in any order, cells in quotes, rows that lack what icsched does not read."""
    separator, end = _any(draw, ",", ";", "\t"), _any(draw, "\n", "\r\n", "\r")
    columns = draw(st.permutations(["task", "parents", "note", "priority"]))
    columns = columns[: 1 + max(columns.index("task"), columns.index("parents"))]
    columns += [f"more{i}" for i in range(draw(st.integers(0, 2)))]
    between = "," if separator == ";" else ";"
    lines = [separator.join(columns)]
    for task, parents in enumerate(_parents(count, arcs)):
        told = {
            "task": _any(draw, f"t{task}", f'"t{task}"'),
            "parents": between.join(f"t{parent}" for parent in parents),
            "note": _any(draw, "", f'"a{separator}b"', "x"),
            "priority": _any(draw, "", "3", '"-2"'),
        }
        cells = [told.get(column, "") for column in columns]
        needed = 1 + max(columns.index(c) for c in told if c in columns and c != "note")
        lines.append(separator.join(cells[: draw(st.integers(needed, len(cells)))]))
    return _any(draw, "", "\ufeff") + end.join(lines) + _any(draw, "", end, end + end)


# Slurm


def slurm(draw: st.DrawFn, count: int, arcs: Arcs) -> str:
    """Numbers before and after other options, lines that go on, comments."""
    lines = ["#!/bin/sh"]
    for task, parents in enumerate(_parents(count, arcs)):
        nice = _any(draw, "", "--nice", "--nice=5", "--nice=-3", "'--nice=2'", "--nice=1 --nice=2")
        after = "".join(f":$j{parent}" for parent in parents)
        words = [f"-J t{task}", nice, f"-d afterok{after}" if after else "", _any(draw, "", "-n 4")]
        gap = _any(draw, " ", "  ", " \\\n\t")
        said = gap.join([word for word in draw(st.permutations(words)) if word] + ["x.sh --nice=9"])
        line = _any(draw, "j{}=$(sbatch {})", "j{}=`sbatch {}`", 'j{}="$( sbatch {} )"')
        lines.append(line.format(task, said) + _any(draw, "", "  # last", "\n\n# next"))
    return "\n".join(lines) + _any(draw, "", "\n")


# JSON and YAML


def wfformat(draw: st.DrawFn, count: int, arcs: Arcs) -> str:
    """Tasks that the execution has or has not, keys in any order, any white space."""
    tasks = [
        {"name": "x", "id": f"é{task}", "parents": [f"é{p}" for p in parents], "children": []}
        for task, parents in enumerate(_parents(count, arcs))
    ]
    run = [{"id": f"é{task}", "priority": 3, "x": "}"} for task in range(count)]
    run = [{key: one[key] for key in draw(_keys("id", "priority", "x"))} for one in run]
    executions = [None, {}, {"tasks": []}, {"tasks": run[::2]}, {"tasks": run[::-1], "x": 1}]
    execution = draw(st.sampled_from(executions))
    inner = {"specification": {"tasks": tasks}, "execution": execution}
    if execution is None and draw(st.booleans()):
        del inner["execution"]
    whole = {"name": "wf", "schemaVersion": "1.5", "workflow": inner}
    separators = draw(st.sampled_from([None, (",", ":"), (" ,\t", " : ")]))
    indent = draw(st.sampled_from([None, 0, 3, "\t"]))
    is_plain = draw(st.booleans())
    return json.dumps(whole, indent=indent, separators=separators, ensure_ascii=is_plain)


def _keys(first: str, *others: str) -> st.SearchStrategy[list[str]]:
    """Some of these keys in any order, always the first."""
    some = st.lists(st.sampled_from(others), unique=True)
    return some.flatmap(lambda chosen: st.permutations([first, *chosen]))


def pegasus(draw: st.DrawFn, count: int, arcs: Arcs) -> str:
    """Block and flow style, profiles of all kinds, wide or narrow lists."""
    jobs = []
    profiles = [{}, {"env": {"A": "b"}}, {"condor": {}}, {"condor": {"priority": 4}}]
    profiles += [{"condor": {"x": 1, "priority": "5"}, "env": {"A": "}"}}]
    for task in range(count):
        job = {"type": "job", "name": "é: x", "id": f"ID{task}", "arguments": ["#", "{"]}
        if draw(st.booleans()):
            job["profiles"] = deepcopy(draw(st.sampled_from(profiles)))  # yaml has no alias then
        jobs.append({key: job[key] for key in draw(st.permutations([*job]))})
    needs = [{"id": f"ID{a}", "children": [f"ID{b}"]} for a, b in arcs]
    whole = {"pegasus": "5.0", "name": "wf", "jobs": jobs, "jobDependencies": needs}
    style = draw(st.sampled_from([True, False, None]))
    is_plain, width = draw(st.booleans()), draw(st.sampled_from([20, 10**6]))
    text = yaml.safe_dump(
        whole, default_flow_style=style, sort_keys=False, allow_unicode=is_plain, width=width
    )
    return _any(draw, "", "\ufeff", "# mine\n", "---\n") + text


# XML


def _tag(draw: st.DrawFn, tag: str, inside: Iterable[str]) -> str:
    """Return an element; one without content may be written in several ways."""
    gap = _any(draw, "", "\n  ", "<!-- > -->")
    content = gap + "".join(f"{part}{gap}" for part in inside)
    name = tag.split()[0]
    is_short = not content and draw(st.booleans())
    return f"<{tag}/>" if is_short else f"<{tag}>{content}</{name}>"


def _some(draw: st.DrawFn, *parts: str) -> list[str]:
    return draw(st.lists(st.sampled_from(parts), unique=True))


def dax(draw: st.DrawFn, count: int, arcs: Arcs) -> str:
    """Jobs with and without profiles."""
    number = _any(draw, "7", " 7 ", "<!-- 3 -->7", "<![CDATA[7]]>", "&#55;")
    own = f'<profile namespace="condor" key="priority">{number}</profile>'
    other = "<argument>a &gt; b</argument>"
    jobs = [_tag(draw, f"job id='t{t}' name=\"x\"", _some(draw, own, other)) for t in range(count)]
    needs = [_tag(draw, f'child ref="t{b}"', [f'<parent ref="t{a}"/>']) for a, b in arcs]
    return _tag(draw, "adag", [*jobs, *needs])


LAYOUTS: dict[str, Callable[[st.DrawFn, int, Arcs], str]] = {
    "csv": csv,
    "dax": dax,
    "dot": dot,
    "pegasus": pegasus,
    "slurm": slurm,
    "wfformat": wfformat,
}


@st.composite
def files(draw: st.DrawFn, name: str) -> tuple[str, int, int]:
    """The text of a file of the format called *name*, and how many tasks and arcs it has."""
    count = draw(st.integers(1, 5))
    pairs = list(combinations(range(count), 2))
    arcs = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return LAYOUTS[name](draw, count, arcs), count, len(arcs)
