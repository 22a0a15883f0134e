"""Short ways to write events as HTCondor does, for hand-made logs."""

HEADS = {
    0: "Job submitted from host: <10.0.0.1:9618?addrs=10.0.0.1-9618&alias=ap>",
    1: "Job executing on host: <10.0.0.2:9618?addrs=10.0.0.2-9618&alias=ep>",
    4: "Job was evicted.",
    5: "Job terminated.",
    6: "Image size of job updated: 1000",
    7: "Shadow exception!",
    9: "Job was aborted.",
    10: "Job was suspended.",
    11: "Job was unsuspended.",
    12: "Job was held.",
    13: "Job was released.",
    16: "POST Script terminated.",
    22: "Job disconnected, attempting to reconnect",
    23: "Job reconnected to slot1@ep",
    24: "Job reconnection failed",
    35: "Cluster submitted from host: <10.0.0.1:9618>",
    36: "Cluster removed",
    99: "Something new",
}


def event(number: int, job: str, moment: str, *body: str) -> str:
    """Write an event; *moment* is a time of 16 November 2026, or a whole stamp."""
    cluster, _, proc = job.partition(".")
    stamp = moment if " " in moment else f"2026-11-16 {moment}"
    head = f"{number:03} ({int(cluster):03}.{int(proc or 0):03}.000) {stamp} {HEADS[number]}"
    return "\n".join([head, *body, "...", ""])


def submit(job: str, moment: str, node: str = "") -> str:
    return event(0, job, moment, *([f"    DAG Node: {node}"] if node else []))


def execute(job: str, moment: str, slot: str = "slot1@ep", cores: object = 1) -> str:
    return event(1, job, moment, f"\tSlotName: {slot}", f"\tCpus = {cores}")


def manage(job: str, moment: str) -> str:
    """Write that a job runs beside the queue: DAGMan itself, or a dag inside the dag."""
    line = event(1, job, moment).replace("10.0.0.2", "10.0.0.1")
    return line.replace("alias=ep", "alias=ap&noUDP&sock=schedd_16_de02")


def end(job: str, moment: str, value: int = 0) -> str:
    usage = "\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage"
    return event(5, job, moment, f"\t(1) Normal termination (return value {value})", usage)


def table(*rows: str) -> list[str]:
    """Write the rows of the table of resources, each with its words and numbers."""
    title = "\tPartitionable Resources :    Usage  Request Allocated "
    return [title, *(f"\t   {row}" for row in rows)]


def held(cores: int, request: int | None = None, memory: int = 128) -> list[str]:
    """Write the table of a job that asked for all that it held, or for *request* cores of it."""
    asked = cores if request is None else request
    return table(
        f"Cpus                 :        0 {asked:8} {cores:9} ",
        "Disk (KB)            :       20       20     99999 ",
        f"Memory (MB)          :        0 {memory:8} {memory:9} ",
    )


def end_held(job: str, moment: str, *resources: str) -> str:
    """Write the good end of a job, with the lines of `held` or `table`."""
    return event(5, job, moment, "\t(1) Normal termination (return value 0)", *resources)


def evict(job: str, moment: str) -> str:
    return event(4, job, moment, "\t(0) CPU times")


def post(job: str, moment: str, value: int = 0) -> str:
    return event(16, job, moment, f"\t(1) Normal termination (return value {value})")


PLAIN = submit("7", "12:00:00", "a") + execute("7", "12:00:03") + end("7", "12:00:10")
