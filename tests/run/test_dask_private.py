"""Who can reach the cluster that the engine `dask` starts: only icsched itself.

`intruder.py` tries as another user. The first tests show that it gets in wherever it can.
"""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import dask
import psutil
import pytest
from distributed import LocalCluster, Security

from icsched.errors import EngineError
from icsched.run.crew import Terms
from icsched.run.dask_cluster import private_files
from icsched.run.dask_crew import dask_workers

INTRUDER = Path(__file__).parent / "intruder.py"


def listening():
    """The addresses at which this process and its children listen."""
    own = psutil.Process()
    found = set()
    for process in [own, *own.children(recursive=True)]:
        for connection in process.net_connections("all"):
            if connection.status == psutil.CONN_LISTEN:
                found.add("{}:{}".format(*connection.laddr))
    return found


def ways_in(scheduler, places, cert=None, key=None):
    """By which ways the intruder gets in."""
    given = {"scheduler": scheduler, "listening": sorted(places), "cert": cert, "key": key}
    done = subprocess.run(
        [sys.executable, INTRUDER], input=json.dumps(given), stdout=-1, text=True, timeout=100
    )
    assert done.returncode == 0
    return json.loads(done.stdout)


def place_of(address):
    return address.partition("://")[2]


def test_the_intruder_enters_a_cluster_without_tls():
    before = listening()
    options = {"n_workers": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options) as cluster:
        found = ways_in(place_of(cluster.scheduler_address), listening() - before)

    servers, nodes = ["http"] * 2, ["tcp run"] * 2  # of a worker, and of a nanny
    assert found == [*servers, *nodes, "tcp run_function", "tcp run_on_scheduler", "tcp submit"]


def test_the_intruder_enters_a_cluster_whose_certificate_it_has():
    before, secure = listening(), Security.temporary()
    options = {"n_workers": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options, security=secure) as cluster:
        pair = secure.tls_client_cert, secure.tls_client_key
        found = ways_in(place_of(cluster.scheduler_address), listening() - before, *pair)

    servers, nodes = ["http"] * 2, ["tls run"] * 2
    assert found == [*servers, *nodes, "tls run_function", "tls run_on_scheduler", "tls submit"]


@pytest.fixture(scope="module")
def cluster():
    """A cluster that icsched has started: its client, and where something listens."""
    before = listening()
    with dask_workers(Terms(workers=2)) as crew:
        yield crew._client, listening() - before


def test_nobody_else_enters_the_cluster_that_icsched_starts(cluster):
    """A scheduler, two workers and their nannies listen, and nothing else does."""
    client, places = cluster
    scheduler = place_of(client.scheduler.address)

    assert ways_in(scheduler, places) == []
    assert scheduler in places
    assert len(places) == 1 + 2 * 2


def test_the_key_is_in_no_command_line_and_in_no_environment(cluster):
    """All users can read command lines, and commands that workers start get the environment."""
    client, _ = cluster
    line = client.security.tls_worker_key.splitlines()[1]
    own = psutil.Process()
    processes = [own, *own.children(recursive=True)]

    assert not any(line in word for process in processes for word in process.cmdline())
    assert not any(line in word for process in processes for word in process.environ().values())


def test_a_connection_with_certificates_needs_no_word():
    secure, told = Security.temporary(), []
    settings = {
        "distributed.comm.tls.ca-file": secure.tls_ca_file,
        "distributed.comm.tls.client.cert": secure.tls_client_cert,
        "distributed.comm.tls.client.key": secure.tls_client_key,
    }
    options = {"n_workers": 1, "processes": False, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options, security=secure) as cluster, dask.config.set(settings):
        address = cluster.scheduler_address
        with dask_workers(Terms(address=address, tell=told.append)) as crew:
            assert crew.workers > 0

    assert address.startswith("tls://")
    assert told == []


def test_python_imports_nothing_from_a_directory_that_another_user_has_made(tmp_path):
    """Dask would keep files in a directory that is there, and look for modules in it first."""
    trap = tmp_path / "dask-scratch-space"
    trap.mkdir()
    trap.chmod(0o777)
    before = list(sys.path)

    with dask.config.set({"temporary-directory": str(tmp_path)}), dask_workers(Terms(workers=1)):
        places = [Path(place).relative_to(tmp_path) for place in set(sys.path) - set(before)]
        [private] = {tmp_path / place.parts[0] for place in places}
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        assert private.stat().st_uid == os.geteuid()

    assert [*tmp_path.iterdir(), *trap.iterdir()] == [trap]
    assert sys.path == before


def test_a_directory_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").touch()
    place = tmp_path / "file" / "below"
    message = f"^dask: cannot make a directory in {place}: Not a directory$"

    with (
        dask.config.set({"temporary-directory": str(place)}),
        pytest.raises(EngineError, match=message),
        private_files(),
    ):
        pass


def test_without_cryptography_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)

    with (
        pytest.raises(EngineError, match=r"^cryptography is .* run pip install 'icsched\[dask\]'$"),
        dask_workers(Terms(workers=1)),
    ):
        pass
