"""icsched and the real DAGMan read the same files: same jobs, arcs, DONE marks, priorities."""

import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import pytest

from icsched.errors import FormatError
from icsched.formats.dagman.flat import description_name, flattened
from icsched.formats.dagman.submission import Submission, read_submission
from icsched.formats.dagman.writer import changes, flat_file, job_priorities
from tests.htcondor import cases, generate, nested
from tests.htcondor.pool import Dump, Rejection

JOIN_NODE = re.compile(r"_condor_join_node\d+")
NO_MEANING = re.compile(r"(?<=[^ ])/(?= |$)")  # a slash that ends a path
DESCRIBED = re.compile(r"^(?:SUBMIT-DESCRIPTION|JOB) (\S+) \{\n.*\n arguments = (\d+)$", re.M)
ABORTED = 4  # an assertion of this version of DAGMan failed: no answer

ALL = {**cases.LINES_AND_NAMES, **cases.COMMANDS, **cases.FILES}


@pytest.fixture
def place(condor, monkeypatch):
    """A directory to be in, where DAGMan is started too."""
    directory = condor.fresh()
    monkeypatch.chdir(directory)
    return directory


def write(place, files) -> None:
    for name, text in ({"wf.dag": files} if isinstance(files, str) else files).items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def special_names(scope, prefix: str = "") -> Iterator[str]:
    """FINAL, PROVISIONER and SERVICE nodes, which DAGMan's dump may list among the jobs."""
    yield from (prefix + name for name in scope.special)
    for instance in scope.instances:
        yield from special_names(instance.scope, f"{prefix}{instance.name}+")


def difference(ours: Submission | FormatError, theirs: Dump | Rejection) -> str:
    """Say how the two readings differ, "" if they do not."""
    if isinstance(ours, FormatError) or isinstance(theirs, Rejection):
        both = isinstance(ours, FormatError) and isinstance(theirs, Rejection)
        taken = ours if isinstance(ours, FormatError) else f"jobs {ours.names}"
        return "" if both else f"icsched: {taken}\nDAGMan: {theirs}"
    special = set(special_names(ours.scope))
    names, done = ours.names, ours.done.tolist()
    pairs = [
        ("jobs", names, tuple(job for job in theirs.jobs if job not in special)),
        ("arcs", {(names[p], names[c]) for p, c in ours.dag.arcs.tolist()}, set(theirs.arcs)),
        ("done", {n for n, is_done in zip(names, done, strict=True) if is_done}, theirs.done),
        (
            "priorities",
            {n: p for n, p in zip(names, ours.priorities.tolist(), strict=True) if p},
            {n: p for n, p in theirs.priorities.items() if p and n in names},
        ),
    ]
    return "\n".join(f"{what}: {a} != {b}" for what, a, b in pairs if a != b)


def reading(*files: str, **options) -> Submission | FormatError:
    try:
        workflow = read_submission(files, **options)
        _ = workflow.dag
    except FormatError as error:
        return error
    return workflow


@pytest.mark.parametrize("name", ALL)
def test_both_read_the_same(name, condor, place):
    write(place, ALL[name])

    found = difference(reading("wf.dag"), condor.dump(place, "wf.dag"))

    if name in cases.DIFFERENCES:
        assert found, f"no longer a difference: {cases.DIFFERENCES[name]}"
    else:
        assert not found, found


def test_every_listed_difference_is_a_case():
    assert set(cases.DIFFERENCES) <= set(ALL)


@pytest.mark.parametrize("first", range(0, 500, 50))
def test_both_read_random_workflows_the_same(first, condor, place):
    for seed in range(first, first + 50):
        files = generate.workflow(seed)
        write(place, files)
        theirs = condor.dump(place, "wf.dag")
        ours = reading("wf.dag")
        if isinstance(theirs, Rejection) and theirs.code == ABORTED:
            continue
        if isinstance(ours, FormatError) and "dependency cycle" in str(ours):
            with pytest.raises(CycleError):  # DAGMan looks for one only when it runs
                TopologicalSorter(parents(theirs)).prepare()
            continue

        found = difference(ours, theirs)

        assert not found, f"seed {seed}: {found}\n{files}"


def parents(dump: Dump) -> dict[str, list[str]]:
    return {job: [p for p, c in dump.arcs if c == job] for job in dump.jobs}


def test_random_workflows_are_mostly_accepted_and_some_refused(place):
    refused = 0
    for seed in range(100):
        write(place, generate.workflow(seed))
        refused += isinstance(reading("wf.dag"), FormatError)

    assert 5 <= refused <= 40


def test_both_go_on_from_a_rescue_file(condor, place):
    write(
        place,
        {
            "wf.dag": "JOB a x.sub\nSPLICE S in.dag\nJOB b x.sub\n"
            "PARENT a CHILD S\nPARENT S CHILD b\n",
            "in.dag": "JOB p x.sub\nJOB q x.sub\n",
            "wf.dag.rescue001": "# a comment\nDONE a\nDONE S+p\n# 1 of 3 retries\nRETRY b 2\n",
        },
    )

    ours = reading("wf.dag")

    assert not difference(ours, condor.dump(place, "wf.dag", rescue=1))
    left = [name for name, done in zip(ours.names, ours.done, strict=True) if not done]
    assert left == ["b", "S+q"]


def test_both_refuse_a_rescue_file_with_an_unknown_job(condor, place):
    write(place, {"wf.dag": "JOB a x.sub\n", "wf.dag.rescue001": "DONE nobody\n"})

    assert not difference(reading("wf.dag"), condor.dump(place, "wf.dag", rescue=1))


@pytest.mark.parametrize(
    "second",
    [
        "JOB a x.sub\nJOB b x.sub\nPARENT a CHILD b\n",
        "SPLICE S in.dag\nJOB a x.sub\nPARENT a CHILD S\n",
        "JOB a x.sub\nPRIORITY ALL_NODES 7\n",
        "FINAL g x.sub\n",
    ],
)
def test_both_read_several_files_as_one_workflow(second, condor, place):
    first = "JOB a x.sub\nFINAL f x.sub\nPRIORITY a 3\n"
    write(place, {"one.dag": first, "two.dag": second, "in.dag": "JOB p x.sub\nJOB q x.sub\n"})

    theirs = condor.dump(place, "one.dag", "two.dag")

    assert not difference(reading("one.dag", "two.dag"), theirs)


def test_both_take_files_from_the_directory_of_the_workflow_if_asked(condor, place):
    write(
        place,
        {
            "d/wf.dag": "JOB a x.sub\nSPLICE S in.dag\nINCLUDE more.dag\n",
            "d/in.dag": "JOB p x.sub\nSPLICE T e/deep.dag\n",
            "d/e/deep.dag": "JOB q x.sub\nSPLICE U last.dag\n",
            "d/e/last.dag": "JOB r x.sub\n",
            "d/more.dag": "JOB b x.sub\nPARENT a CHILD b\n",
        },
    )

    theirs = condor.dump(place, "d/wf.dag", usedagdir=True)

    assert not difference(reading("d/wf.dag", use_dag_directory=True), theirs)


@pytest.mark.parametrize(
    "line", ["JOB a x.sub DIR .", "SUBDAG EXTERNAL a in.dag DIR .", "FINAL a x.sub DIR ."]
)
def test_then_both_refuse_a_directory_of_a_job(line, condor, place):
    write(place, {"wf.dag": f"JOB b x.sub\n{line}\n"})

    assert not difference(
        reading("wf.dag", use_dag_directory=True), condor.dump(place, "wf.dag", usedagdir=True)
    )
    assert not difference(reading("wf.dag"), condor.dump(place, "wf.dag"))


def flat_word(word: str, job: str, described: set[str]) -> str:
    """What a flattened file calls the submit file or description of a job."""
    if word == "submitDesc":  # DAGMan's name of every inline description
        return description_name(job.replace("+", "-"))
    if word != "desc":
        return word
    named = re.sub(r"[^+]+$", "desc", job).replace("+", "-")  # in the same splice
    if named in described:
        return named
    return "./desc" if "desc" in described else "desc"  # it is a file


def flat_facts(dump: Dump, described: set[str] | None = None) -> dict[str, object]:
    """What a dump says, with the names of a flattened file, which has the *described* ones.

    None if the dump is that of the flattened file itself.
    """

    def flat(value):
        if isinstance(value, str):
            return value.replace("+", "-")
        if isinstance(value, dict):  # a word for ALL_NODES reached the join nodes too
            return {flat(key): other for key, other in value.items() if key in dump.jobs}
        return {flat(one) if isinstance(one, str) else tuple(map(flat, one)) for one in value}

    def of_job(line):  # a continued line has more blanks in one than in the other
        return " ".join(flat(word) if word in dump.jobs else word for word in line.split())

    def submitted(line):
        kind, job, word, *rest = line.split()
        if kind == "JOB" and described is not None:
            word = flat_word(word, job, described)
        return NO_MEANING.sub("", of_job(" ".join([kind, job, word, *rest])))

    lines = [line for line in dump.text.split("\n") if not JOIN_NODE.search(line)]
    said = ("SCRIPT", "ABORT-DAG-ON", "PRE_SKIP", "CATEGORY")
    return {
        "jobs": [submitted(line) for line in lines if is_job(line)],
        "final": [line for line in lines if line.startswith("FINAL ")],
        "arcs": flat(dump.arcs),
        "joins": dump.joins,
        "done": flat(dump.done),
        "priorities": flat(dump.priorities),
        "retries": flat(dump.retries),
        "vars": flat(dump.vars),
        "said": sorted(of_job(line) for line in lines if line.startswith(said)),
        "limits": sorted(line for line in lines if line.startswith("MAXJOBS")),
    }


def is_job(line: str) -> bool:
    return line.startswith(("JOB ", "SUBDAG "))


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_a_flattened_workflow_means_the_same_to_dagman(first, condor, place):
    """Whatever DAGMan's dump tells of a workflow it tells of the flattened one."""
    compared = sum(
        flattens_alike(condor, place, generate.workflow(seed), seed)
        for seed in range(first, first + 50)
    )

    assert compared > 25


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_flattened_splices_keep_limits_categories_and_places(first, condor, place):
    """Splices in splices, pins, includes, directories, categories local and global."""
    compared = sum(
        flattens_alike(condor, place, nested.workflow(seed), seed)
        for seed in range(first, first + 50)
    )

    assert compared > 40


def flattens_alike(condor, place, files, seed) -> bool:
    """Compare what DAGMan makes of a workflow and of the flattened one; False if it takes none."""
    write(place, files)
    ours, theirs = reading("wf.dag"), condor.dump(place, "wf.dag")
    if isinstance(ours, FormatError) or isinstance(theirs, Rejection):
        return False
    (place / "flat.dag").write_text("".join(f"{line}\n" for line in flattened(ours)))

    flat = condor.dump(place, "flat.dag")

    assert isinstance(flat, Dump), f"seed {seed}: {flat}"
    text = (place / "flat.dag").read_text()
    described = set(re.findall(r"^SUBMIT-DESCRIPTION (\S+) ", text, re.M))
    before, after = flat_facts(theirs, described), flat_facts(flat)
    assert_bodies(files, ours, text)
    different = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
    assert not different, f"seed {seed}: {different}"
    return True


def assert_bodies(files, ours, text) -> None:
    """Each description of the flattened file has the body that the original has by that name."""
    whole = "".join([files] if isinstance(files, str) else files.values())
    heads = {number: name for name, number in DESCRIBED.findall(whole)}
    inline = {description_name(name.replace("+", "-")): name for name in ours.names}
    for name, number in DESCRIBED.findall(text):
        local = inline[name].rpartition("+")[2] if name in inline else "desc"
        assert heads[number] == local, f"{name}: {heads[number]}"


def test_priorities_are_the_same_in_place_and_flattened(condor, place):
    for seed in range(30):
        for path in place.glob("wf.dag*"):  # the last one's backups and companion
            path.unlink()
        write(place, nested.workflow(seed))
        ours = reading("wf.dag")
        told = job_priorities(ours, ours.dag.fifo_order)
        (place / "flat.dag").write_bytes(flat_file(ours, told))
        for change in changes(ours, told):
            change.make()

        flat, whole = condor.dump(place, "flat.dag"), condor.dump(place, "wf.dag")

        assert {job: whole.priorities[job] for job in whole.jobs} == told, f"seed {seed}"
        assert {job: flat.priorities[job] for job in flat.jobs} == {
            name.replace("+", "-"): value for name, value in told.items()
        }, f"seed {seed}"
