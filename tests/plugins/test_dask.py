"""Cells of a study on a real Dask cluster: a scheduler and workers, each a process."""

import logging
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from distributed import Client

from icsched import families, prioritize
from icsched.commands.main import run
from icsched.errors import EngineError
from icsched.formats import write_dagman
from icsched.plugins.dask import study_cluster
from icsched.run import dask_client as connect
from icsched.sim import Paired
from icsched.study.cells import Subject, Terms, grid, run_cell
from tests.plugins.cluster import unauthenticated

DASK = Path(sys.executable).parent / "dask"
AIRSN = families.airsn(10)
SUBJECT = Subject(AIRSN, {"prio": prioritize(AIRSN, "prio").order})
TERMS = Terms(seed=2, sampling=Paired(half_width=0.05))
CELLS = grid(TERMS, [0.1, 1], [1, 4, 16])


@contextmanager
def process(log, *command, environment=None):
    """Run a process until the block ends, with its standard error in a file."""
    with log.open("wb") as file:
        started = subprocess.Popen(
            [DASK, *command], stderr=file, env={**os.environ, **(environment or {})}
        )
    try:
        yield started
    finally:
        started.send_signal(signal.SIGTERM)
        try:
            started.wait(timeout=30)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def scheduler(folder):
    """Run a scheduler; the process and its address."""
    port = str(free_port())
    options = ("--host", "127.0.0.1", "--port", port, "--no-dashboard")
    with process(folder / "scheduler", "scheduler", *options) as started:
        yield started, f"tcp://127.0.0.1:{port}"


def worker_at(address, folder, name, **environment):
    """Run a worker."""
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", name)
    place = ("--local-directory", str(folder), "--death-timeout", "60")
    log = folder / f"{name}.log"
    return process(log, "worker", address, *options, *place, environment=environment)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a scheduler without workers."""
    with scheduler(tmp_path_factory.mktemp("dask")) as (_, address):
        yield address


@pytest.fixture
def worker(address, tmp_path):
    """Start a worker that lives until the block ends."""
    return partial(worker_at, address, tmp_path)


def test_a_cluster_gives_the_same_cells_as_this_machine(address, worker):
    with worker("one"), worker("two"), study_cluster(address) as cluster:
        found = {result.cell: result for result in cluster(SUBJECT, CELLS, TERMS)}

    assert found == {cell: run_cell(SUBJECT, cell, TERMS) for cell in CELLS}


def test_the_command_writes_the_same_tables_with_a_cluster_as_without(
    address, worker, folder, capsys
):
    write_dagman(AIRSN, "wf.dag")
    write_dagman(families.airsn(4), "small.dag")
    study = ("study", "wf.dag", "small.dag", "--intervals", "1", "--batches", "2,8", "--seed", "2")

    with worker("one"):
        assert run([*study, "-o", "cluster", "--dask", address]) == 0
    assert run([*study, "-o", "local"]) == 0

    for name in ("study.csv", "study.json", "wf.svg"):
        assert (folder / "cluster" / name).read_bytes() == (folder / "local" / name).read_bytes()
    assert capsys.readouterr().err == unauthenticated(address) + "\n", "once, and not for threads"


def test_cells_of_a_worker_that_is_killed_are_computed_by_another(address, worker):
    with worker("one") as first, study_cluster(address) as cluster:
        results = cluster(SUBJECT, CELLS, TERMS)
        found = [next(results)]  # only the first worker was there
        with worker("two"):
            first.kill()
            found += results

    assert {result.cell: result for result in found} == {
        cell: run_cell(SUBJECT, cell, TERMS) for cell in CELLS
    }


def test_a_worker_of_another_version_is_named(address, worker, tmp_path):
    about = tmp_path / "path" / "icsched-9.9.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: icsched\nVersion: 9.9\n")

    with (
        worker("other", PYTHONPATH=str(about.parent)),
        study_cluster(address) as cluster,
        pytest.raises(EngineError) as caught,
    ):
        list(cluster(SUBJECT, CELLS, TERMS))

    assert re.fullmatch(
        r"dask: a worker: expected icsched \S+, as here, got 9\.9", str(caught.value)
    )


def test_a_worker_without_icsched_is_named_and_lives_on(address, worker, tmp_path):
    """What the worker runs before all else hides icsched from it."""
    startup = tmp_path / "path" / "sitecustomize.py"
    startup.parent.mkdir()
    startup.write_text(
        "import importlib.metadata as metadata\n"
        "found = metadata.version\n"
        "def version(name):\n"
        "    if name == 'icsched': raise metadata.PackageNotFoundError(name)\n"
        "    return found(name)\n"
        "metadata.version = version\n"
    )

    with worker("bare", PYTHONPATH=str(startup.parent)) as process:
        with (
            pytest.raises(EngineError, match=r"^dask: worker tcp://\S+: expected icsched inst"),
            study_cluster(address),
        ):
            pass
        assert process.poll() is None


HIDE = """
import sys

class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "icsched":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hide())
"""


def test_a_worker_without_icsched_that_joins_later_is_one_line_and_lives_on(
    address, worker, tmp_path
):
    """The only worker left once the first is gone."""
    startup = tmp_path / "path" / "sitecustomize.py"
    startup.parent.mkdir()
    startup.write_text(HIDE)

    with worker("one") as first, study_cluster(address) as cluster:
        results = cluster(SUBJECT, CELLS, TERMS)
        next(results)
        first.kill()
        with worker("bare", PYTHONPATH=str(startup.parent)) as bare:
            with pytest.raises(EngineError) as caught:
                list(results)
            assert bare.poll() is None

    assert str(caught.value) == (
        "dask: a worker: expected icsched installed, got No module named 'icsched'"
    )


def test_cells_that_wait_are_cancelled_when_nobody_wants_them_any_more(address, worker):
    """A scheduler keeps what is wanted, done or not; it hears soon that nothing is."""
    cells = grid(TERMS, [0.1, 0.2, 0.5, 1, 2, 5], [1, 2, 4, 8, 16, 32])

    with worker("one"), study_cluster(address) as cluster, Client(address) as other:
        results = cluster(SUBJECT, cells, TERMS)
        next(results)
        wanted = kept(other)
        results.close()
        assert any(kept(other) == 0 for _ in range(1000))

    assert wanted == 1 + len(cells)


def kept(client):
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))


def test_a_scheduler_that_is_killed_is_one_line_and_dask_says_nothing(tmp_path, capfd):
    with (
        scheduler(tmp_path) as (process, address),
        worker_at(address, tmp_path, "one"),
        study_cluster(address) as cluster,
    ):
        results = cluster(SUBJECT, CELLS, TERMS)
        next(results)
        process.kill()
        with pytest.raises(EngineError) as caught:
            list(results)

    lost = "a cell was lost: .* scheduler-connection-lost.*|the scheduler is lost: .*"
    assert re.fullmatch(f"dask: ({lost})", str(caught.value)), "the connection may end at any time"
    assert capfd.readouterr().err == ""


def test_dask_logs_as_before_once_the_cluster_is_left(address, worker):
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    before = [logger.level for logger in loggers]

    with worker("one"), study_cluster(address):
        assert [logger.isEnabledFor(logging.CRITICAL) for logger in loggers] == [False, False]

    assert [logger.level for logger in loggers] == before


def test_a_cluster_without_workers_is_given_up(address, monkeypatch):
    monkeypatch.setattr(connect, "WORKERS_S", 0.2)

    with (
        pytest.raises(EngineError, match=rf"^dask: no worker at {address} after 0\.2 s$"),
        study_cluster(address),
    ):
        pass


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:PORT", "tls://127.0.0.1:PORT", "nonsense", "gopher://x:1", ""]
)
def test_a_scheduler_that_cannot_be_reached_is_one_line(capsys, monkeypatch, address):
    monkeypatch.setattr(connect, "CONNECT_S", 0.5)
    write_dagman(AIRSN, "wf.dag")
    address = address.replace("PORT", str(free_port()))

    code = run(["study", "wf.dag", "-o", "out", "--dask", address])

    out, err = capsys.readouterr()
    assert (code, out) == (1, "")
    assert err.startswith(f"icsched: dask: no scheduler at {address}: ")
    assert err.count("\n") == 1


@pytest.mark.usefixtures("folder")
def test_without_dask_the_extra_is_named(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    write_dagman(AIRSN, "wf.dag")

    assert run(["study", "wf.dag", "-o", "out", "--dask", "tcp://127.0.0.1:1"]) == 1

    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err == "icsched: dask.distributed is not installed: run pip install 'icsched[dask]'\n"
