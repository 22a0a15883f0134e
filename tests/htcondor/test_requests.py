"""icsched reads the requests of submit descriptions as HTCondor puts them into the ads of jobs."""

import json
import re
import time
from math import isclose
from random import Random

import pytest

import icsched
from icsched.errors import FormatError
from tests.htcondor.pool import await_true

# Attributes of jobs by resource, with the bytes or the number of one.
ATTRIBUTES = {
    "cores": ("RequestCpus", 1),
    "memory_bytes": ("RequestMemory", 2**20),
    "disk_bytes": ("RequestDisk", 2**10),
    "gpus": ("RequestGPUs", 1),
    "licences": ("RequestLicences", 1),
}
NUMBER = re.compile(r"-?[0-9.]+(?:[eE][+-]?[0-9]+)?")
UNKNOWN = None  # an expression
LINES = "executable = /bin/true\n"

# Each is a submit description, but for the executable and the queue statement.
DESCRIBED = {
    "whole numbers": "request_cpus = 4\nrequest_memory = 2048\nrequest_disk = 100\nrequest_gpus=1",
    "none": "",
    "zero": "request_cpus = 0\nrequest_memory = 0\nrequest_disk = 0\nrequest_gpus = 0",
    "empty": "request_cpus =\nrequest_memory =\nrequest_disk =\nrequest_gpus =",
    "undefined": "request_cpus = undefined\nrequest_memory = UNDEFINED\nrequest_gpus = Undefined",
    "parts of cores": "request_cpus = 1.5\nrequest_gpus = .5",
    "exponents": "request_cpus = 1e1\nrequest_memory = 1.5e3\nrequest_disk = 1E-1",
    "signs": "request_cpus = +4\nrequest_memory = +5\nrequest_disk = +0.5 G",
    "signs apart": "request_memory = + 5",
    "blanks and units": "request_memory = 2 GB\nrequest_disk = 2\tg",
    "units in small letters": "request_memory = 2gb\nrequest_disk = 3mB",
    "tera": "request_memory = 1T\nrequest_disk = 0.5 TB",
    "kilo": "request_memory = 1025K\nrequest_disk = 1.5 KB",
    "parts are rounded up": "request_memory = 1.3\nrequest_disk = 1.5",
    "three decimals": "request_memory = 1.0009 G\nrequest_disk = 2.0009999",
    "parts of bytes": "request_memory = 1.001 K\nrequest_disk = 0.001 K",
    "zeros before": "request_memory = 007\nrequest_disk = 010 M",
    "dots at the ends": "request_memory = .5\nrequest_disk = 5. M",
    "quotes": 'request_cpus = "4"\nrequest_memory = "2 GB"',
    "sums": "request_cpus = 2 + 2\nrequest_memory = 2 * 1024",
    "parentheses": "request_cpus = (4)\nrequest_memory = (4)",
    "truth": "request_cpus = true",
    "functions": "request_cpus = ifThenElse(true, 1, 2)\nrequest_memory = max({1, 2})",
    "large and small letters": "Request_CPUs = 5\nREQUEST_MEMORY = 6",
    "later lines": "request_cpus = 2\nrequest_cpus = 3",
    "later lines take away": "request_cpus = 2\nrequest_cpus =",
    "continued lines": "request_cpus = 2\\\n5",
    "other names": "RequestCpus = 4\nRequestMemory = 4G\nRequestDisk = 4\nRequestGPUs = 2",
    "other names later": "request_cpus = 2\nRequestCpus = 3\nrequest_gpus = 1\nRequestGPUs = 2",
    "other names before": "RequestMemory = 3\nrequest_memory = 2",
    "other names of nothing": "request_cpus =\nRequestCpus = 3",
    "attributes": "+RequestCpus = 4\nMY.RequestMemory = 2048\n+RequestDisk = 7\n+RequestGPUs = 2",
    "attributes before": "+RequestCpus = 4\nrequest_cpus = 2",
    "attributes later": "request_cpus = 2\n+RequestCpus = 4",
    "attributes are not rounded": "+RequestMemory = 1.5\n+RequestDisk = 1e1",
    "attributes of nothing": "request_memory = 1\n+RequestMemory = undefined\nrequest_cpus = 3\n"
    "+RequestCpus =",
    "attributes twice": "MY.RequestCpus = 2\n+RequestCpus = 3",
    "attributes of other names": "+request_cpus = 4",
    "resources of the pool": "request_licences = 2",
    "resources in parts": "request_Licences = 1.5",
    "nearly cpus and gpus": "request_cpu = 4\nrequest_gpu = 2",
    "one letter": "request_x = 2",
    "macros": "n = 7\nrequest_cpus = $(n)\nn = 8\nrequest_memory = $(m:3) $(u)\nu = gb",
    "macros of requests": "request_cpus = $(request_disk)\nrequest_disk = 4",
    "macros of themselves": "request_cpus = 2\nrequest_cpus = $(request_cpus)3",
    "macros in macros": "request_cpus = $(a$(b))\nb = c\nac = 5",
    "numbers of jobs": "request_cpus = $(Process)\nrequest_disk = $(Step)",
    "macros that HTCondor works out": "n = 3\nrequest_cpus = $INT(n)",
    "macros of nothing": "request_cpus = $(n)",
    "below zero": "request_memory = -5",
    "attributes of resources": "+RequestLicences = 3",
}
DIFFERENCES = {
    "macros that HTCondor works out": "icsched knows no functions of macros",
    "macros of nothing": "the queue statement may give the macro a value",
    "below zero": "icsched refuses it; HTCondor takes it and rounds it to -4",
    "attributes of resources": "icsched reads attributes of usual requests alone",
}


@pytest.fixture
def place(condor, monkeypatch):
    """A directory to be in."""
    directory = condor.fresh()
    monkeypatch.chdir(directory)
    return directory


def dry_run(condor, place, text: str) -> list[dict[str, str]]:
    """Return the ads of the jobs that condor_submit would make."""
    (place / "a.sub").write_text(text)
    done = condor.command(place, "condor_submit", "-dry-run", "-", "a.sub")
    assert done.returncode == 0, done.stderr
    first, *others = done.stdout.split("\n.\n")[:-1]
    ads = [dict(re.findall(r"^(\w+)=(.*)$", ad, re.MULTILINE)) for ad in (first, *others)]
    return [{**ads[0], **ad} for ad in ads]


def amounts(ad: dict[str, str], usual: dict[str, str]) -> dict[str, float | None]:
    """Return what an ad requests, without what all jobs do; in the units of icsched."""
    small = {key.lower(): (key, value) for key, value in ad.items()}
    found = {}
    for resource, (attribute, unit) in ATTRIBUTES.items():
        key, value = small.get(attribute.lower(), ("", "undefined"))
        if value not in ("undefined", usual.get(key)):
            found[resource] = float(value) * unit if NUMBER.fullmatch(value) else UNKNOWN
    return found


def readings(path: str) -> dict[str, dict[str, float | None]]:
    """Return what icsched reads, by job."""
    workflow = icsched.read(path)
    found: dict[str, dict[str, float | None]] = {name: {} for name in workflow.names}
    for resource, by_job in workflow.to_dict()["needs"].items():
        for name, amount in by_job.items():
            found[name][resource] = amount
    for hidden in workflow.hidden_needs:
        for task in hidden.tasks.tolist():
            found[workflow.names[task]][hidden.resource] = UNKNOWN
    return found


def read_one(place) -> dict[str, float | None] | FormatError:
    (place / "wf.dag").write_text("JOB a a.sub\n")
    try:
        return readings("wf.dag")["a"]
    except FormatError as error:
        return error


@pytest.mark.parametrize("name", DESCRIBED)
def test_both_read_the_same_requests(name, condor, place):
    (usual,) = dry_run(condor, place, f"{LINES}queue\n")
    (ad,) = dry_run(condor, place, f"{LINES}{DESCRIBED[name]}\nqueue\n")

    theirs, ours = amounts(ad, usual), read_one(place)

    if name in DIFFERENCES:
        assert ours != theirs, f"no longer a difference: {DIFFERENCES[name]}"
    else:
        assert ours == theirs


def test_every_listed_difference_is_a_case():
    assert set(DIFFERENCES) <= set(DESCRIBED)


def any_amount(rng: Random) -> str:
    """Return an amount of memory or disk space, in any form that condor_submit takes."""
    whole, part = rng.choice(["", "0", "00"]) + str(rng.randrange(3000)), str(rng.randrange(10**4))
    number = rng.choice([whole, f"+{whole}", f"{whole}.", f"{whole}.{part}", f".{part}"])
    unit = rng.choice("KMGTkmgt") + rng.choice(["", "B", "b"])
    return number + rng.choice(["", rng.choice(["", " ", "\t "]) + unit])


def test_both_read_the_same_random_amounts(condor, place):
    rng = Random(1)  # noqa: S311  no secret
    asked = [(any_amount(rng), any_amount(rng)) for _ in range(300)]
    lines = [f"request_memory = {memory}\nrequest_disk = {disk}\n" for memory, disk in asked]
    jobs = [f"JOB j{i} {{\n{LINES}{each}}}\n" for i, each in enumerate(lines)]
    (place / "wf.dag").write_text("".join(jobs))

    ads = dry_run(condor, place, LINES + "".join(f"{each}queue\n" for each in lines))

    ours = readings("wf.dag")
    assert len(ads) == len(lines)
    for i, ad in enumerate(ads):
        for resource, amount in amounts(ad, {}).items():
            if resource in ours[f"j{i}"]:
                assert isclose(ours[f"j{i}"][resource], amount, rel_tol=1e-15), asked[i]
            else:
                assert resource == "cores", "the usual one"


# What VARS say, with the jobs that they are about.
SUBMIT = """\
executable = /bin/true
hold = true
request_cpus = $(n:2)
request_memory = $(base)$(unit:M)
request_disk = 5
RequestGPUs = $(g)
queue
"""
SAID = """\
VARS ALL_NODES g="1" base="100"
VARS a n="8" base="3" unit="G"
VARS b request_cpus="7" request_memory="7" RequestDisk="7"
VARS c APPEND request_cpus="7" request_memory="7 GB" RequestDisk="7"
VARS d +RequestCpus="4" My.RequestMemory="2048"
VARS e APPEND n="5" g="3"
VARS f PREPEND n="6" request_gpus="4"
VARS g n="$(other)" other="9"
VARS g other="3"
VARS h N="3" Unit="k" g="0"
VARS i n="1" n="4"
VARS j n="$(cores_of_$(JOB))" cores_of_j="6"
"""


def test_both_give_jobs_the_same_requests_from_vars(condor, place):
    """The jobs are held from the start, so they stay in the queue."""
    names = "abcdefghijk"
    (place / "a.sub").write_text(SUBMIT)
    (place / "wf.dag").write_text("".join(f"JOB {name} a.sub\n" for name in names) + SAID)
    condor.is_used_by_others()

    done = condor.command(place, "condor_submit_dag", "wf.dag")

    assert done.returncode == 0, done.stderr
    cluster = done.stdout.partition("submitted to cluster ")[2].split(".")[0]
    jobs = ("condor_q", "-json", "-constraint", f"DAGManJobId == {cluster}")

    def ads() -> list[dict[str, object]]:
        return json.loads(condor.command(condor.home, *jobs).stdout or "[]")

    await_true(lambda: len(ads()) == len(names), time.monotonic() + 60, "jobs are missing")
    theirs = {
        ad["DAGNodeName"]: amounts({key: json.dumps(value) for key, value in ad.items()}, {})
        for ad in ads()
    }
    assert readings("wf.dag") == theirs
