"""The rules of a certificate: each derives a bound of a dag from bounds of other dags."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from icsched.audit import leaves
from icsched.audit.graph import Budget, Graph, Ints, fields, ints, items, rows, sorted_graph
from icsched.errors import CertificateError

_KEYS: dict[str, tuple[str, ...]] = {
    "exact": (),
    "tree": (),
    "cycle": (),
    "clique": (),
    "shares": ("segments", "shares"),
    "without": ("arcs", "part"),
    "series": ("parts",),
    "sum": ("pieces",),
    "dual": ("part",),
    "least": ("parts",),
}


def bound_of(graph: Graph, node: object, place: str, depth: int, budget: Budget) -> Ints:
    """Return the bound of *graph* that *node* proves. Entry x is for x executed nonsinks."""
    budget.step(graph, depth, place)
    if not isinstance(node, dict) or not isinstance(rule := node.get("rule"), str):
        raise CertificateError(place, "expected an object with a rule")
    if rule not in _KEYS:
        raise CertificateError(place, "unknown rule")
    values = fields(node, {"rule", *_KEYS[rule]}, place)
    found = _by_rule(graph, rule, values, _Inside(f"{place}.{rule}", depth + 1, budget))
    if len(found) != graph.nonsinks + 1:  # the rule is wrong: no other bound may use this one
        raise CertificateError(place, "the rule does not fit the dag")
    found[0] = 0  # no task runs, so none is enabled
    return found


def _by_rule(graph: Graph, rule: str, values: dict[str, object], inside: _Inside) -> Ints:
    match rule:
        case "exact" | "tree":
            key = rule, graph.tasks, graph.arcs.tobytes()
            known = inside.budget.known
            if key not in known:
                find = leaves.exact if rule == "exact" else leaves.tree
                known[key] = find(graph, inside.place, inside.budget)
            return known[key].copy()
        case "cycle":
            return leaves.cycle(graph, inside.place)
        case "clique":
            return leaves.clique(graph, inside.place)
        case "shares":
            return leaves.shares(graph, values["segments"], values["shares"], inside.place)
        case "without":
            return inside.without(graph, values["arcs"], values["part"])
        case "series":
            return inside.series(graph, values["parts"])
        case "sum":
            return inside.sum(graph, values["pieces"])
        case "dual":
            return inside.dual(graph, values["part"])
        case _:
            return inside.least(graph, values["parts"])


@dataclass(frozen=True, eq=False)
class _Pieces:
    """The pieces of a sum. The arcs of piece i are ``arcs[ends[i]:ends[i + 1]]``."""

    runs: Ints
    tasks: Ints
    arcs: Ints
    ends: Ints


class _Inside:
    """Rules that contain other steps."""

    def __init__(self, place: str, depth: int, budget: Budget) -> None:
        self.place, self.depth, self.budget = place, depth, budget

    def wrong(self, problem: str) -> CertificateError:
        return CertificateError(self.place, problem)

    def part(self, graph: Graph, node: object, number: int | None = None) -> Ints:
        place = self.place if number is None else f"{self.place}[{number}]"
        return bound_of(graph, node, place, self.depth, self.budget)

    def least(self, graph: Graph, parts: object) -> Ints:
        """Take the least of several bounds at each step."""
        nodes = items(parts, 1000, self.place)
        bounds = [self.part(graph, node, number) for number, node in enumerate(nodes)]
        return np.asarray(np.minimum.reduce(bounds))

    def without(self, graph: Graph, dropped: object, node: object) -> Ints:
        """Leave out arcs. A task that has parents must keep at least one of them."""
        pairs = items(dropped, len(graph.arcs), self.place)
        flat = [end for pair in pairs if isinstance(pair, list) and len(pair) == 2 for end in pair]
        ends = ints(flat, 2 * len(pairs), self.place).reshape(-1, 2)
        if len(ends) < len(pairs) or bool(np.any((ends < 0) | (ends >= graph.tasks))):
            raise self.wrong("expected arcs, each a parent and a child")
        codes = ends[:, 0] * graph.tasks + ends[:, 1]
        have = graph.arcs[:, 0] * graph.tasks + graph.arcs[:, 1]
        stays = ~np.isin(have, codes)
        if len(graph.arcs) - int(stays.sum()) != len(codes):
            raise self.wrong("an arc to leave out is not an arc, or occurs twice")
        rest = Graph(graph.tasks, graph.arcs[stays])
        if rest.nonsources != graph.nonsources:
            raise self.wrong("a task would lose all its parents")
        return _padded(self.part(rest, node), graph.nonsinks)

    def dual(self, graph: Graph, node: object) -> Ints:
        """Return the bound that follows from a bound of the reversed dag."""
        reverse = sorted_graph(graph.tasks, graph.arcs[:, ::-1])
        bound = self.part(reverse, node)
        reach = np.maximum.accumulate(bound[: graph.nonsources + 1])  # entries 0 .. N
        # After x of s nonsinks, at most e of N nonsources are enabled: e is the largest number with
        # reach(N - e) >= s - x.
        wanted = graph.nonsinks - np.arange(graph.nonsinks + 1)
        fewest = np.searchsorted(reach, wanted)  # the least N - e
        if int(fewest.max(initial=0)) > graph.nonsources:
            raise self.wrong("the bound of the reversed dag is too low")
        return (graph.nonsources - fewest).astype(np.int64)

    def series(self, graph: Graph, parts: object) -> Ints:
        """Check that each part waits for all of the part before it, and join the bounds."""
        found = [
            fields(part, ("tasks", "part"), f"{self.place}[{number}]")
            for number, part in enumerate(items(parts, graph.tasks, self.place))
        ]
        tasks, sizes = rows([part["tasks"] for part in found], graph.tasks, self.place)
        if len(tasks) < graph.tasks or not bool(sizes.all()):
            raise self.wrong("a part is empty, or a task is in no part")
        label, local = _labels(tasks, sizes, graph.tasks)
        graphs = _divided(graph, sizes, label, local)
        self._check_junctions(graph, label, len(graphs))
        bounds = [np.zeros(0, np.int64)]
        done = 0
        for number, (part, inner) in enumerate(zip(found, graphs, strict=True)):
            if not len(inner.arcs) and part["part"] == {"rule": "exact"}:
                self.budget.take(2000, self.place)  # a series may have many parts without arcs
                bound = np.zeros(1, np.int64)
            else:
                bound = self.part(inner, part["part"], number)
            is_last = number == len(found) - 1
            whole = bound if is_last else _padded(bound, inner.tasks)[:-1]
            bounds.append(whole + done)
            done += inner.nonsources
            done += 0 if is_last else graphs[number + 1].tasks - graphs[number + 1].nonsources
        return np.concatenate(bounds)

    def _check_junctions(self, graph: Graph, label: Ints, parts: int) -> None:
        before, after = label[graph.arcs].T
        if bool(np.any(before > after)):
            raise self.wrong("an arc leads back to an earlier part")
        is_sink, is_source = np.ones((2, graph.tasks), bool)  # of the task's part
        is_sink[graph.arcs[before == after, 0]] = False
        is_source[graph.arcs[before == after, 1]] = False
        joins = (before + 1 == after) & is_sink[graph.arcs[:, 0]] & is_source[graph.arcs[:, 1]]
        have = np.bincount(before[joins], minlength=parts)
        sinks = np.bincount(label[is_sink], minlength=parts)
        sources = np.bincount(label[is_source], minlength=parts)
        if bool(np.any(have[:-1] != sinks[:-1] * sources[1:])):
            raise self.wrong("a part does not wait for all of the part before it")

    def sum(self, graph: Graph, pieces: object) -> Ints:
        """Convolve the bounds of pieces. Each nonsink must run once, each nonsource count once."""
        runs: list[object] = []
        counts: list[object] = []
        nodes: list[tuple[object, int]] = []  # the proof of each piece and its number of copies
        for piece in items(pieces, graph.tasks, self.place):
            found = fields(piece, ("runs", "counts", "part"), self.place)
            copies = [items(found[key], graph.tasks, self.place) for key in ("runs", "counts")]
            if len(copies[0]) != len(copies[1]):
                raise self.wrong("expected as many rows of runs as of counts")
            runs += copies[0]
            counts += copies[1]
            nodes.append((found["part"], len(copies[0])))
        self.budget.take(500 * len(runs), self.place)
        run, run_sizes = rows(runs, graph.tasks, self.place)
        count, count_sizes = rows(counts, graph.tasks, self.place)
        pieces = self._pieces(graph, (run, run_sizes), (count, count_sizes))
        return self._divided(pieces, nodes)

    def _pieces(self, graph: Graph, runs: tuple[Ints, Ints], counts: tuple[Ints, Ints]) -> _Pieces:
        """Return the pieces. Ids of tasks to run come first, then ids of tasks only counted."""
        runner, place = _labels(*runs, graph.tasks)
        counter, _ = _labels(*counts, graph.tasks)
        if not np.array_equal(runner >= 0, graph.children > 0):
            raise self.wrong("the runs are not all tasks with children, each once")
        if not np.array_equal(counter >= 0, graph.parents > 0):
            raise self.wrong("the counts are not all tasks with parents, each once")
        within = graph.arcs[runner[graph.arcs[:, 0]] == counter[graph.arcs[:, 1]]]
        if len(np.unique(within[:, 1])) < graph.nonsources:
            raise self.wrong("a task is counted where none of its parents runs")
        only = counts[0][runner[counts[0]] != counter[counts[0]]]
        onlys = np.bincount(counter[only], minlength=len(runs[1]))
        number = np.arange(len(only)) - (np.cumsum(onlys) - onlys)[counter[only]]
        counted_as = place.copy()
        counted_as[only] = runs[1][counter[only]] + number
        piece = counter[within[:, 1]]
        arcs = np.column_stack([place[within[:, 0]], counted_as[within[:, 1]]])
        arcs = arcs[np.lexsort((arcs[:, 1], arcs[:, 0], piece))]
        ends = np.append(0, np.cumsum(np.bincount(piece, minlength=len(onlys))))
        return _Pieces(runs[1], runs[1] + onlys, arcs, ends)

    def _divided(self, pieces: _Pieces, nodes: list[tuple[object, int]]) -> Ints:
        slopes: list[Ints] = []
        others: list[Ints] = []
        start = 0
        for number, (node, copies) in enumerate(nodes):
            inner = self._only_one(pieces, start, start + copies)
            bound = _padded(self.part(inner, node, number), int(pieces.runs[start]))
            gains = np.diff(bound)
            if bool(np.all(gains[1:] <= gains[:-1])):
                slopes.append(np.repeat(gains, copies))
            else:
                others.append(self._power(bound, copies))
            start += copies
        merged = np.sort(np.concatenate([np.zeros(0, np.int64), *slopes]))[::-1]
        whole = np.append(0, np.cumsum(merged)).astype(np.int64)
        for more in sorted(others, key=len):
            whole = leaves.convolved(whole, more, self.place, self.budget)
        return whole

    def _only_one(self, pieces: _Pieces, start: int, stop: int) -> Graph:
        """Return the one dag of the pieces from *start* up to *stop*, which must all be equal."""
        if len(set(pieces.runs[start:stop].tolist())) > 1:
            raise self.wrong("copies of a piece have different numbers of runs")
        sizes, ends = pieces.tasks[start:stop], pieces.ends[start : stop + 1]
        arcs = pieces.arcs[ends[0] : ends[-1]]
        if bool(np.any(sizes != sizes[0])) or len(set(np.diff(ends).tolist())) > 1:
            raise self.wrong("copies of a piece have different arcs")
        copies = arcs.reshape(stop - start, -1, 2)
        if bool(np.any(copies != copies[0])):
            raise self.wrong("copies of a piece have different arcs")
        return Graph(int(sizes[0]), copies[0])

    def _power(self, bound: Ints, copies: int) -> Ints:
        """Return the convolution of *copies* bounds, by squaring."""
        whole = np.zeros(1, np.int64)
        while copies:
            if copies & 1:
                whole = leaves.convolved(whole, bound, self.place, self.budget)
            copies >>= 1
            if copies:
                bound = leaves.convolved(bound, bound, self.place, self.budget)
        return whole


def _padded(bound: Ints, steps: int) -> Ints:
    """Return *bound* with its last entry repeated: tasks after the last step enable nothing."""
    return np.concatenate([bound, np.full(steps + 1 - len(bound), bound[-1])])


def _labels(whole: Ints, sizes: Ints, tasks: int) -> tuple[Ints, Ints]:
    """Return the row of each task and its place in the row; -1 for a task that is in no row."""
    label, local = np.full((2, tasks), -1, np.int64)
    label[whole] = np.repeat(np.arange(len(sizes)), sizes)
    local[whole] = np.arange(len(whole)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return label, local


def _divided(graph: Graph, sizes: Ints, label: Ints, local: Ints) -> list[Graph]:
    """Return the dag of each row of tasks, with the arcs inside it."""
    before, after = label[graph.arcs].T
    inside = np.flatnonzero(before == after)
    inside = inside[np.argsort(before[inside], kind="stable")]
    ends = np.cumsum(np.bincount(before[inside], minlength=len(sizes)))
    arcs = np.split(local[graph.arcs[inside]], ends[:-1])
    return [
        sorted_graph(size, own) if len(own) else Graph(size, own)
        for size, own in zip(sizes.tolist(), arcs, strict=True)
    ]
