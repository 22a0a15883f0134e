"""Random workflows of splices inside splices, with pins, includes, directories and categories.

The first file is wf.dag. All others are in each of `DIRECTORIES`, so that any splice may have
any of them as its DIR.
"""

from random import Random

DIRECTORIES = ("", "d/", "d/d/", "d/d/d/", "d/d/d/d/")
_CATEGORIES = ("c", "e", "+g", "+h")


def workflow(seed: int) -> dict[str, str]:
    """Return the files of a workflow that DAGMan takes."""
    maker = _Maker(Random(seed))  # noqa: S311  no secrets here
    top, _ = maker.file(depth=0)
    inner = {d + name: text for d in DIRECTORIES for name, text in maker.made.items()}
    return {"wf.dag": top, **inner}


class _Maker:
    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.made: dict[str, str] = {}
        self.bodies = 0

    def kept(self, text: str) -> str:
        """Keep the text of a file; return the file's name."""
        name = f"part{len(self.made)}.dag"
        self.made[name] = text
        return name

    def file(self, depth: int) -> tuple[str, list[str]]:
        """Return the text of a file, and what its categories are called in it."""
        rng = self.rng
        jobs = rng.sample(["p", "q", "r", '"s"', "{", "@=E", "t'u"], rng.randint(1, 4))
        lines = [self.job(name) for name in jobs]
        lines += [f"SUBMIT-DESCRIPTION desc {self.body()}"] * (rng.random() < 0.3)
        splices = rng.sample(["Z", "B", "A", "S-1"], rng.randint(0, 2 if depth < 2 else 0))
        categories = [rng.choice(_CATEGORIES)]
        for splice in splices:
            text, inside = self.file(depth + 1)
            categories += [c if c[0] == "+" else f"{splice}+{c}" for c in inside]
            lines.append(f"SPLICE {splice} {self.kept(text)}" + rng.choice(["", " DIR d"]))
        said = [self.said(jobs, categories) for _ in range(rng.randint(0, 5))]
        said += self.dependencies(jobs, splices) + self.pins(depth, lines)
        rng.shuffle(lines)
        rng.shuffle(said)
        said += [line for _ in range(rng.choice([0, 0, 1, 2])) for line in self.include(jobs)]
        said += [self.said(jobs, categories) for _ in range(rng.randint(0, 3))]
        return "".join(f"{line}\n" for line in [*lines, *said]), categories

    def job(self, name: str) -> str:
        rng = self.rng
        if rng.random() < 0.15:
            return f"JOB {name} {self.body()}"
        submit = rng.choice(["task.sub", '"a task.sub"', "desc", '"it\'s.sub"'])
        options = [option for option in ("DIR d", "NOOP", "DONE") if rng.random() < 0.15]
        return " ".join([f"JOB {name} {submit}", *options])

    def body(self) -> str:
        """Return an inline description that no other job has."""
        self.bodies += 1
        return f"{{\n executable = /bin/true\n arguments = {self.bodies}\n}}"

    def include(self, jobs: list[str]) -> list[str]:
        """Return an INCLUDE of a file with a job and a splice of its own, and words about them."""
        rng, number = self.rng, len(self.made)
        text = f"JOB i{number} task.sub\nCATEGORY i{number} {rng.choice(_CATEGORIES)}\n"
        if rng.random() < 0.5:
            inner = self.kept(f"JOB y task.sub\nCATEGORY y c\nMAXJOBS {rng.choice('ce')} 9\n")
            text += f"SPLICE I{number} {inner} DIR d\nPARENT {jobs[0]} CHILD I{number}\n"
        text += f"MAXJOBS {rng.choice(_CATEGORIES)} {rng.randint(1, 99)}\n"
        text += "CONFIG other.config\nSET_JOB_ATTR Mine = 3\n"
        return [f"INCLUDE {self.kept(text)}", f"RETRY i{number} {rng.randint(1, 9)}"]

    def pins(self, depth: int, lines: list[str]) -> list[str]:
        """Return a CONNECT of two splices, which go to *lines*."""
        if depth == 2 or self.rng.random() < 0.6:
            return []
        out = "JOB k task.sub\nJOB l task.sub\nPIN_OUT k 1\nPIN_OUT l 1\nPIN_OUT l 2\n"
        into = "JOB m task.sub\nJOB n task.sub\nPIN_IN m 1\nPIN_IN n 1\nPIN_IN n 2\n"
        into = into.replace("PIN_IN n 1\n", "") if self.rng.random() < 0.5 else into
        out += f"CATEGORY k +g\nMAXJOBS +g {self.rng.randint(1, 99)}\n"
        lines.append(f"SPLICE Out {self.kept(out.replace('PIN_OUT l 2', 'PIN_OUT k 2'))}")
        lines.append(f"SPLICE In {self.kept(into)} DIR d")
        return ["CONNECT Out In"]

    def dependencies(self, jobs: list[str], splices: list[str]) -> list[str]:
        """Return PARENT lines, no dependency twice: HTCondor 23.9 aborts at some that are."""
        names = [*jobs, *splices]
        if len(names) < 2:
            return []
        cut = self.rng.randint(1, len(names) - 1)
        return [f"PARENT {' '.join(names[:cut])} CHILD {' '.join(names[cut:])}"]

    def said(self, jobs: list[str], categories: list[str]) -> str:
        rng = self.rng
        name = rng.choice([*jobs, "ALL_NODES"])
        number = rng.randint(1, 99)
        category = rng.choice([*categories, *categories, *_CATEGORIES])
        return rng.choice(
            [
                f"CATEGORY {name} {rng.choice(_CATEGORIES)}",
                f"CATEGORY {rng.choice(jobs)} {category}",
                f"MAXJOBS {category} {number}",
                f"MAXJOBS {category} {number}",
                f"PRIORITY {name} {number}",
                f"RETRY {name} {number} UNLESS-EXIT 3",
                f'VARS {name} key{number}="a value" other="{number}"',
                f"SCRIPT DEFER 1 {number} POST {name} run.sh {number}",
                f"ABORT-DAG-ON {name} {number} RETURN 1",
                f"PRE_SKIP {name} {number}",
            ]
        )
