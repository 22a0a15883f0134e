"""Pools as JSON files: back and forth, and one line for each file that is wrong."""

import json
import math

import pytest
from hypothesis import given

from icsched.errors import ArgumentError, FormatError
from icsched.sim import (
    AnyPool,
    HTCondor,
    Machine,
    Machines,
    Pool,
    Recorded,
    Workers,
    pool_of,
    pool_to_dict,
    read_pool,
)
from tests.sim.models import machines, pools, recorded


@given(pools() | recorded() | machines())
def test_a_pool_survives_the_way_through_json(pool: AnyPool):
    data = json.loads(json.dumps(pool_to_dict(pool), allow_nan=False))
    again = pool_of(data)

    assert type(again) is type(pool)
    assert pool_to_dict(again) == pool_to_dict(pool)
    if not isinstance(pool, Recorded | Machines):
        assert again == pool


def test_what_is_left_out_has_its_default(tmp_path):
    path = tmp_path / "pool.json"
    path.write_text('{"schema": 1, "kind": "batches", "batch": 4, "leave": null}')

    assert read_pool(path) == Pool(batch=4)


def test_a_file_of_each_kind(tmp_path):
    path = tmp_path / "pool.json"
    path.write_text('{"schema": 1, "kind": "workers", "count": 2, "speeds": [1, 0.5], "delay": 5}')
    assert read_pool(path) == Workers(2, [1, 0.5], delay=5)

    path.write_text('{"schema": 1, "kind": "recorded", "starts": [0, 1], "ends": [2, null]}')
    visits = read_pool(path)
    assert isinstance(visits, Recorded)
    assert (visits.starts.tolist(), visits.ends.tolist()) == ([0, 1], [2, math.inf])


def test_a_file_of_machines(tmp_path):
    path = tmp_path / "pool.json"
    path.write_text(
        '{"schema": 1, "kind": "machines", "max_idle": 5, "max_jobs": null,'
        ' "htcondor": {"hold": 0},'
        ' "machines": [{"count": 12, "cores": 8, "memory_bytes": 64}, {"cores": 2}]}'
    )
    found = read_pool(path)

    assert isinstance(found, Machines)
    assert found.machines == (
        Machine({"cores": 8, "memory_bytes": 64}, count=12),
        Machine({"cores": 2}),
    )
    assert (found.max_jobs, found.max_idle, found.htcondor) == (None, 5, HTCondor(hold=0))


KEYS = (
    "interval, batch, batch_law, waiting, speed_spread, leave, deadline, replicas, overhead, delay"
)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "expected an object with the keys schema and kind, got a list of 0"),
        ("7", "expected an object with the keys schema and kind, got 7"),
        ("{}", "schema: expected 1, got null"),
        ('{"schema": 2}', "schema: expected 1, got 2"),
        ('{"schema": true}', "schema: expected 1, got true"),
        (
            '{"schema": 1, "kind": "cloud"}',
            "kind: expected batches, workers, recorded, machines, got 'cloud'",
        ),
        (
            '{"schema": 1, "kind": {}}',
            "kind: expected batches, workers, recorded, machines, got an object",
        ),
        ('{"schema": 1, "kind": "machines"}', "machines: expected a value, got none"),
        (
            '{"schema": 1, "kind": "machines", "machines": 8}',
            "machines: expected a list of objects, got 8",
        ),
        (
            '{"schema": 1, "kind": "machines", "machines": [8]}',
            "machines: expected a list of objects, got one with 8",
        ),
        (
            '{"schema": 1, "kind": "machines", "machines": []}',
            "machines: expected one Machine or more, got []",
        ),
        (
            '{"schema": 1, "kind": "machines", "machines": [{"count": 2}]}',
            "machine: expected its cores, got {}",
        ),
        (
            '{"schema": 1, "kind": "machines", "machines": [{"cores": "8"}]}',
            "cores: expected a number up to 1e+100, got '8'",
        ),
        (
            '{"schema": 1, "kind": "machines", "machines": [{"cores": 8, "count": 1.5}]}',
            "count: expected a whole number from 1 to 1,000,000, got 1.5",
        ),
        (
            '{"schema": 1, "kind": "machines", "machines": [{"cores": 8}], "htcondor": true}',
            "htcondor: expected an object, got true",
        ),
        (
            '{"schema": 1, "kind": "machines", "machines": [{"cores": 8}],'
            ' "htcondor": {"exact_cores": 1}}',
            "exact_cores: expected true or false, got 1",
        ),
        (
            '{"schema": 1, "kind": "batches", "size": 3}',
            f"expected the keys {KEYS}, got 'size'",
        ),
        ('{"schema": 1, "kind": "workers"}', "count: expected a value, got none"),
        (
            '{"schema": 1, "kind": "workers", "count": 2.5}',
            "workers: expected a whole number from 1 to 10,000,000, got 2.5",
        ),
        (
            '{"schema": 1, "kind": "workers", "count": 1, "delay": "5"}',
            "delay: expected a number up to 1e+100, got '5'",
        ),
        (
            '{"schema": 1, "kind": "workers", "count": 1, "delay": null}',
            "delay: expected a number up to 1e+100, got null",
        ),
        (
            '{"schema": 1, "kind": "batches", "interval": 1' + "0" * 400 + "}",
            "interval: expected a number up to 1e+100, got more",
        ),
        (
            '{"schema": 1, "kind": "batches", "interval": 0}',
            "interval: expected a positive number, got 0",
        ),
        (
            '{"schema": 1, "kind": "batches", "waiting": 1}',
            "waiting: expected true or false, got 1",
        ),
        (
            '{"schema": 1, "kind": "batches", "batch_law": "even"}',
            "batch_law: expected geometric, exponential or fixed, got 'even'",
        ),
        (
            '{"schema": 1, "kind": "recorded", "starts": 0, "ends": [null]}',
            "starts: expected a list of numbers, got 0",
        ),
        (
            '{"schema": 1, "kind": "recorded", "starts": [null], "ends": [null]}',
            "starts: expected a number up to 1e+100, got null",
        ),
        (
            '{"schema": 1, "kind": "recorded", "starts": [true], "ends": [null]}',
            "starts: expected a number up to 1e+100, got true",
        ),
        (
            '{"schema": 1, "kind": "recorded", "starts": [0], "ends": [3]}',
            "ends: expected at least one worker who stays, with the end null;"
            " got workers who have all left at 3",
        ),
        (
            '{"schema": 1, "kind": "recorded", "starts": [], "ends": []}',
            "starts: expected at least one visit of a worker, got an empty list",
        ),
        (
            '{"schema": 1, "kind": "recorded", "starts": [0], "ends": [Infinity]}',
            "expected a pool as JSON, got Infinity, which JSON does not have: write null for"
            " infinity",
        ),
        (
            '{"schema": 1, "kind": "workers", "count": 4, "delay": NaN}',
            "expected a pool as JSON, got NaN, which JSON does not have: write a number",
        ),
    ],
)
def test_a_file_that_is_no_pool(tmp_path, text, problem):
    path = tmp_path / "pool.json"
    path.write_text(text)

    with pytest.raises(FormatError) as caught:
        read_pool(path)

    assert str(caught.value) == f"{path}: {problem}"


@pytest.mark.parametrize(
    "text",
    ["{", '{"schema": NaN}', '{"schema": 1e999}', "[" * 100_000],
)
def test_a_file_that_is_no_json(tmp_path, text):
    path = tmp_path / "pool.json"
    path.write_text(text)

    with pytest.raises(FormatError) as caught:
        read_pool(path)

    assert str(caught.value).startswith(f"{path}: expected a pool as JSON, got ")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "pool.json"
    path.write_bytes(b'{"\xff": 1}')

    with pytest.raises(FormatError) as caught:
        read_pool(path)

    assert str(caught.value) == f"{path}:1: expected UTF-8 text, got byte 0xff"


def test_long_values_are_cut_in_messages():
    with pytest.raises(ArgumentError) as caught:
        pool_of({"schema": 1, "kind": "x" * 10**6})

    assert len(str(caught.value)) < 200


def test_an_empty_file_is_one_line(tmp_path):
    path = tmp_path / "empty.json"
    path.write_text(" \n")

    with pytest.raises(FormatError) as caught:
        read_pool(path)
    assert str(caught.value) == f"{path}: expected a JSON object, got an empty file"
