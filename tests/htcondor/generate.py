"""Random workflows in the language that all versions of DAGMan share, some of them spoilt."""

import re
from random import Random


def workflow(seed: int) -> dict[str, str]:
    """Return the files of a workflow; the first, wf.dag, splices and includes the others."""
    return _Maker(Random(seed)).files()  # noqa: S311  no secrets here


class _Maker:
    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.made: dict[str, str] = {}

    def files(self) -> dict[str, str]:
        names = [f"{letter}{self.rng.randrange(9)}" for letter in "abcdefgh"]
        text = self.file(depth=2, names=names)
        if self.rng.random() < 0.3:
            text = self.spoilt(text)
        return {"wf.dag": text, **self.made}

    def file(self, depth: int, names: list[str]) -> str:
        """Return one file: nodes first or last, then all that is said about them."""
        rng = self.rng
        jobs = names[: rng.randint(1, len(names))]
        nodes = [self.job(name) for name in jobs]
        splices = []
        for number in range(rng.choice([0, 0, 1, 2]) if depth else 0):
            splices.append(f"S{number}")
            file = f"part{len(self.made)}.dag"
            self.made[file] = ""  # keeps its name
            self.made[file] = self.file(depth - 1, ["p", "q", "r", "s"])
            nodes.insert(rng.randint(0, len(nodes)), f"SPLICE S{number} {file}")
        said = [self.said(jobs) for _ in range(rng.randint(0, 6))]
        said += self.dependencies([*jobs, *splices])
        rng.shuffle(said)
        if depth == 2 and rng.random() < 0.3:
            said.append(self.include(jobs))
        if depth == 2 and rng.random() < 0.2:
            nodes.append("FINAL finis task.sub")
        parts = [nodes, said] if rng.random() < 0.7 else [said, nodes]
        return "".join(self.line(line) for part in parts for line in part)

    def include(self, jobs: list[str]) -> str:
        """Return an INCLUDE of a file with a job of its own and words about ours."""
        file = f"part{len(self.made)}.dag"
        lines = ["JOB extra task.sub", f"PARENT {self.rng.choice(jobs)} CHILD extra"]
        self.made[file] = "".join(self.line(line) for line in [*lines, self.said([*jobs, "extra"])])
        return f"INCLUDE {file}"

    def job(self, name: str) -> str:
        rng = self.rng
        if rng.random() < 0.1:
            return f"SUBDAG EXTERNAL {name} inner.dag"
        if rng.random() < 0.1:
            body = "  executable = /bin/true\n# a comment\n  arguments = JOB x y\n"
            return f"JOB {name} {{\n{body}}}"
        submit = rng.choice(["task.sub", '"task.sub"', '"a task.sub"', "./task.sub"])
        options = [option for option in ("DIR .", "NOOP", "DONE") if rng.random() < 0.15]
        return " ".join([f"JOB {name} {submit}", *options])

    def dependencies(self, names: list[str]) -> list[str]:
        """Return PARENT lines that lead from earlier names to later ones.

        No dependency comes twice: HTCondor 23.9 aborts at some that do.
        """
        lines: list[str] = []
        seen: set[tuple[str, str]] = set()
        for _ in range(self.rng.randint(0, 5) if len(names) > 1 else 0):
            cut = self.rng.randint(1, len(names) - 1)
            parents = self.rng.choices(names[:cut], k=self.rng.randint(1, 3))
            children = self.rng.choices(names[cut:], k=self.rng.randint(1, 3))
            arcs = {(parent, child) for parent in parents for child in children}
            if not arcs & seen:
                lines.append(f"PARENT {' '.join(parents)} CHILD {' '.join(children)}")
                seen |= arcs
        return lines

    def said(self, jobs: list[str]) -> str:
        rng = self.rng
        name = rng.choice([*jobs, "ALL_NODES"])
        number = rng.randint(0, 99)
        return rng.choice(
            [
                f"PRIORITY {name} {rng.randint(-50, 50)}",
                f"PRIORITY {name} {number}",
                f"RETRY {name} {number}",
                f"RETRY {name} {number} UNLESS-EXIT {number}",
                f'VARS {name} key{number}="a value" other="{number}"',
                f'VARS {name} spaced = "say \\"so\\"" +My="back\\\\slash"',
                f"SCRIPT PRE {name} run.sh $JOB {number}",
                f"SCRIPT DEFER 1 {number} POST {name} run.sh 'quoted words'",
                f"CATEGORY {name} cat{number}",
                f"MAXJOBS cat{number} {number}",
                f"ABORT-DAG-ON {name} {number} RETURN 1",
                f"PRE_SKIP {name} {number}",
                "DOT dag.dot UPDATE",
                "NODE_STATUS_FILE status 30",
                "CONFIG dagman.config",
                "SET_JOB_ATTR Mine = 3",
                f"ENV SET X={number}",
            ]
        )

    def line(self, text: str) -> str:
        """Return a line in one of the many ways to write it."""
        rng = self.rng
        if "\n" not in text:
            words = text.split(" ")
            if rng.random() < 0.3:
                words[0] = rng.choice([words[0].lower(), words[0].title()])
            if rng.random() < 0.2 and len(words) > 2 and '"' not in text and "'" not in text:
                cut = rng.randint(1, len(words) - 1)
                words[cut - 1] += " \\\n" + rng.choice(["", "   ", "\t", "# why \\\n "])
            text = rng.choice([" ", "  ", "\t"]).join(words) if '"' not in text else " ".join(words)
        around = rng.choice(["", "", "", "\n", "# a comment\n", "   # another \\\n", "\t\n"])
        return around + rng.choice(["", "", "  ", "\t"]) + text + rng.choice(["", " ", "\r"]) + "\n"

    def spoilt(self, text: str) -> str:
        """Return *text* with one fault in it, perhaps."""
        rng = self.rng
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        words = lines[at].split(" ")
        which = rng.randrange(len(words))
        words[which] = rng.choice(["", "nobody", words[which] * 2, "JOB", "CHILD", "-1"])
        touchy = ("\\", "#", "exec", "arg", "}", "DIR")
        if any(word in lines[at] for word in touchy):
            return text  # lost backslashes, bad descriptions: another test's matter
        lines[at] = " ".join(words)
        changed = "\n".join(lines)
        joined = re.sub(r"\\\n(?:# why \\\n )?", " ", changed)
        if any(line.split().count("CHILD") > 1 for line in joined.split("\n")):
            return text  # the new parser takes it
        return changed
