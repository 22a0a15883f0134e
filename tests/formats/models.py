"""Random DAGMan files whose meaning is known."""

from dataclasses import dataclass, field

from hypothesis import strategies as st

# Files whose meaning is known


@dataclass
class Model:
    """A DAGMan file and what it means."""

    names: list[str]
    lines: list[str] = field(default_factory=list)
    arcs: set[tuple[str, str]] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    priorities: dict[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def facts(self) -> dict[str, object]:
        return {
            "names": tuple(self.names),
            "arcs": self.arcs,
            "done": self.done,
            "priorities": self.priorities,
        }


MODIFIERS = [
    "RETRY {} 3",
    "RETRY {} 3 UNLESS-EXIT 2",
    'VARS {} k="v" l="w x"',
    'VARS {} k="say \\"so\\"" +l = "\\\\"',
    "VARS {} APPEND k=v",
    "SCRIPT DEFER 1 60 POST {} check",
    "SCRIPT PRE {} check $JOB",
    "SCRIPT POST {} check",
    "CATEGORY {} big",
    "ABORT-DAG-ON {} 3 RETURN 1",
    "PRE_SKIP {} 4",
]
SAVES = ["SAVE_POINT_FILE {}", "SAVE_POINT_FILE {} f", 'SAVE_POINT_FILE {} "f g"']
SUBMITS = ["x", "x.sub", "d/x.sub", "'x y'", '"x y"', "{\n  JOB no x\n}", "@=END\n}\n@END"]


@st.composite
def models(draw: st.DrawFn, letters: str = "abcdef") -> Model:
    """Jobs, dependencies from earlier to later ones in some order, and all that jobs may have."""
    names = draw(st.lists(st.sampled_from(letters), min_size=1, max_size=5, unique=True))
    model = Model(names)
    order = draw(st.permutations(names))
    others: list[str] = []
    for _ in range(draw(st.integers(0, 4))):
        cut = draw(st.integers(0, len(order)))
        if 0 < cut < len(order):
            parents = draw(st.lists(st.sampled_from(order[:cut]), min_size=1, max_size=3))
            children = draw(st.lists(st.sampled_from(order[cut:]), min_size=1, max_size=3))
            others.append(f"PARENT {' '.join(parents)} CHILD {' '.join(children)}")
            model.arcs |= {(a, b) for a in parents for b in children}
    for name in draw(st.lists(st.sampled_from([*names, "ALL_NODES"]), max_size=4)):
        value = draw(st.integers(-5, 5))
        others.append(f"PRIORITY {name} {value}")
        model.priorities |= dict.fromkeys(names if name == "ALL_NODES" else [name], value)
    for name in draw(st.lists(st.sampled_from(names), max_size=2)):
        others.append(f"DONE {name}")
        model.done.add(name)
    for modifier in draw(st.lists(st.sampled_from(MODIFIERS), max_size=3)):
        others.append(modifier.format(draw(st.sampled_from([*names, "ALL_NODES"]))))
    for line in draw(st.lists(st.sampled_from(SAVES), max_size=1)):
        others.append(line.format(draw(st.sampled_from(names))))
    model.lines = _with_jobs(draw, model, others)
    return model


def _with_jobs(draw: st.DrawFn, model: Model, others: list[str]) -> list[str]:
    """Put JOB lines between the others, which keep their order, as the jobs keep theirs."""
    jobs = []
    for name in model.names:
        options = draw(st.lists(st.sampled_from(["DIR d", "NOOP", "DONE"]), unique=True))
        submit = draw(st.sampled_from(SUBMITS))
        command = draw(st.sampled_from(["JOB", "JOB", "SUBDAG EXTERNAL"]))
        command = "JOB" if "\n" in submit else command
        jobs.append(" ".join([f"{command} {name} {submit}", *options]))
        model.done |= {name} if "DONE" in options else set()
    picks = draw(st.permutations([jobs] * len(jobs) + [others] * len(others)))
    left = {id(jobs): iter(jobs), id(others): iter(others)}
    return [next(left[id(pick)]) for pick in picks]
