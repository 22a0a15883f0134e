"""Pegasus files as workflows."""

import re
from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Sizes, expected_time, wrong_times
from icsched.errors import FormatError
from icsched.files import read_bytes, text_of
from icsched.formats.draft import arcs_by_files, dag_of
from icsched.formats.facts import (
    INNER,
    MOST_BYTES,
    MOST_READ,
    Number,
    Remarks,
    known_seconds,
    or_nan,
    or_zero,
    output_sizes,
    priority_in,
    with_means,
)
from icsched.formats.pegasus.document import (
    LINE,
    first_line,
    line_of,
    read_document,
    without_collections,
)
from icsched.formats.port import NoOptions
from icsched.formats.requests import (
    HIDDEN,
    amounts_by_task,
    profile_amount,
    profiles_of_needs,
)
from icsched.workflow import (
    Command,
    HiddenNeed,
    Remark,
    Workflow,
    WorkflowSource,
    seen_from_file,
)

Job = dict[Any, Any]
_INPUT, _OUTPUT = ("input", "inout"), ("output", "inout")
_INNER = ("condorWorkflow", "pegasusWorkflow", "dag", "dax")  # the last two before Pegasus 5.0
_CATALOG = "transformationCatalog"
_NOTHING = ("", "~", "null", "Null", "NULL")  # in YAML
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://[^/]*", re.IGNORECASE)


@dataclass(frozen=True)
class _Reader:
    """Reads the parts of a document; all errors name its file."""

    path: str

    def wrong(self, job: Job, what: str, expected: str, got: object) -> FormatError:
        """Return the error for a wrong value of a job."""
        name = f"job {job['id']!r}: " if isinstance(job.get("id"), str) else ""
        return FormatError(
            self.path, job.get(LINE), f"{name}{what}: expected {expected}, got {_shown(got)}"
        )

    def jobs(self, content: object, data: bytes) -> list[Job]:
        """Return the jobs, each a mapping with an id of its own."""
        listed = content.get("jobs") if isinstance(content, dict) else None
        if not isinstance(listed, list):
            raise self._no_jobs(content, data)
        seen: set[str] = set()
        for job in listed:
            if not isinstance(job, dict):
                line = line_of("jobs", self.path, data)
                raise FormatError(self.path, line, f"jobs: expected mappings, got a {_kind(job)}")
            name = job.get("id")
            if not isinstance(name, str) or not name:
                raise self.wrong(job, "id", "a word", name)
            if name in seen:
                raise FormatError(
                    self.path, job[LINE], f"expected each job once, got {name!r} twice"
                )
            seen.add(name)
        return listed

    def _no_jobs(self, content: object, data: bytes) -> FormatError:
        expected = "expected a workflow of Pegasus, with a list of jobs"
        if isinstance(content, dict):
            line, got = line_of("jobs", self.path, data), "no list of jobs"
        elif content is None:
            line, got = data.count(b"\n") + 1, "an empty file"
        else:
            line, got = first_line(self.path, data), f"a {_kind(content)}"
        return FormatError(self.path, line, f"{expected}, got {got}")

    def part(self, job: Job, key: str, kind: type, inside: Job | None = None) -> Any:
        """Return the list or mapping (or an empty one) at *key* of a job, or of *inside*."""
        found = (job if inside is None else inside).get(key)
        if isinstance(found, kind):
            return found
        if found is None or found in _NOTHING:
            return kind()
        raise self.wrong(job, key, f"a {_kind(kind())}", found)

    def word(self, job: Job, what: str, found: object, expected: str = "a word") -> str:
        """Return *found*, a value in a job, which must be a word."""
        if not isinstance(found, str):
            raise self.wrong(job, what, expected, found)
        return found

    def title(self, job: Job) -> str:
        """Return the name of a job's program or file, or its id."""
        return self.word(job, "name", job.get("name") or job.get("file") or job["id"])

    def profile(self, job: Job, namespace: str, key: str) -> str | None:
        """Return a profile of a job, or None."""
        if "profiles" not in job:
            return None
        profiles = self.part(job, "profiles", dict)
        found = self.part(job, namespace, dict, profiles).get(key)
        return None if found is None else self.word(job, f"profile {key}", found)

    def number(self, job: Job, found: object, what: str) -> Number:
        """Return a word of the file as a number."""
        if found is None:
            return None
        word = self.word(job, what, found, "a number")
        try:
            return int(word) if word.lstrip("+-").isdecimal() and len(word) < 20 else float(word)
        except ValueError:
            raise self.wrong(job, what, "a number", word) from None

    def priority(self, job: Job) -> int | None:
        """Return the priority of a job, or None."""
        word = self.profile(job, "condor", "priority")
        try:
            return None if word is None else priority_in(word)
        except ValueError as error:
            raise self.wrong(job, "priority", str(error), word) from None

    def files(self, job: Job, types: Sequence[str]) -> list[str]:
        """Return the logical names of a job's files of these types."""
        return [use["lfn"] for use in self.uses(job) if use.get("type") in types]

    def uses(self, job: Job) -> list[dict[str, Any]]:
        """Return the files that a job uses."""
        if "uses" not in job:
            return []
        uses: list[dict[str, Any]] = self.part(job, "uses", list)
        for use in uses:
            if not isinstance(use, dict) or not isinstance(use.get("lfn"), str):
                raise self.wrong(job, "uses", "mappings with an lfn", use)
            self.word(job, "uses", use.get("type", ""), "a word as type")
        return uses


def _kind(value: object) -> str:
    names = {dict: "mapping", list: "list", str: "word", type(None): "nothing"}
    return names.get(type(value), "value")


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, str) else f"a {_kind(value)}"


def read_pegasus(paths: Sequence[str], options: NoOptions) -> Workflow[str]:  # noqa: ARG001  no options
    """Return the workflow in a file; raises FormatError if it is not a workflow of Pegasus."""
    (path,) = paths
    data = read_bytes(path, MOST_READ)
    text_of(path, data)  # libyaml would take UTF-16 too
    with without_collections():
        content = read_document(path, data)
    reader, remarks = _Reader(path), Remarks(path)
    jobs = reader.jobs(content, data)
    names = [job["id"] for job in jobs]
    arcs, tellers = _arcs(reader, _dependencies(reader, content, data), jobs, remarks)
    dag = dag_of(names, arcs, lambda arc, *told: FormatError(path, tellers[arc][LINE], *told))
    seconds, done = _seconds(reader, jobs), np.zeros(len(names), bool)
    titles = [reader.title(job) for job in jobs]
    inner = sum(job.get("type") in _INNER for job in jobs)
    remarks.add(INNER, inner)
    priorities = or_nan([reader.priority(job) for job in jobs])
    run_times, sizes = known_seconds(seconds, done, remarks), _sizes(reader, jobs, remarks)
    needs, hidden = _needs(reader, jobs, content)
    source = PegasusSource(reader, data, jobs, content, titles, hidden)
    if not source.has_commands:
        remarks.add(f"jobs whose program is not in the file ({_CATALOG})", len(jobs))
    workflow = Workflow(
        dag,
        done,
        run_times,
        sizes,
        files=(path,),
        format="pegasus",
        source=source,
        priorities=or_zero(priorities, np.int32),
        remarks=remarks.tuple(),
        stated={"run_times": seconds, "priorities": priorities},
        needs=needs,
    )
    return with_means(workflow)


def _dependencies(reader: _Reader, content: Any, data: bytes) -> list[Any]:
    """Return the rows of jobDependencies, each a mapping."""
    found = content.get("jobDependencies") or []
    if isinstance(found, str) and found in _NOTHING:
        return []
    strange = found if not isinstance(found, list) else None
    if strange is None:
        strange = next((row for row in found if not isinstance(row, dict)), None)
    if strange is not None:
        problem = f"jobDependencies: expected a list of mappings, got {_shown(strange)}"
        raise FormatError(reader.path, line_of("jobDependencies", reader.path, data), problem)
    return found


def _arcs(
    reader: _Reader, rows: Sequence[Job], jobs: Sequence[Job], remarks: Remarks
) -> tuple[NDArray[np.int32], Sequence[Job]]:
    """Return the arcs of jobDependencies; without this key, arcs from writers to readers of files.

    The second result has the part of the file that each arc comes from.
    """
    if not rows:
        inputs = [reader.files(job, _INPUT) for job in jobs]
        outputs = [reader.files(job, _OUTPUT) for job in jobs]
        by_files = arcs_by_files(inputs, outputs, remarks)
        return by_files, [jobs[child] for child in by_files[:, 1].tolist()]
    ids = {job["id"]: task for task, job in enumerate(jobs)}
    arcs, tellers = array("i"), list[Job]()
    for row in rows:
        parent, children = row.get("id"), reader.part(row, "children", list)
        for name in (parent, *children):
            if not isinstance(name, str) or name not in ids:
                problem = f"jobDependencies: expected jobs, got {_shown(name)}, which is not one"
                raise FormatError(reader.path, row[LINE], problem)
        for child in children:
            arcs.extend((ids[parent], ids[child]))
            tellers.append(row)
    return np.array(arcs, np.int32).reshape(-1, 2), tellers


def _seconds(reader: _Reader, jobs: Sequence[Job]) -> Floats:
    """Return the profile "runtime" of each job, NaN where there is none."""
    words = [reader.profile(job, "pegasus", "runtime") for job in jobs]
    rows = zip(jobs, words, strict=True)
    seconds = or_nan([reader.number(job, word, "runtime") for job, word in rows])
    is_known = np.array([word is not None for word in words], bool)
    for task in wrong_times(np.where(is_known, seconds, 0.0)).tolist():
        expected = expected_time(float(seconds[task]))
        raise reader.wrong(jobs[task], "runtime", expected, words[task])
    return seconds


def _sizes(reader: _Reader, jobs: Sequence[Job], remarks: Remarks) -> Sizes | None:
    """Return the bytes of the files that each job writes; None if the file gives no sizes."""
    rows = []
    for job in jobs:
        outputs = [use for use in reader.uses(job) if use.get("type") in _OUTPUT]
        rows.append([_size(reader, job, use.get("size")) for use in outputs])
    return output_sizes(rows, remarks)


def _size(reader: _Reader, job: Job, word: object) -> Number:
    size = reader.number(job, word, "size")
    if size is not None and not 0 <= size < MOST_BYTES:
        raise reader.wrong(job, "size", "0 or more bytes below 2^53", word)
    return size


# Needs


def _needs(
    reader: _Reader, jobs: Sequence[Job], content: Any
) -> tuple[dict[str, Floats], list[HiddenNeed]]:
    """Return what the profiles of each job ask for, and what only HTCondor can work out.

    A profile of the transformation wins over one of the site of its program, and that one over one
    of the job: so does Pegasus.
    """
    catalog, sites = content.get(_CATALOG), _listed(content.get("siteCatalog"), "sites")
    known = {_key(one): one for one in _listed(catalog, "transformations")}
    by_name = {str(site.get("name")): site for site in sites}
    amounts: defaultdict[str, dict[int, float]] = defaultdict(dict)
    hidden: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for task, job in enumerate(jobs):
        program = known.get(_key(job), {})
        place = next(iter(_listed(program, "sites")), {})
        layers = (job, by_name.get(str(place.get("name")), {}), program, place)
        profiles: dict[tuple[str, str], object] = {}
        for layer in layers:
            if "profiles" in layer:
                profiles |= _profiles(reader, job, layer)
        for resource, (space, key) in profiles_of_needs(profiles).items():
            words = reader.word(job, f"profile {key}", profiles[space, key])
            try:
                amount = profile_amount(resource, space, words)
            except ValueError as error:
                raise reader.wrong(job, f"profile {key}", str(error), words) from None
            if amount is None:
                told = f"condor profile {key} of {reader.title(job)}: {HIDDEN}"
                hidden[resource, told].append(task)
            if amount is None or not np.isnan(amount):
                amounts[resource][task] = np.nan if amount is None else amount
    needs = {name: amounts_by_task(len(jobs), amounts[name]) for name in sorted(amounts)}
    return needs, [
        HiddenNeed(
            resource, np.array(tasks, np.int32), Remark(reader.path, jobs[tasks[0]][LINE], told)
        )
        for (resource, told), tasks in hidden.items()
    ]


def _listed(catalog: object, key: str) -> list[Job]:
    """Return the mappings in a list of a catalog, which need not be well formed."""
    listed = catalog.get(key) if isinstance(catalog, dict) else None
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _profiles(reader: _Reader, job: Job, layer: Job) -> dict[tuple[str, str], object]:
    """Return the profiles by namespace and key; errors name the job that they are of."""
    spaces = reader.part(job, "profiles", dict, layer)
    given = ((space, reader.part(job, space, dict, spaces)) for space in ("pegasus", "condor"))
    return {(space, key): value for space, pairs in given for key, value in pairs.items()}


# Commands


@dataclass(eq=False)
class PegasusSource(WorkflowSource):
    """A file of Pegasus, with its jobs."""

    reader: _Reader
    data: bytes
    jobs: Sequence[Job]
    content: Any
    titles: Sequence[str]
    hidden: Sequence[HiddenNeed]

    @property
    def has_commands(self) -> bool:  # type: ignore[override]
        """Whether the file says what tasks run."""
        return _CATALOG in self.content

    def descriptions(self) -> Sequence[str]:
        """Return the name of the transformation of each job."""
        return self.titles

    def hidden_needs(self) -> Sequence[HiddenNeed]:
        """Return the condor profiles that only HTCondor can evaluate."""
        return self.hidden

    def commands(self) -> list[Command | None]:
        """Return what each job runs; raises FormatError for a job that icsched cannot run."""
        return _commands(self.reader, self.content[_CATALOG], self.jobs)

    def outputs(self) -> list[list[str]]:
        """Return the files that each job writes."""
        return [self.reader.files(job, _OUTPUT) for job in self.jobs]


def _commands(reader: _Reader, catalog: Any, jobs: Sequence[Job]) -> list[Command | None]:
    """Return what each job runs; raises FormatError for a job that icsched cannot run."""
    known = {_key(one): one for one in _listed(catalog, "transformations")}
    return [_command(reader, known, job) for job in jobs]


def _key(thing: Job) -> tuple[str, ...]:
    return tuple(str(thing.get(word) or "") for word in ("namespace", "name", "version"))


def _command(reader: _Reader, known: dict[tuple[str, ...], Job], job: Job) -> Command:
    if job.get("type", "job") in _INNER:
        raise reader.wrong(job, "type", "a job that runs a program", str(job.get("type")))
    found = known.get(_key(job))
    program = next(iter(_listed(found, "sites")), {}).get("pfn")
    if not isinstance(program, str) or not program:
        expected = "a transformation with a pfn in transformationCatalog"
        raise reader.wrong(job, "name", expected, str(job.get("name")))
    scheme = _SCHEME.match(program)
    if scheme and scheme[1].lower() != "file":
        raise reader.wrong(job, "pfn", "a program of this machine", program)
    arguments = [
        reader.word(job, "arguments", _file_or_word(one), "words or an lfn")
        for one in reader.part(job, "arguments", list)
    ]
    env = reader.part(job, "env", dict, reader.part(job, "profiles", dict))
    pairs = tuple((key, reader.word(job, f"env {key}", value)) for key, value in env.items())
    directory = reader.profile(job, "condor", "initialdir") or None
    streams = {
        key: seen_from_file(
            reader.word(job, key, _file_or_word(job[key]), "the name of a file"), directory
        )
        for key in ("stdin", "stdout", "stderr")
        if _is_named(job.get(key))
    }
    argv = (program[scheme.end() if scheme else 0 :], *arguments)
    return Command(argv, directory, pairs, **streams)


def _is_named(found: object) -> bool:
    """Whether the file says anything about a stream; a mapping may have no logical name."""
    return (found.get("lfn") if isinstance(found, dict) else found) is not None


def _file_or_word(found: object) -> object:
    """Return the logical name of a file; other values are returned unchanged."""
    name = found.get("lfn") if isinstance(found, dict) else None
    return name if isinstance(name, str) else found
