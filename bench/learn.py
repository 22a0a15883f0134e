"""Reading what a past run says: a log of 10^6 events, against the reader of the htcondor package.

Each job is submitted, executed, measured and terminated, with bodies as HTCondor 23.9 writes them.
The same jobs are read as JSON events and as a history too. The last row of ours is the whole
command `icsched learn` with the workflow: run times, stalls, a pool, and other orders simulated on
it. Each measurement has a process of its own, so that its peak of memory is its own. Without the
htcondor package, its row is left out.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

from harness import show
from harness.alone import measure_alone

HOST = "<10.0.0.1:9618?addrs=10.0.0.1-9618+[--1]-9618&alias=host&noUDP&sock={}_16_de02>"
USAGE = "\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  {}\n"
SUBMIT = f"Job submitted from host: {HOST.format('schedd')}\n    DAG Node: node_{{job}}\n"
EXECUTE = (
    f"Job executing on host: {HOST.format('startd')}\n\tSlotName: slot1_{{slot}}@host\n"
    '\tCondorScratchDir = "/var/lib/condor/execute/dir_317"\n'
    "\tCpus = 1\n\tDisk = 2048\n\tGPUs = 0\n\tMemory = 128\n"
)
SIZE = "Image size of job updated: 1000\n\t5  -  MemoryUsage of job (MB)\n"
END = (
    "Job terminated.\n\t(1) Normal termination (return value 0)\n"
    + "".join(
        USAGE.format(f"{of} {at} Usage") for of in ("Run", "Total") for at in ("Remote", "Local")
    )
    + "\t0  -  Run Bytes Sent By Job\n\t0  -  Run Bytes Received By Job\n"
    + "\tPartitionable Resources :    Usage  Request Allocated \n"
    + "".join(f"\t   {what:20} :        1        8      2048 \n" for what in ("Cpus", "Disk (KB)"))
    + "\n\tJob terminated of its own accord at 2026-11-16T11:39:53Z with exit-code 0.\n"
)
BODIES = {0: SUBMIT, 1: EXECUTE, 6: SIZE, 5: END}
SLOTS = 40  # as many jobs run at once, and as many events come in a second


def moment(count: int) -> str:
    second = count // SLOTS
    day, hour = 1 + second // 86_400, second // 3600 % 24
    return f"2026-11-{day:02} {hour:02}:{second // 60 % 60:02}:{second % 60:02}"


def events_of(jobs: int) -> Iterator[tuple[int, int, str]]:
    """Yield the job, the number and the time of each event; a job runs for two seconds."""
    waves = (range(start, min(start + SLOTS, jobs)) for start in range(0, jobs, SLOTS))
    events = ((job, number) for wave in waves for number in BODIES for job in wave)
    for count, (job, number) in enumerate(events):
        yield job, number, moment(count)


def text_events(jobs: int) -> Iterator[str]:
    for job, number, when in events_of(jobs):
        head = f"{number:03} ({job:03}.000.000) {when} "
        yield head + BODIES[number].format(job=job, slot=job % SLOTS) + "...\n"


def json_events(jobs: int) -> Iterator[str]:
    details = {
        0: {"LogNotes": "DAG Node: node_{}", "SubmitHost": HOST},
        1: {"SlotName": "slot1@host", "ExecuteHost": HOST, "ExecuteProps": {"Cpus": 1}},
        6: {"MemoryUsage": 5, "Size": 1000},
        5: {"TerminatedNormally": True, "ReturnValue": 0, "SentBytes": 0.0, "ReceivedBytes": 0.0},
    }
    for job, number, when in events_of(jobs):
        head = {"EventTypeNumber": number, "Cluster": job, "Proc": 0, "Subproc": 0}
        body = {**head, "EventTime": when.replace(" ", "T"), **details[number]}
        yield json.dumps(body, indent=2) + "\n"


def history(jobs: int) -> Iterator[str]:
    for job in range(jobs):
        ad = {"ClusterId": job, "ProcId": 0, "DAGNodeName": f"node_{job}", "JobUniverse": 5}
        times = {"QDate": job, "JobCurrentStartDate": job + 1, "CompletionDate": job + 2}
        yield json.dumps({**ad, **times, "JobStatus": 4, "ExitCode": 0}) + "\n"


def ours(path: Path) -> Callable[[], object]:
    from icsched.history import read_log  # here, so that the other reader does not load numpy

    return lambda: read_log(path)


def command(path: Path) -> Callable[[], object]:
    from icsched.commands.main import run

    words = ["learn", str(path), str(path.with_suffix(".dag")), "-o", str(path.with_suffix(".csv"))]

    def quietly() -> None:
        with redirect_stdout(StringIO()):
            code = run(words)
        if code:
            raise SystemExit(f"icsched learn ended with {code}")

    return quietly


def theirs(path: Path) -> Callable[[], object]:
    import htcondor2

    return lambda: sum(1 for _ in htcondor2.JobEventLog(str(path)).events(stop_after=0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="10^4 events, a few seconds")
    events = 10_000 if parser.parse_args().quick else 1_000_000
    files = {"text": text_events, "JSON": json_events, "history": history}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, make in files.items():
            path = Path(folder) / name
            with path.open("w") as file:
                file.writelines(make(events // 4))
            rows.append([f"icsched, {name}", path.stat().st_size / 1e6, *measure_alone(ours, path)])
        path = Path(folder) / "text"
        jobs = (f"JOB node_{job} task.sub\n" for job in range(events // 4))
        path.with_suffix(".dag").write_text("".join(jobs))
        rows.append(["icsched learn, text", rows[0][1], *measure_alone(command, path)])
        if find_spec("htcondor2"):
            rows.append(["htcondor2, text", rows[0][1], *measure_alone(theirs, path)])
    table = [[name, size, took, took / rows[0][2], peak] for name, size, took, peak in rows]
    head = ["reader", "MB", "s", "x ours", "peak MB"]
    show(f"{events:,} events of {events // 4:,} jobs", head, table)


if __name__ == "__main__":
    main()
