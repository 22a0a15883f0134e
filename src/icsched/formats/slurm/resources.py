"""What sbatch options ask for: cores, memory, disk space, GPUs and other resources of a job."""

import re
from collections.abc import Mapping
from math import isnan, nan

from icsched.formats.command_line import VARIABLE, Word
from icsched.formats.requests import COUNT, MIB, bytes_in, count_in, whole

_OF_CORES = ("cpus-per-task", "ntasks", "ntasks-per-node", "nodes")
_OF_MEMORY = ("mem", "mem-per-cpu", "mem-per-gpu")
_OF_GPUS = ("gpus", "gpus-per-node", "gpus-per-task")
# Where one name begins another, it comes first: sbatch takes such a word as the shorter one.
OPTIONS = (*_OF_CORES, *_OF_MEMORY, "tmp", *_OF_GPUS, "gres")
# The options to blame for an unknown amount of a resource, the likeliest first.
_BLAMED = {"memory_bytes": _OF_MEMORY, "disk_bytes": ("tmp",), "gpus": _OF_GPUS}
_SEVERAL = re.compile(r"[0-9]+[kKmM]?(?:[-,:][0-9kKmM:,-]*)+")  # numbers of nodes
_NUMBER = re.compile(r"[+-]?[0-9.]+(?:e[+-]?[0-9]+)?[kmgtp]?")
_GPU = "gpu"


class AmountError(ValueError):
    """An option with something other than an amount."""

    def __init__(self, option: str, expected: str) -> None:
        super().__init__(option, expected)
        self.option, self.expected = option, expected


def needs_in(options: Mapping[str, Word]) -> tuple[dict[str, float], dict[str, str]]:
    """Return how much the options of a job ask for, by resource, NaN if only Slurm knows it.

    The second result has the option to blame for each NaN. A job without --nodes counts as one on
    one node. Raises AmountError.

    >>> said = {"ntasks": "4", "mem": "1G", "gres": "gpu:a100:2,licence"}
    >>> needs_in({key: Word(text, 0, 0) for key, text in said.items()})
    ({'cores': 4.0, 'memory_bytes': 1073741824.0, 'gpus': 2.0, 'licence': 1.0}, {})
    """
    given = {name: _value(name, options[name]) for name in OPTIONS[:-1] if name in options}
    nodes = given.get("nodes", 1.0)
    tasks = given.get("ntasks", nodes * given.get("ntasks-per-node", 1.0))
    cores = tasks * given.get("cpus-per-task", 1.0)
    needs = {"cores": cores} if any(name in given for name in _OF_CORES) else {}
    shared = _generic(options["gres"]) if "gres" in options else {}
    per_node = {name: nodes * amount for name, amount in shared.items()}
    gpus = [("gpus", 1.0), ("gpus-per-node", nodes), ("gpus-per-task", tasks)]
    counted = [given[name] * times for name, times in gpus if name in given]
    counted += [per_node.pop(_GPU)] if _GPU in per_node else []
    memory = zip(_OF_MEMORY, (nodes, cores, counted[0] if counted else nan), strict=True)
    asked = [given[name] * times for name, times in memory if name in given]
    needs |= {"memory_bytes": asked[0]} if asked else {}
    needs |= {"disk_bytes": nodes * given["tmp"]} if "tmp" in given else {}
    needs |= {"gpus": counted[0]} if counted else {}
    needs |= per_node
    unknown = [name for name in given if isnan(given[name])]
    unknown += ["gres"] if any(map(isnan, shared.values())) else []
    return needs, {of: _blamed(of, unknown) for of, amount in needs.items() if isnan(amount)}


def _blamed(resource: str, unknown: list[str]) -> str:
    first = (name for name in _BLAMED.get(resource, ()) if name in unknown)
    return next(first, unknown[0] if unknown else "mem-per-gpu")


def _value(option: str, word: Word) -> float:
    """Return the amount of an option, NaN if it has variables, or leaves a choice to Slurm."""
    if not word.is_plain:
        return nan
    try:
        if option in _OF_GPUS:
            return sum(count_in(part.rpartition(":")[2]) for part in word.text.split(","))
        if option == "nodes" and _SEVERAL.fullmatch(word.text):
            return nan
        if option in _OF_CORES:
            return count_in(word.text)
        amount = bytes_in(word.text, MIB)
        is_whole_node = amount == 0 and option in _OF_MEMORY
        return nan if is_whole_node else amount
    except ValueError as error:
        raise AmountError(option, str(error)) from None


def _generic(word: Word) -> dict[str, float]:
    """Return the amounts that --gres asks for on each node, by resource."""
    found: dict[str, float] = {}
    for part in word.text.split(",") if word.text != "none" else ():
        name, *rest = part.strip().lower().split(":")
        if VARIABLE in name:
            name = "gres"
        elif not name or not name.isprintable():
            raise AmountError("gres", "names of resources, each with a number, such as gpu:2")
        count = rest[-1] if rest else ""
        try:
            amount = _count(count) if word.is_plain else nan
        except ValueError:
            raise AmountError("gres", f"{COUNT} after {name}") from None
        found[name] = found.get(name, 0.0) + amount
    return found


def _count(words: str) -> float:
    """Return the last part of a generic resource: a number, or a type, which means one."""
    return bytes_in(words) if _NUMBER.fullmatch(words) else 1.0


def options_for(needs: Mapping[str, float]) -> list[str]:
    """Return the options that ask for amounts, rounded up.

    >>> options_for({"cores": 2.0, "memory_bytes": 2.0**30, "gpus": 1.0, "licence": 1.0})
    ['--cpus-per-task=2', '--mem=1048576K', '--gpus=1', '--gres=licence:1']
    """
    words = []
    for option, of, unit in (
        ("cpus-per-task", "cores", ""),
        ("mem", "memory_bytes", "K"),
        ("tmp", "disk_bytes", "K"),
        ("gpus", "gpus", ""),
    ):
        if of in needs and not (option == "mem" and needs[of] == 0):  # that is a whole node's
            words.append(f"--{option}={whole(needs[of] / (1024 if unit else 1))}{unit}")
    others = needs.keys() - {"cores", "memory_bytes", "disk_bytes", "gpus"}
    shared = ",".join(f"{name}:{whole(needs[name])}" for name in sorted(others))
    return [*words, *([f"--gres={shared}"] if shared else [])]
